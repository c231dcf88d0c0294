import { ConnectorError } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import type { TestedClass } from 'agent-connectors-sandbox/testing';
import { describe, expect, test } from 'vitest';

interface Limit {
  readonly Connector: TestedClass;
  /** `entity.action`, and the parameters it needs besides the limited one. */
  readonly actions: Readonly<Record<string, object>>;
  /** Dotted path of the parameter, with its minimum and maximum. */
  readonly path: string;
  readonly within: readonly [unknown, unknown];
  readonly beyond: readonly unknown[];
}

const searches = { query: {} };
const meaning = { semantic: { prompt: 'outage', field: 'description' } };
const meaningOfFile = { semantic: { prompt: 'outage', field: 'content' } };
const file = { fileId: 'F' };
const recording = { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } };
const recordings = { 'call_audio.download': recording, 'call_video.download': recording };
const property = { property_id: '123456789' };
const reports = {
  'website_overview.list': property,
  'daily_active_users.list': property,
  'weekly_active_users.list': property,
  'four_weekly_active_users.list': property,
  'traffic_sources.list': property,
  'pages.list': property,
  'devices.list': property,
  'locations.list': property,
};
const columns = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `column${index}` }));
const days = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ startDate: `${index + 1}daysAgo`, endDate: 'today' }));

