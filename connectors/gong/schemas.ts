/**
 * Zod schemas of Gong's records and of the parameters of its actions, for each entity.
 * @module agent-connectors/gong/schemas
 */
import { type EntitySchemas, schemasOf } from '../../src/authoring.js';
import * as callEntities from './calls.js';
import * as coachingEntities from './coaching.js';
import type { GongConnector } from './index.js';
import * as libraryEntities from './library.js';
import * as mediaEntities from './media.js';
import * as settingsEntities from './settings.js';
import * as statsEntities from './stats.js';

type Entities = (typeof GongConnector)['manifest']['entities'];

/** Schemas of `call_transcripts`. */
export const call_transcripts: EntitySchemas<Entities['call_transcripts']> = schemasOf(callEntities.call_transcripts);
/** Schemas of `calls`. */
export const calls: EntitySchemas<Entities['calls']> = schemasOf(callEntities.calls);
/** Schemas of `calls_extensive`. */
export const calls_extensive: EntitySchemas<Entities['calls_extensive']> = schemasOf(callEntities.calls_extensive);
/** Schemas of `coaching`. */
export const coaching: EntitySchemas<Entities['coaching']> = schemasOf(coachingEntities.coaching);
/** Schemas of `library_folder_content`. */
export const library_folder_content: EntitySchemas<Entities['library_folder_content']> = schemasOf(
  libraryEntities.library_folder_content,
);
/** Schemas of `library_folders`. */
export const library_folders: EntitySchemas<Entities['library_folders']> = schemasOf(libraryEntities.library_folders);
/** Schemas of `call_audio`. */
export const call_audio: EntitySchemas<Entities['call_audio']> = schemasOf(mediaEntities.call_audio);
/** Schemas of `call_video`. */
export const call_video: EntitySchemas<Entities['call_video']> = schemasOf(mediaEntities.call_video);
/** Schemas of `settings_scorecards`. */
export const settings_scorecards: EntitySchemas<Entities['settings_scorecards']> = schemasOf(
  settingsEntities.settings_scorecards,
);
/** Schemas of `settings_trackers`. */
export const settings_trackers: EntitySchemas<Entities['settings_trackers']> = schemasOf(
  settingsEntities.settings_trackers,
);
/** Schemas of `users`. */
export const users: EntitySchemas<Entities['users']> = schemasOf(settingsEntities.users);
/** Schemas of `workspaces`. */
export const workspaces: EntitySchemas<Entities['workspaces']> = schemasOf(settingsEntities.workspaces);
/** Schemas of `stats_activity_aggregate`. */
export const stats_activity_aggregate: EntitySchemas<Entities['stats_activity_aggregate']> = schemasOf(
  statsEntities.stats_activity_aggregate,
);
/** Schemas of `stats_activity_day_by_day`. */
export const stats_activity_day_by_day: EntitySchemas<Entities['stats_activity_day_by_day']> = schemasOf(
  statsEntities.stats_activity_day_by_day,
);
/** Schemas of `stats_activity_scorecards`. */
export const stats_activity_scorecards: EntitySchemas<Entities['stats_activity_scorecards']> = schemasOf(
  statsEntities.stats_activity_scorecards,
);
/** Schemas of `stats_interaction`. */
export const stats_interaction: EntitySchemas<Entities['stats_interaction']> = schemasOf(
  statsEntities.stats_interaction,
);
