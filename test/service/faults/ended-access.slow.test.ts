import { expect, onTestFinished, test, vi } from 'vitest';
import { connectorPath, createRequester, requestTo } from '../http/setup.js';
import { serveDump } from '../upgrade/postgres-server.js';
import { changes, endAccess, endsOf, newAgent, startProcesses } from './ended-access.js';

async function start() {
  const postgres = await serveDump('');
  onTestFinished(() => postgres.close());
  return { postgres, processes: await startProcesses({ dataFolder: '/proc/none/data', databaseUrl: postgres.url }) };
}

test('on Postgres, every change in another process ends what waits, retries or streams in this one', async () => {
  const { processes } = await start();
  for (const change of changes) {
    const { outcomes, writes } = await endAccess(processes, change);
    expect([change.name, writes, outcomes]).toEqual([change.name, [], endsOf(change)]);
  }
}, 180_000);

test('a process without contact to its database sends nothing', async () => {
  const { postgres, processes } = await start();
  const { near, vendor, expireCaches } = processes;
  const agent = await newAgent(processes, 'Acme');
  const ask = createRequester(near, { authorization: `Bearer ${agent.token}` });
  const execute = (json: object) => ask('POST', connectorPath(agent.linear, '/execute'), { json });
  vendor.mode = 'limited';
  const write = execute({ entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: 'late' } });
  const read = execute({ entity: 'teams', action: 'list', params: {} });
  await vi.waitFor(() => expect(vendor.waiting.length).toBeGreaterThanOrEqual(1), 20_000);
  await postgres.close();
  expireCaches();
  vendor.mode = 'open';
  vendor.arrived.length = 0;
  expect([(await write).body.code, (await read).body.code]).toEqual(['network', 'network']);
  expect(vendor.arrived).toEqual([]);
}, 120_000);

test('a download ends within two seconds after the last contact to the database', async () => {
  const { postgres, processes } = await start();
  const { near, expireCaches } = processes;
  const { drive, token } = await newAgent(processes, 'Acme');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const json = { entity: 'files', action: 'download', params: { fileId: 'f1' } };
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await near.fetch(requestTo(connectorPath(drive, '/execute'), 'POST', { json, headers }));
  const reader = body!.getReader();
  await reader.read();
  await postgres.close();
  expireCaches();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await reader.read()).done).toBe(false);
  await vi.advanceTimersByTimeAsync(999);
  const readOn = async () => {
    for (let chunks = 0; chunks < 5; chunks++) await reader.read();
  };
  await expect(readOn()).rejects.toMatchObject({ code: 'network' });
});
