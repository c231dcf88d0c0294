import type { ErrorCode } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, graphqlFailure, json } from './fake-fetch.js';
import { skipBackoff } from './time.js';

let made = 0;
/** A connector with a key of its own, since what Linear says of a rate limit is remembered for the key. */
function linear(answer: Parameters<typeof fakeFetch>[0], options: object = {}) {
  skipBackoff();
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
      'too complex a query',
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
      'a fault of the server',
      'Internal',
      { code: 'INTERNAL_SERVER_ERROR', type: 'internal error' },
      500,
      'vendor_error',
      true,
    ],
    ['a lock', 'Lock timeout', { type: 'lock timeout' }, 200, 'vendor_error', true],
    ['an unknown type', 'Odd', { type: 'other' }, 200, 'vendor_error', false],
    ['a type that every object has', 'Odd', { code: 'constructor', type: 'toString' }, 200, 'vendor_error', false],
  ])('%s becomes its code', async (_, message, extensions, status, code, retryable) => {
    const { connector } = linear(() => graphqlFailure(message, extensions, status), { retries: 0 });
    const error = await failure(connector.issues.get({ id: 'ENG-1' }));
    expect(error).toMatchObject({ code, status, retryable });
    expect(error.vendor!.message).toBe(message);
    expect(error.message).toContain(message.replace(/\.$/, ''));
    expect(error.message).not.toContain('..');
  });

  it.each([{ extensions: null }, { extensions: 'x' }, {}, { message: null }, { message: 7, extensions: { type: 7 } }])(
    'are understood with odd parts: %j',
    async (odd) => {
      const { connector } = linear(() => json({ errors: [{ message: 'Broken', ...odd }] }), { retries: 0 });
      const error = await failure(connector.issues.get({ id: 'ENG-1' }));
      expect(error.code).toBe('vendor_error');
      expect(error.message).toMatch(/^Linear: /);
    },
  );

  it('count even beside data', async () => {
    const { connector } = linear(() =>
      json({
        data: { issues: { nodes: [], pageInfo: {} } },
        errors: [{ message: 'partial', extensions: { type: 'user error' } }],
      }),
    );
    expect((await failure(connector.issues.list())).code).toBe('invalid_params');
  });

  it('in the form of text are told by their status', async () => {
    const { connector, sent } = linear(() => new Response('upstream connect error or disconnect', { status: 503 }));
    const error = await failure(connector.issues.list());
    expect(error).toMatchObject({ code: 'vendor_error', status: 503 });
    expect(error.message).toContain('upstream connect error');
    expect(sent).toHaveLength(3);
  });

  it.each([{}, { data: null }, { data: {} }, { data: { issue: null } }, null, [], 'text'])(
    'without any account are invalid replies: %j',
    async (body) => {
      const { connector } = linear(() => json(body));
      expect((await failure(connector.issues.get({ id: 'x' }))).code).toBe('invalid_response');
    },
  );

  it('prefer the words for people, and list broken constraints', async () => {
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

  it('is a 400 that is repeated when its budget is full again, for writes too', async () => {
    for (const call of ['list', 'update'] as const) {
      const { connector, sent } = linear((_, count) => {
        const reset = { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': String(Date.now() + 60) };
        if (count === 1) return limited(reset);
        return json({ data: { issues: { nodes: [] }, issueUpdate: { success: true, issue: { id: 'i' } } } });
      });
      await (call === 'list' ? connector.issues.list() : connector.issues.update({ id: 'i' }));
      expect(sent).toHaveLength(2);
      expect(sent[1]!.at - sent[0]!.at).toBeGreaterThan(40);
    }
  });

  it('that lasts too long fails at once with the longest wait, and so does the next call', async () => {
    const { connector, sent } = linear(() =>
      limited({
        'x-ratelimit-requests-remaining': '0',
        'x-ratelimit-requests-reset': String(Date.now() + 600_000),
        'x-ratelimit-complexity-remaining': '0',
        'x-ratelimit-complexity-reset': String(Date.now() + 1_800_000),
        'x-ratelimit-endpoint-requests-remaining': '5',
        'x-ratelimit-endpoint-requests-reset': String(Date.now() + 3_600_000),
      }),
    );
    for (let time = 0; time < 2; time++) {
      const error = await failure(connector.issues.list());
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true, docs: 'limits' });
      expect(error.retryAfterMs).toBeGreaterThan(1_790_000);
      expect(error.retryAfterMs).toBeLessThanOrEqual(1_800_000);
    }
    expect(sent).toHaveLength(1);
  });

  it('without headers backs off as any other failure', async () => {
    const { connector, sent } = linear((_, count) =>
      count < 3 ? limited({}) : json({ data: { issues: { nodes: [] } } }),
    );
    await connector.issues.list();
    expect(sent).toHaveLength(3);
  });

  it.each(['soon', '', 'NaN'])('with a reset of %j does not stop the clock', async (reset) => {
    const headers = { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': reset };
    const { connector } = linear(() => limited(headers));
    const error = await failure(connector.issues.list());
    expect(error.code).toBe('rate_limited');
    expect(error.retryAfterMs).toBeUndefined();
  });
});
