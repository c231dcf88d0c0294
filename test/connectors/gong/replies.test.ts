import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { callLookupReply, collect, connectorWithReplies, emptyListReply, errorReply, pageReply } from './setup.js';

const user = {
  id: '7254376376091929519',
  emailAddress: 'ana@fernhill.example',
  created: '2026-06-10T21:50:07.428+02:00',
  active: true,
  emailAliases: [],
  trustedEmailAddress: null,
  firstName: 'Ana',
  lastName: 'Silva',
  title: null,
  phoneNumber: null,
  extension: null,
  personalMeetingUrls: [],
  settings: { webConferencesRecorded: true, gongConnectEnabled: false },
  managerId: null,
  meetingConsentPageUrl: null,
  spokenLanguages: [{ language: 'pt-PT', primary: true }],
};

const call = {
  id: '7693221800038890052',
  url: 'https://us-55616.app.gong.io/call?id=7693221800038890052',
  title: 'Demo',
  scheduled: '2026-08-28T08:00:00-07:00',
  started: '2026-08-28T08:01:12.816562-07:00',
  duration: 2312,
  primaryUserId: '7254376376091929519',
  direction: 'Conference',
  system: 'Zoom',
  scope: 'External',
  media: 'Video',
  language: 'eng',
  workspaceId: '623457276584334',
  sdrDisposition: null,
  clientUniqueId: null,
  customData: null,
  purpose: null,
  meetingUrl: 'https://zoom.us/j/123',
  isPrivate: false,
  calendarEventId: null,
};

describe('users', () => {
  test("keep Gong's nulls and empty lists, but drop unlisted fields", async () => {
    const sent = { ...user, conferencingProviders: [{ provider: 'Zoom', isDefault: true }] };
    const { gong, mismatches } = connectorWithReplies(pageReply('users', [sent]), { requestId: 'r', user: sent });
    expect((await gong.users.list()).data).toEqual([user]);
    expect((await gong.users.get({ id: user.id })).data).toEqual(user);
    expect(mismatches).toEqual([]);
  });

  test('keep unlisted fields with raw', async () => {
    const { gong } = connectorWithReplies({ user: { ...user, conferencingProviders: null } });
    expect((await gong.users.get({ id: user.id }, { raw: true })).data).toEqual({
      ...user,
      conferencingProviders: null,
    });
  });

  test('that do not exist are an error for get, and an empty result for list', async () => {
    const { gong } = connectorWithReplies(errorReply(404, ['User ID 1 was not found']), emptyListReply('users'));
    expect(await failure(gong.users.get({ id: '1' }))).toMatchObject({ code: 'not_found', status: 404 });
    expect((await gong.users.list()).data).toEqual([]);
  });
});

describe('a page', () => {
  test('has the next cursor, the total, and its zero-based page number', async () => {
    const records = { totalRecords: 263, currentPageSize: 100, currentPageNumber: 1, cursor: 'eyJhbGciOiJIUzI1NiJ9.x' };
    const { gong, mismatches } = connectorWithReplies({ requestId: 'r', records, users: [user] });
    expect((await gong.users.list()).meta).toEqual({
      cursor: 'eyJhbGciOiJIUzI1NiJ9.x',
      total_records: 263,
      current_page_number: 1,
    });
    expect(mismatches).toEqual([]);
  });

  test('is the last one if it has no cursor or no records', async () => {
    const { gong } = connectorWithReplies(pageReply('users', [user]), { requestId: 'r', users: [user] });
    expect((await gong.users.list()).meta).toEqual({ cursor: null, total_records: 1, current_page_number: 0 });
    expect((await gong.users.list()).meta).toEqual({ cursor: null, total_records: 0, current_page_number: 0 });
  });

  test('with a repeated cursor ends pagination with an error instead of looping', async () => {
    const { gong, sent } = connectorWithReplies(pageReply('users', [user], 'c1'));
    const error = await failure(collect(gong.paginate('users', 'list')));
    expect(error.code).toBe('invalid_response');
    expect(sent.length).toBeLessThan(4);
  });

  test('can claim more records than it has: only the cursor matters', async () => {
    const first = {
      ...pageReply('calls', [call], 'c1'),
      records: { totalRecords: 50, cursor: 'c1', currentPageNumber: 0 },
    };
    const { gong } = connectorWithReplies(first, pageReply('calls', []));
    expect(await collect(gong.paginate('calls', 'list'))).toHaveLength(1);
  });
});

