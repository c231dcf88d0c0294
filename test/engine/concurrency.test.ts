import type { Limits } from 'agent-connectors';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { key, shelfConnector } from './shelf.js';
import { advanceUntilSettled, flushEventLoop, skipBackoff, waitUntil, warmUpAndFreezeTime } from './time.js';

interface Pending {
  readonly sent: SentRequest;
  readonly answer: (reply?: Response) => void;
  readonly fail: (error: unknown) => void;
}

const good = () => json({ books: [], id: 'b1' });

/** A vendor that responds when the test says so, and counts requests in progress. */
function slow(limits: Limits, options: object = {}) {
  const pending: Pending[] = [];
  const most = new Map<string, number>();
  const { fetch, sent } = fakeFetch((one) => {
    return new Promise<Response>((resolve, reject) => {
      const leave = () => void pending.splice(pending.indexOf(entry), 1);
      const entry: Pending = {
        sent: one,
        answer: (reply = good()) => {
          leave();
          resolve(reply);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      one.signal?.addEventListener('abort', () => pending.includes(entry) && entry.fail(one.signal?.reason));
      pending.push(entry);
      const { pathname } = one.url;
      const busy = pending.filter(({ sent: { url } }) => url.pathname === pathname).length;
      most.set(pathname, Math.max(busy, most.get(pathname) ?? 0));
    });
  });
  const Limited = shelfConnector({ limits });
  const make = (more: object = {}) => new Limited({ credentials: key, fetch, ...options, ...more });
  /** Waits until this many are in progress. */
  const busy = (count: number) => waitUntil(() => pending.length === count);
  return { pending, most, sent, make, busy };
}

/** Keeps responding as long as requests arrive. */
async function drain({ pending }: { pending: readonly Pending[] }, total: number) {
  for (let answered = 0; answered < total; answered++) {
    await waitUntil(() => pending.length > 0);
    pending[0]!.answer();
  }
}

describe('concurrent requests to one URL', () => {
  it('reach but never exceed the limit, with 200 concurrent calls', async () => {
    const vendor = slow({ concurrent: 8 });
    const connector = vendor.make();
    const calls = Array.from({ length: 200 }, () => connector.execute('books', 'list'));
    await vendor.busy(8);
    await flushEventLoop();
    expect(vendor.sent).toHaveLength(8);
    await drain(vendor, 200);
    await Promise.all(calls);
    expect(vendor.sent).toHaveLength(200);
    expect(vendor.most.get('/v1/books')).toBe(8);
  });

  it('are sent in order of arrival', async () => {
    const vendor = slow({ concurrent: 3 });
    const connector = vendor.make();
    const calls = Array.from({ length: 40 }, (_, n) => connector.execute('books', 'list', { size: n + 1 }));
    await drain(vendor, 40);
    await Promise.all(calls);
    const order = vendor.sent.map(({ url }) => Number(url.searchParams.get('size')));
    expect(order).toEqual(order.map((_, n) => n + 1));
  });

  it('never overtake requests already waiting', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const first = connector.execute('books', 'list', { size: 1 });
    await vendor.busy(1);
    const second = connector.execute('books', 'list', { size: 2 });
    await flushEventLoop();
    vendor.pending[0]!.answer();
    const third = first.then(() => connector.execute('books', 'list', { size: 3 }));
    await drain(vendor, 2);
    await Promise.all([second, third]);
    expect(vendor.sent.map(({ url }) => url.searchParams.get('size'))).toEqual(['1', '2', '3']);
    expect(vendor.most.get('/v1/books')).toBe(1);
  });

  it('do not delay requests to another URL', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const calls = ['b1', 'b2', 'b1', 'b3', 'b1'].map((id) => connector.execute('books', 'get', { id }));
    await vendor.busy(3);
    await flushEventLoop();
    expect(vendor.sent.map(({ url }) => url.pathname)).toEqual(['/v1/books/b1', '/v1/books/b2', '/v1/books/b3']);
    await drain(vendor, 5);
    await Promise.all(calls);
    expect([...vendor.most.values()]).toEqual([1, 1, 1]);
  });

  it('share a queue regardless of the query', async () => {
    const vendor = slow({ concurrent: 2 });
    const connector = vendor.make();
    const calls = [1, 2, 3, 4].map((size) => connector.execute('books', 'list', { size }));
    await vendor.busy(2);
    await flushEventLoop();
    expect(vendor.sent).toHaveLength(2);
    await drain(vendor, 4);
    await Promise.all(calls);
  });

  it('are counted across all connectors that share a credential', async () => {
    const vendor = slow({ concurrent: 2 });
    const calls = Array.from({ length: 6 }, () => vendor.make().execute('books', 'list'));
    await vendor.busy(2);
    await flushEventLoop();
    expect(vendor.sent).toHaveLength(2);
    await drain(vendor, 6);
    await Promise.all(calls);
    expect(vendor.most.get('/v1/books')).toBe(2);
  });

  it('are counted separately for another credential', async () => {
    const vendor = slow({ concurrent: 1 });
    const calls = ['key-0001', 'key-0002'].map((api_key) =>
      vendor.make({ credentials: { api_key } }).execute('books', 'list'),
    );
    await vendor.busy(2);
    await drain(vendor, 2);
    await Promise.all(calls);
  });

  it('are unlimited if no limit is declared', async () => {
    const vendor = slow({});
    const connector = vendor.make();
    const calls = Array.from({ length: 50 }, () => connector.execute('books', 'list'));
    await vendor.busy(50);
    await drain(vendor, 50);
    await Promise.all(calls);
  });

  it('also obey rate windows', async () => {
    await warmUpAndFreezeTime();
    const vendor = slow({ concurrent: 2, windows: [{ requests: 1, perMs: 40 }] });
    const connector = vendor.make();
    const calls = Array.from({ length: 4 }, () => connector.execute('books', 'list'));
    await advanceUntilSettled(Promise.all([drain(vendor, 4), ...calls]));
    const times = vendor.sent.map(({ at }) => at);
    expect(times.at(-1)! - times[0]!).toBeCloseTo(120, -1);
  });
});

