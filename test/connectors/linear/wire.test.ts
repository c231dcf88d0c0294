import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorWithReplies, listOf } from './setup.js';

const empty = listOf('teams', []);

describe('a request to Linear', () => {
  test('is a JSON POST to the single URL, with a document and variables', async () => {
    const { linear, sent } = connectorWithReplies(empty);
    await linear.teams.list({ first: 3 });
    const { url, method, headers, json } = sent[0]!;
    expect([method, url.href]).toEqual(['POST', 'https://api.linear.app/graphql']);
    expect(headers.get('content-type')).toBe('application/json');
    expect(json).toEqual({ query: expect.stringMatching(/^query/), variables: { first: 3 } });
  });

  test('carries an API key unchanged or an OAuth token as a Bearer token', async () => {
    for (const [credentials, authorization] of [
      [{ api_key: 'lin_api_test' }, 'lin_api_test'],
      [{ api_key: 'Bearer lin_api_test' }, 'lin_api_test'],
      [{ access_token: 'lin_oauth_test' }, 'Bearer lin_oauth_test'],
    ] as const) {
      const seen: Array<string | null> = [];
      const fetch: typeof globalThis.fetch = async (_, init) => {
        seen.push(new Headers(init?.headers).get('authorization'));
        return Response.json(empty);
      };
      await new LinearConnector({ credentials, fetch }).teams.list();
      expect(seen).toEqual([authorization]);
    }
  });

  test('is not sent if the key contains a line break, and the error does not show it', () => {
    const make = () => new LinearConnector({ credentials: { api_key: 'lin_api_first\nlin_api_second' } });
    expect(make).toThrow(/line break/);
    expect(make).not.toThrow(/lin_api_second/);
  });

  test('omits missing variables instead of sending null', async () => {
    const { linear, sent } = connectorWithReplies(empty);
    await linear.teams.list();
    expect(sent[0]!.json.variables).toEqual({});
  });

  test('has one root field, so that one failure does not void the rest', async () => {
    const { linear, sent } = connectorWithReplies(
      { data: { issue: { id: 'i' } } },
      { data: { project: { id: 'p', status: null } } },
      listOf('users', []),
    );
    await linear.issues.get({ id: 'i' });
    await linear.projects.get({ id: 'p' });
    await linear.users.list();
    for (const {
      json: { query },
    } of sent) {
      let depth = 0;
      const roots = [...query.replaceAll(/\([^)]*\)/g, '').matchAll(/[{}]|\w+/g)].filter(([token]) => {
        if (token === '{') depth += 1;
        if (token === '}') depth -= 1;
        return depth === 1 && /^\w/.test(token);
      });
      expect(roots).toHaveLength(1);
    }
  });

  test('passes an id through unchanged, since Linear accepts several forms', async () => {
    const { linear, sent } = connectorWithReplies(
      { data: { issue: { id: 'i' } } },
      { data: { project: { id: 'p' } } },
      { data: { issueUpdate: { success: true, issue: { id: 'i' } } } },
      { data: { commentCreate: { success: true, comment: { id: 'c' } } } },
    );
    await linear.issues.get({ id: 'ENG-123' });
    await linear.projects.get({ id: 'faster-search-1a2b3c' });
    await linear.issues.update({ id: 'ENG-123', title: 'T' });
    await linear.comments.create({ issueId: 'ENG-123', body: 'B' });
    const ids = sent.map(({ json: { variables } }) => variables.id ?? variables.input.issueId);
    expect(ids).toEqual(['ENG-123', 'faster-search-1a2b3c', 'ENG-123', 'ENG-123']);
  });

  test('passes a cursor through unchanged', async () => {
    const { linear, sent } = connectorWithReplies(
      listOf('teams', [{ id: 'a' }], 'WyJhL2IrYz09Il0=', true),
      listOf('teams', [{ id: 'b' }], '7b1c0b9e-0000-4000-8000-000000000000'),
    );
    expect(await collect(linear.paginate('teams', 'list'))).toHaveLength(2);
    expect(sent[1]!.json.variables).toEqual({ after: 'WyJhL2IrYz09Il0=' });
  });
});

describe('parameters validated before they are sent to Linear', () => {
  test('are required although the schema allows null', async () => {
    const { linear, sent } = connectorWithReplies(empty);
    const calls: Array<[string, string, object, string]> = [
      ['issues', 'create', { teamId: 't' }, 'title'],
      ['comments', 'create', { body: 'b' }, 'issueId'],
      ['comments', 'create', { issueId: 'i' }, 'body'],
      ['comments', 'update', { id: 'c' }, 'body'],
      ['comments', 'get', {}, 'id'],
    ];
    for (const [entity, action, params, missing] of calls) {
      const call = linear.execute(entity as 'comments', action as 'get', params as { id: string });
      expect((await failure(call)).issues?.map(({ path }) => path)).toEqual([missing]);
    }
    expect(sent).toHaveLength(0);
  });

  test('require at least one team for a project', async () => {
    const { linear, sent } = connectorWithReplies(empty);
    const error = await failure(linear.projects.create({ name: 'P', teamIds: [] }));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'teamIds' }] });
    expect(sent).toHaveLength(0);
  });

  test('must be valid calendar dates, not instants', async () => {
    const { linear, sent } = connectorWithReplies({ data: { projectUpdate: { success: true, project: { id: 'p' } } } });
    for (const startDate of ['2026-02-30', '2026-02-01T00:00:00Z', '01.02.2026']) {
      const error = await failure(linear.projects.update({ id: 'p', startDate }));
      expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'startDate' }] });
    }
    expect(sent).toHaveLength(0);
    await linear.projects.update({ id: 'p', startDate: '2026-02-28', targetDate: null });
    expect(sent[0]!.json.variables.input).toEqual({ startDate: '2026-02-28', targetDate: null });
  });
});

describe('OAuth at Linear', () => {
  test('accepts the previous refresh token for half an hour', async () => {
    const sandbox = createSandbox({ seed: 7 });
    const credentials = sandbox.vendors.linear.credentials.oauth;
    const restarted = () => new LinearConnector({ credentials, fetch: sandbox.fetch }).teams.list({ first: 1 });
    await restarted();
    sandbox.clock.advance(29 * 60_000);
    expect((await restarted()).data).toHaveLength(1);
    sandbox.clock.advance(31 * 60_000);
    expect(await failure(restarted())).toMatchObject({ code: 'invalid_credentials' });
  });

  test.each([['read write'], [['read', 'write']]])('can return the scopes as %j', async (scope) => {
    const fetch: typeof globalThis.fetch = async (url) =>
      String(url).endsWith('/oauth/token')
        ? Response.json({ access_token: 'a', refresh_token: 'r', expires_in: 86_400, token_type: 'Bearer', scope })
        : Response.json(empty);
    const credentials = { client_id: 'c', client_secret: 's', refresh_token: 'r0' };
    expect((await new LinearConnector({ credentials, fetch }).teams.list()).data).toEqual([]);
  });

  test('returns a one-day token with a new refresh token', async () => {
    const sandbox = createSandbox({ seed: 7 });
    const told: Array<{ refresh_token: string; expires_at: string | null }> = [];
    const credentials = sandbox.vendors.linear.credentials.oauth;
    const hooks = { onTokenRefresh: (tokens: (typeof told)[number]) => void told.push(tokens) };
    await new LinearConnector({ credentials, fetch: sandbox.fetch, hooks }).teams.list();
    expect(told).toHaveLength(1);
    expect(told[0]!.refresh_token).not.toBe(credentials.refresh_token);
    const hours = (Date.parse(told[0]!.expires_at!) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
  });
});
