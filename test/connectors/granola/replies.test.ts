import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../engine/fake-clock.js';
import { failure } from '../../failure.js';
import { collect } from '../calls.js';
import { connectorWithReplies } from './setup.js';

const id = 'not_1d3tmYTlCICgjy';

const thin = {
  id,
  object: 'note',
  title: null,
  owner: { name: null, email: 'a@example.com' },
  created_at: '2026-08-31T11:15:53.536Z',
  updated_at: '2026-08-31T11:20:00.000Z',
};
const full = {
  ...thin,
  calendar_event: null,
  attendees: [],
  folder_membership: [],
  summary_text: 'S',
  summary_markdown: null,
  transcript: null,
};

describe('a page of notes', () => {
  test('maps hasMore to has_more', async () => {
    const { granola } = connectorWithReplies(
      { notes: [thin], hasMore: true, cursor: 'c' },
      { notes: [thin], has_more: true, cursor: 'c' },
    );
    expect((await granola.notes.list()).meta).toEqual({ has_more: true, cursor: 'c' });
    expect((await granola.notes.list()).meta).toEqual({ has_more: false, cursor: 'c' });
  });

  test('has no cursor, null or missing, if it is the last', async () => {
    const { granola } = connectorWithReplies(
      { notes: [], hasMore: false, cursor: null },
      { notes: [], hasMore: false },
    );
    for (let turn = 0; turn < 2; turn++) {
      expect((await granola.notes.list()).meta).toEqual({ has_more: false, cursor: null });
    }
  });

  test('that is short or empty is not necessarily the last one', async () => {
    const { granola, sent } = connectorWithReplies(
      { notes: [], hasMore: true, cursor: 'c1' },
      { notes: [thin], hasMore: true, cursor: 'c2' },
      { notes: [{ ...thin, id: 'not_2d3tmYTlCICgjy' }], hasMore: false, cursor: null },
    );
    const found = await collect(granola.paginate('notes', 'list', { page_size: 10 }));
    expect(found.map((note) => note.id)).toEqual([id, 'not_2d3tmYTlCICgjy']);
    expect(sent).toHaveLength(3);
  });

  test('that sets hasMore but has no cursor is an error, not the end', async () => {
    const { granola } = connectorWithReplies({ notes: [thin], hasMore: true });
    expect(await failure(collect(granola.paginate('notes', 'list')))).toMatchObject({ code: 'invalid_response' });
  });

  test("keeps Granola's order", async () => {
    const ids = ['not_b', 'not_c', 'not_a'];
    const { granola } = connectorWithReplies({ notes: ids.map((one) => ({ ...thin, id: one })), hasMore: false });
    expect((await granola.notes.list()).data.map((note) => note.id)).toEqual(ids);
  });

  test('has null for note fields that Granola omits from lists, without requesting each note', async () => {
    const { granola, sent } = connectorWithReplies({ notes: [thin], hasMore: false, cursor: null });
    expect((await granola.notes.list()).data).toEqual([
      {
        ...thin,
        calendar_event: null,
        attendees: null,
        folder_membership: null,
        summary_text: null,
        summary_markdown: null,
        transcript: null,
      },
    ]);
    expect(sent).toHaveLength(1);
  });
});

