import { GongConnector } from 'agent-connectors/gong';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeFetch, json, type SentRequest } from '../../engine/fake-fetch.js';
import { advanceUntilSettled } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { application, errorReply, key, pageReply } from './setup.js';

// Loads the modules that a process loads for its first call and its first retry.
beforeAll(async () => {
  const replies = [errorReply(503, [], { 'retry-after': '0' }), json(pageReply('users', []))];
  await new GongConnector({ credentials: key, fetch: async () => replies.shift()! }).users.list();
});

/** The test fully controls time, except for disk I/O. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** A Gong with these responses, and the time of each request. */
function gongThat(answer: (sent: SentRequest, count: number) => Response) {
  const times: number[] = [];
  const { fetch, sent } = fakeFetch((one, count) => {
    times.push(Date.now());
    return answer(one, count);
  });
  return { fetch, sent, times };
}

/** The maximum number of requests within any second. */
const densest = (times: readonly number[]) =>
  Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + 1000).length));

/** Advances time until the work has settled. */
const ended = <T>(work: Promise<T>): Promise<T> => advanceUntilSettled(work, 100);

const users = () => json(pageReply('users', []));
const bearer = ({ headers }: SentRequest) => headers.get('authorization');
const asksForToken = ({ url }: SentRequest) => url.pathname === '/oauth2/generate-customer-token';

describe('requests to Gong', () => {
  test('are limited to three per second, regardless of the number of calls', async () => {
    const { fetch, times } = gongThat(users);
    const gong = new GongConnector({ credentials: key, fetch });
    await ended(Promise.all(Array.from({ length: 30 }, () => gong.users.list())));
    expect(times).toHaveLength(30);
    expect(densest(times)).toBe(3);
    expect(times.at(-1)! - times[0]!).toBeLessThan(10_000);
  });

  test('are counted separately if an action makes several', async () => {
    const transcripts = pageReply('callTranscripts', [{ callId: '1', transcript: [] }]);
    const calls = pageReply('calls', [{ metaData: { id: '1', isPrivate: false } }]);
    const { fetch, times } = gongThat(({ url }) => json(url.pathname.endsWith('transcript') ? transcripts : calls));
    const gong = new GongConnector({ credentials: key, fetch });
    const found = await ended(Promise.all(Array.from({ length: 6 }, () => gong.call_transcripts.list({ filter: {} }))));
    expect(found.map(({ data }) => data.length)).toEqual(Array(6).fill(1));
    expect(times).toHaveLength(12);
    expect(densest(times)).toBe(3);
  });

  test('share a limiter between connectors with the same key', async () => {
    const { fetch, times } = gongThat(users);
    const both = [1, 2].map(() => new GongConnector({ credentials: key, fetch }));
    await ended(Promise.all(both.flatMap((gong) => Array.from({ length: 4 }, () => gong.users.list()))));
    expect(times).toHaveLength(8);
    expect(densest(times)).toBe(3);
  });

  test('are retried after a short delay requested by Gong', async () => {
    const { fetch, times } = gongThat((_, count) =>
      count === 1 ? errorReply(429, ['API rate limit exceeded'], { 'retry-after': '7' }) : users(),
    );
    const gong = new GongConnector({ credentials: key, fetch });
    expect((await ended(gong.users.list())).data).toEqual([]);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(7_000);
    expect(times[1]! - times[0]!).toBeLessThan(7_500);
  });

  test('fail immediately if Gong requests a delay of hours, and later requests fail without being sent', async () => {
    const { fetch, sent } = gongThat((_, count) =>
      count === 1 ? errorReply(429, ['API rate limit exceeded'], { 'retry-after': '40000' }) : users(),
    );
    const gong = new GongConnector({ credentials: key, fetch });
    const started = Date.now();
    const error = await failure(ended(gong.users.list()));
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryable: true, retryAfterMs: 40_000_000 });
    const next = await failure(ended(gong.calls.list()));
    expect(next.code).toBe('rate_limited');
    expect(next.retryAfterMs).toBeGreaterThan(39_000_000);
    expect(Date.now() - started).toBeLessThan(1_000);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(40_000_000);
    expect((await ended(gong.users.list())).data).toEqual([]);
  });

  test('are neither stopped nor prolonged by a clock that is set back', async () => {
    const { fetch, sent } = gongThat(users);
    const gong = new GongConnector({ credentials: key, fetch });
    const three = () => ended(Promise.all(Array.from({ length: 3 }, () => gong.users.list())));
    await three();
    vi.setSystemTime(Date.now() - 86_400_000);
    const started = Date.now();
    await three();
    expect(sent).toHaveLength(6);
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  test('that are queued when the quota runs out also fail', async () => {
    const { fetch, sent } = gongThat(() => errorReply(429, ['API rate limit exceeded'], { 'retry-after': '3600' }));
    const gong = new GongConnector({ credentials: key, fetch });
    const errors = await ended(Promise.all(Array.from({ length: 20 }, () => failure(gong.users.list()))));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['rate_limited']));
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  test('are retried twice after a transient failure, then the failure is reported', async () => {
    const { fetch, sent } = gongThat(() => errorReply(500, ['Internal server error']));
    const gong = new GongConnector({ credentials: key, fetch });
    const error = await failure(ended(gong.calls_extensive.list({ filter: {} })));
    expect(error).toMatchObject({ code: 'vendor_error', status: 500, retryable: true });
    expect(sent).toHaveLength(3);
  });
});

/** A Gong whose refresh tokens are single use, and which accepts only the newest access token. */
function singleUse() {
  let issued = 0;
  return gongThat((one) => {
    if (!asksForToken(one)) {
      return bearer(one) === `Bearer access-${issued}`
        ? users()
        : errorReply(401, ['The access token is invalid, expired or has been revoked.']);
    }
    if (one.url.searchParams.get('refresh_token') !== `refresh-${issued}`) {
      return json({ error: 'invalid_grant', error_description: 'used' }, 400);
    }
    issued++;
    return json({
      access_token: `access-${issued}`,
      refresh_token: `refresh-${issued}`,
      expires_in: 86_400,
      api_base_url_for_customer: 'https://us-55616.api.gong.io',
    });
  });
}

describe('a single-use refresh token', () => {
  test.each([
    ['without an access token', {}],
    ['with an expired one', { access_token: 'stale' }],
  ])('is used once by 200 concurrent calls %s, and all of them succeed', async (_, more) => {
    const { fetch, sent, times } = singleUse();
    const gong = new GongConnector({ credentials: { ...application, ...more }, fetch });
    const results = await ended(Promise.all(Array.from({ length: 200 }, () => gong.users.list())));
    expect(results).toHaveLength(200);
    expect(sent.filter(asksForToken)).toHaveLength(1);
    expect(densest(times.filter((_, at) => !asksForToken(sent[at]!)))).toBe(3);
  });
});
