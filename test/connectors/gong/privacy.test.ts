import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import {
  callLookupReply,
  collect,
  connectorWithOptions,
  connectorWithReplies,
  emptyListReply,
  errorReply,
  pageReply,
} from './setup.js';

const noScope = () => errorReply(401, ["You don't have permission to use 'api:calls:read:extensive' in your app."]);
const open = { includePrivate: true };
const transcript = (callId: string) => ({ callId, transcript: [] });
const transcripts = (ids: readonly string[], cursor?: string) =>
  pageReply('callTranscripts', ids.map(transcript), cursor);
const callIdsOf = ({ data }: { data: ReadonlyArray<{ callId: string }> }) => data.map(({ callId }) => callId);

describe('private calls', () => {
  const rows = [{ id: '1', isPrivate: false }, { id: '2', isPrivate: true }, { id: '3' }];

  test('are excluded from lists and counted; a call without a privacy field is not private', async () => {
    const { gong } = connectorWithReplies(pageReply('calls', rows, 'c'));
    const { data, meta } = await gong.calls.list();
    expect(data.map(({ id }) => id)).toEqual(['1', '3']);
    expect(meta).toEqual({
      cursor: 'c',
      total_records: 3,
      current_page_number: 0,
      private_dropped: 1,
      notes: ['Private calls omitted: 1. Create the connector with includePrivate: true to include them.'],
    });
  });

  test('are excluded from content lists based on metaData, if present', async () => {
    const { gong } = connectorWithReplies(
      pageReply('calls', [...rows.map((metaData) => ({ metaData })), { context: [] }]),
    );
    const { data, meta } = await gong.calls_extensive.list({ filter: {} });
    expect(data.map(({ metaData }) => metaData?.id)).toEqual(['1', '3', undefined]);
    expect(meta.private_dropped).toBe(1);
    expect(meta.notes).toHaveLength(1);
  });

  test('can fill a page, which is then empty but not the last', async () => {
    const { gong } = connectorWithReplies(pageReply('calls', [rows[1]], 'c'), pageReply('calls', [rows[0]]));
    expect((await collect(gong.paginate('calls', 'list'))).map(({ id }) => id)).toEqual(['1']);
  });

  test('are included with includePrivate', async () => {
    const { gong } = connectorWithOptions(open, pageReply('calls', rows), pageReply('calls', [{ metaData: rows[1] }]));
    const { data, meta } = await gong.calls.list();
    expect(data).toHaveLength(3);
    expect(meta.private_dropped).toBe(0);
    expect(meta).not.toHaveProperty('notes');
    expect((await gong.calls_extensive.list({ filter: {} })).data).toHaveLength(1);
  });

  test('can be fetched by id', async () => {
    const { gong } = connectorWithReplies({ call: rows[1] });
    expect((await gong.calls.get({ id: '2' })).data).toMatchObject({ id: '2', isPrivate: true });
  });
});