describe('a note', () => {
  test.each([
    ['a string', 'ines@example.com'],
    ['an object', { name: 'Ines', email: 'ines@example.com' }],
    ['null', null],
  ])('is valid with an organizer that is %s', async (_, organiser) => {
    const calendar_event = { event_title: 'Weekly', invitees: [{ email: 'a@example.com' }], organiser };
    const { granola, mismatches } = connectorWithReplies({ ...full, calendar_event });
    expect((await granola.notes.get({ note_id: id })).data.calendar_event).toEqual(calendar_event);
    expect(mismatches).toEqual([]);
  });

  test('is valid with every null seen in live data, and with or without a name', async () => {
    const { granola, mismatches } = connectorWithReplies(full, {
      ...full,
      attendees: [{ name: null, email: 'g@example.com' }],
      folder_membership: null,
      summary_text: null,
    });
    expect((await granola.notes.get({ note_id: id })).data).toEqual(full);
    expect((await granola.notes.get({ note_id: id })).data.attendees).toEqual([{ name: null, email: 'g@example.com' }]);
    expect(mismatches).toEqual([]);
  });

  test.each([
    ['one response', [{ ...full, transcript: undefined }]],
    ['pages', [new Response('{"code":"TRANSCRIPT_TOO_LARGE","message":"Large."}', { status: 413 }), full, {}]],
  ])('without the lines of the requested transcript is an error, not a note without one: %s', async (_, replies) => {
    const { granola } = connectorWithReplies(...(replies as any[]));
    const error = await failure(granola.notes.get({ note_id: id, include: 'transcript' }));
    expect(error).toMatchObject({ code: 'invalid_response' });
  });

  test('keeps new fields inside its objects', async () => {
    const folder = { id: 'fol_1', object: 'folder', name: 'Sales', parent_folder_id: null, space_id: 's' };
    const turn = {
      speaker: { source: 'phone', attribution: 'them', diarization_label: 'Speaker 2', name: 'Ines' },
      text: 'Yes.',
      start_time: '2026-08-31T11:15:53.536Z',
      end_time: '2026-08-31T11:15:54.000Z',
    };
    const bare = { ...turn, speaker: { source: 'microphone' } };
    const { granola, mismatches } = connectorWithReplies({
      ...full,
      folder_membership: [folder],
      transcript: [turn, bare],
    });
    const { data } = await granola.notes.get({ note_id: id, include: 'transcript' });
    expect(data.folder_membership).toEqual([folder]);
    expect(data.transcript).toEqual([turn, bare]);
    expect(mismatches).toEqual([]);
  });

  test('drops unlisted fields unless raw is set, and always drops private notes', async () => {
    const sent = {
      ...full,
      web_url: 'https://notes.granola.ai/d/x',
      space_membership: [],
      private_notes_text: 'mine',
      private_notes_markdown: '- mine',
    };
    const { granola } = connectorWithReplies(sent);
    expect((await granola.notes.get({ note_id: id })).data).toEqual(full);
    const raw = (await granola.notes.get({ note_id: id }, { raw: true })).data;
    expect(raw).toEqual({ ...full, web_url: sent.web_url, space_membership: [] });
    const { granola: listing } = connectorWithReplies({ notes: [sent], hasMore: false });
    expect(JSON.stringify((await listing.notes.list({}, { raw: true })).data)).not.toContain('mine');
  });
});

describe("a transcript's lines", () => {
  const line = (minute: number, name: string, text: string) => ({
    speaker: { source: 'microphone', name },
    text,
    start_time: `2026-08-31T11:${minute}:00.000Z`,
    end_time: `2026-08-31T11:${minute}:40.000Z`,
  });
  const transcript = [line(15, 'Ana', 'Hello.'), line(16, 'Bo', 'The price is fine.'), line(18, 'Ana', 'Which PRICE?')];

  test.each([
    [{ contains: 'Price' }, [1, 2]],
    [{ contains: ['hello', 'fine'] }, [0, 1]],
    [{ contains: 'price', speaker: 'ana' }, [2]],
    [{ from: 60 }, [1, 2]],
    [{ from: '0:30', to: '3:00' }, [0, 1]],
    [{ speaker: 'nobody' }, []],
    [{ speaker: 'phone' }, []],
    [{ speaker: 'Microphone' }, [0, 1, 2]],
  ])('are selected by %j', async (selection, expected) => {
    const { granola, sent } = connectorWithReplies({ ...full, transcript });
    const { data } = await granola.notes.get({ note_id: id, ...selection });
    expect(data).toEqual({ ...full, transcript: expected.map((at) => transcript[at]) });
    expect(sent.map(({ url: { search } }) => search)).toEqual(['?include=transcript']);
  });

  test('whose speaker has no name are counted if a speaker is selected', async () => {
    const nameless = { ...line(19, 'Ana', 'Yes.'), speaker: { source: 'speaker', diarization_label: 'Speaker 1' } };
    const { granola } = connectorWithReplies({ ...full, transcript: [...transcript, nameless] });
    const { data, meta } = await granola.notes.get({ note_id: id, speaker: 'Bo' });
    expect(data.transcript).toEqual([transcript[1]]);
    expect(meta).toEqual({
      notes: ['Lines whose speaker Granola does not name: 1. Select them by source: microphone or speaker.'],
    });
    const labelled = await granola.notes.get({ note_id: id, speaker: 'speaker 1' });
    expect(labelled.data.transcript).toEqual([nameless]);
  });

  test('are not selected by a period that ends before it starts', async () => {
    const { granola, sent } = connectorWithReplies({ ...full, transcript });
    const error = await failure(granola.notes.get({ note_id: id, from: '3:00', to: '2:59' }));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'to', message: 'is before from' }] });
    expect(sent).toEqual([]);
  });

  test('are all returned without a selection', async () => {
    const { granola } = connectorWithReplies({ ...full, transcript });
    expect(await granola.notes.get({ note_id: id, include: 'transcript' })).toEqual({
      data: { ...full, transcript },
      meta: {},
    });
  });
});