describe('calls', () => {
  test('have all twenty fields as Gong sends them', async () => {
    const { gong, mismatches } = connectorWithReplies(pageReply('calls', [call]), { call });
    const { data, meta } = await gong.calls.list();
    expect(data).toEqual([call]);
    expect(meta).toEqual({ cursor: null, total_records: 1, current_page_number: 0, private_dropped: 0 });
    expect((await gong.calls.get({ id: call.id })).data).toEqual(call);
    expect(mismatches).toEqual([]);
  });

  test('have null for fields that Gong omits', async () => {
    const { gong, mismatches } = connectorWithReplies(pageReply('calls', [{ id: '1' }]));
    const blank = Object.fromEntries(Object.keys(call).map((field) => [field, null]));
    expect((await gong.calls.list()).data).toEqual([{ ...blank, id: '1' }]);
    expect(mismatches).toEqual([]);
  });

  test("keep Gong's order", async () => {
    const ids = ['30', '10', '20'];
    const rows = ids.map((id) => ({ ...call, id }));
    const { gong } = connectorWithReplies(pageReply('calls', rows));
    expect((await gong.calls.list()).data.map(({ id }) => id)).toEqual(ids);
  });
});

describe('calls with their content', () => {
  const whole = {
    metaData: call,
    context: [
      {
        system: 'HubSpot',
        objects: [{ objectType: 'Account', objectId: '001', fields: [{ name: 'Name', value: 'X' }], timing: 'Now' }],
      },
    ],
    parties: [
      { id: '5', name: 'Guest', speakerId: null, context: [], affiliation: 'Unknown', methods: ['Invitee'] },
      { id: '6', emailAddress: 'a@x.example', name: 'A', title: 'AE', userId: '1', speakerId: '77', phoneNumber: null },
    ],
    content: {
      trackers: [{ id: '1', name: 'Price', count: 2, type: 'KEYWORD', occurrences: [12.5], phrases: [] }],
      topics: [{ name: 'Small Talk', duration: 33 }],
      brief: 'They spoke.',
      outline: [{ section: 'S', startTime: 1.5, duration: 9, items: [{ text: 't', startTime: 1.5 }] }],
      highlights: [{ title: 'Next Steps', items: [{ text: 't', startTimes: [3] }] }],
      callOutcome: { id: '3', category: 'Answered', name: 'Busy' },
      keyPoints: [{ text: 'k' }],
    },
    interaction: {
      speakers: [{ id: '77', userId: '1', talkTime: 81.5 }],
      interactionStats: [{ name: 'Talk Ratio', value: 0.44 }],
      video: [{ name: 'Browser', duration: 12 }],
      questions: { companyCount: 3, nonCompanyCount: 1 },
    },
    collaboration: { publicComments: [{ id: '9', audioStartTime: 1.5, comment: 'c', inReplyTo: null }] },
    media: { audioUrl: 'https://bucket.example/a?X-Amz-Signature=s', videoUrl: null },
  };

  test('are complete, with metrics as interactionStats and the CRM context as a list', async () => {
    const { gong, mismatches } = connectorWithReplies(pageReply('calls', [whole]));
    const { data } = await gong.calls_extensive.list({ filter: {}, contentSelector: { context: 'Extended' } });
    expect(data).toEqual([whole]);
    expect(mismatches).toEqual([]);
  });

  test('have null for parts not requested, and keep empty blocks', async () => {
    const { gong, mismatches } = connectorWithReplies(
      pageReply('calls', [{ metaData: call }, { metaData: call, context: [], collaboration: {} }]),
    );
    const bare = { parties: null, content: null, interaction: null, collaboration: null, media: null, context: null };
    expect((await gong.calls_extensive.list({ filter: {} })).data).toEqual([
      { metaData: call, ...bare },
      { metaData: call, ...bare, context: [], collaboration: {} },
    ]);
    expect(mismatches).toEqual([]);
  });

  test('keep pointsOfInterest if Gong still sends it, and additional fields inside blocks', async () => {
    const content = { pointsOfInterest: { actionItems: [] }, newBlock: [1] };
    const { gong, mismatches } = connectorWithReplies(pageReply('calls', [{ metaData: call, content, added: 1 }]));
    const [found] = (await gong.calls_extensive.list({ filter: {} })).data;
    expect(found!.content).toEqual(content);
    expect(found).not.toHaveProperty('added');
    expect(mismatches).toEqual([]);
  });
});

