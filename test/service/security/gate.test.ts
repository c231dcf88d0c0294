import { describe, expect, test } from 'vitest';
import { consoleHeaders, startConsoleService } from '../console/setup.js';
import { connectorPath, type Tenant } from '../http/setup.js';
import { execute as callExecute, startMcpService } from '../mcp/setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from '../replication/setup.js';

/** Request bodies that are valid enough for each route to get as far as the data. */
const fixedBodies = {
  createConnector: { workspace_name: 'main', connector_type: 'linear' },
  updateConnector: { name: 'Renamed' },
  createToken: {},
  createScopedToken: { workspace_name: 'main' },
  revokeToken: { id: 'tok_any' },
  introspectToken: { token: 'any' },
  createWorkspace: { name: 'another' },
  syncConnector: {},
  execute: { entity: 'issues', action: 'list', params: { first: 5 } },
  prepareExecute: { entity: 'issues', action: 'update', params: { id: 'any', title: 'Any' } },
  approvePlan: {},
  refusePlan: {},
  updateClient: { scopes: ['read'] },
  rollClientSecret: {},
  putPolicy: { workspace_name: 'another', read_only: true },
  beginSetup: { connector_type: 'linear', workspace_name: 'main' },
  renewConnector: {},
  putConnectSettings: { return_origins: ['https://app.example'] },
  rollConnectKey: {},
  createConnectSession: {
    connector_type: 'linear',
    workspace_name: 'main',
    return_url: 'https://app.example/',
    state: 'of a session',
    brand: { name: 'App' },
  },
  confirmConnectSession: { signature: 'any' },
  createWebhook: { url: 'https://app.example/' },
  updateWebhook: { url: 'https://app.example/' },
  rollWebhookSecret: {},
};

/** The effect of a request to one route. */
interface Asked {
  readonly route: string;
  /** Whether the vendor received a request or the response contains a replicated record. */
  readonly reached: boolean;
  readonly outcomes: readonly string[];
}

type Running = Awaited<ReturnType<typeof startReplicatingService>>;

const auditOf = async ({ ask }: Tenant): Promise<any[]> => (await ask('GET', '/api/v1/audit?limit=1000')).body.data;

/** Runs a request and reports whether it reached data, and the outcomes in the audit log. */
async function watch(
  { acme, sandbox }: Running,
  { id, titles, route }: { readonly id: string; readonly titles: readonly string[]; readonly route: string },
  work: () => Promise<string>,
): Promise<Asked> {
  const [last] = await auditOf(acme);
  const sent = sandbox.requests.length;
  const text = await work();
  // A sync that was requested reads data later.
  await waitForNewestJob(acme, id);
  const reached = sandbox.requests.length > sent || titles.some((title) => text.includes(title));
  const entries = (await auditOf(acme)).filter(({ seq }) => seq > (last?.seq ?? 0));
  return { route, reached, outcomes: entries.map(({ outcome }) => outcome) };
}

/** Issue titles, which appear only in responses from the vendor or the replica. */
const titlesOf = async (acme: Tenant, id: string): Promise<string[]> =>
  hitsOf(await searchEntity(acme, id, 'issues')).map(({ title }) => title);

/** A prompt with which a semantic search finds the first issue. */
async function promptFor(acme: Tenant, id: string): Promise<string> {
  const query = { filter: { neq: { description: null } } };
  const [issue] = hitsOf(await searchEntity(acme, id, 'issues', { query, limit: 1 }));
  return issue.description.split(/\s+/).slice(0, 12).join(' ');
}

/** Sends a request to every route of a service, optionally under a policy. */
async function askAll(policy?: object): Promise<Asked[]> {
  const running = await startReplicatingService();
  const { acme, linear, ask } = running;
  const id = await linear();
  await waitForNewestJob(acme, id);
  const titles = await titlesOf(acme, id);
  const [issue] = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 1 }));
  const write = { key: 'k', entity: 'issues', action: 'update', params: { id: issue.id, title: issue.title } };
  const bodies = {
    ...fixedBodies,
    searchWorkspace: { prompt: await promptFor(acme, id), limit: 50 },
    executeBatch: { writes: [write] },
  };
  if (policy) {
    const { status } = await acme.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', ...policy } });
    expect(status).toBe(200);
  }
  const { body: reference } = await ask('GET', '/openapi.json');
  const asked: Asked[] = [];
  for (const [path, methods] of Object.entries<Record<string, any>>(reference.paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      // No data would be left after a deletion, which reads nothing itself.
      if (method === 'delete') continue;
      const json = (bodies as Record<string, object>)[operationId];
      if (requestBody) expect(json, `${operationId}: this test needs a body for it`).toBeDefined();
      const filled = path.replace('{name}', 'main').replace('{id}', id).replace('{delivery_id}', 'msg_any');
      const more = requestBody && { json };
      const work = async () => (await acme.ask(method.toUpperCase(), filled, more)).text;
      asked.push(await watch(running, { id, titles, route: operationId }, work));
    }
  }
  return asked;
}

const reaching = (asked: readonly Asked[]) => asked.filter(({ reached }) => reached).map(({ route }) => route);

