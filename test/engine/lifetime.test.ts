import { beforeEach, describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, hang, hangUntilAborted, json, trackUnhandledRejections } from './fake-fetch.js';
import { book, ShelfConnector, shelf, shelfConnector } from './shelf.js';
import { advanceUntilSettled, flushEventLoop, warmUpAndFreezeTime } from './time.js';

// The tests fully control time: work that takes no time finishes before the clock advances.
beforeEach(() => warmUpAndFreezeTime());

const oauth = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' };

/** A signal that aborts a little later. */
const soon = (ms = 20) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), ms);
  return controller.signal;
};

/** Advances time until a promise settles, and returns how long that took, in milliseconds. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  return [await advanceUntilSettled(work), performance.now() - started];
}

/** The error of a call, however long it takes to fail. */
const failing = (call: Promise<unknown>) => advanceUntilSettled(failure(call));

describe('timeouts', () => {
  it('for an attempt and for the whole call are distinguished', async () => {
    const { fetch } = fakeFetch(hangUntilAborted);
    const attempt = await failing(shelf(fetch, { attemptTimeoutMs: 20, retries: 0 }).execute('books', 'list'));
    expect(attempt).toMatchObject({ code: 'timeout', message: 'No response within 20 ms.' });
    const total = await failing(shelf(fetch, { timeoutMs: 25 }).execute('books', 'list'));
    expect(total).toMatchObject({ code: 'timeout', message: 'The call did not finish within 25 ms.' });
    expect(total.hint).toContain('timeoutMs');
  });

  it("set on a call override the connector's", async () => {
    const { fetch } = fakeFetch(hangUntilAborted);
    const error = await failing(shelf(fetch, { timeoutMs: 60_000 }).execute('books', 'list', {}, { timeoutMs: 15 }));
    expect(error.message).toContain('15 ms');
  });

  it('cover all attempts together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { fetch, sent } = fakeFetch(hangUntilAborted);
    const connector = shelf(fetch, { attemptTimeoutMs: 100, timeoutMs: 1000, retries: 50 });
    const [error, ms] = await timed(failure(connector.execute('books', 'list')));
    expect(error.code).toBe('timeout');
    expect(ms).toBe(1000);
    expect(sent).toHaveLength(3);
  });

  it('end a call whose fetch ignores its signal', async () => {
    const { fetch } = fakeFetch(hang);
    const [error, ms] = await timed(failure(shelf(fetch).execute('books', 'list', {}, { timeoutMs: 30 })));
    expect(error.code).toBe('timeout');
    expect(ms).toBe(30);
  });

  it('end a call whose body never ends', async () => {
    const { fetch } = fakeFetch(() => new Response(new ReadableStream()));
    expect((await failing(shelf(fetch).execute('books', 'list', {}, { timeoutMs: 30 }))).code).toBe('timeout');
  });
});

describe('an abort', () => {
  it('before the call sends nothing', async () => {
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    const reason = new Error('not needed');
    const error = await failing(shelf(fetch).execute('books', 'list', {}, { signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(error.cause).toBe(reason);
    expect(sent).toHaveLength(0);
  });

  it('in the same tick as the call sends nothing', async () => {
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    const controller = new AbortController();
    const call = failure(shelf(fetch).execute('books', 'list', {}, { signal: controller.signal }));
    controller.abort();
    expect((await call).code).toBe('aborted');
    expect(sent).toHaveLength(0);
  });

  it('during the request ends both the call and the request', async () => {
    const { fetch, sent } = fakeFetch(hangUntilAborted);
    const [error, ms] = await timed(failure(shelf(fetch).execute('books', 'list', {}, { signal: soon() })));
    expect(error.code).toBe('aborted');
    expect(ms).toBe(20);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.signal!.aborted).toBe(true);
  });

  it('while waiting for a body ends the call', async () => {
    const { fetch } = fakeFetch(() => new Response(new ReadableStream()));
    expect((await failing(shelf(fetch).execute('books', 'list', {}, { signal: soon() }))).code).toBe('aborted');
  });

  it('during a request that ignores its signal still ends the call', async () => {
    const { fetch } = fakeFetch(hang);
    expect((await failing(shelf(fetch).execute('books', 'list', {}, { signal: soon() }))).code).toBe('aborted');
  });

  it('during a backoff ends the call', async () => {
    const { fetch, sent } = fakeFetch(() => new Response('', { status: 503, headers: { 'retry-after': '10' } }));
    const [error, ms] = await timed(failure(shelf(fetch).execute('books', 'list', {}, { signal: soon() })));
    expect(error.code).toBe('aborted');
    expect(ms).toBe(20);
    expect(sent).toHaveLength(1);
  });

  it('while waiting for a slot ends the call', async () => {
    const Slow = shelfConnector({ limits: { windows: [{ requests: 1, perMs: 5_000 }] } });
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    const connector = new Slow({ credentials: { api_key: 'abort-in-line' }, fetch });
    await connector.execute('books', 'list');
    const [error, ms] = await timed(failure(connector.execute('books', 'list', {}, { signal: soon() })));
    expect(error.code).toBe('aborted');
    expect(ms).toBe(20);
    expect(sent).toHaveLength(1);
  });

  it('during a refresh ends only that call, not the refresh', async () => {
    const { fetch, sent } = fakeFetch(async ({ url }) => {
      if (url.pathname !== '/oauth/token') return json({ books: [] });
      await new Promise((resolve) => setTimeout(resolve, 60));
      return json({ access_token: 'new-token', expires_in: 3_600 });
    });
    const connector = new ShelfConnector({ credentials: oauth, fetch });
    const others = [1, 2, 3].map(() => connector.execute('books', 'list'));
    expect((await failing(connector.execute('books', 'list', {}, { signal: soon() }))).code).toBe('aborted');
    await expect(advanceUntilSettled(Promise.all(others))).resolves.toHaveLength(3);
    expect(sent.filter(({ url }) => url.pathname === '/oauth/token')).toHaveLength(1);
  });

  it('during a write makes its outcome unknown, since the write may have arrived', async () => {
    const { fetch, sent } = fakeFetch(hangUntilAborted);
    const error = await failing(shelf(fetch).execute('books', 'update', { id: 'b1' }, { signal: soon() }));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.hint).toContain('Before you retry');
    expect((error.cause as Error).message).toContain('aborted');
    expect(sent).toHaveLength(1);
  });

  it('after the call has no effect', async () => {
    const controller = new AbortController();
    const { fetch } = fakeFetch(() => json(book('b1')));
    const result = await shelf(fetch).execute('books', 'get', { id: 'b1' }, { signal: controller.signal });
    const seen = trackUnhandledRejections();
    controller.abort();
    await flushEventLoop();
    expect(result.data.id).toBe('b1');
    expect(seen).toEqual([]);
  });
});

describe('many calls', () => {
  it('all succeed concurrently, each with its own response', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', warn);
    const { fetch } = fakeFetch(({ url }) => json(book(url.pathname.split('/').at(-1)!)));
    const connector = shelf(fetch);
    const { signal } = new AbortController();
    const calls = Array.from({ length: 200 }, (_, n) => connector.execute('books', 'get', { id: `b${n}` }, { signal }));
    const ids = (await Promise.all(calls)).map(({ data }) => data.id);
    await flushEventLoop();
    process.off('warning', warn);
    expect(ids).toEqual(ids.map((_, n) => `b${n}`));
    expect(warnings).toEqual([]);
  });
});

