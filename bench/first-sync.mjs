// How far the records read that the service reports lag behind its database during a first sync:
// `node bench/first-sync.mjs [--records 50000]` after `npm run build`. The vendor is that of bench/replication.mjs, and
// both numbers are read every 100 ms.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { serve } from 'agent-connectors-service';
import { createClient, createConnector, signIn } from './tenant.mjs';

const { values: options } = parseArgs({ options: { records: { type: 'string', default: '50000' } } });
const records = Number(options.records);
const folder = mkdtempSync(join(tmpdir(), 'first-sync-'));
const vendor = fork(fileURLToPath(new URL('replication-vendor.mjs', import.meta.url)), [String(records)]);
const [{ url, api_key }] = /** @type {any[]} */ (await once(vendor, 'message'));
const service = await serve({
  dataFolder: folder,
  dev: true,
  port: 0,
  endpoints: { linear: url },
  limits: { rate: 0 },
});
const token = await signIn(service, await createClient(service.state));
await createConnector(service, token, api_key, { replication_config: { entities: ['issues'] } });

const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
const table = database.prepare("select name from sqlite_master where type = 'table' and name like '%linear%issues'");
const stored = () => {
  const name = /** @type {any} */ (table.get())?.name;
  return name ? Number(/** @type {any} */ (database.prepare(`select count(*) as n from "${name}"`).get()).n) : 0;
};
const overview = async () => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/v1/overview`, { headers });
  return (await response.json()).data[0];
};

const started = performance.now();
/** @type {{ ms: number, read: number, stored: number, progress: number }[]} */
const samples = [];
for (let isRunning = true; isRunning; await wait(100)) {
  // The number in the database is read first, so that the reported one can only seem to be later.
  const before = stored();
  const { job } = await overview();
  samples.push({ ms: performance.now() - started, read: job?.read ?? 0, stored: before, progress: job?.progress ?? 0 });
  isRunning = job?.status !== 'done' && job?.status !== 'failed';
}
const lagRecords = Math.max(...samples.map(({ read, stored }) => stored - read));
/** Until the reported number has reached the stored one. */
const lagMs = Math.max(
  ...samples.map(({ ms, stored }) => (samples.find(({ read }) => read >= stored)?.ms ?? Number.POSITIVE_INFINITY) - ms),
);
const last = samples.at(-1);
console.log(
  JSON.stringify({
    records,
    seconds: Math.round((last?.ms ?? 0) / 1000),
    samples: samples.length,
    distinctReports: new Set(samples.map(({ read }) => read)).size,
    lagRecords,
    lagShare: `${((100 * lagRecords) / records).toFixed(2)} %`,
    lagMs: Math.round(lagMs),
    reported: last?.read,
    stored: last?.stored,
  }),
);
database.close();
await service.close();
vendor.disconnect();
rmSync(folder, { recursive: true });
