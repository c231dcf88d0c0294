import type { Limits } from 'agent-connectors';
import { beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';
import { shelfConnector } from './shelf.js';
import { advanceUntilSettled, flushEventLoop, freezeTime, skipBackoff } from './time.js';

let made = 0;

/** Two connectors with one credential: one for live calls, one for background calls. */
function two(
  limits: Limits,
  answer: (sent: SentRequest, count: number) => Response | Promise<Response> = () => good(),
) {
  freezeTime();
  const Limited = shelfConnector({ limits });
  const { fetch, sent } = fakeFetch(answer);
  const options = { credentials: { api_key: `background-key-${++made}` }, fetch };
  const call =
    (connector: { execute(...call: any[]): Promise<unknown> }) =>
    (size: number, more: object = {}) =>
      connector.execute('books', 'list', { size }, more);
  const began = Date.now();
  return {
    live: call(new Limited(options)),
    behind: call(new Limited({ ...options, background: true })),
    sent,
    /** What has been sent so far, in order. */
    sizes: () => sent.map(({ url }) => Number(url.searchParams.get('size'))),
    /** When a call was sent, in milliseconds since the start. */
    at: (size: number) =>
      Math.round(sent.find(({ url }) => url.searchParams.get('size') === String(size))!.at - sent[0]!.at),
    passed: () => Date.now() - began,
  };
}

const good = (headers: Record<string, string> = {}) => json({ books: [] }, 200, headers);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => from + place);

/** A vendor that responds to each request when the test says so. */
function patient() {
  const pending = new Map<number, () => void>();
  const answer = ({ url }: SentRequest) =>
    new Promise<Response>((resolve) => {
      const size = Number(url.searchParams.get('size'));
      pending.set(size, () => {
        pending.delete(size);
        resolve(good());
      });
    });
  return {
    answer,
    under: () => [...pending.keys()],
    async finish(size: number) {
      pending.get(size)!();
      await flushEventLoop();
    },
  };
}

// Whatever the first call in a process loads is loaded before the clock is stopped.
beforeAll(async () => {
  const Limited = shelfConnector({});
  await new Limited({ credentials: { api_key: 'background-key-0' }, fetch: fakeFetch(() => good()).fetch }).execute(
    'books',
    'list',
  );
});

describe('windows', () => {
  it('let live calls overtake all waiting background calls while preserving order within each group', async () => {
    const { live, behind, sizes } = two({ windows: [{ requests: 1, perMs: 100 }] });
    const waiting = range(1, 5).map((size) => behind(size));
    await flushEventLoop();
    const calls = range(11, 13).map((size) => live(size));
    await advanceUntilSettled(Promise.all([...waiting, ...calls]), 5);
    expect(sizes()).toEqual([1, 11, 12, 13, 2, 3, 4, 5]);
  });

  it('delay a live call only as long as previously sent requests require', async () => {
    const { live, behind, at, sent } = two({ windows: [{ requests: 5, perMs: 1_000 }] });
    const waiting = range(1, 40).map((size) => behind(size));
    await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 2_500)), 10);
    await advanceUntilSettled(live(100), 10);
    expect(at(100)).toBeGreaterThanOrEqual(2_500);
    expect(at(100)).toBeLessThanOrEqual(3_020);
    await advanceUntilSettled(Promise.all(waiting), 10);
    expect(sent).toHaveLength(41);
  });

  it('send a live call immediately if there is room, while background calls wait', async () => {
    const { live, behind, at } = two({ windows: [{ requests: 2, perMs: 1_000 }] });
    const first = behind(1);
    await flushEventLoop();
    await first;
    const second = live(2);
    const third = behind(3);
    await advanceUntilSettled(Promise.all([second, third]), 10);
    expect(at(2)).toBe(0);
    expect(at(3)).toBeGreaterThanOrEqual(1_000);
  });

  it('count live and background calls together', async () => {
    const { live, behind, sent } = two({ windows: [{ requests: 3, perMs: 200 }] });
    await advanceUntilSettled(Promise.all(range(1, 30).map((size) => (size % 2 ? live(size) : behind(size)))), 5);
    const times = sent.map(({ at }) => at);
    const most = Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + 195).length));
    expect(most).toBe(3);
    expect(sent).toHaveLength(30);
  });

  it('reject a background call immediately if its turn would come after its deadline, without rejecting earlier live calls', async () => {
    const { live, behind, passed } = two({ windows: [{ requests: 1, perMs: 1_000 }] });
    const calls = range(1, 5).map((size) => live(size));
    await flushEventLoop();
    const error = await failure(behind(9, { timeoutMs: 4_500 }));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 5_000 });
    expect(passed()).toBe(0);
    const waiting = behind(10, { timeoutMs: 5_500 });
    // A live call queues ahead of it, not behind it.
    const late = live(6, { timeoutMs: 5_500 });
    await advanceUntilSettled(Promise.all([...calls, late]), 10);
    expect((await failure(advanceUntilSettled(waiting, 10))).code).toBe('timeout');
  });

  it('pass on the turn of an aborted call, even in the background', async () => {
    const { behind, sizes, at } = two({ windows: [{ requests: 1, perMs: 100 }] });
    const controller = new AbortController();
    const first = behind(1);
    const gone = range(2, 9).map((size) => failure(behind(size, { signal: controller.signal })));
    const last = behind(10);
    await flushEventLoop();
    controller.abort();
    await advanceUntilSettled(Promise.all([first, ...gone, last]));
    expect(sizes()).toEqual([1, 10]);
    expect(at(10)).toBeLessThan(110);
  });
});

