import type { ErrorCode } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, graphqlFailure, json } from './fake-fetch.js';
import { advanceUntilSettled, skipBackoff, warmUpAndFreezeTime } from './time.js';

let made = 0;
/** A connector with its own key, since Linear's rate limits are remembered per key. */
function linear(
  answer: Parameters<typeof fakeFetch>[0],
  { backoff = false, ...options } = {} as { backoff?: boolean; retries?: number },
) {
  if (!backoff) skipBackoff();
  const { fetch, sent } = fakeFetch(answer);
  return { connector: new LinearConnector({ credentials: { api_key: `lin_api_${++made}` }, fetch, ...options }), sent };
}

const notFound = { code: 'INPUT_ERROR', type: 'invalid input', statusCode: 400 };

describe("Linear's failures", () => {
  it.each<[string, string, object, number, ErrorCode, boolean]>([
    [
      'a bad key',
      'Authentication required, not authenticated',
      { code: 'AUTHENTICATION_ERROR', type: 'authentication error' },
      401,
      'unauthorized',
      false,
    ],
    [
      'a key sent as bearer',
      "It looks like you're trying to use an API key as a Bearer token.",
      { code: 'INPUT_ERROR', type: 'invalid input' },
      400,
      'unauthorized',
      false,
    ],
    [
      'a missing record, with 200',
      'Entity not found: Issue - Could not find referenced Issue.',
      notFound,
      200,
      'not_found',
      false,
    ],
    [
      'a bad argument, with 200',
      'Argument Validation Error',
      { code: 'INVALID_INPUT', type: 'invalid input' },
      200,
      'invalid_params',
      false,
    ],
    [
      'an invalid document',
      'Cannot query field "x"',
      { code: 'GRAPHQL_VALIDATION_FAILED', type: 'graphql error' },
      400,
      'vendor_error',
      false,
    ],
    [
      'a query that is too complex',
      'The query is too complex. Complexity: 10001. Maximum allowed complexity: 10000.',
      { code: 'INPUT_ERROR' },
      400,
      'too_large',
      false,
    ],
    ['a missing permission', 'You are not allowed', { type: 'forbidden' }, 403, 'forbidden', false],
    ['a missing permission, with 200', 'You are not allowed', { type: 'forbidden' }, 200, 'forbidden', false],
    ['a plan without the feature', 'Upgrade', { type: 'feature not accessible' }, 200, 'forbidden', false],
    ['a usage limit', 'Too many issues', { type: 'usage limit exceeded' }, 200, 'quota_exhausted', false],
    ['a missing scope', 'Invalid scope: `write` required', { type: 'forbidden' }, 403, 'scope_missing', false],
    [
      'a server error',
      'Internal',
      { code: 'INTERNAL_SERVER_ERROR', type: 'internal error' },
      500,
      'vendor_error',
      true,
    ],
    ['a lock', 'Lock timeout', { type: 'lock timeout' }, 200, 'vendor_error', true],
    ['an unknown type', 'Odd', { type: 'other' }, 200, 'vendor_error', false],
    ['a type that every object inherits', 'Odd', { code: 'constructor', type: 'toString' }, 200, 'vendor_error', false],
  ])('%s becomes its code', async (_, message, extensions, status, code, retryable) => {
    const { connector } = linear(() => graphqlFailure(message, extensions, status), { retries: 0 });
    const error = await failure(connector.issues.get({ id: 'ENG-1' }));
    expect(error).toMatchObject({ code, status, retryable });
    expect(error.vendor!.message).toBe(message);
    expect(error.message).toContain(message.replace(/\.$/, ''));
    expect(error.message).not.toContain('..');
  });

  it.each([{ extensions: null }, { extensions: 'x' }, {}, { message: null }, { message: 7, extensions: { type: 7 } }])(
    'are parsed even if malformed: %j',
    async (odd) => {
      const { connector } = linear(() => json({ errors: [{ message: 'Broken', ...odd }] }), { retries: 0 });
      const error = await failure(connector.issues.get({ id: 'ENG-1' }));
      expect(error.code).toBe('vendor_error');
      expect(error.message).toMatch(/^Linear: /);
    },
  );

  it('are reported even if the response contains data', async () => {
    const { connector } = linear(() =>
      json({
        data: { issues: { nodes: [], pageInfo: {} } },
        errors: [{ message: 'partial', extensions: { type: 'user error' } }],
      }),
    );
    expect((await failure(connector.issues.list())).code).toBe('invalid_params');
  });

  it('in plain text are recognized by their status', async () => {
    const { connector, sent } = linear(() => new Response('upstream connect error or disconnect', { status: 503 }));
    const error = await failure(connector.issues.list());
    expect(error).toMatchObject({ code: 'vendor_error', status: 503 });
    expect(error.message).toContain('upstream connect error');
    expect(sent).toHaveLength(3);
  });

  it.each([{}, { data: null }, { data: {} }, { data: { issue: null } }, null, [], 'text'])(
    'without details are reported as invalid responses: %j',
    async (body) => {
      const { connector } = linear(() => json(body));
      expect((await failure(connector.issues.get({ id: 'x' }))).code).toBe('invalid_response');
    },
  );

  it('prefer the user-presentable message, and list violated constraints', async () => {
    const validationErrors = [{ property: 'stateId', constraints: { isUuid: 'stateId must be a UUID' } }];
    const extensions = { code: 'INVALID_INPUT', userPresentableMessage: 'Please check your input', validationErrors };
    const { connector } = linear(() => graphqlFailure('Argument Validation Error', extensions));
    const error = await failure(connector.issues.update({ id: 'x', stateId: 'Done' }));
    expect(error.message).toBe('Linear: Please check your input; stateId must be a UUID.');
    expect(error.issues).toEqual([{ path: 'stateId', message: 'stateId must be a UUID' }]);
  });
});

