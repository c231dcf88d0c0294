import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { basic, collect, connectorWithOptions, connectorWithReplies, emptyListReply, pageReply } from './setup.js';

const long = '7693221800038890052';
const days = { fromDate: '2026-09-01', toDate: '2026-09-08' };
const times = { fromDateTime: '2026-09-01T00:00:00.197Z', toDateTime: '2026-09-08T00:00:00-07:00' };
const statistics = [
  ['stats_activity_aggregate', '/v2/stats/activity/aggregate', 'usersAggregateActivityStats'],
  ['stats_activity_day_by_day', '/v2/stats/activity/day-by-day', 'usersDetailedActivities'],
  ['stats_interaction', '/v2/stats/interaction', 'peopleInteractionStats'],
] as const;

describe('a request to Gong', () => {
  test.each([
    ['users', 'list', { cursor: 'c' }, '/v2/users?cursor=c', { users: [] }],
    ['users', 'get', { id: long }, `/v2/users/${long}`, { user: { id: long } }],
    [
      'calls',
      'list',
      { ...times, cursor: 'c', workspaceId: '9' },
      '/v2/calls?fromDateTime=2026-09-01T00%3A00%3A00.197Z&toDateTime=2026-09-08T00%3A00%3A00-07%3A00&cursor=c&workspaceId=9',
      { calls: [] },
    ],
    ['calls', 'get', { id: long }, `/v2/calls/${long}`, { call: { id: long } }],
    ['workspaces', 'list', {}, '/v2/workspaces', { workspaces: [] }],
    ['settings_scorecards', 'list', { workspaceId: '9' }, '/v2/settings/scorecards', { scorecards: [] }],
    ['settings_trackers', 'list', { workspaceId: '9' }, '/v2/settings/trackers?workspaceId=9', { keywordTrackers: [] }],
    ['settings_trackers', 'list', {}, '/v2/settings/trackers', { keywordTrackers: [] }],
    ['library_folders', 'list', { workspaceId: '9' }, '/v2/library/folders?workspaceId=9', { folders: [] }],
    [
      'library_folder_content',
      'list',
      { folderId: long, cursor: 'c' },
      `/v2/library/folder-content?folderId=${long}`,
      { calls: [] },
    ],
    [
      'coaching',
      'list',
      { 'workspace-id': long, 'manager-id': '2', from: '2026-09-01T00:00:00Z', to: '2026-09-08T00:00:00+02:00' },
      `/v2/coaching?workspace-id=${long}&manager-id=2&from=2026-09-01T00%3A00%3A00Z&to=2026-09-08T00%3A00%3A00%2B02%3A00`,
      { coachingData: [] },
    ],
  ])('for %s.%s with %j is a GET without a body', async (entity, action, params, address, reply) => {
    const { gong, sent } = connectorWithReplies(reply);
    await gong.execute(entity as any, action as any, params as any);
    expect(sent.map(({ method, url }) => [method, url.href])).toEqual([['GET', `https://api.gong.io${address}`]]);
    expect(sent[0]!.headers.get('authorization')).toBe(basic);
    expect(sent[0]!.headers.get('accept')).toBe('application/json');
    expect(sent[0]!.body).toBe('');
  });

  test('keeps any id within one path segment', async () => {
    const { gong, sent } = connectorWithReplies({ user: { id: '1' }, call: { id: '1' } });
    await gong.users.get({ id: '1/../../v2/calls?x=1#y' });
    await gong.calls.get({ id: '1/2' });
    expect(sent.map(({ url }) => url.pathname + url.search)).toEqual([
      '/v2/users/1%2F..%2F..%2Fv2%2Fcalls%3Fx%3D1%23y',
      '/v2/calls/1%2F2',
    ]);
  });

  test.each(statistics)('for %s has dates, users and the cursor only in the body', async (entity, path, key) => {
    const { gong, sent } = connectorWithReplies(pageReply(key, []));
    await gong.execute(entity, 'list', { filter: { ...days, userIds: [long] }, cursor: 'c' });
    expect([sent[0]!.method, sent[0]!.url.pathname, sent[0]!.url.search]).toEqual(['POST', path, '']);
    expect(sent[0]!.json).toEqual({ filter: { ...days, userIds: [long] }, cursor: 'c' });
    expect(sent[0]!.headers.get('content-type')).toBe('application/json');
  });

  test.each(statistics)('for %s requests further pages with the cursor in the body', async (entity, _, key) => {
    const pages = [
      pageReply(key, [{ userId: '1' }], 'c1'),
      pageReply(key, [{ userId: '2' }], 'c2'),
      pageReply(key, [{ userId: '3' }]),
    ];
    const { gong, sent } = connectorWithReplies(...pages);
    const found = await collect(gong.paginate(entity, 'list', { filter: days }) as AsyncIterable<{ userId: string }>);
    expect(found.map(({ userId }) => userId)).toEqual(['1', '2', '3']);
    expect(sent.map((one) => one.json)).toEqual([
      { filter: days },
      { filter: days, cursor: 'c1' },
      { filter: days, cursor: 'c2' },
    ]);
    expect(sent.map(({ url }) => url.search)).toEqual(['', '', '']);
  });

  test('for calls with content passes filter and contentSelector through unchanged', async () => {
    const { gong, sent } = connectorWithReplies(pageReply('calls', []));
    const filter = { ...times, callIds: [long, '2'], workspaceId: '9', primaryUserIds: ['3'] };
    const contentSelector = {
      context: 'Extended',
      contextTiming: ['Now', 'TimeOfCall'],
      exposedFields: {
        parties: true,
        media: false,
        collaboration: { publicComments: true },
        interaction: { speakers: true, personInteractionStats: true, questions: false, video: true },
        content: {
          brief: true,
          outline: true,
          highlights: true,
          keyPoints: true,
          callOutcome: true,
          topics: true,
          structure: true,
          trackers: true,
          trackerOccurrences: true,
          pointsOfInterest: true,
        },
      },
    } as const;
    await gong.calls_extensive.list({
      filter,
      contentSelector: { ...contentSelector, contextTiming: [...contentSelector.contextTiming] },
      cursor: 'c',
    });
    expect(sent[0]!.url.href).toBe('https://api.gong.io/v2/calls/extensive');
    expect(sent[0]!.json).toEqual({ filter, contentSelector, cursor: 'c' });
  });

  test('for calls with content or transcripts always has a filter, even an empty one', async () => {
    const { gong, sent } = connectorWithReplies(emptyListReply());
    await gong.calls_extensive.list({ filter: {} });
    await gong.call_transcripts.list({ filter: {} });
    expect(sent.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['POST', '/v2/calls/extensive', '{"filter":{}}'],
      ['POST', '/v2/calls/transcript', '{"filter":{}}'],
    ]);
  });

  test('omits undefined values', async () => {
    const { gong, sent } = connectorWithReplies(emptyListReply());
    await gong.calls.list({ fromDateTime: undefined, cursor: undefined } as object);
    await gong.call_transcripts.list({ filter: { callIds: ['1'], workspaceId: undefined } } as any);
    expect(sent[0]!.url.search).toBe('');
    expect(sent[1]!.body).toBe('{"filter":{"callIds":["1"]}}');
  });

  test('for transcripts requests further pages with the cursor and the same filter', async () => {
    const { gong, sent } = connectorWithOptions(
      { includePrivate: true },
      pageReply('callTranscripts', [{ callId: '1', transcript: [] }], 'c1'),
      pageReply('callTranscripts', [{ callId: '2', transcript: [] }]),
    );
    const filter = { ...times, callIds: ['1', '2'], workspaceId: '9' };
    await collect(gong.paginate('call_transcripts', 'list', { filter }));
    expect(sent.map((one) => one.json)).toEqual([{ filter }, { filter, cursor: 'c1' }]);
  });

  test('treats a plain date as midnight UTC', async () => {
    const { gong, sent } = connectorWithReplies(emptyListReply());
    await gong.calls.list({ fromDateTime: '2026-09-01', toDateTime: '2026-09-02' });
    expect(Object.fromEntries(sent[0]!.url.searchParams)).toEqual({
      fromDateTime: '2026-09-01T00:00:00Z',
      toDateTime: '2026-09-02T00:00:00Z',
    });
  });
});