test("transcripts keep Gong's format, with times in milliseconds", async () => {
  const sentences = [{ start: 460230, end: 462343, text: 'No, wait.' }];
  const transcript = { callId: '77', transcript: [{ speakerId: '6432', topic: null, sentences }] };
  const { gong, mismatches } = connectorWithReplies(
    pageReply('callTranscripts', [transcript]),
    callLookupReply({ '77': {} }),
  );
  expect((await gong.call_transcripts.list({ filter: {} })).data).toEqual([transcript]);
  expect(mismatches).toEqual([]);
});

describe('statistics', () => {
  const days = { filter: { fromDate: '2026-09-01', toDate: '2026-09-08' } };
  const person = { userId: '1', userEmailAddress: 'ana@fernhill.example' };

  test('for a period are returned unchanged, with null for fields Gong omits', async () => {
    const stats = { callsAsHost: 3, callsAttended: 5, added: 1 };
    const siblings = { fromDateTime: '2026-09-01T00:00:00+02:00', timeZone: 'Europe/Lisbon' };
    const rows = [{ ...person, userAggregateActivityStats: stats }, { userId: '2' }];
    const { gong, mismatches } = connectorWithReplies({
      ...pageReply('usersAggregateActivityStats', rows),
      ...siblings,
    });
    const { data, meta } = await gong.stats_activity_aggregate.list(days);
    expect(data).toEqual([rows[0], { userId: '2', userEmailAddress: null, userAggregateActivityStats: null }]);
    expect(meta).toEqual({ cursor: null, total_records: 2, current_page_number: 0 });
    expect(mismatches).toEqual([]);
  });

  test('by day contain call ids, which stay strings', async () => {
    const day = {
      callsAsHost: ['7782342274025937895', '77'],
      callsAttended: [],
      fromDate: '2026-09-01T00:00:00-07:00',
      toDate: '2026-09-02T00:00:00-07:00',
    };
    const rows = [{ ...person, userDailyActivityStats: [day] }];
    const { gong, mismatches } = connectorWithReplies(pageReply('usersDetailedActivities', rows));
    expect((await gong.stats_activity_day_by_day.list(days)).data).toEqual(rows);
    expect(mismatches).toEqual([]);
  });

  test('for interactions are name-value pairs', async () => {
    const rows = [{ ...person, personInteractionStats: [{ name: 'Patience', value: 0.86 }] }];
    const { gong, mismatches } = connectorWithReplies(pageReply('peopleInteractionStats', rows));
    expect((await gong.stats_interaction.list(days)).data).toEqual(rows);
    expect(mismatches).toEqual([]);
  });
});

test.each([{ calls: null }, { requestId: 'r', records: { totalRecords: 0, currentPageNumber: 0 } }])(
  'a response that reports no records is an empty list (%j)',
  async (reply) => {
    const { gong } = connectorWithReplies(reply);
    expect((await gong.calls.list()).data).toEqual([]);
  },
);

test.each([
  ['calls', 'list', {}, { message: 'blocked by proxy' }],
  ['calls', 'list', {}, []],
  ['calls', 'list', {}, {}],
  ['calls', 'list', {}, { requestId: 'r' }],
  ['users', 'list', {}, { errors: ['boom'] }],
  [
    'coaching',
    'list',
    { 'workspace-id': '1', 'manager-id': '2', from: '2026-09-01', to: '2026-09-02' },
    { error: 'x' },
  ],
  ['calls', 'list', {}, { calls: {} }],
  ['calls', 'list', {}, { calls: [null] }],
  ['calls', 'get', { id: '1' }, {}],
  ['calls', 'get', { id: '1' }, []],
  ['users', 'list', {}, { users: 'none' }],
  ['users', 'get', { id: '1' }, { user: null }],
  ['workspaces', 'list', {}, { workspaces: {} }],
  ['settings_scorecards', 'list', { workspaceId: '1' }, { scorecards: 'none' }],
  ['library_folder_content', 'list', { folderId: '1' }, { calls: {} }],
  [
    'coaching',
    'list',
    { 'workspace-id': '1', 'manager-id': '1', from: '2026-09-01', to: '2026-09-02' },
    { coachingData: 1 },
  ],
  ['call_transcripts', 'list', { filter: {} }, { callTranscripts: {} }],
  ['calls_extensive', 'list', { filter: {} }, { calls: [1] }],
])('%s.%s with %j reports an unexpected response (%j) as invalid', async (entity, action, params, reply) => {
  const { gong } = connectorWithReplies(reply);
  const error = await failure(gong.execute(entity as any, action as any, params as any));
  expect(error.code).toBe('invalid_response');
});
