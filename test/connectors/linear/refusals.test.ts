import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies } from './setup.js';

interface Extensions {
  [key: string]: unknown;
}

/** A reply as Linear refuses. */
const refusal = (status: number, message: string, extensions: Extensions = {}, headers: HeadersInit = {}) =>
  Response.json({ data: null, errors: [{ message, extensions }] }, { status, headers });

const answered = (reply: Response) => {
  const { linear, sent } = connectorWithReplies(reply);
  return failure(linear.issues.list()).then((error) => ({ error, sent }));
};

describe('a refusal is read', () => {
  test.each([
    ['by its code before its type', 400, 'x', { code: 'RATELIMITED', type: 'invalid input' }, 'rate_limited'],
    ['by its type before its message', 200, 'Entity not found: x', { type: 'ratelimited' }, 'rate_limited'],
    ['by its type where it has no code', 400, 'x', { type: 'ratelimited' }, 'rate_limited'],
    ['by its message where it has neither', 400, 'Entity not found: Issue', {}, 'not_found'],
    ['by its status where it says nothing', 403, 'x', {}, 'forbidden'],
    ['as the vendor’s failure where even that says nothing', 418, 'x', {}, 'vendor_error'],
    ['as too complex', 400, 'The query is too complex. Complexity: 11000.', { code: 'INPUT_ERROR' }, 'too_large'],
    ['as forbidden, by type', 403, 'x', { type: 'forbidden' }, 'forbidden'],
    ['as forbidden, where the plan lacks the feature', 200, 'x', { type: 'feature not accessible' }, 'forbidden'],
    ['as a quota, where the plan is used up', 200, 'x', { type: 'usage limit exceeded' }, 'quota_exhausted'],
    ['as a lack of scope', 403, "Invalid scope: 'write' required", { type: 'forbidden' }, 'scope_missing'],
    ['as ours, where the document is not valid', 400, 'x', { code: 'GRAPHQL_VALIDATION_FAILED' }, 'vendor_error'],
  ] as const)('%s', async (_, status, message, extensions, code) => {
    const { error } = await answered(refusal(status, message, extensions));
    expect(error.code).toBe(code);
  });

  test('in the words that are meant for people, with the constraints that were broken', async () => {
    const { error } = await answered(
      refusal(200, 'Argument Validation Error', {
        code: 'INVALID_INPUT',
        type: 'invalid input',
        userPresentableMessage: 'The page is too large.',
        validationErrors: [{ property: 'first', constraints: { max: 'first must not be greater than 250' } }],
      }),
    );
    expect(error.message).toBe('Linear: The page is too large; first must not be greater than 250.');
    expect(error.issues).toEqual([{ path: 'first', message: 'first must not be greater than 250' }]);
    expect(error.vendor).toMatchObject({ code: 'INVALID_INPUT', message: 'Argument Validation Error' });
  });

  test('from data and errors together as a failure', async () => {
    const { linear } = connectorWithReplies({
      data: { issues: { nodes: [], pageInfo: { hasNextPage: false } } },
      errors: [{ message: 'Something broke', extensions: { type: 'internal error' } }],
    });
    expect(await failure(linear.issues.list())).toMatchObject({ code: 'vendor_error', status: 200 });
  });

  test('as not to be repeated, where a repeat cannot help', async () => {
    for (const code of [
      'AUTHENTICATION_ERROR',
      'INPUT_ERROR',
      'INVALID_INPUT',
      'GRAPHQL_VALIDATION_FAILED',
      'FORBIDDEN',
    ]) {
      const { error } = await answered(refusal(200, 'x', { code }));
      expect(error.retryable, code).toBe(false);
    }
  });
});

describe('a write that Linear says has succeeded', () => {
  test.each([
    ['issueCreate', 'issue', { teamId: 't', title: 'T' }],
    ['issueUpdate', 'issue', { id: 'i', title: 'T' }],
    ['projectCreate', 'project', { name: 'P', teamIds: ['t'] }],
  ] as const)('but that comes without its record is no success (%s)', async (field, key, params) => {
    const { linear } = connectorWithReplies({ data: { [field]: { success: true, [key]: null } } });
    const action = field.endsWith('Create') ? 'create' : 'update';
    const call = linear.execute(`${key}s` as 'issues', action as 'create', params as never);
    const error = await failure(call);
    expect(error.code).toBe('invalid_response');
    expect(error.hint).toContain('Look it up');
  });
});

describe('the limits that Linear reports', () => {
  const limited = { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429 };
  const inMs = (ms: number) => String(Date.now() + ms);

  test.each(['requests', 'complexity', 'endpoint-requests'])(
    'in %s are resets in epoch milliseconds',
    async (bucket) => {
      const headers = { [`x-ratelimit-${bucket}-remaining`]: '0', [`x-ratelimit-${bucket}-reset`]: inMs(600_000) };
      const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, headers));
      expect(error).toMatchObject({ code: 'rate_limited', status: 400, retryable: true });
      expect(error.retryAfterMs).toBeGreaterThan(595_000);
      expect(error.retryAfterMs).toBeLessThanOrEqual(600_000);
    },
  );

  test('make the longest of the exhausted ones count', async () => {
    const headers = {
      'x-ratelimit-requests-remaining': '0',
      'x-ratelimit-requests-reset': inMs(100_000),
      'x-ratelimit-complexity-remaining': '0',
      'x-ratelimit-complexity-reset': inMs(900_000),
      'x-ratelimit-endpoint-requests-remaining': '5',
      'x-ratelimit-endpoint-requests-reset': inMs(3_600_000),
    };
    const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, headers));
    expect(error.retryAfterMs).toBeGreaterThan(890_000);
    expect(error.retryAfterMs).toBeLessThanOrEqual(900_000);
  });

  test('are asked of Retry-After where there is no reset', async () => {
    const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, { 'retry-after': '120' }));
    expect(error.retryAfterMs).toBe(120_000);
  });
});
