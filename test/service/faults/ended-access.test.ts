import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectorPath, createRequester } from '../http/setup.js';
import { changes, endAccess, endsOf, newAgent, type Processes, startProcesses } from './ended-access.js';

function start(): Promise<Processes> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ended-access-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  return startProcesses({ dataFolder });
}

test.each(changes)('$name in another process ends what waits, retries or streams in this one', async (change) => {
  const { outcomes, writes } = await endAccess(await start(), change);
  expect(writes).toEqual([]);
  expect(outcomes).toEqual(endsOf(change));
});

test('a request that is already with the vendor is not recalled, and its audit entry says so', async () => {
  const processes = await start();
  const { near, far, vendor, expireCaches } = processes;
  const agent = await newAgent(processes, 'Acme');
  const ask = createRequester(near, { authorization: `Bearer ${agent.token}` });
  const execute = (entity: string, action: string, params: object) =>
    ask('POST', connectorPath(agent.linear, '/execute'), { json: { entity, action, params } });
  vendor.mode = 'held';
  const write = execute('comments', 'create', { issueId: 'ENG-1', body: 'sent' });
  const read = execute('teams', 'list', {});
  await vi.waitFor(() => expect(vendor.waiting.length).toBe(2), 20_000);
  await far.state.clients.delete(agent.clientId);
  expireCaches();
  vendor.release();
  expect((await write).status).toBe(200);
  // What was read is not given to a client that no longer exists.
  expect([(await read).status, (await read).body.code]).toEqual([403, 'forbidden']);
  const { body } = await agent.admin.ask('GET', `/api/v1/audit?connector_id=${agent.linear}`);
  const entries = body.data.map(({ event, action, outcome }: any) => [event, action, outcome]);
  expect(entries).toContainEqual(['execute.access_ended', 'create', 'success']);
  expect(entries).toContainEqual(['execute', 'create', 'begun']);
  expect(entries).toContainEqual(['execute.access_ended', 'list', 'forbidden']);
});

test('a new name does not end what waits', async () => {
  const processes = await start();
  const rename = { name: 'a new name', ends: 'writes', code: 'success' } as const;
  const { outcomes, writes } = await endAccess(processes, {
    ...rename,
    make: ({ linear }, ask) => ask('PUT', connectorPath(linear), { json: { name: 'linear-2' } }),
  });
  expect(writes.length).toBe(7);
  expect(Object.entries(outcomes).filter(([name]) => name.includes('write'))).toEqual([
    ['keyed write', 'success'],
    ['write without a key', 'success'],
    ['MCP write', 'success'],
    ['queued writes', 'success'],
  ]);
});
