import { expect, test } from 'vitest';
import { startConsoleService } from './setup.js';

test("the overview shows each connector's health", async () => {
  const started = Date.now();
  const { ask, signIn, connect, sandbox } = await startConsoleService({ replicate: true });
  const cookie = await signIn();
  const create = (json: object) =>
    ask('POST', '/api/v1/integrations/connectors', { json: { workspace_name: 'main', ...json }, cookie });
  const replicated = await connect(cookie, 'Tickets');
  const { body: bare } = await create({ connector_type: 'linear', name: 'Bare' });
  const { body: wrong } = await create({
    connector_type: 'linear',
    name: 'Wrong',
    credentials: { api_key: 'lin_api_unknown' },
  });
  const overview = async (): Promise<Record<string, any>> => {
    const { body } = await ask('GET', '/api/v1/overview', { cookie });
    return Object.fromEntries(body.data.map((one: { id: string }) => [one.id, one]));
  };
  await expect.poll(async () => (await overview())[replicated].health).toBe('ready');
  await expect.poll(async () => (await overview())[wrong.id].health).toBe('needs_reauthorization');
  const { [replicated]: ready, [bare.id]: empty } = await overview();
  expect(ready).toMatchObject({ name: 'Tickets', title: 'Linear', workspace_name: 'main', job: { status: 'done' } });
  expect(ready.records).toBeGreaterThan(10);
  expect(Date.parse(ready.synced_at)).toBeGreaterThanOrEqual(started);
  expect(empty).toMatchObject({ health: 'no_credentials', records: 0, synced_at: null, job: null });
  expect(JSON.stringify(await overview())).not.toContain(sandbox.vendors.linear.credentials.api_key.api_key);
});

test("lists only the organization's clients", async () => {
  const { ask, signIn, service, clientId, organizationId } = await startConsoleService();
  const other = await service.state.organizations.create('Other');
  await service.state.clients.create('theirs', [other.id]);
  const { client } = await service.state.clients.create('nightly', [organizationId, other.id]);
  const { body } = await ask('GET', '/api/v1/clients', { cookie: await signIn() });
  expect(body.data.map(({ id, own }: { id: string; own: boolean }) => [id, own]).sort()).toEqual(
    [
      [clientId, true],
      [client.id, false],
    ].sort(),
  );
  expect(JSON.stringify(body)).not.toMatch(/secret|hash/);
});

test('the progress of a sync states a total only if the vendor does', async () => {
  const { ask, signIn, sandbox } = await startConsoleService({ replicate: true });
  const cookie = await signIn();
  const json = {
    workspace_name: 'main',
    connector_type: 'gong',
    credentials: sandbox.vendors.gong.credentials.basic,
    replication_config: { entities: ['users', 'calls'] },
  };
  const { body: connector } = await ask('POST', '/api/v1/integrations/connectors', { json, cookie });
  const path = `/api/v1/integrations/connectors/${connector.id}/jobs`;
  const newest = async () => (await ask('GET', path, { cookie })).body.data[0];
  await expect.poll(async () => (await newest())?.status).toBe('done');
  const { entities, started_at } = await newest();
  const users = entities.find(({ entity }: { entity: string }) => entity === 'users');
  const calls = entities.find(({ entity }: { entity: string }) => entity === 'calls');
  expect(users).toMatchObject({ total: users.read });
  expect(users.read).toBeGreaterThan(0);
  expect(calls).toMatchObject({ total: null });
  expect(Date.parse(calls.started_at)).toBeGreaterThanOrEqual(Date.parse(started_at));
});