const limits: readonly Limit[] = [
  {
    Connector: LinearConnector,
    actions: {
      'issues.list': {},
      'projects.list': {},
      'teams.list': {},
      'workflow_states.list': {},
      'users.list': {},
      'comments.list': { issueId: 'ENG-1' },
    },
    path: 'first',
    within: [1, 250],
    beyond: [0, 251, -1, 2.5, '10'],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.create': { teamId: 't', title: 'T' }, 'issues.update': { id: 'ENG-1' } },
    path: 'priority',
    within: [0, 4],
    beyond: [-1, 5, 2.5],
  },
  {
    Connector: LinearConnector,
    actions: { 'projects.create': { name: 'P', teamIds: ['t'] }, 'projects.update': { id: 'p' } },
    path: 'description',
    within: ['', 'x'.repeat(255)],
    beyond: ['x'.repeat(256)],
  },
  {
    Connector: GranolaConnector,
    actions: { 'notes.list': {} },
    path: 'page_size',
    within: [1, 30],
    beyond: [0, 31, -1, 2.5, '10'],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': searches, 'teams.context_store_search': searches },
    path: 'limit',
    within: [1, 10_000],
    beyond: [0, 10_001],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': meaning },
    path: 'limit',
    within: [1, 100],
    beyond: [0, 101],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': meaning },
    path: 'semantic.context_size',
    within: [1, 2048],
    beyond: [0, 2049],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.list': {}, 'revisions.list': file, 'changes.list': { pageToken: '1' } },
    path: 'pageSize',
    within: [1, 1000],
    beyond: [0, 1001, -1, 2.5, '10'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: {
      'drives.list': {},
      'permissions.list': file,
      'comments.list': file,
      'replies.list': { ...file, commentId: 'C' },
    },
    path: 'pageSize',
    within: [1, 100],
    beyond: [0, 101, -1, 2.5, '10'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.list': {} },
    path: 'corpora',
    within: ['user', 'allDrives'],
    beyond: ['domain', 'everything', '', true],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.create': { name: 'n' }, 'files_upload.create': { name: 'n', file_content: '' } },
    path: 'parents',
    within: [[], ['P']],
    beyond: [['P', 'Q'], 'P'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.download': file },
    path: 'alt',
    within: ['media', undefined],
    beyond: ['json', ''],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files_upload.create': { name: 'n', file_content: '' } },
    path: 'uploadType',
    within: ['multipart', undefined],
    beyond: ['resumable', 'media'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.download': file, 'files_export.download': { ...file, mimeType: 'text/plain' } },
    path: 'range_header',
    within: ['bytes=0-9', 'bytes=-9'],
    beyond: ['0-9', 'bytes=9', 'bytes=-', 'bytes=0-1,3-4'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'comments.list': file },
    path: 'startModifiedTime',
    within: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000+02:00'],
    beyond: ['2026-01-01', 'yesterday'],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.context_store_search': searches },
    path: 'limit',
    within: [1, 10_000],
    beyond: [0, 10_001],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.context_store_search': meaningOfFile },
    path: 'limit',
    within: [1, 100],
    beyond: [0, 101],
  },
  {
    Connector: GoogleDriveConnector,
    actions: { 'files.context_store_search': meaningOfFile },
    path: 'semantic.context_size',
    within: [1, 2048],
    beyond: [0, 2049],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: reports,
    path: 'limit',
    within: [1, 250_000],
    beyond: [0, 250_001, -1, 2.5, '10'],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: reports,
    path: 'offset',
    within: [0, 1_000_000],
    beyond: [-1, 2.5, '10'],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: reports,
    path: 'dateRanges',
    within: [days(1), days(4)],
    beyond: [[], days(5), days(1)[0]],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: reports,
    path: 'dimensions',
    within: [[], columns(9)],
    beyond: [columns(10), 'date'],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: reports,
    path: 'metrics',
    within: [[], columns(10)],
    beyond: [columns(11), 'sessions'],
  },
  {
    Connector: GoogleAnalyticsConnector,
    actions: { 'website_overview.context_store_search': searches, 'pages.context_store_search': searches },
    path: 'limit',
    within: [1, 10_000],
    beyond: [0, 10_001],
  },
  {
    Connector: GongConnector,
    actions: recordings,
    path: 'filter.callIds',
    within: [['1'], ['7693221800038890052']],
    beyond: [[], ['1', '2'], '1', undefined],
  },
  {
    Connector: GongConnector,
    actions: recordings,
    path: 'contentSelector.exposedFields.media',
    within: [true, true],
    beyond: [false, 'true', 1, undefined],
  },
  {
    Connector: GongConnector,
    actions: recordings,
    path: 'range_header',
    within: ['bytes=9-', 'bytes=-9'],
    beyond: ['0-9', 'bytes=9', 'bytes=-', 'bytes=0-1,3-4'],
  },
];

/** The parameters plus one more, at a dotted path. */
function set(params: object, path: string, value: unknown): object {
  const [key, ...rest] = path.split('.') as [string, ...string[]];
  const inner = (params as Record<string, object>)[key] ?? {};
  return { ...params, [key]: rest.length === 0 ? value : set(inner, rest.join('.'), value) };
}

const cases = limits.flatMap(({ Connector, actions, ...limit }) =>
  Object.entries(actions).map(([where, params]) => ({
    name: `${Connector.manifest.name} ${where}${'semantic' in params ? ' by meaning' : ''}: ${limit.path}`,
    Connector,
    where,
    params,
    ...limit,
  })),
);

describe('a limit in the contract', () => {
  test.each(cases.map((found): [string, (typeof cases)[number]] => [found.name, found]))(
    'is enforced before anything is sent: %s',
    async (_, { Connector, where, params, path, within, beyond }) => {
      let sent = 0;
      const fetch = async () => {
        sent += 1;
        return Response.json({});
      };
      const { fields } = Connector.describe().auth[0]!;
      const given = fields.filter(({ required, secret }) => required || secret);
      const credentials = Object.fromEntries(given.map(({ name }) => [name, 'k3y']));
      const connector = new Connector({ credentials, fetch, retries: 0 });
      const [entity, action] = where.split('.');
      const refusal = async (value: unknown): Promise<ConnectorError | undefined> => {
        const call = connector.execute(entity, action, set(params, path, value));
        const error = await call.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined && !ConnectorError.is(error)) throw error;
        return error;
      };

      for (const value of beyond) {
        const error = await refusal(value);
        expect(error?.code).toBe('invalid_params');
        expect(error?.issues?.map((issue) => issue.path)).toEqual([path]);
      }
      expect(sent).toBe(0);
      for (const [index, value] of within.entries()) {
        const error = await refusal(value);
        expect(error?.code).not.toBe('invalid_params');
        if (error?.code !== 'hosted_only') expect(sent).toBe(index + 1);
      }
    },
  );
});
