import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { json } from '../../engine/fake-fetch.js';
import { failure } from '../../failure.js';
import {
  connectorWithOptions,
  connectorWithReplies,
  emptyListReply,
  errorReply,
  pageReply,
  textReply,
} from './setup.js';

const days = { filter: { fromDate: '2026-09-01', toDate: '2026-09-08' } };
const times = { filter: { fromDateTime: '2026-09-01', toDateTime: '2026-09-08' } };
const coached = { 'workspace-id': '1', 'manager-id': '2', from: '2026-09-01', to: '2026-10-01' };
const empty = { cursor: null, total_records: 0, current_page_number: 0 };

describe('an empty list, which Gong returns as 404', () => {
  const lists: Array<[string, object, object]> = [
    ['users', {}, empty],
    ['calls', {}, { ...empty, private_dropped: 0 }],
    ['calls_extensive', { filter: {} }, { ...empty, private_dropped: 0 }],
    ['call_transcripts', { filter: {} }, { ...empty, private_dropped: 0, not_ready: 0 }],
    ['stats_activity_aggregate', days, empty],
    ['stats_activity_day_by_day', days, empty],
    ['stats_interaction', days, empty],
    ['stats_activity_scorecards', times, empty],
    ['library_folders', { workspaceId: '9' }, {}],
    ['library_folder_content', { folderId: '34' }, { ...empty, private_dropped: 0, not_ready: 0 }],
    ['coaching', coached, {}],
  ];
  test.each(lists)('is returned as an empty list: %s', async (entity, params, meta) => {
    const { gong, sent } = connectorWithReplies(emptyListReply());
    expect(await gong.execute(entity as any, 'list', params as any)).toEqual({ data: [], meta });
    expect(sent).toHaveLength(1);
  });

  test.each([
    'No calls found corresponding to the provided filters',
    'No answered scorecards found corresponding to the provided filters.',
    'No users found corresponding to the provided filters',
    'No stats found for the specified period',
    'No folders found for the specified period',
  ])('is recognized by its message: %s', async (message) => {
    const { gong } = connectorWithReplies(errorReply(404, [message]));
    expect((await gong.stats_interaction.list(days)).data).toEqual([]);
  });

  test('ends pagination after several pages', async () => {
    const { gong } = connectorWithReplies(pageReply('calls', [{ id: '1' }], 'c'), emptyListReply());
    const ids: string[] = [];
    for await (const { id } of gong.paginate('calls', 'list')) ids.push(id);
    expect(ids).toEqual(['1']);
  });
});

describe('a real 404', () => {
  test.each([
    ['calls', 'list', {}, 'Workspace ID 9 was not found'],
    ['stats_activity_aggregate', 'list', days, 'User not found'],
    ['calls', 'get', { id: '1' }, 'Call ID 1 was not found'],
    ['calls', 'get', { id: '1' }, 'No calls found corresponding to the provided filters'],
    ['users', 'get', { id: '1' }, 'User ID 1 was not found'],
    ['library_folders', 'list', { workspaceId: '9' }, 'Workspace ID 9 was not found'],
  ])('is an error: %s.%s with %j, "%s"', async (entity, action, params, message) => {
    const { gong } = connectorWithReplies(errorReply(404, [message]));
    const error = await failure(gong.execute(entity as any, action as any, params as any));
    expect(error).toMatchObject({ code: 'not_found', status: 404, retryable: false, vendor: { message } });
    expect(error.hint).toContain('still being processed');
  });

  test('says nothing about records if it is from another server', async () => {
    const page404 = new Response('<html>No pages found</html>', { status: 404 });
    const { gong } = connectorWithReplies(page404, json({ message: 'No calls found' }, 404));
    expect(await failure(gong.calls.list())).toMatchObject({ code: 'vendor_error', retryable: true });
    expect(await failure(gong.calls.list())).toMatchObject({ code: 'vendor_error', retryable: true });
  });
});

