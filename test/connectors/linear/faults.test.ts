import type { ErrorCode } from 'agent-connectors';
import type { FaultKind, FaultRule } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const missing = '00000000-0000-4000-8000-000000000000';

describe("Linear's responses become actionable errors", () => {
  test('a bad key: unauthorized, based on body and status', async () => {
    const { linear, sandbox } = connectorOnSandbox();
    sandbox.revoke(sandbox.vendors.linear.credentials.api_key.api_key);
    const error = await failure(linear.users.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, retryable: false, docs: 'auth' });
    expect(error.vendor).toMatchObject({ code: 'AUTHENTICATION_ERROR' });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('an API key given as an access token: suggests the right field', async () => {
    const { sandbox, linear: _ } = connectorOnSandbox();
    const { api_key } = sandbox.vendors.linear.credentials.api_key;
    const { LinearConnector } = await import('agent-connectors/linear');
    const linear = new LinearConnector({ credentials: { access_token: api_key }, fetch: sandbox.fetch });
    const error = await failure(linear.users.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 400 });
    expect(error.hint).toContain('api_key');
    expect(JSON.stringify(error)).not.toContain(api_key);
  });

  test('a missing record is a 200 and becomes not_found', async () => {
    const { linear } = connectorOnSandbox();
    for (const call of [
      () => linear.issues.get({ id: missing }),
      () => linear.projects.get({ id: missing }),
      () => linear.teams.get({ id: missing }),
      () => linear.users.get({ id: missing }),
      () => linear.comments.get({ id: missing }),
      () => linear.comments.list({ issueId: missing }),
      () => linear.issues.update({ id: missing, title: 'x' }),
      () => linear.comments.create({ issueId: missing, body: 'x' }),
    ]) {
      expect(await failure(call())).toMatchObject({ code: 'not_found', status: 200, retryable: false });
    }
  });

  test('a bad argument: invalid_params with the violated constraint', async () => {
    const { linear } = connectorOnSandbox();
    const error = await failure(linear.issues.create({ teamId: 'ENG', title: 'x' }));
    expect(error).toMatchObject({ code: 'invalid_params', status: 200 });
    expect(error.issues).toEqual([{ path: 'teamId', message: expect.stringContaining('UUID') }]);
    expect(error.message.match(/UUID/g)).toHaveLength(1);
    const state = await failure(linear.issues.update({ id: 'ENG-1', stateId: 'In Progress' }));
    expect(state.code).toBe('invalid_params');
  });

  test("another team's state: invalid_params in Linear's words", async () => {
    const { linear } = connectorOnSandbox();
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    const states = await collect(linear.paginate('workflow_states', 'list', { first: 250 }));
    const foreign = states.find((state) => state.team?.id !== issue!.team?.id)!;
    const error = await failure(linear.issues.update({ id: issue!.id, stateId: foreign.id }));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain('state');
  });

  test('a key without write permission: forbidden', async () => {
    const { linear } = connectorOnSandbox({ mode: 'read_only' });
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    const error = await failure(linear.comments.create({ issueId: issue!.id, body: 'x' }));
    expect(['forbidden', 'scope_missing']).toContain(error.code);
    expect(error.retryable).toBe(false);
    expect(error.hint).toBeTruthy();
  });

  test('an exhausted budget fails immediately and says when to retry', async () => {
    const { linear, sandbox } = connectorOnSandbox();
    sandbox.vendors.linear.limits = { ...sandbox.vendors.linear.limits, requestsPerHour: 2 };
    await linear.users.list();
    await linear.users.list();
    const error = await failure(linear.users.list());
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(30_000);
  });

  const table: Array<[FaultKind, ErrorCode, Partial<FaultRule>]> = [
    ['rate_limited', 'rate_limited', { retryAfter: 600 }],
    ['http_429', 'rate_limited', { retryAfter: 600 }],
    ['500', 'vendor_error', {}],
    ['502', 'vendor_error', {}],
    ['503', 'vendor_error', {}],
    ['504', 'vendor_error', {}],
    ['internal_error', 'vendor_error', {}],
    ['lock_timeout', 'vendor_error', {}],
    ['reset_before', 'network', {}],
    ['truncated_body', 'network', {}],
    ['truncated_json', 'invalid_response', {}],
    ['wrong_content_type', 'invalid_response', {}],
    ['empty_body', 'invalid_response', {}],
    ['redirect', 'invalid_response', {}],
  ];
  test.each(table)('%s permanently: %s', async (kind, code, more) => {
    const { linear } = connectorOnSandbox({ retries: 1, faults: [{ kind, count: 99, ...more }] });
    expect((await failure(linear.issues.list())).code).toBe(code);
  });

  const passing = table.map(([kind]) => kind).filter((kind) => kind !== 'redirect');
  test.each(passing)('%s once: retried transparently', async (kind) => {
    const { linear, sandbox } = connectorOnSandbox({ faults: [{ kind, retryAfter: 0 }] });
    expect((await linear.issues.list({ first: 3 })).data).toHaveLength(3);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('partial data is treated as a failure, never as a shorter result', async () => {
    const { linear } = connectorOnSandbox({ retries: 0, faults: [{ kind: 'partial_data', rootField: 'issues' }] });
    const error = await failure(linear.issues.list());
    expect(error.status).toBe(200);
  });

  test('success: false without an error is a failure', async () => {
    const { linear } = connectorOnSandbox({ faults: [{ kind: 'success_false', rootField: 'issueUpdate' }] });
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    const error = await failure(linear.issues.update({ id: issue!.id, title: 'x' }));
    expect(error.message).toContain('failed but gave no reason');
  });
});

describe('misleading pages', () => {
  test('a page with fewer records than requested does not end pagination', async () => {
    const { linear } = connectorOnSandbox({ faults: [{ kind: 'half_page', rootField: 'issues', nth: 2 }] });
    const straight = await collect(connectorOnSandbox().linear.paginate('issues', 'list', { first: 50 }));
    const paged = await collect(linear.paginate('issues', 'list', { first: 50 }));
    expect(paged.map(({ id }) => id)).toEqual(straight.map(({ id }) => id));
  });

  test.each(['endless_cursor', 'null_cursor'] as const)('%s ends with an error instead of looping', async (kind) => {
    const { linear, sandbox } = connectorOnSandbox({
      faults: [{ kind, rootField: 'issues', count: Number.POSITIVE_INFINITY }],
    });
    const error = await failure(collect(linear.paginate('issues', 'list', { first: 10 })));
    expect(error.code).toBe('invalid_response');
    expect(sandbox.requests.length).toBeLessThan(6);
  });
});

describe('tokens', () => {
  test('100 callers at expiry: one refresh, reported before it is used, and every call succeeds', async () => {
    const told: string[] = [];
    const { linear, sandbox } = connectorOnSandbox({
      mode: 'oauth',
      hooks: { onTokenRefresh: ({ refresh_token }) => void told.push(refresh_token) },
    });
    await linear.users.list();
    sandbox.expireTokens();
    sandbox.requests.clear();
    const results = await Promise.all(Array.from({ length: 100 }, () => linear.teams.list()));
    expect(results).toHaveLength(100);
    expect(sandbox.requests.filter(({ path }) => path === '/oauth/token')).toHaveLength(1);
    expect(new Set(told).size).toBe(2);
  });

  test('an expired refresh token: invalid_credentials', async () => {
    const { linear, sandbox } = connectorOnSandbox({ mode: 'oauth' });
    const { refresh_token } = sandbox.vendors.linear.credentials.oauth;
    sandbox.revoke(refresh_token);
    const error = await failure(linear.users.list());
    expect(error).toMatchObject({ code: 'invalid_credentials', vendor: { code: 'invalid_grant' } });
    expect(JSON.stringify(error)).not.toContain(refresh_token);
  });
});
