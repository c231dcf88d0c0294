import { ConnectorError } from 'agent-connectors';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import type { CreateOptions } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../deferred.js';
import { startConsoleService } from '../console/setup.js';
import { initialize, mainWorkspaceHeaders, startMcpService } from '../mcp/setup.js';
import { connectorPath, readResponse, serveTestService, startTestService, tenantOf } from './setup.js';

const tokenPath = '/api/v1/account/applications/token';
const me = '/api/v1/account/me';

async function running(options: CreateOptions = {}) {
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const server = await serveTestService({ fetch: sandbox.fetch, ...options });
  const acme = await tenantOf(server, 'Acme');
  const get = async (path: string, headers: object = {}) =>
    readResponse(await fetch(server.url + path, { headers: { authorization: `Bearer ${acme.token}`, ...headers } }));
  const post = async (path: string, json: object, headers: object = {}) =>
    readResponse(
      await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(json),
      }),
    );
  return { server, sandbox, acme, get, post };
}

describe('a client that sends too many requests', () => {
  test('is rejected until it has waited for the time given in the response', async () => {
    let now = Date.now();
    const { get } = await running({ now: () => now, limits: { rate: 2, burst: 3 } });
    const answered = [];
    for (let call = 0; call < 5; call++) answered.push(await get(me));
    expect(answered.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    const told = answered.map(({ headers }) => [
      ...['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`)),
      headers.get('retry-after'),
    ]);
    expect(told[0]).toEqual(['3', '2', '1', null]);
    // Waiting callers get different retry delays.
    expect(told.slice(3)).toEqual([
      ['3', '0', '2', '1'],
      ['3', '0', '2', '1'],
    ]);
    expect(answered.slice(3).map(({ body }) => body.retry_after_ms)).toEqual([500, 1000]);
    expect(answered[3]!.body).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      vendor: null,
      errors: [{ field: '', error_code: 'not_begun' }],
    });
    now += 500;
    expect((await get(me)).status).toBe(200);
    expect((await get(me)).status).toBe(429);
  });

  test('shares its limit with its workspace tokens, but not with other clients', async () => {
    const { server, acme, get } = await running({ limits: { rate: 0.001, burst: 4 } });
    const scoped = await acme.ask('POST', '/api/v1/account/applications/scoped-token', {
      json: { workspace_name: 'main' },
    });
    const authorization = `Bearer ${scoped.body.token}`;
    const statuses = [];
    for (let call = 0; call < 4; call++) statuses.push((await get(me, { authorization })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await get(me)).status).toBe(429);
    const other = await tenantOf(server, 'Other');
    expect((await get(me, { authorization: `Bearer ${other.token}` })).status).toBe(200);
    expect((await get('/health')).status).toBe(200);
  });

  test('is also rejected by the MCP server and the console', async () => {
    const { tenant, post } = await startMcpService({ limits: { rate: 0.001, burst: 3 } });
    const acme = await tenant();
    const headers = { authorization: `Bearer ${acme.token}`, ...mainWorkspaceHeaders };
    expect((await post(initialize, headers)).status).toBe(200);
    expect((await post(initialize, headers)).status).toBe(200);
    const refused = await readResponse(await post(initialize, headers));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '20',
    ]);
    const other = { ...headers, authorization: `Bearer ${(await tenant('Beta')).token}` };
    expect((await post([initialize, initialize, initialize], other)).status).toBe(429);

    const console = await startConsoleService({ limits: { rate: 0.001, burst: 2 } });
    const cookie = await console.signIn();
    const seen = [];
    for (let call = 0; call < 3; call++) seen.push((await console.ask('GET', '/api/v1/overview', { cookie })).status);
    expect(seen).toEqual([200, 200, 429]);
  });

  test('is not limited if the operator sets the rate to 0', async () => {
    const { get } = await running({ limits: { rate: 0, burst: 1 } });
    const answered = await Promise.all(Array.from({ length: 20 }, () => get(me)));
    expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(answered[0]!.headers.get('ratelimit-limit')).toBeNull();
  });
});