describe('a call that waits for a slot', () => {
  it('and is aborted sends nothing and neither takes nor frees a slot', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const first = connector.execute('books', 'list', { size: 1 });
    await vendor.busy(1);
    const controller = new AbortController();
    const { signal } = controller;
    const gone = [2, 3].map((size) => failure(connector.execute('books', 'list', { size }, { signal })));
    const last = [4, 5].map((size) => connector.execute('books', 'list', { size }));
    await flushEventLoop();
    controller.abort();
    for (const error of await Promise.all(gone)) expect(error.code).toBe('aborted');
    await flushEventLoop();
    expect(vendor.sent).toHaveLength(1);
    await drain(vendor, 3);
    await Promise.all([first, ...last]);
    expect(vendor.sent.map(({ url }) => url.searchParams.get('size'))).toEqual(['1', '4', '5']);
    expect(vendor.most.get('/v1/books')).toBe(1);
  });

  it('and times out reports the timeout while the other calls continue', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const first = connector.execute('books', 'list');
    await vendor.busy(1);
    const late = await failure(connector.execute('books', 'list', {}, { timeoutMs: 30 }));
    expect(late.code).toBe('timeout');
    const next = connector.execute('books', 'list');
    await drain(vendor, 2);
    await Promise.all([first, next]);
    expect(vendor.sent).toHaveLength(2);
  });

  it("does not use up its attempt's timeout", async () => {
    await warmUpAndFreezeTime();
    const vendor = slow({ concurrent: 1 }, { attemptTimeoutMs: 900, retries: 0 });
    const connector = vendor.make();
    const calls = [1, 2, 3].map(() => connector.execute('books', 'list'));
    for (let answered = 0; answered < 3; answered++) {
      await vendor.busy(1);
      await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 400)), 10);
      vendor.pending[0]!.answer();
    }
    await Promise.all(calls);
  });

  it('has not sent anything, so a write aborted while waiting has a known outcome', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const first = connector.execute('books', 'update', { id: 'b1', title: 'A' });
    await vendor.busy(1);
    const controller = new AbortController();
    const second = failure(
      connector.execute('books', 'update', { id: 'b1', title: 'B' }, { signal: controller.signal }),
    );
    await flushEventLoop();
    controller.abort();
    expect((await second).code).toBe('aborted');
    await drain(vendor, 1);
    await first;
  });
});