describe('an error response', () => {
  test("is reported in Gong's words, with the request id", async () => {
    const { gong } = connectorWithReplies(errorReply(403, ['Access denied.']));
    const error = await failure(gong.workspaces.list());
    expect(error).toMatchObject({
      code: 'forbidden',
      message: 'Gong: Access denied.',
      status: 403,
      retryable: false,
      vendor: { message: 'Access denied', requestId: 'r-refused' },
    });
    expect(error.hint).toContain('trusted IPs');
  });

  test('has the request id from its headers if the body has none', async () => {
    const { gong } = connectorWithReplies(json({ errors: ['no'] }, 403, { 'x-traceid': 't1' }));
    expect((await failure(gong.users.list())).vendor?.requestId).toBe('t1');
  });

  test('about parameters has one issue per message, with the field if the message names one', async () => {
    const errors = ['direction: must not be null', 'filter.fromDate: must be a date: 2026', 'The body is not JSON'];
    const { gong, sent } = connectorWithOptions({ retries: 2 }, errorReply(400, errors));
    const error = await failure(gong.stats_interaction.list(days));
    expect(error).toMatchObject({ code: 'invalid_params', status: 400, retryable: false });
    expect(error.issues).toEqual([
      { path: 'direction', message: 'must not be null' },
      { path: 'filter.fromDate', message: 'must be a date: 2026' },
      { path: '', message: 'The body is not JSON' },
    ]);
    expect(sent).toHaveLength(1);
  });

  test.each([
    [[{ message: 'no', code: 7 }], 'Gong: {"message":"no","code":7}.'],
    [[], 'Gong: status 400.'],
    [[null], 'Gong: status 400.'],
    [[null, 'one'], 'Gong: one.'],
    [['one', 'two.'], 'Gong: one; two.'],
  ])('has a message for any errors value: %j', async (errors, message) => {
    const { gong } = connectorWithReplies(errorReply(400, errors));
    expect((await failure(gong.users.list())).message).toBe(message);
  });

  test.each([
    ['nothing', '', 'vendor_error'],
    ['text', 'upstream connect error', 'vendor_error'],
    ['a page', '<html>Bad gateway</html>', 'vendor_error'],
    ['other JSON', '{"error":"server_error"}', 'vendor_error'],
    ['a list', '[]', 'vendor_error'],
  ])('with status 502 is an error regardless of its body: %s', async (_, body, code) => {
    const { gong } = connectorWithReplies(textReply(body, 502));
    expect(await failure(gong.users.list())).toMatchObject({ code, status: 502, retryable: true });
  });

  test.each(['api:stats:user-actions', 'api:stats:user-actions:detailed', 'api:calls:read:media-url'])(
    'for a missing %s scope names the scope and is not retried',
    async (scope) => {
      const { gong, sent } = connectorWithOptions(
        { retries: 2 },
        errorReply(401, [`You don't have permission to use '${scope}' in your app.`]),
      );
      const error = await failure(gong.stats_activity_aggregate.list(days));
      expect(error).toMatchObject({ code: 'scope_missing', status: 401 });
      expect(error.message).toBe(`Gong: the application is missing the ${scope} scope.`);
      expect(sent).toHaveLength(1);
    },
  );

  test('is not reported as a missing scope if it has another status', async () => {
    const { gong } = connectorWithReplies(errorReply(403, ["You don't have permission to use 'x' in your app."]));
    expect((await failure(gong.users.list())).code).toBe('forbidden');
  });
});

test.each([500, 502, 503, 504])(
  'a %d is transient: every action is a read, so all are retried, including POST',
  async (status) => {
    skipBackoff();
    const failed = errorReply(status, ['Internal server error']);
    const { gong, sent } = connectorWithOptions({ retries: 2 }, failed, failed, emptyListReply());
    expect((await gong.stats_interaction.list(days)).data).toEqual([]);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  },
);

test('retries only the second request if that one fails', async () => {
  skipBackoff();
  const { gong, sent } = connectorWithOptions(
    { retries: 1 },
    pageReply('callTranscripts', [{ callId: '1', transcript: [] }]),
    errorReply(503, ['unavailable']),
    pageReply('calls', [{ metaData: { id: '1' } }]),
  );
  expect((await gong.call_transcripts.list({ filter: {} })).data).toHaveLength(1);
  expect(sent.map(({ url }) => url.pathname)).toEqual([
    '/v2/calls/transcript',
    '/v2/calls/extensive',
    '/v2/calls/extensive',
  ]);
});