describe('parameters that Gong would reject or silently ignore', () => {
  test.each([
    ['calls', { fromDateTime: 'yesterday' }, 'fromDateTime'],
    ['calls', { fromDateTime: '2026-09-01T00:00:00' }, 'fromDateTime'],
    ['calls', { fromDateTime: '2026-02-30' }, 'fromDateTime'],
    ['calls', { fromDateTime: '2026-09-02', toDateTime: '2026-09-01' }, 'toDateTime'],
    ['calls', { from: '2026-09-01' }, 'from'],
    ['calls_extensive', {}, 'filter'],
    ['calls_extensive', { filter: { callIds: [] } }, 'filter.callIds'],
    ['calls_extensive', { filter: { callIds: [7693221800038890000] } }, 'filter.callIds.0'],
    ['calls_extensive', { filter: { fromDateTime: '2026-09-02', toDateTime: '2026-09-01' } }, 'filter.toDateTime'],
    ['calls_extensive', { filter: {}, contentSelector: { context: 'Basic' } }, 'contentSelector.context'],
    ['calls_extensive', { filter: {}, contentSelector: { contextTiming: ['Now'] } }, 'contentSelector.contextTiming'],
    [
      'calls_extensive',
      { filter: {}, contentSelector: { context: 'Extended', contextTiming: ['Then'] } },
      'contentSelector.contextTiming.0',
    ],
    [
      'calls_extensive',
      { filter: {}, contentSelector: { exposedFields: { content: { trackerOccurrences: true } } } },
      'contentSelector.exposedFields.content.trackerOccurrences',
    ],
    [
      'calls_extensive',
      { filter: {}, contentSelector: { exposedFields: { interaction: { interactionStats: true } } } },
      'contentSelector.exposedFields.interaction.interactionStats',
    ],
    ['call_transcripts', {}, 'filter'],
    ['stats_interaction', { filter: { fromDate: '2026-09-01' } }, 'filter.toDate'],
    ['stats_interaction', { filter: { ...days, fromDate: '2026-09-01T00:00:00Z' } }, 'filter.fromDate'],
    ['stats_activity_aggregate', { filter: { fromDate: '2026-09-02', toDate: '2026-09-01' } }, 'filter.toDate'],
    ['stats_activity_day_by_day', { filter: { ...days, userId: '1' } }, 'filter.userId'],
    ['stats_activity_scorecards', { filter: { fromDateTime: '2026-09-01' } }, 'filter.toDateTime'],
    ['stats_activity_scorecards', { filter: { ...times, reviewMethod: 'BOTH' } }, 'filter.reviewMethod'],
    ['library_folders', {}, 'workspaceId'],
    ['library_folder_content', {}, 'folderId'],
    ['coaching', { 'workspace-id': '1', 'manager-id': '2', from: '2026-09-01' }, 'to'],
    ['coaching', { 'workspace-id': '1', 'manager-id': '2', from: '2026-09-02', to: '2026-09-01' }, 'to'],
    ['coaching', { 'workspace-id': 1, 'manager-id': '2', from: '2026-09-01', to: '2026-09-02' }, 'workspace-id'],
  ])('are rejected locally: %s.list with %j', async (entity, params, path) => {
    const { gong, sent } = connectorWithReplies({});
    const error = await failure(gong.execute(entity as any, 'list', params as any));
    expect(error.code).toBe('invalid_params');
    expect(error.issues?.map((issue) => issue.path)).toEqual([path]);
    expect(sent).toHaveLength(0);
  });

  test("are accepted if a period's start and end are the same, which gives an empty result", async () => {
    const { gong } = connectorWithReplies(emptyListReply());
    const same = { fromDate: '2026-09-01', toDate: '2026-09-01' };
    expect((await gong.stats_activity_aggregate.list({ filter: same })).data).toEqual([]);
  });
});
