import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../cli/terminal.js';
import { connectorPath, createRequester, execute, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { jobsOf, smallSandbox, syncAndWait, waitForNewestJob } from './setup.js';

function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((given) => {
    resolve = given;
  });
  return { promise, resolve: () => resolve() };
}

/** A service with a data folder; its vendor can be made to hang in the middle of a run. */
function held() {
  const sandbox = smallSandbox();
  const [folder, key] = [newFolder(), newKey()];
  const gate = signal();
  const reached = signal();
  const state = { holding: false };
  const made: Service[] = [];
  const open = async () => {
    const service = await createService({
      dataFolder: folder,
      key,
      fetch: async (input, init) => {
        const response = await sandbox.fetch(input, init);
        if (!state.holding || !String(init?.body).includes('comments')) return response;
        reached.resolve();
        await gate.promise;
        return response;
      },
    });
    made.push(service);
    return service;
  };
  onTestFinished(async () => {
    gate.resolve();
    for (const service of made) await service.close();
  });
  /** Connectors that have records. */
  const stored = async () => {
    const environment = { AGENT_CONNECTORS_KEY: key };
    const { out } = await runToEnd(['export', '-', '--data', folder], { environment });
    const [, ...records] = out.trimEnd().split('\n');
    return [...new Set(records.map((line) => JSON.parse(line).connector_id))];
  };
  return { sandbox, folder, open, gate, reached, state, stored };
}

test('deleting a connector during replication leaves nothing behind', async () => {
  const { sandbox, open, gate, reached, state, stored } = held();
  state.holding = true;
  const service = await open();
  const acme = await tenantOf(service, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  await reached.promise;
  expect(await stored()).toEqual([id]);
  expect((await acme.ask('DELETE', connectorPath(id))).status).toBe(200);
  expect(await stored()).toEqual([]);
  gate.resolve();
  await service.close();
  expect(await stored()).toEqual([]);
});

test('replacing credentials during replication ends the run, and nothing read with the old ones is stored afterwards', async () => {
  const { sandbox, open, gate, reached, state } = held();
  state.holding = true;
  const service = await open();
  const acme = await tenantOf(service, 'Acme');
  const { api_key, team_restricted } = sandbox.vendors.linear.credentials;
  const id = await acme.connect('linear', api_key);
  await reached.promise;
  state.holding = false;
  const changed = await acme.ask('PUT', connectorPath(id), { json: { credentials: team_restricted } });
  expect(changed.status).toBe(200);
  gate.resolve();
  expect(await waitForNewestJob(acme, id, 2)).toMatchObject({ status: 'done' });
  expect((await jobsOf(acme, id)).map(({ status }) => status)).toEqual(['done', 'cancelled']);
  const { body: listed } = await execute(acme, id, 'issues', 'list', { first: 250 });
  const { body: kept } = await execute(acme, id, 'issues', 'context_store_search', { query: {}, fields: ['id'] });
  const ids = (records: { readonly id: string }[]) => records.map((record) => record.id).sort();
  expect(ids(kept.result.data)).toEqual(ids(listed.result));
});

test('leftovers of a process that ended in the middle of a deletion are removed at the next start', async () => {
  const { sandbox, open, stored } = held();
  const first = await open();
  const acme = await tenantOf(first, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, {
    replication_config: { entities: ['teams'] },
  });
  await waitForNewestJob(acme, id);
  // The first step of a deletion, before the records are removed.
  await first.state.connectors.delete({ organizationId: acme.organizationId }, id);
  await first.close();
  expect(await stored()).toEqual([id]);
  const second = await open();
  await second.fetch(new Request('http://service.test/health'));
  await expect.poll(stored).toEqual([]);
});

test('stopping during a run releases the job, which is resumed at the next start', async () => {
  const { sandbox, open, reached, state, gate } = held();
  state.holding = true;
  const first = await open();
  const acme = await tenantOf(first, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  await reached.promise;
  const [running] = await jobsOf(acme, id);
  await first.close();
  state.holding = false;
  gate.resolve();
  const second = await open();
  const scope = { organizationId: acme.organizationId };
  await expect.poll(async () => (await second.state.jobs.list(scope, id, { limit: 1 })).rows[0]?.status).toBe('done');
  const [job] = (await second.state.jobs.list(scope, id, { limit: 10 })).rows;
  expect(job).toMatchObject({ id: running.id, attempts: 0, error: null });
  // Work completed before the stop was not repeated.
  expect(job!.entities.map(({ unchanged }) => unchanged)).toEqual(job!.entities.map(() => 0));
});

test('records that the store has lost are read again, even if they were already read', async () => {
  const { sandbox, folder, open } = held();
  const first = await open();
  const acme = await tenantOf(first, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, {
    replication_config: { entities: ['projects'] },
  });
  const { counts } = await waitForNewestJob(acme, id);
  await first.close();
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `records.db${end}`), { force: true });
  const second = await open();
  const again = { ...acme, ask: createRequester(second, { authorization: `Bearer ${acme.token}` }) };
  const job = await syncAndWait(again, id);
  expect([job.status, job.counts.inserted]).toEqual(['done', counts.inserted]);
});
