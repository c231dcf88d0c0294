import { GongConnector } from 'agent-connectors/gong';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { connectionError } from '../engine/fake-fetch.js';
import { failure } from '../failure.js';

/** A service with one client and a sandbox as its vendors; the service's responses can be lost. */
async function onService(options: object = {}) {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const service = await createService({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, replicate: false });
  onTestFinished(() => service.close());
  const organization = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(organization.id, 'default');
  const { client, secret } = await service.state.clients.create('program', [organization.id]);
  const losing = { answers: 0, connections: 0 };
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname.replace('/api/v1', '')}`);
    const answering = service.fetch(new Request(input, init));
    const isToken = String(input).endsWith('/token');
    if (!isToken && losing.connections-- > 0) throw connectionError('ECONNRESET');
    const response = await answering;
    if (!isToken && losing.answers-- > 0) throw connectionError('ECONNRESET');
    return response;
  };
  const given = { baseUrl: 'https://service.test', clientId: client.id, clientSecret: secret, fetch };
  const connectors = new AgentConnectors({ ...given, ...options });
  return { sandbox, service, connectors, organization, client, given, losing, asked };
}

const apiKey = ({ sandbox }: Awaited<ReturnType<typeof onService>>) => sandbox.vendors.linear.credentials.api_key;

describe('the service client', () => {
  test('identifies itself and its organizations', async () => {
    const { connectors, client, organization } = await onService();
    expect(await connectors.me()).toMatchObject({
      client_id: client.id,
      name: 'program',
      token: 'app',
      organization_id: organization.id,
      workspace_name: null,
      organizations: [{ id: organization.id, name: 'Acme' }],
    });
    expect((await connectors.organizations()).data.map(({ name }) => name)).toEqual(['Acme']);
  });

  test('creates, lists and deletes workspaces', async () => {
    const { connectors, organization } = await onService();
    const made = await connectors.workspaces.create('sales & co');
    expect(made).toMatchObject({ name: 'sales & co', organization_id: organization.id });
    expect((await connectors.workspaces.list()).data.map(({ name }) => name)).toEqual(['default', 'sales & co']);
    expect(await connectors.workspaces.delete('sales & co')).toBeUndefined();
    expect((await connectors.workspaces.list()).data.map(({ name }) => name)).toEqual(['default']);
    expect((await failure(connectors.workspaces.delete('sales & co'))).code).toBe('not_found');
  });

  test('lists all workspaces from all pages', async () => {
    const { connectors, service, organization } = await onService();
    for (let made = 1; made < 205; made++) await service.state.workspaces.create(organization.id, `w${made}`);
    const { data } = await connectors.workspaces.list();
    expect(new Set(data.map(({ name }) => name)).size).toBe(205);
  });

  test('gets a token for a single workspace', async () => {
    const { connectors, given } = await onService();
    const { token } = await connectors.scopedToken('embedded');
    const { clientId: _, clientSecret: __, ...place } = given;
    const scoped = new AgentConnectors({ ...place, token });
    expect(await scoped.me()).toMatchObject({
      token: 'scoped',
      workspace_name: 'embedded',
      scopes: ['read', 'write'],
    });
    expect((await failure(scoped.connectors.create({ connector_type: 'linear' }))).message).toContain("'manage'");
    const managing = await connectors.scopedToken('embedded', { scopes: ['read', 'manage'] });
    const manager = new AgentConnectors({ ...place, token: managing.token, workspace: 'embedded' });
    expect((await manager.me()).scopes).toEqual(['read', 'manage']);
    expect(await manager.connectors.create({ connector_type: 'linear' })).toMatchObject({ workspace_name: 'embedded' });
    expect((await failure(scoped.workspaces.create('more'))).code).toBe('forbidden');
    expect((await scoped.workspaces.list()).data.map(({ name }) => name)).toEqual(['embedded']);
  });

  test('creates a connector in its own workspace, finds, updates, checks and deletes it', async () => {
    const on = await onService();
    const { connectors } = on.connectors;
    const made = await connectors.create({ connector_type: 'Linear', name: 'Issues', credentials: apiKey(on) });
    expect(made).toMatchObject({ name: 'Issues', connector_type: 'linear', workspace_name: 'default' });
    expect(await connectors.get(made.id)).toEqual(made);
    expect(await connectors.list({ connector_type: 'linear', limit: 5 })).toEqual({ data: [made], next: null });
    expect((await connectors.list({ connector_type: 'gong' })).data).toEqual([]);
    expect(await connectors.check(made.id)).toMatchObject({ id: made.id, status: 'succeeded', error_message: null });
    const inspected = await connectors.inspect(made.id);
    expect(inspected).toMatchObject({ connector_id: made.id, connector_type: 'linear', warnings: [] });
    expect(inspected.context_store_readiness.entities.length).toBeGreaterThan(0);
    const changed = await connectors.update(made.id, { name: 'Bugs', credentials: { api_key: 'wrong' } });
    expect(changed).toMatchObject({ id: made.id, name: 'Bugs' });
    expect(await connectors.check(made.id)).toMatchObject({ status: 'failed' });
    expect(await connectors.delete(made.id)).toBeUndefined();
    expect((await failure(connectors.get(made.id))).code).toBe('not_found');
  });

  test('lists page by page', async () => {
    const on = await onService();
    const names = ['a', 'b', 'c'];
    for (const name of names) await on.connectors.connectors.create({ connector_type: 'linear', name });
    const first = await on.connectors.connectors.list({ limit: 2 });
    const second = await on.connectors.connectors.list({ limit: 2, cursor: first.next! });
    // Workspaces created in the same millisecond may be listed in any order, but each is listed once.
    expect([...first.data, ...second.data].map(({ name }) => name).sort()).toEqual(names);
    expect(first.data).toHaveLength(2);
    expect(second.next).toBeNull();
  });

  test('runs an action in wire format', async () => {
    const on = await onService();
    const { id } = await on.connectors.connectors.create({ connector_type: 'linear', credentials: apiKey(on) });
    const answer = await on.connectors.connectors.execute(id, {
      entity: 'issues',
      action: 'list',
      params: { first: 1 },
      select_fields: ['title'],
      intent: 'a look',
    });
    expect(answer).toMatchObject({ status: 'success', execution_metadata: { connector_instance_id: id } });
    expect(answer.result).toEqual([{ title: expect.any(String) }]);
    expect(answer.connector_metadata).toMatchObject({ hasNextPage: true });
    const wrong = on.connectors.connectors.execute(id, { entity: 'issues', action: 'lst' });
    expect((await failure(wrong)).code).toBe('unknown_action');
  });

  test("reads a connector's documentation, in full and by section", async () => {
    const { connectors } = await onService();
    const { id } = await connectors.connectors.create({ connector_type: 'linear' });
    const outline = await connectors.skillDocs(id);
    expect(outline).toMatchObject({ section_id: null, metadata: { title: expect.stringContaining('Linear') } });
    expect(outline.outline.map((section) => section.id)).toContain('actions.issues.create');
    const section = await connectors.skillDocs('linear', 'actions.issues.create');
    expect(section.section_id).toBe('actions.issues.create');
    expect(section.content).toContain('teamId');
    expect((await failure(connectors.skillDocs('linear', 'nonsense'))).code).toBe('not_found');
  });

  test("reports the caller's mistakes with the service's messages", async () => {
    const { connectors } = await onService();
    const error = await failure(connectors.connectors.create({ connector_type: 'linear', credentials: { key: 'k' } }));
    expect(error.code).toBe('invalid_credentials');
    expect(error.issues?.length).toBeGreaterThan(0);
    const unknown = await failure(connectors.connectors.create({ connector_type: 'linea' }));
    expect(unknown).toMatchObject({ code: 'invalid_params', issues: [{ path: 'connector_type' }] });
    expect(unknown.message).toContain("'linear'");
  });
});

describe('a lost response', () => {
  test('to a read is requested again', async () => {
    skipBackoff();
    const on = await onService();
    on.losing.answers = 2;
    expect(await on.connectors.me()).toMatchObject({ name: 'program' });
  });

  test('to a change that cannot be repeated leaves its outcome unknown', async () => {
    skipBackoff();
    const on = await onService();
    on.losing.answers = 1;
    const error = await failure(on.connectors.connectors.create({ connector_type: 'linear', name: 'Once' }));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.message).toContain('connectors.create was sent');
    expect((await on.connectors.connectors.list()).data.map(({ name }) => name)).toEqual(['Once']);
  });

  test('to a deletion is resolved by the retry, which finds nothing', async () => {
    skipBackoff();
    const on = await onService();
    const { id } = await on.connectors.connectors.create({ connector_type: 'linear' });
    on.losing.answers = 1;
    await on.connectors.connectors.delete(id);
    expect(on.asked.slice(-2)).toEqual(Array(2).fill(`DELETE /integrations/connectors/${id}`));
    on.losing.answers = 9;
    expect((await failure(on.connectors.connectors.delete(id))).code).toBe('unknown_outcome');
  });

  test('to a write at the vendor is replayed, and the write is executed once', async () => {
    skipBackoff();
    const on = await onService();
    const { id } = await on.connectors.connectors.create({ connector_type: 'linear', credentials: apiKey(on) });
    const linear = on.connectors.connect(LinearConnector);
    const team = (await linear.teams.list({ first: 1 })).data[0]!.id;
    const made = () => on.sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate').length;
    on.losing.answers = 2;
    const { data } = await linear.issues.create({ teamId: team, title: 'Once' });
    expect(data.issue.title).toBe('Once');
    expect(made()).toBe(1);
    on.losing.answers = 1;
    const params = { teamId: team, title: 'Twice' };
    const answer = await on.connectors.connectors.execute(id, { entity: 'issues', action: 'create', params });
    expect(answer.result).toMatchObject({ success: true });
    expect(made()).toBe(2);
  });
});

test('the service client waits for a write that is still running when the connection breaks', async () => {
  skipBackoff();
  const on = await onService();
  await on.connectors.connectors.create({ connector_type: 'linear', credentials: apiKey(on) });
  const linear = on.connectors.connect(LinearConnector);
  const team = (await linear.teams.list({ first: 1 })).data[0]!.id;
  on.sandbox.faults.add({ kind: 'slow_headers', ms: 300, rootField: 'issueCreate' });
  on.losing.connections = 1;
  const { data } = await linear.issues.create({ teamId: team, title: 'Once' });
  expect(data.issue.title).toBe('Once');
  expect(on.sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate')).toHaveLength(1);
  expect(on.asked.filter((path) => path.endsWith('/execute'))).toHaveLength(4);
});

describe('a typed connector', () => {
  test('is the only one of its type, or the one with the given name or id', async () => {
    const on = await onService();
    const { connectors } = on;
    const credentials = apiKey(on);
    const one = await connectors.connectors.create({ connector_type: 'linear', name: 'One', credentials });
    expect((await connectors.connect(LinearConnector).issues.list({ first: 1 })).data).toHaveLength(1);
    await connectors.connectors.create({ connector_type: 'linear', name: 'Two' });
    const several = await failure(connectors.connect(LinearConnector).issues.list());
    expect(several.message).toContain("'One'");
    expect(several.message).toContain("'Two'");
    for (const which of [{ name: 'one' }, { connectorId: one.id }, { workspace: undefined, name: 'One' }]) {
      expect((await connectors.connect(LinearConnector, which).issues.list({ first: 1 })).data).toHaveLength(1);
    }
    const empty = await failure(connectors.connect(LinearConnector, { name: 'Two' }).issues.list());
    expect(empty.code).toBe('invalid_credentials');
  });

  test("is in the client's workspace, unless another workspace is named", async () => {
    const on = await onService({ workspace: 'sales' });
    await on.connectors.workspaces.create('sales');
    const credentials = on.sandbox.vendors.gong.credentials.basic;
    const made = await on.connectors.connectors.create({ connector_type: 'gong', credentials });
    expect(made.workspace_name).toBe('sales');
    expect((await on.connectors.connect(GongConnector).users.list()).data.length).toBeGreaterThan(0);
    const elsewhere = on.connectors.connect(GongConnector, { workspace: 'default' });
    expect((await failure(elsewhere.users.list())).message).toContain("'default' has no Gong connector");
  });

  test('acts in the named organization if the client has several', async () => {
    const on = await onService();
    const { state } = on.service;
    const other = await state.organizations.create('Other');
    await state.workspaces.create(other.id, 'default');
    const { client, secret } = await state.clients.create('both', [on.organization.id, other.id]);
    const given = { ...on.given, clientId: client.id, clientSecret: secret };
    const undecided = new AgentConnectors(given);
    const error = await failure(undecided.workspaces.list());
    expect(error.message).toContain(other.id);
    expect(await undecided.me()).toMatchObject({ organization_id: null });
    const decided = new AgentConnectors({ ...given, organizationId: other.id });
    await decided.connectors.create({ connector_type: 'linear', credentials: apiKey(on) });
    expect((await decided.connect(LinearConnector).issues.list({ first: 1 })).data).toHaveLength(1);
    expect((await on.connectors.connectors.list()).data).toEqual([]);
  });

  test('fails when its client is deleted', async () => {
    const on = await onService();
    await on.connectors.connectors.create({ connector_type: 'linear', credentials: apiKey(on) });
    const linear = on.connectors.connect(LinearConnector);
    await linear.issues.list({ first: 1 });
    await on.service.state.clients.delete(on.client.id);
    expect((await failure(linear.issues.list())).code).toBe('invalid_credentials');
  });
});
