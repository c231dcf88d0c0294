/**
 * Google Drive: the connector, the types of its records, and `changesSince`.
 * @module agent-connectors/google-drive
 */
import { accessToken, connector, oauthRefresh, serviceAccount, VERSION } from '../../src/authoring.js';
import { comments, permissions, replies, revisions } from './collaboration.js';
import { about, changes, changes_start_page_token, drives } from './drives.js';
import { fault } from './faults.js';
import { files, files_export } from './files.js';
import { scopes } from './operations.js';
import { files_upload } from './upload.js';

export { changesSince } from './drives.js';
export type { ExportFormat } from './files.js';
export type { Change, Comment, Drive, File, Permission, Reply, Revision } from './records.js';
export type { Uploadable } from './transfers.js';

/** Google Drive files, folders, shared drives, comments, permissions, revisions and changes. */
export class GoogleDriveConnector extends connector({
  name: 'google-drive',
  title: 'Google Drive',
  description: 'Google Drive files, folders, shared drives, comments, permissions, revisions and changes.',
  version: VERSION,
  definitionId: '9f8dda77-1048-4368-815b-269bf54ee9b8',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: { api: 'https://www.googleapis.com', auth: 'https://oauth2.googleapis.com' },
  auth: {
    oauth: oauthRefresh('OAuth client with a refresh token and the drive scope, or drive.readonly for reading.', {
      path: '/token',
      style: 'form',
      revoke: '/revoke',
      authorize: {
        // Without these two parameters, Google does not issue a refresh token
        // (developers.google.com/identity/protocols/oauth2/web-server).
        params: { access_type: 'offline', prompt: 'consent' },
        url: 'https://accounts.google.com/o/oauth2/v2/auth',
        scopes: ['https://www.googleapis.com/auth/drive'],
      },
    }),
    service_account: serviceAccount(
      'Service account. It can access files shared with its address or, if subject is set, everything that user can access.',
      {
        scope: 'https://www.googleapis.com/auth/drive',
        readOnlyScope: 'https://www.googleapis.com/auth/drive.readonly',
        subject:
          'Email of the user to act on behalf of. A domain administrator must first delegate the scopes to the service account.',
        scopes: 'Scopes to request, separated by spaces (default: drive, or drive.readonly for a read-only connector).',
      },
    ),
    access_token: accessToken('OAuth access token, valid for an hour.'),
  },
  fault,
  replication: () => import('./replication/index.js'),
  scopes,
  relations: {
    files: {
      fileId: 'files',
      driveId: 'drives',
      parents: 'files',
      addParents: 'files',
      removeParents: 'files',
      'shortcutDetails.targetId': 'files',
      permissionIds: 'permissions',
      headRevisionId: 'revisions',
    },
    files_upload: { parents: 'files', driveId: 'drives', permissionIds: 'permissions', headRevisionId: 'revisions' },
    files_export: { fileId: 'files' },
    drives: { driveId: 'drives' },
    permissions: { fileId: 'files', permissionId: 'permissions' },
    comments: { fileId: 'files', commentId: 'comments', 'replies.id': 'replies' },
    replies: { fileId: 'files', commentId: 'comments', replyId: 'replies' },
    revisions: { fileId: 'files', revisionId: 'revisions' },
    changes: { pageToken: 'changes_start_page_token.startPageToken', fileId: 'files', driveId: 'drives' },
    changes_start_page_token: { driveId: 'drives' },
  },
  entities: {
    files,
    files_upload,
    files_export,
    drives,
    permissions,
    comments,
    replies,
    revisions,
    changes,
    changes_start_page_token,
    about,
  },
}) {}