describe('a slot is freed', () => {
  it.each<[string, (one: Pending) => void, string]>([
    ['is refused', ({ answer }) => answer(json({}, 403)), 'forbidden'],
    ['fails', ({ answer }) => answer(json({}, 500)), 'vendor_error'],
    ['breaks off', ({ fail }) => fail(connectionError('ECONNRESET')), 'network'],
    ['is redirected', ({ answer }) => answer(new Response(null, { status: 302 })), 'invalid_response'],
    ['returns a page', ({ answer }) => answer(new Response('<html></html>')), 'invalid_response'],
  ])('by a request that %s', async (_, end, code) => {
    const vendor = slow({ concurrent: 1 }, { retries: 0 });
    const connector = vendor.make();
    const first = failure(connector.execute('books', 'list', { size: 1 }));
    await vendor.busy(1);
    const second = connector.execute('books', 'list', { size: 2 });
    end(vendor.pending[0]!);
    expect((await first).code).toBe(code);
    await drain(vendor, 1);
    await second;
    expect(vendor.most.get('/v1/books')).toBe(1);
  });

  it('by a request that is aborted while running', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const controller = new AbortController();
    const first = failure(connector.execute('books', 'list', {}, { signal: controller.signal }));
    await vendor.busy(1);
    const second = connector.execute('books', 'list');
    await flushEventLoop();
    controller.abort();
    expect((await first).code).toBe('aborted');
    await drain(vendor, 1);
    await second;
  });

  it('while a call waits to retry', async () => {
    await warmUpAndFreezeTime();
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const first = connector.execute('books', 'list', { size: 1 });
    await vendor.busy(1);
    const second = connector.execute('books', 'list', { size: 2 });
    vendor.pending[0]!.answer(new Response('', { status: 503, headers: { 'retry-after': '0.15' } }));
    await vendor.busy(1);
    vendor.pending[0]!.answer();
    await second;
    expect(vendor.sent).toHaveLength(2);
    await advanceUntilSettled(Promise.all([drain(vendor, 1), first]));
    expect(vendor.sent.map(({ url }) => url.searchParams.get('size'))).toEqual(['1', '2', '1']);
  });

  it('by each step of a multi-step action, so that two of them cannot block each other', async () => {
    const vendor = slow({ concurrent: 1 });
    const connector = vendor.make();
    const calls = [1, 2, 3].map((n) => connector.execute('books', 'move', { id: 'b1', shelf: `S${n}` }));
    await drain(vendor, 6);
    await Promise.all(calls);
    expect([...vendor.most.values()]).toEqual([1, 1]);
  });
});

describe('limits.retries', () => {
  it.each([
    [2, 5, 3],
    [2, 1, 2],
    [2, undefined, 3],
    [1, undefined, 2],
    [0, 3, 1],
    [5, undefined, 3],
  ])("(%j) caps the caller's retries (%j): %j attempts in total", async (most, retries, tries) => {
    skipBackoff();
    const Limited = shelfConnector({ limits: { retries: most } });
    const { fetch, sent } = fakeFetch(() => new Response('', { status: 503 }));
    const error = await failure(new Limited({ credentials: key, fetch, retries }).execute('books', 'list'));
    expect(error.status).toBe(503);
    expect(sent).toHaveLength(tries);
  });
});