describe("a vendor's delay", () => {
  it('releases live calls first', async () => {
    skipBackoff();
    let count = 0;
    const { live, behind, sizes } = two({ windows: [{ requests: 1, perMs: 10 }] }, () =>
      ++count === 1 ? new Response('', { status: 429, headers: { 'retry-after': '1' } }) : good(),
    );
    const first = failure(behind(1));
    await flushEventLoop();
    const waiting = [behind(2), behind(3)];
    await flushEventLoop();
    const calls = [live(11), live(12)];
    const [refused] = await advanceUntilSettled(Promise.all([first, ...waiting, ...calls]), 5);
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfterMs: 1000 });
    expect(sizes()).toEqual([1, 11, 12, 2, 3]);
  });

  it('also rejects background calls with an earlier deadline', async () => {
    const learn: Limits['learn'] = () => [
      { name: 'requests', limit: null, remaining: 0, resetsAt: Date.now() + 600_000 },
    ];
    const { live, behind } = two({ learn, windows: [{ requests: 1, perMs: 50 }] });
    const calls = Promise.allSettled([live(1), behind(2), behind(3)]);
    const [, second, third] = await advanceUntilSettled(calls);
    expect([second, third]).toMatchObject([{ reason: { code: 'rate_limited' } }, { reason: { code: 'rate_limited' } }]);
  });
});

describe('slots', () => {
  it('include at least one reserved for live calls', async () => {
    const vendor = patient();
    const { live, behind } = two({ concurrent: 3 }, vendor.answer);
    const waiting = range(1, 5).map((size) => behind(size));
    await flushEventLoop();
    expect(vendor.under()).toEqual([1, 2]);
    const call = live(11);
    await flushEventLoop();
    expect(vendor.under()).toEqual([1, 2, 11]);
    await vendor.finish(11);
    expect(vendor.under()).toEqual([1, 2]);
    for (const size of range(1, 5)) await vendor.finish(size);
    await Promise.all([call, ...waiting]);
  });

  it('go to live calls first when freed, in order of arrival within each kind', async () => {
    const vendor = patient();
    const { live, behind, sizes } = two({ concurrent: 2 }, vendor.answer);
    const waiting = range(1, 3).map((size) => behind(size));
    await flushEventLoop();
    const calls = range(11, 14).map((size) => live(size));
    await flushEventLoop();
    expect(vendor.under()).toEqual([1, 11]);
    await vendor.finish(1);
    expect(vendor.under()).toEqual([11, 12]);
    await vendor.finish(11);
    await vendor.finish(12);
    expect(vendor.under()).toEqual([13, 14]);
    await vendor.finish(14);
    expect(vendor.under()).toEqual([13, 2]);
    for (const size of [13, 2, 3]) await vendor.finish(size);
    await Promise.all([...waiting, ...calls]);
    expect(sizes()).toEqual([1, 11, 12, 13, 14, 2, 3]);
  });

  it('are shared with background calls if there is only one', async () => {
    const vendor = patient();
    const { live, behind, sizes } = two({ concurrent: 1 }, vendor.answer);
    const waiting = [behind(1), behind(2)];
    await flushEventLoop();
    expect(vendor.under()).toEqual([1]);
    const call = live(11);
    await flushEventLoop();
    for (const size of [1, 11, 2]) await vendor.finish(size);
    await Promise.all([...waiting, call]);
    expect(sizes()).toEqual([1, 11, 2]);
  });

  it('are not lost when a call waiting in the background is aborted', async () => {
    const vendor = patient();
    const { behind, sizes } = two({ concurrent: 2 }, vendor.answer);
    const controller = new AbortController();
    const first = behind(1);
    const gone = [2, 3].map((size) => failure(behind(size, { signal: controller.signal })));
    const last = behind(4);
    await flushEventLoop();
    controller.abort();
    expect((await Promise.all(gone)).map(({ code }) => code)).toEqual(['aborted', 'aborted']);
    await vendor.finish(1);
    await vendor.finish(4);
    await Promise.all([first, last]);
    expect(sizes()).toEqual([1, 4]);
  });
});
