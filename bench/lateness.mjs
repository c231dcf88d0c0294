// How late syncs start, by tenant: `node bench/lateness.mjs --minutes 30` after `npm run build`, on a machine with
// Postgres. Workers on one Postgres replicate connectors for many organizations, one of which is hostile: it has two
// fifths of all connectors, due every minute, and its vendor takes 2 s per request. With `--sick`, another vendor does
// not respond during the middle third of the run.
import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createService } from 'agent-connectors-service';
import pg from 'pg';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    connectors: { type: 'string', default: '1000' },
    organizations: { type: 'string', default: '200' },
    workers: { type: 'string', default: '4' },
    interval: { type: 'string', default: '5m' },
    sick: { type: 'boolean', default: false },
  },
});
const durationMs = Number(options.minutes) * 60_000;
const connectors = Number(options.connectors);
const organizations = Number(options.organizations);
/** @param {string} path */
const siblingPath = (path) => fileURLToPath(new URL(path, import.meta.url));

const server = spawn(process.execPath, [siblingPath('../scripts/postgres.mjs'), '--plain'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [address] = await once(createInterface(server.stdout), 'line');
const databaseUrl = String(address);
const vendor = fork(siblingPath('lateness-vendor.mjs'));
const [{ url }] = /** @type {any[]} */ (await once(vendor, 'message'));
const endpoints = { linear: `${url}/linear`, granola: `${url}/granola` };
const key = randomBytes(32).toString('base64');

const { state, close } = await createService({
  databaseUrl,
  key,
  endpoints,
  dataFolder: '/proc/none',
  replicate: false,
});
/** @param {string} name @param {number} count @param {string} interval */
async function createTenant(name, count, interval) {
  const { id: organizationId } = await state.organizations.create(name);
  const { id: workspaceId } = await state.workspaces.create(organizationId, 'default');
  for (let index = 0; index < count; index++) {
    const type = index % 2 ? 'granola' : 'linear';
    await state.connectors.create(
      { organizationId },
      {
        workspaceId,
        name: `${type} ${index}`,
        type,
        settings: {},
        replicationConfig: { interval },
        credentials: { api_key: `${name.replace(' ', '-')}-${index}` },
      },
    );
  }
}
const hostile = Math.round(connectors * 0.4);
const weights = Array.from({ length: organizations - 1 }, (_, index) => 1 / (index + 1));
const sum = weights.reduce((total, weight) => total + weight, 0);
const spare = connectors - hostile - weights.length;
await createTenant('hostile', hostile, '1m');
for (const [index, weight] of weights.entries()) {
  await createTenant(`tenant ${index + 1}`, 1 + Math.floor((weight / sum) * spare), options.interval);
}
await close();

const environment = {
  ...process.env,
  DATABASE_URL: databaseUrl,
  AGENT_CONNECTORS_KEY: key,
  PORT: '0',
  AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints),
};
const workers = Array.from({ length: Number(options.workers) }, () =>
  spawn(process.execPath, [siblingPath('../service/bin/agent-connectors-service.js')], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  }),
);

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
// The first sync reads everything, so it is not measured.
for (let waiting = 1; waiting > 0; await wait(2000)) {
  const { rows: open } = await client.query(
    `select count(*)::int as waiting from agent_connectors_state.connectors
      join agent_connectors_state.organizations on organizations.id = connectors.organization_id
      where organizations.name <> 'hostile' and not exists (select 1 from agent_connectors_state.jobs
        where connector_id = connectors.id and finished_at is not null)`,
  );
  waiting = open[0].waiting;
}
console.log(`First syncs took ${Math.round(performance.now() / 1000)} s. Measuring for ${options.minutes} minutes.`);
const { rows: clock } = await client.query('select (extract(epoch from now()) * 1000)::bigint as now');
if (options.sick) {
  await wait(durationMs / 3);
  vendor.send({ sick: 'granola' });
  await wait(durationMs / 3);
  vendor.send({ sick: '' });
  await wait(durationMs / 3);
} else await wait(durationMs);

// A job is created within a second of its connector coming due. Jobs for the failing vendor are excluded.
const { rows } = await client.query(
  `with late as (
    select organizations.name, jobs.started_at is null as waiting,
        coalesce(jobs.started_at, extract(epoch from now()) * 1000) - jobs.created_at as ms
      from agent_connectors_state.jobs
      join agent_connectors_state.connectors on connectors.id = jobs.connector_id
      join agent_connectors_state.organizations on organizations.id = connectors.organization_id
      where jobs.created_at > $2 and requested <> 'first' and not ($1 and connectors.type = 'granola'))
  select name, count(*) as jobs, count(*) filter (where waiting) as waiting,
      percentile_disc(0.5) within group (order by ms) as p50,
      percentile_disc(0.99) within group (order by ms) as p99, max(ms) as max
    from late group by name order by p99 desc`,
  [options.sick, clock[0].now],
);
vendor.send({});
const [counts] = /** @type {any[]} */ (await once(vendor, 'message'));
/** @param {any} row */
const line = (row) =>
  `| ${[row.name, row.jobs, row.waiting, ...[row.p50, row.p99, row.max].map((ms) => (ms / 1000).toFixed(1))].join(' | ')} |`;
const honest = rows.filter(({ name }) => name !== 'hostile');
const p99 = honest.map((row) => Number(row.p99) / 1000).sort((one, other) => one - other);
console.log(
  `\nSeconds from when a sync was due until it began; ${honest.length} tenants in addition to the hostile one.\n`,
);
console.log('| Tenant | Syncs | Not begun | p50 | p99 | max |\n|---|--:|--:|--:|--:|--:|');
for (const row of [...rows.filter(({ name }) => name === 'hostile'), ...honest.slice(0, 20)]) console.log(line(row));
const middle = p99[Math.floor(p99.length / 2)] ?? 0;
console.log(
  `\np99 of these tenants: at most ${(p99.at(-1) ?? 0).toFixed(1)} s, of half of them at most ${middle.toFixed(1)} s.`,
);
console.log(`\n${counts.requests} requests, ${counts.refused} refused.`);
await client.end();
for (const worker of workers) worker.kill('SIGTERM');
await Promise.all(workers.map((worker) => once(worker, 'exit')));
vendor.disconnect();
server.stdin.end();
