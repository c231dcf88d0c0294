/**
 * Zod schemas of Google Drive's records and of the parameters of its actions, for each entity.
 * @module agent-connectors/google-drive/schemas
 */
import { type EntitySchemas, schemasOf } from '../../src/authoring.js';
import * as collaborationEntities from './collaboration.js';
import * as driveEntities from './drives.js';
import * as fileEntities from './files.js';
import type { GoogleDriveConnector } from './index.js';
import * as uploadEntities from './upload.js';

type Entities = (typeof GoogleDriveConnector)['manifest']['entities'];

/** Schemas of `comments`. */
export const comments: EntitySchemas<Entities['comments']> = schemasOf(collaborationEntities.comments);
/** Schemas of `permissions`. */
export const permissions: EntitySchemas<Entities['permissions']> = schemasOf(collaborationEntities.permissions);
/** Schemas of `replies`. */
export const replies: EntitySchemas<Entities['replies']> = schemasOf(collaborationEntities.replies);
/** Schemas of `revisions`. */
export const revisions: EntitySchemas<Entities['revisions']> = schemasOf(collaborationEntities.revisions);
/** Schemas of `about`. */
export const about: EntitySchemas<Entities['about']> = schemasOf(driveEntities.about);
/** Schemas of `changes`. */
export const changes: EntitySchemas<Entities['changes']> = schemasOf(driveEntities.changes);
/** Schemas of `changes_start_page_token`. */
export const changes_start_page_token: EntitySchemas<Entities['changes_start_page_token']> = schemasOf(
  driveEntities.changes_start_page_token,
);
/** Schemas of `drives`. */
export const drives: EntitySchemas<Entities['drives']> = schemasOf(driveEntities.drives);
/** Schemas of `files`. */
export const files: EntitySchemas<Entities['files']> = schemasOf(fileEntities.files);
/** Schemas of `files_export`. */
export const files_export: EntitySchemas<Entities['files_export']> = schemasOf(fileEntities.files_export);
/** Schemas of `files_upload`. */
export const files_upload: EntitySchemas<Entities['files_upload']> = schemasOf(uploadEntities.files_upload);
