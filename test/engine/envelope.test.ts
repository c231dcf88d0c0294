import { LinearConnector } from 'agent-connectors/linear';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { book, shelf } from './shelf.js';

describe('the envelope', () => {
  it('resolves to data and meta only', async () => {
    const { fetch } = fakeFetch(() => json({ books: [book('b1')], next: 'c2', total: 7 }));
    const result = await shelf(fetch).execute('books', 'list');
    expect(Object.keys(result).sort()).toEqual(['data', 'meta']);
    expect(result.meta).toEqual({ next: 'c2' });
    expect(result.data).toHaveLength(1);
  });

  it('fills missing fields with null, and keeps false, 0 and empty strings', async () => {
    const { fetch } = fakeFetch(() => json({ id: 'b1', title: '', pages: 0 }));
    const { data, meta } = await shelf(fetch).execute('books', 'get', { id: 'b1' });
    expect(data).toEqual({ id: 'b1', title: '', pages: 0, author: null, shelf: null });
    expect(meta).toEqual({});
  });

  it('drops unlisted fields', async () => {
    const { fetch } = fakeFetch(() => json(book('b1', { secretNote: 'x', constructor: 1 })));
    const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' });
    expect(Object.keys(data)).toEqual(['id', 'title', 'pages', 'author', 'shelf']);
  });

  it("drops a payload's __proto__ key without touching any prototype", async () => {
    const { fetch } = fakeFetch(() => new Response('{"id":"b1","__proto__":{"polluted":true}}'));
    const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' });
    expect((data as any).polluted).toBeUndefined();
    expect(({} as any).polluted).toBeUndefined();
  });

  it('adds unlisted fields with raw', async () => {
    const { fetch } = fakeFetch(() => json(book('b1', { isbn: '123' })));
    const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' }, { raw: true });
    expect(data).toMatchObject({ shelf: 'A', place: { shelf: 'A' }, isbn: '123' });
  });

  it('keeps objects inside a record whole', async () => {
    const author = { name: 'Jane', born: 1775, works: [{ title: 'Emma' }] };
    const { fetch } = fakeFetch(() => json(book('b1', { author })));
    const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' });
    expect(data.author).toEqual(author);
  });

  it('returns a saved record under its key, with success', async () => {
    const { fetch } = fakeFetch(() => json(book('b1')));
    const { data } = await shelf(fetch).execute('books', 'update', { id: 'b1', title: 'New' });
    expect(data).toMatchObject({ success: true, book: { id: 'b1', shelf: 'A' } });
  });

  it.each([null, 'text', 7, [], true])('reports %j instead of a record as invalid_response', async (payload) => {
    const { fetch } = fakeFetch(() => json(payload));
    expect(await failure(shelf(fetch).execute('books', 'get', { id: 'b1' }))).toMatchObject({
      code: 'invalid_response',
    });
  });

  it.each([null, 'text', {}, [1], [null]])('reports %j instead of a list as invalid_response', async (books) => {
    const { fetch } = fakeFetch(() => json({ books }));
    expect(await failure(shelf(fetch).execute('books', 'list'))).toMatchObject({ code: 'invalid_response' });
  });

  it('works the same through an entity method and execute', async () => {
    const { fetch, sent } = fakeFetch(() => json(book('b1')));
    const connector = shelf(fetch);
    const direct = await connector.execute('books', 'get', { id: 'b 1' }, { selectFields: ['id'] });
    const method = await connector.books.get({ id: 'b 1' }, { selectFields: ['id'] });
    expect(method).toEqual(direct);
    expect(sent[1]!.url.href).toBe(sent[0]!.url.href);
    expect(sent[0]!.url.pathname).toBe('/v1/books/b%201');
  });

  it('keeps two instances separate although their methods share a prototype', async () => {
    const first = fakeFetch(() => json(book('one')));
    const second = fakeFetch(() => json(book('two')));
    const [one, two] = [shelf(first.fetch), shelf(second.fetch)];
    expect((await one.books.get({ id: 'x' })).data.id).toBe('one');
    expect((await two.books.get({ id: 'x' })).data.id).toBe('two');
  });

  it('treats undefined and null as no parameters', async () => {
    const { fetch } = fakeFetch(() => json({ books: [] }));
    await expect(shelf(fetch).execute('books', 'list', undefined)).resolves.toEqual({ data: [], meta: { next: null } });
    await expect(shelf(fetch).execute('books', 'list', null as any)).resolves.toEqual({
      data: [],
      meta: { next: null },
    });
  });
});

describe('the envelope with the global fetch', () => {
  afterEach(() => vi.unstubAllGlobals());
  const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' } });
  /** Replaces the global fetch with one that returns this response, and returns the requests it received. */
  const answer = (data: unknown) => {
    const { fetch, sent } = fakeFetch(() => json({ data }));
    vi.stubGlobal('fetch', fetch);
    return sent;
  };

  it("derives a project's state from its status", async () => {
    answer({ project: { id: 'p1', name: 'P', description: '', state: 'old', status: { id: 's', type: 'paused' } } });
    const { data } = await linear.execute('projects', 'get', { id: 'p1' });
    expect(data).toMatchObject({ id: 'p1', state: 'paused', description: '', lead: null, targetDate: null });
    expect(data).not.toHaveProperty('status');
  });

  it('uses a global fetch replaced after the connector was created', async () => {
    answer({ teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } });
    await expect(linear.teams.list()).resolves.toEqual({ data: [], meta: { hasNextPage: false, endCursor: null } });
  });

  it('sends the API key unchanged, the query and only the given variables', async () => {
    const sent = answer({ issues: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'c' } } });
    const { meta } = await linear.issues.list({ first: 3 });
    expect(meta).toEqual({ hasNextPage: true, endCursor: 'c' });
    const [{ url, headers, json: body }] = sent as [SentRequest];
    expect(url.href).toBe('https://api.linear.app/graphql');
    expect(headers.get('authorization')).toBe('lin_api_0123456789');
    expect(headers.get('user-agent')).toMatch(/^agent-connectors\/\d/);
    expect(body.variables).toEqual({ first: 3 });
    expect(body.query).toContain('issues(first: $first, after: $after,');
  });
});
