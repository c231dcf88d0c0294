import type { Limits } from 'agent-connectors';
import { describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { shelfConnector } from './shelf.js';
import { advanceUntilSettled, skipBackoff, warmUpAndFreezeTime } from './time.js';

let made = 0;
/** A credential that no other test waits for. */
const fresh = () => ({ api_key: `limiter-key-${++made}` });

/** A connector with limits, and a vendor that always succeeds. */
function limited(limits: Limits, answer: () => Response = () => json({ books: [] })) {
  const Limited = shelfConnector({ limits });
  const { fetch, sent } = fakeFetch(answer);
  const make = (credentials = fresh(), options: object = {}) => new Limited({ credentials, fetch, ...options });
  return { make, sent };
}

/** The maximum number of requests in any window of this length. */
function densest(times: readonly number[], ms: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(...sorted.map((start) => sorted.filter((time) => time >= start && time < start + ms).length));
}

describe('windows', () => {
  it('never allow more requests than their limit, with 200 concurrent calls', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 40, perMs: 200 }] });
    const connector = make();
    await advanceUntilSettled(Promise.all(Array.from({ length: 200 }, () => connector.execute('books', 'list'))));
    const times = sent.map(({ at }) => at);
    expect(densest(times, 200)).toBe(40);
    expect(times.at(-1)! - times[0]!).toBeCloseTo(800, -1);
  });

  it('are all enforced together', async () => {
    await warmUpAndFreezeTime();
    const windows = [
      { requests: 2, perMs: 50 },
      { requests: 5, perMs: 300 },
    ];
    const { make, sent } = limited({ windows });
    const connector = make();
    await advanceUntilSettled(Promise.all(Array.from({ length: 10 }, () => connector.execute('books', 'list'))));
    const times = sent.map(({ at }) => at);
    expect(densest(times, 50)).toBe(2);
    expect(densest(times, 300)).toBe(5);
  });

  it('release calls in order of arrival', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 5 }] });
    const connector = make();
    await advanceUntilSettled(
      Promise.all(Array.from({ length: 30 }, (_, n) => connector.execute('books', 'list', { size: n + 1 }))),
    );
    const order = sent.map(({ url }) => Number(url.searchParams.get('size')));
    expect(order).toEqual(order.map((_, n) => n + 1));
  });

  it('let no call overtake one whose turn has come but whose timer is late', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 60 }] });
    const connector = make();
    await connector.execute('books', 'list', { size: 1 });
    const second = connector.execute('books', 'list', { size: 2 });
    await advanceUntilSettled(new Promise((resolve) => setTimeout(resolve, 10)));
    // The clock advances, but the timers do not.
    vi.setSystemTime(Date.now() + 200);
    await advanceUntilSettled(Promise.all([second, connector.execute('books', 'list', { size: 3 })]));
    expect(sent.map(({ url }) => url.searchParams.get('size'))).toEqual(['1', '2', '3']);
  });

  it('are shared by two connectors with one credential', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 120 }] });
    const credentials = fresh();
    const [one, two] = [make(credentials), make(credentials)];
    await advanceUntilSettled(Promise.all([one.execute('books', 'list'), two.execute('books', 'list')]));
    expect(sent[1]!.at - sent[0]!.at).toBeCloseTo(120, -1);
  });

  it('are not shared with another credential, nor with another endpoint', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 5_000 }] });
    const credentials = fresh();
    const others = [make(credentials), make(fresh()), make(credentials, { endpoints: 'https://other.example' })];
    await advanceUntilSettled(
      Promise.all(others.map((connector) => connector.execute('books', 'list', {}, { timeoutMs: 1_000 }))),
    );
    expect(sent).toHaveLength(3);
  });

  it('immediately fail a call if its turn would come after its deadline, and report when that turn would be', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 60_000 }] });
    const connector = make();
    await connector.execute('books', 'list');
    const error = await failure(connector.execute('books', 'list', {}, { timeoutMs: 1_000 }));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, docs: 'limits', retryAfterMs: 60_000 });
    expect(sent).toHaveLength(1);
  });

  it('do not count a call that failed immediately', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 150 }] });
    const connector = make();
    await connector.execute('books', 'list');
    await Promise.all(
      Array.from({ length: 50 }, () => failure(connector.execute('books', 'list', {}, { timeoutMs: 20 }))),
    );
    await advanceUntilSettled(connector.execute('books', 'list', {}, { timeoutMs: 400 }));
    expect(sent).toHaveLength(2);
  });
});

