import { GranolaConnector } from 'agent-connectors/granola';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies } from './setup.js';

const page = { notes: [], hasMore: false, cursor: null };
const note = { id: 'not_1d3tmYTlCICgjy' };
const id = note.id;

describe('a request to Granola', () => {
  test('goes to the public API, with the key as a Bearer token', async () => {
    const { granola, sent } = connectorWithReplies(page);
    await granola.notes.list();
    expect(sent[0]!.url.href).toBe('https://public-api.granola.ai/v1/notes');
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer grn_test');
  });

  test("passes parameters through with Granola's names", async () => {
    const { granola, sent } = connectorWithReplies(page);
    const params = {
      page_size: 30,
      cursor: 'eyJhIjoxfQ==',
      created_before: '2026-08-31',
      created_after: '2026-08-30T10:00:00.000Z',
      updated_after: '2026-08-01',
      folder_id: 'fol_1d3tmYTlCICgjy',
    };
    await granola.notes.list(params);
    expect(Object.fromEntries(sent[0]!.url.searchParams)).toEqual({ ...params, page_size: '30' });
  });

  test('for one note keeps its id within one path segment', async () => {
    const { granola, sent } = connectorWithReplies(note);
    await granola.notes.get({ note_id: 'not_a/../../b?c' });
    expect(sent[0]!.url.pathname).toBe('/v1/notes/not_a%2F..%2F..%2Fb%3Fc');
    expect(sent[0]!.url.search).toBe('');
  });

  test('requests the transcript only if the caller asks for it', async () => {
    const { granola, sent } = connectorWithReplies(note, { ...note, transcript: [] });
    await granola.notes.get({ note_id: id });
    await granola.notes.get({ note_id: id, include: 'transcript' });
    expect(sent.map(({ url: { search } }) => search)).toEqual(['', '?include=transcript']);
  });

  test('repeats the filters with each cursor', async () => {
    const { granola, sent } = connectorWithReplies({ notes: [note], hasMore: true, cursor: 'c1' }, page);
    for await (const _ of granola.paginate('notes', 'list', { created_after: '2026-08-01', page_size: 1 }));
    expect(sent.map(({ url: { search } }) => search)).toEqual([
      '?page_size=1&created_after=2026-08-01',
      '?page_size=1&cursor=c1&created_after=2026-08-01',
    ]);
  });
});

describe('a Granola key', () => {
  test('is trimmed, and is rejected without being shown if it is empty or contains a line break', async () => {
    const seen: Array<string | null> = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      seen.push(new Headers(init?.headers).get('authorization'));
      return Response.json(page);
    };
    const make = (api_key: string) => new GranolaConnector({ credentials: { api_key }, fetch });
    await make(' grn_test ').notes.list();
    expect(seen).toEqual(['Bearer grn_test']);
    expect(() => make('')).toThrow(/empty/);
    expect(() => make('grn_a\ngrn_b')).toThrow(/line break/);
    expect(() => make('grn_a\ngrn_b')).not.toThrow(/grn_b/);
    expect(() => make('“grn_a”')).toThrow(/typographic quote/);
  });
});

describe('parameters that Granola would reject or silently ignore', () => {
  const refused = async (entity: 'list' | 'get', params: object) => {
    const { granola, sent } = connectorWithReplies(page);
    const error = await failure(granola.execute('notes', entity, params as never));
    expect(sent).toHaveLength(0);
    expect(error.code).toBe('invalid_params');
    return error;
  };

  test('are rejected if misspelled, since Granola would list everything', async () => {
    expect((await refused('list', { created_afer: '2026-08-01' })).message).toContain("'created_after'");
  });

  test.each(['2026-08-31T10:00:00+00:00', '2026-08-31T10:00:00.123456-07:00', '31.08.2026', '2026-02-30'])(
    'are rejected if a time has no Z or a date is invalid (%s)',
    async (created_after) => {
      expect((await refused('list', { created_after })).message).toContain('ending in Z');
    },
  );

  test('are rejected if a folder id is invalid', async () => {
    expect((await refused('list', { folder_id: 'Sales' })).message).toContain('fol_1d3tmYTlCICgjy');
  });

  test('are rejected if an id was taken from a web URL, which uses a different id', async () => {
    const error = await refused('get', { note_id: '2f6a0e9c-6a53-4a3e-9a0b-0d5f7c1b2a34' });
    expect(error.message).toContain('notes.list');
  });

  test('are rejected if include has an unknown value', async () => {
    expect((await refused('get', { note_id: id, include: 'summary' })).issues?.[0]?.path).toBe('include');
  });
});
