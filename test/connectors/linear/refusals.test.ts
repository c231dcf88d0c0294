import { beforeEach, describe, expect, test } from 'vitest';
import { freezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { connectorWithReplies } from './setup.js';

interface Extensions {
  [key: string]: unknown;
}

/** An error response in Linear's format. */
const refusal = (status: number, message: string, extensions: Extensions = {}, headers: HeadersInit = {}) =>
  Response.json({ data: null, errors: [{ message, extensions }] }, { status, headers });

const answered = (reply: Response) => {
  const { linear, sent } = connectorWithReplies(reply);
  return failure(linear.issues.list()).then((error) => ({ error, sent }));
};

describe('an error response is parsed', () => {
  test.each([
    ['by code before type', 400, 'x', { code: 'RATELIMITED', type: 'invalid input' }, 'rate_limited'],
    ['by type before message', 200, 'Entity not found: x', { type: 'ratelimited' }, 'rate_limited'],
    ['by type if there is no code', 400, 'x', { type: 'ratelimited' }, 'rate_limited'],
    ['by message if there is neither', 400, 'Entity not found: Issue', {}, 'not_found'],
    ['by status if the error says nothing', 403, 'x', {}, 'forbidden'],
    ['as a vendor error if the status says nothing either', 418, 'x', {}, 'vendor_error'],
    ['as too complex', 400, 'The query is too complex. Complexity: 11000.', { code: 'INPUT_ERROR' }, 'too_large'],
    ['as forbidden, by type', 403, 'x', { type: 'forbidden' }, 'forbidden'],
    [
      'as forbidden, if the plan does not include the feature',
      200,
      'x',
      { type: 'feature not accessible' },
      'forbidden',
    ],
    ["as a quota, if the plan's limit is reached", 200, 'x', { type: 'usage limit exceeded' }, 'quota_exhausted'],
    ['as a missing scope', 403, "Invalid scope: 'write' required", { type: 'forbidden' }, 'scope_missing'],
    ['as our mistake, if the document is invalid', 400, 'x', { code: 'GRAPHQL_VALIDATION_FAILED' }, 'vendor_error'],
  ] as const)('%s', async (_, status, message, extensions, code) => {
    const { error } = await answered(refusal(status, message, extensions));
    expect(error.code).toBe(code);
  });

  test('with the user-presentable message and the violated constraints', async () => {
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

  test('as a failure if data and errors are both present', async () => {
    const { linear } = connectorWithReplies({
      data: { issues: { nodes: [], pageInfo: { hasNextPage: false } } },
      errors: [{ message: 'Something broke', extensions: { type: 'internal error' } }],
    });
    expect(await failure(linear.issues.list())).toMatchObject({ code: 'vendor_error', status: 200 });
  });

  test('as permanent if retrying cannot help', async () => {
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

  test.each(['bootstrap error', 'internal error', 'lock timeout', 'network error'])(
    'as transient if its type is %s, unless it is attributed to the user',
    async (type) => {
      const { error } = await answered(refusal(200, 'x', { type }));
      expect(error).toMatchObject({ code: 'vendor_error', retryable: true });
      const { error: refused } = await answered(refusal(200, 'x', { type, userError: true }));
      expect(refused.retryable).toBe(false);
    },
  );
});

describe('a write that Linear reports as successful', () => {
  test.each([
    ['issueCreate', 'issue', { teamId: 't', title: 'T' }],
    ['issueUpdate', 'issue', { id: 'i', title: 'T' }],
    ['projectCreate', 'project', { name: 'P', teamIds: ['t'] }],
  ] as const)('that does not include its record is not a success (%s)', async (field, key, params) => {
    const { linear } = connectorWithReplies({ data: { [field]: { success: true, [key]: null } } });
    const action = field.endsWith('Create') ? 'create' : 'update';
    const call = linear.execute(`${key}s` as 'issues', action as 'create', params as never);
    const error = await failure(call);
    expect(error.code).toBe('invalid_response');
    expect(error.hint).toContain('check whether the change was made');
  });
});

describe('a plan or record limit', () => {
  const active = {
    code: 'USAGE_LIMIT_EXCEEDED',
    statusCode: 400,
    userError: true,
    userPresentableMessage: 'The free issue limit is reached.',
    meta: { usageMetric: 'activeIssueCount' },
  };
  const writes = {
    'issues.create': { teamId: 't', title: 'T' },
    'projects.create': { name: 'P', teamIds: ['t'] },
    'issues.update': { id: 'i', title: 'T' },
  };

  test.each(
    Object.entries(writes).flatMap(([where, params]) => [200, 400].map((status) => [where, status, params] as const)),
  )('is quota_exhausted, known to have done nothing: %s, %i', async (where, status, params) => {
    const { linear, sent } = connectorWithReplies(refusal(status, 'usage limit exceeded', active));
    const error = await failure(linear.execute(...(where.split('.') as ['issues', 'create']), params as never));
    expect(error).toMatchObject({ code: 'quota_exhausted', retryable: false });
    expect(error.hint).toContain('activeIssueCount');
    expect(sent).toHaveLength(1);
  });

  test.each(['invalid input', 'internal error'])('is quota_exhausted, regardless of its type: %s', async (type) => {
    const quota = { code: 'QUOTA_EXCEEDED', type, userError: true, meta: { quota: 'max-comments-per-issue' } };
    const { linear, sent } = connectorWithReplies(refusal(200, 'quota exceeded', quota));
    const error = await failure(linear.comments.create({ issueId: 'ENG-1', body: 'x' }));
    expect(error).toMatchObject({ code: 'quota_exhausted', retryable: false });
    expect(error.hint).toContain('max-comments-per-issue');
    expect(sent).toHaveLength(1);
  });

  test('has a known outcome if Linear marks it as a user error', async () => {
    const { linear, sent } = connectorWithReplies(
      refusal(200, 'x', { code: 'SOMETHING_NEW', type: 'internal error', userError: true }),
    );
    const error = await failure(linear.issues.create({ teamId: 't', title: 'T' }));
    expect(error).toMatchObject({ code: 'vendor_error', retryable: false });
    expect(sent).toHaveLength(1);
  });
});

describe('the limits that Linear reports', () => {
  beforeEach(() => freezeTime());

  const limited = { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429 };
  /** Headers for a bucket; the reset is an hour away, no matter how much is left. */
  const left = (bucket: string, remaining: number, limit: number) => ({
    [`x-ratelimit-${bucket}-limit`]: String(limit),
    [`x-ratelimit-${bucket}-remaining`]: String(remaining),
    [`x-ratelimit-${bucket}-reset`]: String(Date.now() + 3_600_000),
  });

  test.each(['requests', 'complexity', 'endpoint-requests'])('in %s refill steadily', async (bucket) => {
    const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, left(bucket, 0, 2_500)));
    expect(error).toMatchObject({ code: 'rate_limited', status: 400, retryable: true, retryAfterMs: 1_440 });
  });

  test('are applied based on the scarcest one', async () => {
    const headers = {
      ...left('requests', 0, 2_500),
      ...left('complexity', 1_000, 3_600_000),
      'x-complexity': '9000',
      ...left('endpoint-requests', 5, 60),
    };
    const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, headers));
    expect(error.retryAfterMs).toBe(8_000);
  });

  test('fall back to Retry-After if there is no bucket', async () => {
    const { error } = await answered(refusal(400, 'Rate limit exceeded.', limited, { 'retry-after': '120' }));
    expect(error.retryAfterMs).toBe(120_000);
  });

  test('are recognized by the message if a 200 response has no other error details', async () => {
    const { linear } = connectorWithReplies({ errors: [{ message: 'Rate limit exceeded. Only 2500 requests …' }] });
    expect(await failure(linear.issues.create({ teamId: 't', title: 'T' }))).toMatchObject({
      code: 'rate_limited',
      status: 200,
    });
  });
});

test.each([
  [{ state: 'Todo' }, 'filter.state must be an object, such as {"name":{"eq":"Todo"}}.'],
  [{ createdAt: '2026-09-01' }, 'filter.createdAt must be an object, such as {"eq":"2026-09-01"}.'],
])('a condition that is not an object is rejected with a suggested object (%j)', async (filter, message) => {
  const { linear, sent } = connectorWithReplies();
  const error = await failure(linear.issues.list({ filter } as object));
  expect(error.message).toContain(message);
  expect(sent).toEqual([]);
});