describe('the library with a small bucket', () => {
  const hosted = ({ server, acme }: Awaited<ReturnType<typeof running>>, options: object = {}) =>
    new LinearConnector({
      ...options,
      hosted: {
        baseUrl: server.url,
        clientId: acme.clientId,
        clientSecret: acme.clientSecret,
        workspace: acme.workspace,
      },
    });

  test('waits for its turn, and 200 concurrent reads and writes succeed', async () => {
    // The clock does not advance until nearly all calls have been told to wait, however slow the machine is.
    const began = Date.now();
    const retries: number[] = [];
    const service = await running({
      limits: { rate: 100, burst: 10 },
      now: () => (retries.length < 190 ? began : Date.now()),
    });
    const { acme, sandbox } = service;
    await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const linear = hosted(service, { hooks: { onRetry: ({ delayMs }: { delayMs: number }) => retries.push(delayMs) } });
    const { data: teams } = await linear.teams.list();
    const calls = Array.from({ length: 200 }, (_, call) =>
      call % 20 === 0
        ? linear.issues.create({ teamId: teams[0]!.id, title: `Turn ${call}` }).then(({ data }) => data.success)
        : linear.teams.list({ first: 1 }).then(({ data }) => data.length === 1),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
    // Reads get individual retry delays, of which a few may coincide; the ten writes wait for at least a quarter of a
    // second.
    expect(new Set(retries.slice(0, 190)).size).toBeGreaterThanOrEqual(150);
    const { data: all } = await linear.issues.list({ first: 100 });
    expect(all.filter(({ title }) => title?.startsWith('Turn')).length).toBe(10);
  }, 300_000);

  test('fails with an error code if retries are disabled or there is no time left to retry', async () => {
    const began = Date.now();
    const service = await running({ limits: { rate: 0.01, burst: 6 }, now: () => began });
    const { acme, sandbox } = service;
    await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const once = hosted(service, { retries: 0 });
    const soon = hosted(service, { timeoutMs: 15_000 });
    const calls = [...Array.from({ length: 8 }, () => once.teams.list()), soon.teams.list(), soon.teams.list()];
    const failures = (await Promise.allSettled(calls)).flatMap((call) =>
      call.status === 'rejected' ? [call.reason] : [],
    );
    expect(failures.length).toBeGreaterThanOrEqual(4);
    for (const error of failures) {
      expect(ConnectorError.is(error)).toBe(true);
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
      expect(error.retryAfterMs).toBeGreaterThan(0);
    }
  });

  test('also waits before sending non-repeatable requests, since nothing was sent', async () => {
    const { server, acme } = await running({ limits: { rate: 10, burst: 2 } });
    const client = new AgentConnectors({
      baseUrl: server.url,
      clientId: acme.clientId,
      clientSecret: acme.clientSecret,
    });
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => client.workspaces.create(`w${index}`)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(8);
  });
});

describe('signing in', () => {
  const wrong = { client_id: 'cli_nobody', client_secret: 'wrong' };

  test('is limited by client and address together, so nobody can lock out someone else', async () => {
    const began = Date.now();
    const { post, acme } = await running({
      trustedProxies: ['127.0.0.0/8'],
      limits: { signIns: 5 },
      now: () => began,
    });
    const right = { client_id: acme.clientId, client_secret: acme.clientSecret };
    const from = (address: string, json: object) => post(tokenPath, json, { 'x-forwarded-for': address });
    const statuses = [];
    for (let call = 0; call < 6; call++) statuses.push((await from('203.0.113.1', right)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await from('203.0.113.1', wrong)).status).toBe(401);
    expect((await from('203.0.113.2', right)).status).toBe(200);
    // There is also a limit per address, whatever the client id.
    const others = [];
    for (let call = 0; call < 20; call++) {
      others.push((await from('203.0.113.1', { ...wrong, client_id: `cli_${call}` })).status);
    }
    expect(others.filter((status) => status === 401)).toHaveLength(13);
    expect(others.at(-1)).toBe(429);
  });

  test('to the console and setup pages counts toward the limit', async () => {
    const began = Date.now();
    const { ask } = await startConsoleService({ limits: { signIns: 1 }, now: () => began });
    const json = { client_id: 'cli_nobody', client_secret: 'wrong' };
    expect((await ask('POST', '/console/session', { json })).status).toBe(401);
    const refused = await ask('POST', '/console/session', { json });
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '20',
    ]);
    const pages = [];
    for (let call = 0; call < 4; call++) pages.push((await ask('GET', `/setup/${'x'.repeat(43)}`)).status);
    expect(pages).toEqual([404, 404, 429, 429]);
    expect((await ask('GET', '/setup/style.css')).status).toBe(200);
  });
});

describe('concurrent requests', () => {
  test('are limited per client and in total; rejected ones are told when to retry', async () => {
    const [asked, release] = [deferred(), deferred()];
    let open = 0;
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const service = await running({
      limits: { atOnceOfClient: 3, atOnce: 5 },
      async fetch(input, init) {
        if (++open === 5) asked.resolve();
        await release.promise;
        return sandbox.fetch(input, init);
      },
    });
    const { acme, get, server, post } = service;
    const other = await tenantOf(server, 'Other');
    const third = await tenantOf(server, 'Third');
    const busy = [];
    for (const [tenant, calls] of [
      [acme, 3],
      [other, 2],
    ] as const) {
      const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
      const headers = { authorization: `Bearer ${tenant.token}` };
      const action = { entity: 'teams', action: 'list' };
      for (let call = 0; call < calls; call++) busy.push(post(connectorPath(id, '/execute'), action, headers));
    }
    await asked.promise;
    const mine = await get(me);
    expect([mine.status, mine.body.code, mine.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
    const theirs = await get(me, { authorization: `Bearer ${third.token}` });
    expect([theirs.status, theirs.body.retryable, theirs.headers.get('retry-after')]).toEqual([503, true, '1']);
    expect(theirs.body.errors[0].error_code).toBe('not_begun');
    expect((await get('/health')).status).toBe(200);
    release.resolve();
    expect((await Promise.all(busy)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await get(me)).status).toBe(200);
  });

  test('for event streams are limited per client, and closing a stream makes room for another', async () => {
    const console = await startConsoleService({ limits: { streams: 2 } });
    const cookie = await console.signIn();
    const follow = (method = 'GET') =>
      fetch(`${console.service.url}/console/events`, {
        method,
        headers: { cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin' },
      });
    // HEAD requests leave no open stream behind.
    for (let call = 0; call < 14; call++) expect((await follow('HEAD')).status).toBe(200);
    const [one, two] = [await follow(), await follow()];
    expect([one.status, two.status]).toEqual([200, 200]);
    const third = await readResponse(await follow());
    expect([third.status, third.body.code, third.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
    await one.body!.cancel();
    await expect.poll(async () => (await follow()).status).toBe(200);
    await two.body!.cancel();
  });
});

test('invalid limits are reported by name when the service is created', async () => {
  await expect(startTestService({ limits: { rate: -1 } })).rejects.toThrow('rate');
  await expect(startTestService({ limits: { tokens: 1 } as object })).rejects.toThrow(
    /rate, burst, bytesPerRequest, signIns/,
  );
});
