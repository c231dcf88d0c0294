import type { Manifest } from 'agent-connectors';
import type { FieldType, StoredEntity } from './types.js';

/** What the manifests do not say of their searchable fields. */
interface Particulars {
  /** `id` when left out. */
  readonly key?: readonly string[];
  readonly dateTimes?: readonly string[];
}

const stamps = ['createdAt', 'updatedAt'];

const report = (...dimensions: string[]): Particulars => ({
  key: ['property_id', 'date', 'startDate', 'endDate', ...dimensions],
});

const particulars: Readonly<Record<string, Readonly<Record<string, Particulars>>>> = {
  linear: {
    issues: {
      dateTimes: [
        ...stamps,
        'addedToCycleAt',
        'addedToProjectAt',
        'addedToTeamAt',
        'canceledAt',
        'completedAt',
        'dueDate',
        'startedAt',
      ],
    },
    projects: {
      dateTimes: [...stamps, 'canceledAt', 'completedAt', 'healthUpdatedAt', 'startDate', 'startedAt', 'targetDate'],
    },
    teams: { dateTimes: stamps },
    workflow_states: { dateTimes: stamps },
    users: { dateTimes: [...stamps, 'lastSeen'] },
    comments: { dateTimes: [...stamps, 'editedAt'] },
  },
  gong: {
    users: { dateTimes: ['created'] },
    calls: { dateTimes: ['scheduled', 'started'] },
    calls_extensive: { dateTimes: ['startdatetime'] },
    call_transcripts: { key: ['callId'], dateTimes: ['started'] },
    settings_scorecards: { key: ['scorecardId'], dateTimes: ['created', 'updated'] },
    stats_activity_scorecards: { key: ['answeredScorecardId'], dateTimes: ['callStartTime', 'reviewTime'] },
  },
  granola: { notes: { dateTimes: ['created_at', 'updated_at'] } },
  'google-drive': { files: { dateTimes: ['updated_at'] } },
  'google-analytics': {
    website_overview: report(),
    daily_active_users: report(),
    weekly_active_users: report(),
    four_weekly_active_users: report(),
    traffic_sources: report('sessionMedium', 'sessionSource'),
    pages: report('hostName', 'pagePathPlusQueryString'),
    devices: report('browser', 'deviceCategory', 'operatingSystem'),
    locations: report('city', 'country', 'region'),
  },
};

/** What a store keeps of a connector: every entity that its manifest makes searchable. */
export function entitiesOf({ name: type, entities }: Manifest): StoredEntity[] {
  return Object.entries(entities).flatMap(([entity, { search }]) => {
    if (!search) return [];
    const fields = Object.fromEntries(
      Object.entries(search.fields).flatMap(([kind, names]) =>
        (names ?? []).map((field): [string, FieldType] => [field, kind as FieldType]),
      ),
    );
    const { key = ['id'], dateTimes = [] } = particulars[type]?.[entity] ?? {};
    return [{ type, entity, fields, dateTimes, key }];
  });
}