describe("Linear's rate limit", () => {
  const limited = (headers: Record<string, string>) =>
    graphqlFailure('Rate limit exceeded', { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429 }, 400, headers);

  /** What Linear reports with every response: the reset is an hour away, no matter how much is left. */
  const left = (bucket: string, remaining: number, limit: number, more: Record<string, string> = {}) => ({
    [`x-ratelimit-${bucket}-limit`]: String(limit),
    [`x-ratelimit-${bucket}-remaining`]: String(remaining),
    [`x-ratelimit-${bucket}-reset`]: String(Date.now() + 3_600_000),
    ...more,
  });
  const page = (headers: Record<string, string> = {}) => json({ data: { issues: { nodes: [] } } }, 200, headers);

  it('is a 400 that is retried as soon as a token is available, even for writes', async () => {
    await warmUpAndFreezeTime();
    for (const call of ['list', 'update'] as const) {
      const { connector, sent } = linear((_, count) => {
        if (count === 1) return limited(left('requests', 0, 2500));
        return json({ data: { issues: { nodes: [] }, issueUpdate: { success: true, issue: { id: 'i' } } } });
      });
      const repeated: Promise<unknown> =
        call === 'list' ? connector.issues.list() : connector.issues.update({ id: 'i' });
      await advanceUntilSettled(repeated);
      expect(sent).toHaveLength(2);
      expect(sent[1]!.at - sent[0]!.at).toBeGreaterThanOrEqual(1_440);
      expect(sent[1]!.at - sent[0]!.at).toBeLessThan(1_500);
    }
  });

  it('does not block for an hour if a successful response reports that nothing is left', async () => {
    await warmUpAndFreezeTime();
    const { connector, sent } = linear(() => page(left('requests', 0, 2500)));
    await connector.issues.list();
    await advanceUntilSettled(connector.issues.list());
    expect(sent[1]!.at - sent[0]!.at).toBeGreaterThanOrEqual(1_440);
    expect(sent[1]!.at - sent[0]!.at).toBeLessThan(1_500);
  });

  it('releases queued calls one token at a time', async () => {
    await warmUpAndFreezeTime();
    const { connector, sent } = linear((_, count) => page(left('requests', count < 3 ? 2 - count : 0, 3600)));
    await connector.issues.list();
    await advanceUntilSettled(Promise.all(Array.from({ length: 4 }, () => connector.issues.list())), 10);
    const waits = sent.slice(1).map(({ at }) => Math.round((at - sent[0]!.at) / 100) / 10);
    expect(waits).toEqual([0, 1, 2, 3]);
  });

  it("accounts for the next call's complexity based on the last cost of the same document", async () => {
    await warmUpAndFreezeTime();
    const { connector, sent } = linear(({ json: { query } }) =>
      query.includes('issues(')
        ? page(left('complexity', 400, 3_600_000, { 'x-complexity': '1400' }))
        : json({ data: { teams: { nodes: [] } } }, 200, left('complexity', 400, 3_600_000, { 'x-complexity': '100' })),
    );
    await connector.issues.list();
    await connector.teams.list();
    await advanceUntilSettled(connector.issues.list());
    expect(sent[1]!.at - sent[0]!.at).toBeLessThan(50);
    // The call is a thousand points short, and a thousand are added per second.
    expect(Math.round((sent[2]!.at - sent[1]!.at) / 100)).toBe(10);
  });

  it('for one endpoint delays only that endpoint', async () => {
    await warmUpAndFreezeTime();
    const endpoint = { 'x-ratelimit-endpoint-name': 'issueCreate' };
    const { connector, sent } = linear(({ json: { query } }) =>
      query.includes('issueCreate')
        ? json(
            { data: { issueCreate: { success: true, issue: { id: 'i' } } } },
            200,
            left('endpoint-requests', 0, 360, endpoint),
          )
        : page(left('requests', 2_000, 2_500)),
    );
    const create = () => connector.issues.create({ teamId: 't', title: 'T' });
    await create();
    const second = create();
    await connector.issues.list();
    expect(sent.map(({ json: { query } }) => /\b(issueCreate|issues)\(/.exec(query)![1])).toEqual([
      'issueCreate',
      'issues',
    ]);
    await advanceUntilSettled(second, 10);
    expect(Math.round((sent[2]!.at - sent[0]!.at) / 1000)).toBe(10);
  });

  it('for one endpoint applies only to that endpoint, even if the response has a Retry-After header', async () => {
    await warmUpAndFreezeTime();
    const endpoint = { 'x-ratelimit-endpoint-name': 'issueCreate', 'retry-after': '600' };
    const { connector, sent } = linear(({ json: { query } }) =>
      query.includes('issueCreate') ? limited(left('endpoint-requests', 0, 6, endpoint)) : page(),
    );
    const error = await failure(connector.issues.create({ teamId: 't', title: 'T' }));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 600_000 });
    await connector.issues.list();
    expect(sent).toHaveLength(2);
  });

  it('immediately fails a call and the next one and reports the delay, if a token would become available only after their deadline', async () => {
    await warmUpAndFreezeTime();
    const { connector, sent } = linear(() =>
      limited({ ...left('requests', 0, 6), ...left('complexity', 5, 3_000_000) }),
    );
    for (let time = 0; time < 2; time++) {
      const error = await failure(connector.issues.list());
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true, docs: 'limits', retryAfterMs: 600_000 });
    }
    expect(sent).toHaveLength(1);
  });

  it('is updated from a rejection that reports which limit was exceeded', async () => {
    await warmUpAndFreezeTime();
    const window = { code: 'RATELIMITED', duration: 60_000, limit: 5, remaining: 1, requested: 2 };
    const { connector, sent } = linear((_, count) => (count === 1 ? graphqlFailure('x', window, 400) : page()));
    await advanceUntilSettled(connector.issues.list(), 10);
    expect(Math.round((sent[1]!.at - sent[0]!.at) / 1000)).toBe(12);
  });

  it('without headers backs off, starting at one second', async () => {
    await warmUpAndFreezeTime();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { connector, sent } = linear((_, count) => (count < 3 ? limited({}) : page()), { backoff: true });
    await advanceUntilSettled(connector.issues.list(), 10);
    expect(sent.map(({ at }) => Math.round((at - sent[0]!.at) / 1000))).toEqual([0, 1, 3]);
  });

  it.each(['soon', '', 'NaN'])('with a reset of %j does not stop the clock', async (reset) => {
    const headers = { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': reset };
    const { connector } = linear(() => limited(headers), { retries: 0 });
    const error = await failure(connector.issues.list());
    expect(error.code).toBe('rate_limited');
    expect(error.retryAfterMs).toBeUndefined();
  });
});
