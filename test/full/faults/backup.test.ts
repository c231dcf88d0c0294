import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../../service/cli/terminal.js';
import { createRequester, execute, tenantOf } from '../../service/http/setup.js';
import { newFolder } from '../../service/state/fixtures.js';

const seen = 'context_store_search';

test('a backup of a busy service restores to a consistent snapshot that responds, verifies and continues to replicate', async () => {
  const sandbox = createSandbox({ seed: 7, scale: 1 });
  sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e12 };
  const data = join(newFolder(), 'data');
  const open = async (dataFolder: string, more: object = {}): Promise<Service> => {
    const service = await createService({ dataFolder, fetch: sandbox.fetch, ...more });
    onTestFinished(() => service.close());
    return service;
  };
  const service = await open(data, { createKey: true });
  const tenant = await tenantOf(service, 'Acme');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const teamId = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
  const create = (to: Pick<typeof tenant, 'ask'>, title: string) =>
    execute(to, id, 'issues', 'create', { teamId, title }, { headers: { 'idempotency-key': title } });

  const acknowledged: string[] = [];
  let stop = false;
  const load = (async () => {
    for (let n = 0; !stop; n += 1) {
      const title = `under load ${n}`;
      if ((await create(tenant, title)).status === 200) acknowledged.push(title);
      if (n % 10 === 0) await tenant.ask('POST', `/api/v1/integrations/connectors/${id}/sync`);
      await wait(2);
    }
  })();

  const backups: { folder: string; before: number; during: number }[] = [];
  for (let round = 0; round < 4; round += 1) {
    await wait(400);
    const folder = join(newFolder(), 'backup');
    const before = acknowledged.length;
    expect(await runToEnd(['backup', '--data', data, '--to', folder, '--with-key'])).toMatchObject({ code: 0 });
    backups.push({ folder, before, during: acknowledged.length - before });
  }
  stop = true;
  await load;
  await service.close();
  expect(acknowledged.length).toBeGreaterThan(backups.at(-1)!.before);

  for (const { folder, before } of backups) {
    // Files are simply copied back, as the guide says.
    const restored = join(newFolder(), 'data');
    cpSync(folder, restored, { recursive: true });
    expect(await runToEnd(['verify-audit', '--data', restored])).toMatchObject({ code: 0 });
    const again = await open(restored);
    const ask = createRequester(again, { authorization: `Bearer ${tenant.token}` });
    sandbox.requests.clear();
    // Every write acknowledged before the backup is known and not repeated; credentials can be decrypted.
    for (const title of acknowledged.slice(Math.max(0, before - 20), before)) {
      expect((await create({ ask }, title)).headers.get('idempotent-replayed')).toBe('true');
    }
    expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate')).toEqual([]);
    expect((await execute({ ask }, id, 'teams', 'list')).status).toBe(200);
    const fresh = await create({ ask }, `after ${folder}`);
    expect(fresh.status).toBe(200);
    // The replica also gets what was written after the backup, once the interrupted job has ended.
    const last = { query: { filter: { eq: { id: fresh.body.result.issue.id } } } };
    const found = async () => {
      await ask('POST', `/api/v1/integrations/connectors/${id}/sync`);
      return (await execute({ ask }, id, 'issues', seen, last)).body.result.data.length;
    };
    await expect.poll(found, { timeout: 60_000, interval: 500 }).toBe(1);
    const known = await execute({ ask }, id, 'issues', seen, {
      query: { filter: { like: { title: 'under load %' } } },
      limit: 10_000,
    });
    expect(new Set(known.body.result.data.map(({ title }: any) => title))).toEqual(new Set(acknowledged));
    expect((await ask('GET', '/api/v1/audit/verify')).body).toMatchObject({ broken: null });
    await again.close();
  }
  console.log(
    `measured: backups during ${backups.map(({ during }) => during)} writes, of ${acknowledged.length} in all`,
  );
}, 300_000);
