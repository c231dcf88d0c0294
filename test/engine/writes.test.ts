import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, hang, json, type SentRequest } from './fake-fetch.js';
import { book, ShelfConnector, shelf } from './shelf.js';
import { advanceUntilSettled, skipBackoff, warmUpAndFreezeTime } from './time.js';

const quick: typeof shelf = (fetch, options) => {
  skipBackoff();
  return shelf(fetch, options);
};

const lost: ReadonlyArray<[string, () => Response]> = [
  ['a reset', () => fail(connectionError('ECONNRESET'))],
  ['a connection closed by the other side', () => fail(connectionError('UND_ERR_SOCKET'))],
  ['500', () => new Response('', { status: 500 })],
  ['503', () => new Response('', { status: 503 })],
  ['truncated JSON', () => new Response('{"id":"b')],
  ['a page with status 200', () => new Response('<html>')],
];

const fail = (error: unknown): never => {
  throw error;
};

describe('a write', () => {
  it.each(lost)('is not retried after %s, and its outcome is unknown', async (_, reply) => {
    const { fetch, sent } = fakeFetch(reply);
    const error = await failure(quick(fetch).execute('books', 'update', { id: 'b1', title: 'T' }));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.hint).toContain('Before you retry');
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['delete', { id: 'b1' }],
    ['move', { id: 'b1', shelf: 'B' }],
  ] as const)('with the %s action is not retried either', async (action, params) => {
    const { fetch, sent } = fakeFetch(({ method }) =>
      method === 'GET' ? json(book('b1')) : fail(connectionError('ECONNRESET')),
    );
    const error = await failure(quick(fetch).execute('books', action, params as any));
    expect(error.code).toBe('unknown_outcome');
    expect(sent.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('that times out has an unknown outcome', async () => {
    await warmUpAndFreezeTime();
    for (const options of [{ timeoutMs: 30 }, { attemptTimeoutMs: 30 }]) {
      const { fetch, sent } = fakeFetch(hang);
      const error = await failure(advanceUntilSettled(quick(fetch, options).execute('books', 'update', { id: 'b1' })));
      expect(error.code).toBe('unknown_outcome');
      expect(sent).toHaveLength(1);
    }
  });

  it.each([
    ['a rate limit', () => new Response('', { status: 429, headers: { 'retry-after': '0' } })],
    ['a refused connection', () => fail(connectionError('ECONNREFUSED'))],
    ['an unknown host name', () => fail(connectionError('ENOTFOUND'))],
    ['a connection never established', () => fail(connectionError('UND_ERR_CONNECT_TIMEOUT'))],
  ])('is retried after %s, since it cannot have been executed', async (_, reply) => {
    const { fetch, sent } = fakeFetch((_, count) => (count === 1 ? reply() : json(book('b1'))));
    await quick(fetch).execute('books', 'update', { id: 'b1', title: 'T' });
    expect(sent).toHaveLength(2);
    expect(sent[1]!.json).toEqual(sent[0]!.json);
  });

  it('keeps the code of a persistent rate limit', async () => {
    await warmUpAndFreezeTime();
    const { fetch, sent } = fakeFetch(() => new Response('', { status: 429, headers: { 'retry-after': '1' } }));
    const connector = shelf(fetch, { timeoutMs: 5_500 });
    const error = await advanceUntilSettled(failure(connector.execute('books', 'update', { id: 'b1' })), 50);
    expect(error.code).toBe('rate_limited');
    expect(sent).toHaveLength(6);
  });

  it.each([400, 404, 409])('that the vendor rejected with %i has a known outcome', async (status) => {
    const { fetch } = fakeFetch(() => new Response('', { status }));
    expect((await failure(quick(fetch).execute('books', 'update', { id: 'b1' }))).status).toBe(status);
  });

  it('whose preceding read fails is reported as not sent', async () => {
    const { fetch, sent } = fakeFetch(() => fail(connectionError('ECONNRESET')));
    const error = await failure(quick(fetch).execute('books', 'move', { id: 'b1', shelf: 'B' }));
    expect(error.code).toBe('network');
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  it('that waits for a failing refresh is reported as not sent', async () => {
    const credentials = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' };
    for (const answer of [() => fail(connectionError('ECONNRESET')), () => new Response('{"access'), hang]) {
      skipBackoff();
      const { fetch, sent } = fakeFetch(answer);
      const connector = new ShelfConnector({ credentials, fetch, attemptTimeoutMs: 30, retries: 1 });
      const error = await failure(connector.execute('books', 'update', { id: 'b1' }));
      expect(['network', 'timeout', 'invalid_response']).toContain(error.code);
      expect(sent.every(({ url }) => url.pathname === '/oauth/token')).toBe(true);
    }
  });
});

/** A vendor that stores books under ids chosen by clients, and loses the responses that the test names. */
function library(lose: (sent: SentRequest, count: number) => boolean) {
  const books = new Map<string, object>();
  const { fetch, sent } = fakeFetch((one, count) => {
    const { method, url, json: body } = one;
    let reply: Response;
    if (method === 'GET') {
      const found = books.get(url.pathname.split('/').at(-1)!);
      reply = found ? json(found) : json({ error: 'no such book' }, 404);
    } else if (books.has(body.id)) {
      reply = json({ error: 'duplicate' }, 409);
    } else {
      books.set(body.id, book(body.id, { title: body.title }));
      reply = json(books.get(body.id));
    }
    return lose(one, count) ? fail(connectionError('ECONNRESET')) : reply;
  });
  return { books, fetch, sent };
}

describe('a write with its own id', () => {
  it('is sent only once if no response is lost', async () => {
    const { books, fetch, sent } = library(() => false);
    const { data } = await quick(fetch).execute('books', 'create', { title: 'Emma' });
    expect(books.size).toBe(1);
    expect(data.book).toMatchObject({ id: [...books.keys()][0], title: 'Emma' });
    expect(sent).toHaveLength(1);
  });

  it('succeeds if the first response is lost, and leaves one record', async () => {
    const { books, fetch, sent } = library((_, count) => count === 1);
    const { data } = await quick(fetch).execute('books', 'create', { title: 'Emma' });
    expect(books.size).toBe(1);
    expect(data).toMatchObject({ success: true, book: { id: [...books.keys()][0], title: 'Emma' } });
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it('succeeds if every response to it is lost but the lookup succeeds', async () => {
    const { books, fetch, sent } = library(({ method }) => method === 'POST');
    const { data } = await quick(fetch).execute('books', 'create', { title: 'Emma' });
    expect(books.size).toBe(1);
    expect(data.book.title).toBe('Emma');
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'GET']);
  });

  it('is looked up immediately if there are no retries', async () => {
    const { fetch, sent } = library(({ method }) => method === 'POST');
    await quick(fetch, { retries: 0 }).execute('books', 'create', { title: 'Emma' });
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('uses one id for all attempts of a call, and another for the next call', async () => {
    const { books, fetch, sent } = library((_, count) => count === 1);
    const connector = quick(fetch);
    await connector.execute('books', 'create', { title: 'Emma' });
    await connector.execute('books', 'create', { title: 'Emma' });
    const ids = sent.flatMap(({ json: body }) => (body ? [body.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(books.size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('has an unknown outcome, and reports the id, if the lookup fails too', async () => {
    const { fetch, sent } = library(() => true);
    const error = await failure(quick(fetch).execute('books', 'create', { title: 'Emma' }));
    expect(error.code).toBe('unknown_outcome');
    expect(error.hint).toContain(sent[0]!.json.id);
  });

  it('has an unknown outcome if a lost request may still arrive', async () => {
    const { fetch } = fakeFetch(({ method }) =>
      method === 'POST' ? fail(connectionError('ECONNRESET')) : json({}, 404),
    );
    expect((await failure(quick(fetch).execute('books', 'create', { title: 'Emma' }))).code).toBe('unknown_outcome');
  });

  it('fails with the rejection of its retry if the vendor has no such record', async () => {
    const { fetch } = fakeFetch(({ method }, count) => {
      if (method === 'GET') return json({}, 404);
      return count === 1 ? fail(connectionError('ECONNRESET')) : json({ error: 'title taken' }, 422);
    });
    const error = await failure(quick(fetch).execute('books', 'create', { title: 'Emma' }));
    expect(error).toMatchObject({ code: 'invalid_params', status: 422 });
  });

  it('is not looked up if it was rejected from the start', async () => {
    const { fetch, sent } = fakeFetch(() => json({}, 422));
    await failure(quick(fetch).execute('books', 'create', { title: 'Emma' }));
    expect(sent).toHaveLength(1);
  });
});
