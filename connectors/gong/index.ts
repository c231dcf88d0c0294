/**
 * Gong: the connector and the types of its records.
 * @module agent-connectors/gong
 */
import { connector, keyPair, oauthRefresh, VERSION } from '../../src/authoring.js';
import { call_transcripts, calls, calls_extensive } from './calls.js';
import { coaching } from './coaching.js';
import { fault, hints } from './faults.js';
import { library_folder_content, library_folders } from './library.js';
import { call_audio, call_video } from './media.js';
import { settings_scorecards, settings_trackers, users, workspaces } from './settings.js';
import {
  stats_activity_aggregate,
  stats_activity_day_by_day,
  stats_activity_scorecards,
  stats_interaction,
} from './stats.js';

export type {
  ActivityTotals,
  AnsweredScorecard,
  Coaching,
  DailyActivity,
  Interaction,
  Scorecard,
  Tracker,
} from './measures.js';
export type { Call, ExtensiveCall, FolderCall, LibraryFolder, Transcript, User, Workspace } from './records.js';

/** Included in request paths, and often in the URL that customers pass. */
const suffix = '/v2';
const baseUrl = "Your company's API base URL, from Settings > API in Gong, such as https://us-12345.api.gong.io.";

/** Gong calls, transcripts, recordings, scorecards, activity and coaching. */
export class GongConnector extends connector({
  name: 'gong',
  title: 'Gong',
  description: 'Gong calls, transcripts, recordings, scorecards, activity and coaching.',
  version: VERSION,
  definitionId: '32382e40-3b49-4b99-9c5c-4076501914e7',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: { api: 'https://api.gong.io', auth: 'https://app.gong.io', customers: ['api.gong.io'] },
  auth: {
    access_key: keyPair('Access key. A technical administrator creates it in Gong under Settings > API.', {
      user: ['access_key', 'Access key.'],
      password: ['access_key_secret', 'Secret for the access key; Gong shows it only once.'],
      baseUrl: { description: baseUrl, suffix },
    }),
    oauth: oauthRefresh("Your company's OAuth application; refresh tokens are single-use.", {
      path: '/oauth2/generate-customer-token',
      style: 'query',
      once: true,
      authorize: {
        url: 'https://app.gong.io/oauth2/authorize',
        scopes: [
          'users:read',
          'calls:read:basic',
          'calls:read:extensive',
          'calls:read:media-url',
          'calls:read:transcript',
          'workspaces:read',
          'stats:user-actions',
          'stats:user-actions:detailed',
          'stats:interaction',
          'stats:scorecards',
          'settings:scorecards:read',
          'settings:trackers:read',
          'library:read',
          'coaching:read',
        ].map((scope) => `api:${scope}`),
      },
      customer: { description: baseUrl, key: 'api_base_url_for_customer', suffix },
    }),
  },
  // All of the company's API clients share these limits, including the 10,000 requests per day (help.gong.io, API
  // limits). The window is 10% longer than Gong's one second, because requests arrive less evenly than they are sent.
  limits: { windows: [{ requests: 3, perMs: 1100 }], perDay: 10_000 },
  settings: { includePrivate: 'Includes private calls in lists, transcripts and library folders.' },
  fault,
  hints,
  replication: () => import('./replication/index.js'),
  // OpenAPI document of Gong, July 2026. Private calls are recognized by their metadata in calls/extensive.
  scopes: {
    users: ['api:users:read'],
    calls: ['api:calls:read:basic'],
    calls_extensive: ['api:calls:read:extensive'],
    call_audio: [['api:calls:read:extensive', 'api:calls:read:media-url']],
    call_video: [['api:calls:read:extensive', 'api:calls:read:media-url']],
    workspaces: ['api:workspaces:read'],
    call_transcripts: [['api:calls:read:transcript', 'api:calls:read:extensive']],
    stats_activity_aggregate: ['api:stats:user-actions'],
    stats_activity_day_by_day: ['api:stats:user-actions:detailed'],
    stats_interaction: ['api:stats:interaction'],
    stats_activity_scorecards: ['api:stats:scorecards'],
    settings_scorecards: ['api:settings:scorecards:read'],
    settings_trackers: ['api:settings:trackers:read'],
    library_folders: ['api:library:read'],
    library_folder_content: [['api:library:read', 'api:calls:read:extensive']],
    coaching: ['api:coaching:read'],
  },
  relations: {
    users: { managerId: 'users' },
    calls: { primaryUserId: 'users', workspaceId: 'workspaces' },
    calls_extensive: {
      'metaData.id': 'calls',
      'metaData.primaryUserId': 'users',
      'metaData.workspaceId': 'workspaces',
      'parties.userId': 'users',
      'interaction.speakers.userId': 'users',
      'collaboration.publicComments.commenterUserId': 'users',
      'filter.workspaceId': 'workspaces',
      'filter.callIds': 'calls',
      'filter.primaryUserIds': 'users',
    },
    call_audio: { 'filter.callIds': 'calls' },
    call_video: { 'filter.callIds': 'calls' },
    call_transcripts: {
      callId: 'calls',
      'transcript.speakerId': 'calls_extensive.parties.speakerId',
      'filter.callIds': 'calls',
      'filter.workspaceId': 'workspaces',
    },
    stats_activity_aggregate: { userId: 'users', 'filter.userIds': 'users' },
    stats_activity_day_by_day: { userId: 'users', 'filter.userIds': 'users' },
    stats_interaction: { userId: 'users', 'filter.userIds': 'users' },
    stats_activity_scorecards: {
      callId: 'calls',
      scorecardId: 'settings_scorecards.scorecardId',
      'answers.questionId': 'settings_scorecards.questions.questionId',
      reviewedUserId: 'users',
      reviewerUserId: 'users',
      editorUserId: 'users',
      'filter.callIds': 'calls',
      'filter.reviewedUserIds': 'users',
      'filter.reviewerUserIds': 'users',
      'filter.scorecardIds': 'settings_scorecards.scorecardId',
    },
    settings_scorecards: { workspaceId: 'workspaces', updaterUserId: 'users' },
    settings_trackers: { workspaceId: 'workspaces', creatorUserId: 'users', updaterUserId: 'users' },
    library_folders: { workspaceId: 'workspaces', parentFolderId: 'library_folders', createdBy: 'users' },
    library_folder_content: { folderId: 'library_folders', callId: 'calls', primaryUserId: 'users' },
    coaching: { 'workspace-id': 'workspaces', 'manager-id': 'users', userId: 'users' },
  },
  entities: {
    users,
    calls,
    calls_extensive,
    call_audio,
    call_video,
    workspaces,
    call_transcripts,
    stats_activity_aggregate,
    stats_activity_day_by_day,
    stats_interaction,
    settings_scorecards,
    settings_trackers,
    library_folders,
    library_folder_content,
    coaching,
    stats_activity_scorecards,
  },
}) {}
