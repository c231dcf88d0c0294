import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon, type Reply } from './requester.js';

const remaining = ({ headers }: Reply, kind = 'requests') => Number(headers.get(`x-ratelimit-${kind}-remaining`));
const query = '{ viewer { id } }';

describe('limits', () => {
  it('are in every response, with a reset that is always an hour away', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const answer = await createRequester(sandbox)(query);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-complexity': '2',
      'x-ratelimit-requests-limit': '2500',
      'x-ratelimit-requests-remaining': '2499',
      'x-ratelimit-requests-reset': String(noon + 3_600_000),
      'x-ratelimit-complexity-limit': '3000000',
      'x-ratelimit-complexity-remaining': '2999998',
    });
    const { access_token } = sandbox.vendors.linear.credentials.access_token;
    expect(
      (await createRequester(sandbox, `Bearer ${access_token}`)(query)).headers.get('x-ratelimit-requests-limit'),
    ).toBe('5000');
    expect((await createRequester(sandbox, 'wrong')(query)).headers.get('x-ratelimit-requests-limit')).toBe('600');
  });

  it('respond with HTTP 400 and RATELIMITED, and refill gradually', async () => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.linear.limits = { requestsPerHour: 3 };
    const ask = createRequester(sandbox);
    for (const left of [2, 1, 0]) expect(remaining(await ask(query))).toBe(left);
    const refused = await ask(query);
    expect(refused).toMatchObject({ status: 400, data: undefined });
    expect(refused.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^Rate limit exceeded\. Only 3 requests are allowed per 1 hour\./),
      extensions: { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429, http: { status: 400 } },
    });
    expect(refused.headers.get('x-ratelimit-requests-reset')).toBe(String(noon + 3_600_000));
    sandbox.clock.advance(20 * 60_000);
    expect((await ask(query)).status).toBe(200);
    expect((await ask(query)).status).toBe(400);
  });

  it('also cover complexity, and count each credential separately', async () => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.linear.limits = { complexityPerHour: 5 };
    const ask = createRequester(sandbox);
    expect(remaining(await ask(query), 'complexity')).toBe(3);
    expect((await ask(query)).status).toBe(200);
    expect((await ask(query)).errors?.[0]?.extensions.code).toBe('RATELIMITED');
    const other = createRequester(sandbox, sandbox.vendors.linear.credentials.read_only.api_key);
    expect((await other(query)).status).toBe(200);
  });

  it('refill by 1/3,600 of the limit per second, regardless of the reset time', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const ask = createRequester(sandbox);
    sandbox.vendors.linear.limits = { requestsPerHour: 2_500 };
    for (let call = 0; call < 10; call += 1) await ask(query);
    expect(remaining(await ask(query))).toBe(2_489);
    sandbox.clock.advance(3 * 1_440);
    const answer = await ask(query);
    expect(remaining(answer)).toBe(2_491);
    expect(answer.headers.get('x-ratelimit-requests-reset')).toBe(String(noon + 3 * 1_440 + 3_600_000));
  });

  it('for one root field block only that field and appear in its responses', async () => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.linear.limits = { endpointsPerHour: { teams: 2 } };
    const ask = createRequester(sandbox);
    const teams = '{ teams(first: 1) { nodes { id } } }';
    const first = await ask(teams);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-endpoint-name': 'teams',
      'x-ratelimit-endpoint-requests-limit': '2',
      'x-ratelimit-endpoint-requests-remaining': '1',
    });
    expect((await ask(teams)).status).toBe(200);
    const refused = await ask(teams);
    expect(refused.errors?.[0]?.extensions.code).toBe('RATELIMITED');
    expect(refused.headers.get('x-ratelimit-endpoint-requests-remaining')).toBe('0');
    const other = await ask(query);
    expect(other.status).toBe(200);
    expect(other.headers.has('x-ratelimit-endpoint-name')).toBe(false);
  });

  it('for the plan and for an issue are reported as user errors with code and meta', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const ask = createRequester(sandbox);
    const found = await ask('{ issues(first: 1) { nodes { id team { id } } } }');
    const [issue] = found.data.issues.nodes;
    sandbox.vendors.linear.limits = { activeIssues: 1, commentsPerIssue: 0 };
    const create = await ask('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input: { teamId: issue.team.id, title: 'One too many' },
    });
    expect(create).toMatchObject({ status: 200, data: null });
    expect(create.errors?.[0]).toMatchObject({
      extensions: { code: 'USAGE_LIMIT_EXCEEDED', userError: true, meta: { usageMetric: 'activeIssueCount' } },
    });
    expect(create.errors?.[0]?.extensions).not.toHaveProperty('type');
    const comment = await ask('mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
      input: { issueId: issue.id, body: 'x' },
    });
    expect(comment.errors?.[0]?.extensions).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      type: 'internal error',
      meta: { quota: 'max-comments-per-issue' },
    });
  });
});