describe("the vendor's remaining limit", () => {
  const learn: NonNullable<Limits['learn']> = ({ headers }) =>
    headers.has('x-left')
      ? [
          {
            name: 'requests',
            limit: null,
            remaining: Number(headers.get('x-left')),
            resetsAt: Date.now() + Number(headers.get('x-reset-in')),
          },
        ]
      : [];

  it('is respected: the next call waits until more is available', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ learn }, () => json({ books: [] }, 200, { 'x-left': '0', 'x-reset-in': '100' }));
    const connector = make();
    await connector.execute('books', 'list');
    await advanceUntilSettled(connector.execute('books', 'list'));
    expect(sent[1]!.at - sent[0]!.at).toBeCloseTo(100, -1);
  });

  it('causes no delay until it is used up', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ learn }, () => json({ books: [] }, 200, { 'x-left': '1', 'x-reset-in': '60000' }));
    const connector = make();
    await connector.execute('books', 'list');
    await connector.execute('books', 'list', {}, { timeoutMs: 1_000 });
    expect(sent).toHaveLength(2);
  });

  it('immediately fails the next call if the wait would be too long', async () => {
    const { make, sent } = limited({ learn }, () =>
      json({ books: [] }, 200, { 'x-left': '0', 'x-reset-in': '3600000' }),
    );
    const connector = make();
    await connector.execute('books', 'list');
    const error = await failure(connector.execute('books', 'list'));
    expect(error.code).toBe('rate_limited');
    expect(error.retryAfterMs).toBeGreaterThan(3_500_000);
    expect(sent).toHaveLength(1);
  });

  it('is ignored while invalid, and respected again once valid', async () => {
    await warmUpAndFreezeTime();
    const resets = ['soon', '3600000'];
    const { make, sent } = limited({ learn }, () =>
      json({ books: [] }, 200, { 'x-left': '0', 'x-reset-in': resets[sent.length - 1]! }),
    );
    const connector = make();
    await connector.execute('books', 'list');
    await connector.execute('books', 'list', {}, { timeoutMs: 1_000 });
    expect((await failure(connector.execute('books', 'list'))).code).toBe('rate_limited');
    expect(sent).toHaveLength(2);
  });

  it('fails queued calls that would have to wait too long', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ learn, windows: [{ requests: 1, perMs: 80 }] }, () =>
      json({ books: [] }, 200, { 'x-left': '0', 'x-reset-in': '600000' }),
    );
    const connector = make();
    const started = Date.now();
    const calls = [1, 2, 3].map(() => connector.execute('books', 'list', {}, { timeoutMs: 5_000 }));
    const [, second, third] = await advanceUntilSettled(Promise.allSettled(calls));
    expect([second, third]).toMatchObject([{ reason: { code: 'rate_limited' } }, { reason: { code: 'rate_limited' } }]);
    expect(Date.now() - started).toBeLessThan(80);
    expect(sent).toHaveLength(1);
  });

  it('passes on the slot of an aborted call', async () => {
    await warmUpAndFreezeTime();
    const { make, sent } = limited({ windows: [{ requests: 1, perMs: 100 }] });
    const connector = make();
    await connector.execute('books', 'list');
    const controller = new AbortController();
    const gone = Array.from({ length: 20 }, () =>
      failure(connector.execute('books', 'list', {}, { signal: controller.signal })),
    );
    const last = connector.execute('books', 'list');
    setTimeout(() => controller.abort(), 10);
    await advanceUntilSettled(Promise.all([...gone, last]));
    expect(sent).toHaveLength(2);
    expect(sent[1]!.at - sent[0]!.at).toBeCloseTo(100, -1);
  });

  it('delays calls already queued, and does not release them all at once', async () => {
    skipBackoff();
    await warmUpAndFreezeTime();
    let count = 0;
    const { make, sent } = limited({ windows: [{ requests: 2, perMs: 60 }] }, () =>
      ++count === 1 ? new Response('', { status: 429, headers: { 'retry-after': '0.3' } }) : json({ books: [] }),
    );
    const connector = make();
    await advanceUntilSettled(Promise.all(Array.from({ length: 8 }, () => connector.execute('books', 'list'))));
    const times = sent.map(({ at }) => at);
    const held = times.filter((time) => time > times[0]! + 290);
    expect(held.length).toBeGreaterThanOrEqual(6);
    expect(densest(held, 60)).toBe(2);
  });
});
