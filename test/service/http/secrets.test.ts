import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectors } from 'agent-connectors';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { connectorPath, execute, startTestService } from './setup.js';

const marked = (name: string) => `CANARY-${name}-0123456789abcdef`;

/** Every authentication mode of every type, with a distinct canary in each secret field. */
async function planted() {
  const { vendors } = createSandbox({ seed: 7, scale: 0.2 });
  const key = JSON.parse(vendors['google-drive'].credentials.service_account.credentials_json);
  const file = JSON.stringify({ ...key, private_key_id: marked('key-id'), client_id: marked('client') });
  const all: Array<{ type: string; credentials: Record<string, string> }> = [];
  for (const [type, load] of Object.entries(connectors)) {
    for (const { mode, fields } of (await load()).describe().auth) {
      const entries = fields
        .filter(({ required }) => required)
        .map(({ name, secret }) => {
          if (name === 'credentials_json') return [name, file];
          return [name, secret ? marked(`${type}-${mode}-${name}`) : `plain-${name}`];
        });
      all.push({ type, credentials: Object.fromEntries(entries) });
    }
  }
  return { all, privateKey: key.private_key as string };
}

test('secrets never appear in responses, logs or files', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const seen: string[] = [];
  const note = (fields: object, message: string) => void seen.push(JSON.stringify([fields, message]));
  const { service, tenant } = await startTestService({
    dataFolder,
    createKey: true,
    logger: { debug: note, info: note, warn: note, error: note },
    // Some vendors and proxies echo what they receive.
    fetch: async (input, init) => {
      const said = `${input} ${JSON.stringify([...new Headers(init?.headers)])} ${String(init?.body)}`;
      return Response.json({ error: said, error_description: said, errors: [{ message: said }] }, { status: 400 });
    },
  });
  const acme = await tenant();
  const hear = ({ text, headers }: { text: string; headers: Headers }) =>
    void seen.push(text, JSON.stringify([...headers]));
  const { all, privateKey } = await planted();
  expect(all.length).toBeGreaterThanOrEqual(9);
  for (const [index, { type, credentials }] of all.entries()) {
    const replication_config = type === 'google-analytics' ? { property_ids: '1' } : {};
    const json = { workspace_name: 'main', connector_type: type, name: `c${index}`, credentials, replication_config };
    const made = await acme.ask('POST', '/api/v1/integrations/connectors', { json });
    expect([type, made.status]).toEqual([type, 200]);
    const { id } = made.body;
    const wrong = { ...credentials, [marked('name')]: marked('value') };
    for (const answer of [
      made,
      await acme.ask('POST', connectorPath(id, '/check')),
      await acme.ask('GET', connectorPath(id)),
      await acme.ask('GET', connectorPath(id, '/inspect')),
      await acme.ask('PUT', connectorPath(id), { json: { credentials } }),
      await acme.ask('PUT', connectorPath(id), { json: { credentials: wrong } }),
      await acme.ask('POST', '/api/v1/integrations/connectors', { json: { ...json, credentials: wrong } }),
      await acme.ask('POST', '/api/v1/integrations/connectors', { json: { ...json, connector_type: 'none' } }),
    ]) {
      hear(answer);
    }
    const { entities } = (await connectors[type as keyof typeof connectors]()).describe();
    const [entity] = entities;
    const action = entity!.actions.find(({ name }) => name === 'list')!;
    hear(await execute(acme, id, entity!.name, action.name, action.example as object));
  }
  hear(await acme.ask('GET', '/metrics'));
  hear(await acme.ask('GET', '/api/v1/integrations/connectors'));
  const told = seen.join('\n');
  expect(told.match(/.{0,80}CANARY.{0,40}/g)).toBeNull();
  for (const secret of [privateKey.slice(40, 80), acme.clientSecret, acme.token]) {
    expect(told.includes(secret)).toBe(false);
  }
  expect(told.length).toBeGreaterThan(10_000);

  await service.close();
  for (const name of readdirSync(dataFolder, { recursive: true, encoding: 'utf8' })) {
    const path = join(dataFolder, name);
    const bytes = readFileSync(path).toString('latin1');
    for (const secret of ['CANARY', acme.clientSecret, privateKey.slice(40, 80)])
      expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
});

test('log lines contain no tenant data', async () => {
  const lines: object[] = [];
  const note = (fields: object) => void lines.push(fields);
  const { tenant, sandbox } = await startTestService({ logger: { debug: note, info: note, warn: note, error: note } });
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  lines.length = 0;
  await execute(acme, id, 'issues', 'get', { id: 'TENANT-TEXT' }, { intent: 'TENANT-TEXT' });
  await acme.ask('GET', connectorPath('TENANT-TEXT'));
  await acme.ask('GET', '/TENANT-TEXT?TENANT-TEXT=1');
  expect(JSON.stringify(lines)).not.toContain('TENANT-TEXT');
  expect(lines[0]).toEqual({
    method: 'POST',
    route: '/api/v1/integrations/connectors/{id}/execute',
    status: 404,
    ms: expect.any(Number),
    request_id: expect.any(String),
    organization: acme.organizationId,
    client: acme.clientId,
    connector: id,
  });
});
