// Searches of two builds' stores that take turns in one process:
//   node bench/filters.mjs [--old <folder of an older checkout, built>] [--records 100000] [--rounds 60] [--only text]
//     [--postgres postgres://…] [--folder <folder that keeps the SQLite files>]
// Each cell is the median / p99 of elapsed ms; a ratio is the quotient of the medians of CPU time, which includes that
// of SQLite's threads but not that of a Postgres server.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { quantile } from './measure.mjs';
import { library } from './store-library.mjs';
import { instant, issue, oneOf, people, states, teams } from './store-records.mjs';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    postgres: { type: 'string' },
    folder: { type: 'string' },
  },
});
const [total, rounds] = [options.records, options.rounds].map(Number);
const roots = { new: fileURLToPath(new URL('..', import.meta.url)), ...(options.old && { old: options.old }) };
const collection = { connectorId: 'con_bench', type: 'linear', entity: 'issues' };
const scratch = options.folder ?? mkdtempSync(join(tmpdir(), 'filters-'));

async function openStoreOf(name, root) {
  const { openStore, entitiesOf } = await library(root);
  const { LinearConnector } = await import(pathToFileURL(join(root, 'dist/linear.js')).href);
  const { replication } = await LinearConnector.manifest.replication();
  const entities = entitiesOf(LinearConnector.manifest, replication);
  const cursorKeys = () => [new Uint8Array(32).fill(1)];
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  if (!options.postgres) return openStore({ folder, entities, cursorKeys });
  const databaseUrl = new URL(options.postgres);
  databaseUrl.pathname = `filters_${name}`;
  return openStore({ databaseUrl: databaseUrl.href, entities, cursorKeys });
}

const stores = Object.fromEntries(
  await Promise.all(Object.entries(roots).map(async ([name, root]) => [name, await openStoreOf(name, root)])),
);
const isFull = await Promise.all(Object.values(stores).map(async (store) => (await store.count(collection)) >= total));
if (!isFull.every(Boolean)) {
  for (const store of Object.values(stores)) await store.startLoad(collection);
  for (let made = 0; made < total; ) {
    const records = Array.from({ length: Math.min(2000, total - made) }, (_, index) => issue(made + index));
    made += records.length;
    for (const store of Object.values(stores)) await store.write(collection, records);
    if (made % 20_000 === 0) console.error(`${made} records`);
  }
  for (const store of Object.values(stores)) await store.finishLoad(collection);
}
const newest = [{ updatedAt: 'desc' }];
const query = (filter, sort, limit = 50) => ({ query: { filter, ...(sort && { sort }) }, limit });
const searches = {
  'eq assigneeId, sort updatedAt': () => query({ eq: { assigneeId: oneOf(people) } }, newest),
  'eq assigneeId, sort createdAt asc': () => query({ eq: { assigneeId: oneOf(people) } }, [{ createdAt: 'asc' }]),
  'eq teamId, sort updatedAt': () => query({ eq: { teamId: oneOf(teams) } }, newest),
  'eq teamId and stateId, sort updatedAt': () =>
    query({ eq: { teamId: oneOf(teams), stateId: oneOf(states).id } }, newest),
  'eq assigneeId and stateId, sort updatedAt': () =>
    query({ eq: { assigneeId: oneOf(people), stateId: oneOf(states).id } }, newest),
  'eq state.name, sort updatedAt': () => query({ eq: { 'state.name': oneOf(states).name } }, newest),
  'eq assigneeId, sort priority and updatedAt': () =>
    query({ eq: { assigneeId: oneOf(people) } }, [{ priority: 'desc' }, { updatedAt: 'desc' }]),
  'in 5 assigneeIds, sort updatedAt': () =>
    query({ in: { assigneeId: Array.from({ length: 5 }, () => oneOf(people)) } }, newest),
  'gte createdAt, sort updatedAt': () => query({ gte: { createdAt: instant() } }, newest),
  'lte priority, sort updatedAt': () => query({ lte: { priority: 2 } }, newest),
  'eq assigneeId null, sort createdAt': () => query({ eq: { assigneeId: null } }, [{ createdAt: 'asc' }]),
};
const cpuMs = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1000, 0);
const ms = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const names = Object.keys(stores);
console.log(`| Search | ${names.join(' | ')} | CPU, ms: ${names.join(' | ')} | ratio |`);
for (const [label, make] of Object.entries(searches)) {
  if (!label.includes(options.only)) continue;
  const times = Object.fromEntries(names.map((name) => [name, { elapsed: [], cpu: [] }]));
  for (let round = -3; round < rounds; round++) {
    const params = make();
    const found = [];
    for (const name of names) {
      const [started, cpu] = [performance.now(), cpuMs()];
      const { data } = await stores[name].search({ ...collection, params });
      found.push(data.map(({ id }) => id).join());
      if (round < 0) continue;
      times[name].elapsed.push(performance.now() - started);
      times[name].cpu.push(cpuMs() - cpu);
    }
    if (new Set(found).size > 1) throw new Error(`The builds disagree about ${JSON.stringify(params)}.`);
  }
  const elapsed = names.map((name) => [0.5, 0.99].map((share) => ms(quantile(times[name].elapsed, share))).join(' / '));
  const cpu = names.map((name) => quantile(times[name].cpu, 0.5));
  const ratio = cpu.length > 1 ? (cpu[0] / cpu[1]).toFixed(2) : '';
  console.log(`| ${[label, ...elapsed, ...cpu.map(ms), ratio].join(' | ')} |`);
}
for (const store of Object.values(stores)) await store.close();
if (!options.folder) rmSync(scratch, { recursive: true, force: true });