describe('transcripts', () => {
  test('are filtered by a second request, which excludes private and unknown calls', async () => {
    const { gong, sent } = connectorWithReplies(
      transcripts(['1', '2', '3'], 'c'),
      callLookupReply({ '1': {}, '2': { isPrivate: true } }),
    );
    const result = await gong.call_transcripts.list({ filter: {} });
    expect(callIdsOf(result)).toEqual(['1']);
    expect(result.meta).toEqual({
      cursor: 'c',
      total_records: 3,
      current_page_number: 0,
      private_dropped: 1,
      not_ready: 1,
      notes: [
        'Private calls omitted: 1. Create the connector with includePrivate: true to include them.',
        'Calls omitted because Gong is still processing them: 1. Retry in a few minutes.',
      ],
    });
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/v2/calls/transcript', '/v2/calls/extensive']);
    expect(sent[1]!.json).toEqual({ filter: { callIds: ['1', '2', '3'] } });
  });

  test('among more than a hundred calls are looked up in batches of a hundred, each call once', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => String(7693221800038890000n + BigInt(n)));
    const known = (some: readonly string[]) => callLookupReply(Object.fromEntries(some.map((id) => [id, {}])));
    const { gong, sent } = connectorWithReplies(
      transcripts([...ids, ...ids.slice(0, 5)]),
      known(ids.slice(0, 100)),
      known(ids.slice(100, 200)),
      known(ids.slice(200)),
    );
    expect((await gong.call_transcripts.list({ filter: {} })).data).toHaveLength(255);
    expect(sent.slice(1).map((one) => one.json.filter.callIds)).toEqual([
      ids.slice(0, 100),
      ids.slice(100, 200),
      ids.slice(200),
    ]);
  });

  test('are looked up across all pages that Gong returns', async () => {
    const more = { records: { totalRecords: 2, currentPageNumber: 0, cursor: 'more' } };
    const { gong, sent } = connectorWithReplies(
      transcripts(['1', '2']),
      { ...callLookupReply({ '1': {} }), ...more },
      callLookupReply({ '2': {} }),
    );
    expect(callIdsOf(await gong.call_transcripts.list({ filter: {} }))).toEqual(['1', '2']);
    expect(sent[2]!.json).toEqual({ filter: { callIds: ['1', '2'] }, cursor: 'more' });
  });

  test("cause an error if the lookup's pages loop", async () => {
    const more = { records: { totalRecords: 2, currentPageNumber: 0, cursor: 'more' } };
    const { gong, sent } = connectorWithReplies(transcripts(['1']), { ...callLookupReply({ '1': {} }), ...more });
    const error = await failure(gong.call_transcripts.list({ filter: {} }));
    expect(error.code).toBe('invalid_response');
    expect(sent.length).toBeLessThan(5);
  });

  test('are all omitted while Gong does not know any of their calls', async () => {
    const { gong } = connectorWithReplies(transcripts(['1', '2']), emptyListReply());
    const { data, meta } = await gong.call_transcripts.list({ filter: {} });
    expect([data, meta.private_dropped, meta.not_ready]).toEqual([[], 0, 2]);
  });

  test('are not looked up if the list is empty, or if private calls are included', async () => {
    const empty = connectorWithReplies(emptyListReply());
    expect(await empty.gong.call_transcripts.list({ filter: {} })).toEqual({
      data: [],
      meta: { cursor: null, total_records: 0, current_page_number: 0, private_dropped: 0, not_ready: 0 },
    });
    const kept = connectorWithOptions(open, transcripts(['1', '2']));
    expect(callIdsOf(await kept.gong.call_transcripts.list({ filter: {} }))).toEqual(['1', '2']);
    expect([empty.sent.length, kept.sent.length]).toEqual([1, 1]);
  });

  test('cause an error with advice if the lookup is rejected', async () => {
    const { gong } = connectorWithReplies(transcripts(['1']), noScope());
    const error = await failure(gong.call_transcripts.list({ filter: {} }));
    expect(error).toMatchObject({ code: 'scope_missing', status: 401, retryable: false });
    expect(error.message).toContain('private');
    expect(error.hint).toContain('api:calls:read:extensive');
    expect(error.hint).toContain('includePrivate');
    expect(error.vendor?.requestId).toBe('r-refused');
  });

  test('cause an error if the lookup fails, and are never returned unfiltered', async () => {
    for (const [status, code] of [
      [500, 'vendor_error'],
      [403, 'forbidden'],
      [401, 'unauthorized'],
    ] as const) {
      const { gong } = connectorWithReplies(transcripts(['1']), errorReply(status, ['no']));
      expect((await failure(gong.call_transcripts.list({ filter: {} }))).code).toBe(code);
    }
  });
});