describe('an oversized transcript', () => {
  const tooLarge = Response.json({ code: 'TRANSCRIPT_TOO_LARGE', message: 'x' }, { status: 413 });
  const turns = (from: number) => [{ text: String(from) }, { text: String(from + 1) }];

  test('is fetched in pages of a hundred and added to the note', async () => {
    const { granola, sent } = connectorWithReplies(
      tooLarge,
      full,
      { transcript: turns(1), hasMore: true, cursor: 'c1' },
      { transcript: turns(3), hasMore: false, cursor: null },
    );
    const { data } = await granola.notes.get({ note_id: id, include: 'transcript' });
    expect(data).toEqual({ ...full, transcript: [...turns(1), ...turns(3)] });
    expect(sent.map(({ url: { pathname, search } }) => pathname + search)).toEqual([
      `/v1/notes/${id}?include=transcript`,
      `/v1/notes/${id}`,
      `/v1/notes/${id}/transcript?page_size=100`,
      `/v1/notes/${id}/transcript?cursor=c1&page_size=100`,
    ]);
  });

  test.each([null, 'c1'])('causes an error if the cursor stays %j', async (cursor) => {
    const { granola } = connectorWithReplies(tooLarge, full, { transcript: [], hasMore: true, cursor });
    const error = await failure(granola.notes.get({ note_id: id, include: 'transcript' }));
    expect(error.code).toBe('invalid_response');
  });

  test('is not fetched if no transcript was requested', async () => {
    const { granola, sent } = connectorWithReplies(tooLarge);
    expect(await failure(granola.notes.get({ note_id: id }))).toMatchObject({ code: 'too_large', status: 413 });
    expect(sent).toHaveLength(1);
  });
});

describe('an error response', () => {
  const refused = async (status: number, body: unknown, headers: HeadersInit = {}) => {
    const { granola } = connectorWithReplies(Response.json(body, { status, headers }));
    return failure(granola.notes.list());
  };

  test('is parsed from the message, code and request id in the body', async () => {
    const error = await refused(400, {
      code: 'BAD_REQUEST',
      message: 'Invalid date',
      requestId: 'r1',
      timestamp: '2026-08-31T11:15:53.536Z',
    });
    expect(error).toMatchObject({
      code: 'invalid_params',
      message: 'Granola: Invalid date.',
      retryable: false,
      vendor: { code: 'BAD_REQUEST', message: 'Invalid date', requestId: 'r1' },
    });
  });

  test.each([
    ['an error that is a string', { error: 'nope' }, 'Granola: nope.'],
    ['an error with a message', { error: { message: 'nope' } }, 'Granola: nope.'],
    ['nothing known', { oops: 1 }, 'Granola: status 400.'],
  ])('is also parsed from %s', async (_, body, message) => {
    expect((await refused(400, body)).message).toBe(message);
  });

  test.each([
    ['a page', '<html>Unauthorized</html>'],
    ['nothing', ''],
  ])('has a hint based on the status if the body is %s', async (_, body) => {
    const { granola } = connectorWithReplies(new Response(body, { status: 401 }));
    expect((await failure(granola.notes.list())).hint).toContain('API keys');
  });

  test.each([
    [400, 'invalid_params', false],
    [401, 'unauthorized', false],
    [403, 'forbidden', false],
    [404, 'not_found', false],
    [413, 'too_large', false],
    [429, 'rate_limited', true],
    [500, 'vendor_error', true],
    [503, 'vendor_error', true],
  ] as const)('with status %i is reported as %s', async (status, code, retryable) => {
    // As recorded by the omnesis client.
    const body = { code: 'SOME_CODE', message: 'Some message', requestId: 'r1', timestamp: '2026-09-15T15:00:00Z' };
    expect(await refused(status, body)).toMatchObject({ code, status, retryable });
  });

  test.each([
    ['a page', '<html><h1>404 Not Found</h1></html>', 'vendor_error', true],
    ['nothing', '', 'vendor_error', true],
    ["a gateway's message", '{"message":"no Route matched with those values"}', 'vendor_error', true],
    ['a code without a message', '{"code":"NOT_FOUND"}', 'vendor_error', true],
    ['a code and a message', '{"code":"NOT_FOUND","message":"Note not found"}', 'not_found', false],
  ] as const)('with status 404 means that a note is missing only with a code and a message: %s', async (...given) => {
    const [, body, code, retryable] = given;
    const headers = { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html' };
    const { granola } = connectorWithReplies(new Response(body, { status: 404, headers }));
    expect(await failure(granola.notes.get({ note_id: id }))).toMatchObject({ code, status: 404, retryable });
  });

  test.each([
    ['seconds', '40'],
    ['a date', 'Tue, 15 Sep 2026 15:00:40 GMT'],
  ])('for the rate limit honors Retry-After, in %s', async (_, value) => {
    fakeClock(Date.parse('2026-09-15T15:00:00Z'));
    const error = await refused(429, {}, { 'retry-after': value });
    expect(error.retryAfterMs).toBe(40_000);
  });
});