describe('unhandled rejections', () => {
  it.each([
    ['aborts in the same tick', 0, () => json({ error: 'invalid_grant' }, 400)],
    ['aborts during a refresh that is then rejected', 10, () => json({ error: 'invalid_grant' }, 400)],
    [
      'aborts during a refresh that is then interrupted',
      10,
      () => {
        throw connectionError('ECONNRESET');
      },
    ],
  ])('are not caused by a caller who %s', async (_, ms, answer) => {
    const seen = trackUnhandledRejections();
    const { fetch } = fakeFetch(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answer();
    });
    const controller = new AbortController();
    const connector = new ShelfConnector({ credentials: oauth, fetch, retries: 0 });
    const call = failure(connector.execute('books', 'list', {}, { signal: controller.signal }));
    if (ms === 0) controller.abort();
    else setTimeout(() => controller.abort(), ms);
    expect((await advanceUntilSettled(call)).code).toBe('aborted');
    await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 40)));
    await flushEventLoop();
    expect(seen).toEqual([]);
  });

  it('are not caused by a call that times out during a refresh', async () => {
    const seen = trackUnhandledRejections();
    const { fetch } = fakeFetch(async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return json({}, 401);
    });
    const connector = new ShelfConnector({ credentials: oauth, fetch, timeoutMs: 20 });
    expect((await failing(connector.execute('books', 'list'))).code).toBe('timeout');
    await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 40)));
    await flushEventLoop();
    expect(seen).toEqual([]);
  });

  it('are not caused by a refresh that starts with no time left for its call', async () => {
    const seen = trackUnhandledRejections();
    const { fetch } = fakeFetch(({ url }) => {
      if (url.pathname === '/oauth/token') return json({ error: 'invalid_grant' }, 400);
      vi.setSystemTime(Date.now() + 600_000);
      return json({}, 401);
    });
    const connector = new ShelfConnector({ credentials: { ...oauth, access_token: 'given' }, fetch });
    const error = await failing(connector.execute('books', 'list'));
    await flushEventLoop();
    expect(error.code).toBe('timeout');
    expect(seen).toEqual([]);
  });

  it('are not caused by a request that fails after its call has ended', async () => {
    const seen = trackUnhandledRejections();
    const { fetch } = fakeFetch(
      () => new Promise<Response>((_, reject) => setTimeout(() => reject(connectionError('ECONNRESET')), 40)),
    );
    expect((await failing(shelf(fetch).execute('books', 'list', {}, { timeoutMs: 15 }))).code).toBe('timeout');
    await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 40)));
    await flushEventLoop();
    expect(seen).toEqual([]);
  });

  it('are not caused by an asynchronous hook that fails', async () => {
    const seen = trackUnhandledRejections();
    const hook = async () => {
      throw new Error('the log is full');
    };
    const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onResponseMismatch: hook };
    const { fetch } = fakeFetch((_, count) =>
      count === 1 ? new Response('', { status: 503, headers: { 'retry-after': '0' } }) : json({ id: 7 }),
    );
    await advanceUntilSettled(shelf(fetch, { hooks }).execute('books', 'get', { id: 'b1' }));
    await flushEventLoop();
    expect(seen).toEqual([]);
  });
});