describe("a folder's calls", () => {
  const row = (id: string | number) => ({
    id,
    title: `Call ${id}`,
    note: 'n',
    addedBy: '23',
    created: '2020-01-12T14:30:00-08:00',
    url: `https://app.gong.io/call?id=${id}`,
    snippet: { fromSec: 21, toSec: 132 },
  });
  const folder = (...ids: Array<string | number>) => ({
    requestId: 'r',
    id: '34',
    name: 'Win/Loss',
    createdBy: null,
    updated: '2023-10-17T21:21:31.816562+02:00',
    calls: ids.map(row),
  });
  const details = { started: '2020-01-10T09:00:00-08:00', duration: 61, primaryUserId: '9' };
  const known = (id: string) => ({ callId: id, title: `Call ${id}`, url: `https://app.gong.io/call?id=${id}` });

  test('get time, duration and owner from a second request, not the time they were added', async () => {
    const { gong, sent, mismatches } = connectorWithReplies(
      folder('77', '78'),
      callLookupReply({ '77': details, '78': details }),
    );
    const { data, meta } = await gong.library_folder_content.list({ folderId: '34' });
    expect(data).toEqual([
      { ...known('77'), ...details },
      { ...known('78'), ...details },
    ]);
    expect(meta).toEqual({
      cursor: null,
      total_records: 2,
      current_page_number: 0,
      private_dropped: 0,
      not_ready: 0,
    });
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/v2/library/folder-content', '/v2/calls/extensive']);
    expect(sent[1]!.json).toEqual({ filter: { callIds: ['77', '78'] } });
    expect(mismatches).toEqual([]);
  });

  test('are excluded and counted if they are private or unknown', async () => {
    const { gong } = connectorWithReplies(
      folder('1', '2', '3'),
      callLookupReply({ '1': details, '2': { isPrivate: true } }),
    );
    const { data, meta } = await gong.library_folder_content.list({ folderId: '34' });
    expect(callIdsOf({ data })).toEqual(['1']);
    expect(meta).toMatchObject({ total_records: 3, private_dropped: 1, not_ready: 1 });
    expect(meta.notes).toHaveLength(2);
  });

  test("cannot be listed if the lookup's scope is missing", async () => {
    const { gong } = connectorWithReplies(folder('1'), noScope());
    const error = await failure(gong.library_folder_content.list({ folderId: '34' }));
    expect(error.code).toBe('scope_missing');
    expect(error.hint).toContain('includePrivate');
  });

  test('are all included with includePrivate, unknown ones with nulls', async () => {
    const { gong, mismatches } = connectorWithOptions(
      open,
      folder('1', '2', '3'),
      callLookupReply({ '1': details, '2': { ...details, isPrivate: true } }),
    );
    const { data, meta } = await gong.library_folder_content.list({ folderId: '34' });
    const unknown = { started: null, duration: null, primaryUserId: null };
    expect(data).toStrictEqual([
      { ...known('1'), ...details },
      { ...known('2'), ...details },
      { ...known('3'), ...unknown },
    ]);
    expect(meta.private_dropped).toBe(0);
    expect(mismatches).toEqual([]);
  });

  test('are included with includePrivate even if the lookup is rejected', async () => {
    const { gong } = connectorWithOptions(open, folder('1'), noScope());
    const { data } = await gong.library_folder_content.list({ folderId: '34' });
    expect(data).toStrictEqual([{ ...known('1'), started: null, duration: null, primaryUserId: null }]);
  });

  test('cannot be listed even with includePrivate if the lookup fails for another reason', async () => {
    const { gong } = connectorWithOptions(open, folder('1'), errorReply(500, ['Internal server error']));
    expect((await failure(gong.library_folder_content.list({ folderId: '34' }))).code).toBe('vendor_error');
  });

  test('have string ids even if Gong sends numbers', async () => {
    const { gong } = connectorWithReplies(folder(77), callLookupReply({ '77': details }));
    expect(callIdsOf(await gong.library_folder_content.list({ folderId: '34' }))).toEqual(['77']);
  });

  test('keep additional fields with raw', async () => {
    const { gong } = connectorWithReplies(folder('77'), callLookupReply({ '77': details }));
    const { data } = await gong.library_folder_content.list({ folderId: '34' }, { raw: true });
    expect(data).toEqual([{ ...row('77'), ...known('77'), ...details }]);
  });

  test('are not looked up if the folder is empty', async () => {
    const { gong, sent } = connectorWithReplies(folder());
    expect((await gong.library_folder_content.list({ folderId: '34' })).data).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  test('of an unknown folder cause an error', async () => {
    const { gong } = connectorWithReplies(errorReply(404, ['Folder ID 34 was not found']));
    expect((await failure(gong.library_folder_content.list({ folderId: '34' }))).code).toBe('not_found');
  });
});