describe('the gate', () => {
  test('does not let any route bypass a policy, and logs each route that reaches data', async () => {
    const allowed = await askAll();
    expect(reaching(allowed)).toEqual(
      expect.arrayContaining(['searchWorkspace', 'checkConnector', 'syncConnector', 'execute']),
    );
    for (const { route, reached, outcomes } of allowed) if (reached) expect(outcomes, route).toContain('success');
    const denied = await askAll({ allow: [] });
    expect(reaching(denied)).toEqual([]);
    for (const route of reaching(allowed)) {
      expect(denied.find((one) => one.route === route)?.outcomes, route).toContain('denied_by_policy');
    }
  });

  test('hides the status of entities that must not be searched', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    const readiness = async () =>
      (await acme.ask('GET', connectorPath(id, '/inspect'))).body.context_store_readiness.entities.map(
        ({ entity }: { entity: string }) => entity,
      );
    expect(await readiness()).toContain('issues');
    const rule = { workspace_name: 'main', allow: ['teams.*', 'linear:users.context_store_search'] };
    await acme.ask('PUT', '/api/v1/policies', { json: rule });
    expect(await readiness()).toEqual(['teams', 'users']);
  });

  test('omits unsearchable entities from the overview, its events and the jobs', async () => {
    const { ask, signIn, connect, service, sandbox } = await startConsoleService({ replicate: true });
    const cookie = await signIn();
    sandbox.faults.add({ kind: 'expired_token', rootField: 'comments', count: Number.POSITIVE_INFINITY });
    const id = await connect(cookie, 'Tickets');
    const send = (method: string, path: string, json?: object) =>
      ask(method, path, { cookie, ...(json !== undefined && { json }) });
    const error = async () => (await send('GET', connectorPath(id, '/jobs'))).body.data[0]?.error;
    await expect.poll(error, { timeout: 30_000, interval: 20 }).toContain('comments');
    const shown = async () => {
      const [overview] = (await send('GET', '/api/v1/overview')).body.data;
      const [job] = (await send('GET', connectorPath(id, '/jobs'))).body.data;
      const events = await fetch(`${service.url}/console/events`, { headers: { ...consoleHeaders, cookie } });
      const reader = events.body!.getReader();
      const text = new TextDecoder().decode((await reader.read()).value);
      await reader.cancel();
      const [event] = JSON.parse(/^data: (.*)$/m.exec(text)![1]!).changed;
      return { overview, job, event };
    };
    const namesOf = (entities: Array<{ entity: string }>) => entities.map(({ entity }) => entity).sort();
    const before = await shown();
    expect(namesOf(before.job.entities)).toContain('issues');
    const allow = ['teams.*', 'linear:users.context_store_search'];
    await send('PUT', '/api/v1/policies', { workspace_name: 'main', allow });
    const after = await shown();
    for (const { entities } of [after.overview, after.job, after.event]) {
      expect(namesOf(entities)).toEqual(['teams', 'users']);
    }
    const read = after.job.entities.reduce((sum: number, one: { read: number }) => sum + one.read, 0);
    expect(after.job.counts.read).toBe(read);
    expect(before.job.counts.read).toBeGreaterThan(read);
    for (const { records, job } of [after.overview, after.event]) expect([records, job.read]).toEqual([read, read]);
    for (const { error } of [after.job, after.overview.job])
      expect(error).toBe('Some entities could not be replicated.');
  });

  test('excludes what a policy denies from a workspace search, and says so', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    const prompt = await promptFor(acme, id);
    const search = () => acme.ask('POST', '/api/v1/workspaces/main/search', { json: { prompt, limit: 50 } });
    const entities = ({ body }: Awaited<ReturnType<typeof search>>) =>
      new Set(body.data.map(({ entity_name }: { entity_name: string }) => entity_name));
    expect(entities(await search())).toContain('issues');
    await acme.ask('PUT', '/api/v1/policies', {
      json: { workspace_name: 'main', connector_id: id, allow: ['comments.context_store_search'] },
    });
    const limited = await search();
    expect(entities(limited)).not.toContain('issues');
    expect(limited.body.meta.skipped).toContainEqual(
      expect.objectContaining({ entity_name: 'issues', reason: expect.stringContaining('policy') }),
    );
  });

  test('does not let any MCP tool bypass a policy', async () => {
    const { connect, sandbox, tenant } = await startMcpService();
    const { ask, token } = await tenant();
    await ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', allow: [] } });
    const client = await connect(token);
    const calls = [
      { entity: 'issues', action: 'list' },
      { entity: 'issues', action: 'context_store_search', params: { query: {} } },
      { entity: 'issues', action: 'update', params: { id: 'any', title: 'Any' } },
    ];
    const sent = sandbox.requests.length;
    for (const call of calls) {
      const { isError, content } = await client.callTool(callExecute({ connector: 'linear', ...call }));
      expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('denied_by_policy')]);
    }
    expect(sandbox.requests).toHaveLength(sent);
    const entries = (await ask('GET', '/api/v1/audit?limit=1000')).body.data.filter(({ via }: any) => via === 'mcp');
    expect(entries.filter(({ outcome }: any) => outcome === 'denied_by_policy')).toHaveLength(calls.length);
  });
});
