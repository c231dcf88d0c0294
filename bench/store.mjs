/**
 * Measures the service's context store: `node bench/store.mjs [--records 1000000] [--postgres postgres://…]`. SQLite
 * runs as shipped, with its worker threads; Postgres is the database given by `--postgres`, or PGlite. Results are
 * printed to standard error as they become available, and in a table at the end. `--folder` sets the folder for the
 * SQLite file; `--load` fills the stores and exits, and `--loaded` measures previously filled stores. `--cpu` reports
 * the CPU time of SQLite searches instead of elapsed time, for use on a busy machine.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { library } from './store-library.mjs';
import { issue, text } from './store-records.mjs';
import { sample, searches } from './store-searches.mjs';

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    postgres: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '60' },
    folder: { type: 'string' },
    load: { type: 'boolean', default: false },
    loaded: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
  },
});
const total = Number(options.records);
const rounds = Number(options.rounds);

const collection = { connectorId: 'con_bench', type: 'linear', entity: 'issues' };
const ms = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
const cell = (row) => (!row ? '–' : row.p50 === undefined ? ms(row.value) : `${ms(row.p50)} / ${ms(row.p99)}`);
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function timed(times, work, clock = () => performance.now()) {
  const durations = [];
  for (let round = 0; round < times; round++) {
    const started = clock();
    await work(round);
    durations.push(clock() - started);
  }
  durations.sort((one, other) => one - other);
  return { p50: at(durations, 0.5), p99: at(durations, 0.99) };
}

const progress = 50_000;

const cpuMs = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1000, 0);

/** Writes the generated records unless they exist already; returns the elapsed and CPU time, in ms. */
async function fill(name, store) {
  let [made, wrote, shown] = [0, 0, 0];
  let [cpu, cpuShown] = [0, 0];
  const timedWork = async (work) => {
    const [started, cpuStarted] = [performance.now(), cpuMs()];
    await work();
    wrote += performance.now() - started;
    cpu += cpuMs() - cpuStarted;
  };
  if (!options.loaded) await store.startLoad(collection);
  while (made < total) {
    const batch = Array.from({ length: Math.min(2000, total - made) }, (_, index) => issue(made + index));
    if (sample.length < 400) sample.push(...batch.slice(0, 20));
    made += batch.length;
    if (options.loaded) continue;
    await timedWork(() => store.write(collection, batch));
    if (made % progress < batch.length) {
      const [all, last] = [made / wrote, progress / (wrote - shown)].map((rate) => Math.round(rate * 1000));
      const memory = Math.round(process.memoryUsage.rss() / 1e6);
      const cpuEach = Math.round(((cpu - cpuShown) / progress) * 1000);
      console.error(
        `${name}: ${made} records, ${all}/s so far, ${last}/s and ${cpuEach} µs of CPU time per record for the last ${progress}, ${memory} MB`,
      );
      [shown, cpuShown] = [wrote, cpu];
    }
  }
  if (!options.loaded) await timedWork(() => store.finishLoad(collection));
  console.error(`${name}: ${Math.round(wrote / 1000)} s in total`);
  return { wrote, cpu };
}

async function measure(name, open) {
  const rows = new Map();
  const clock = options.cpu ? cpuMs : undefined;
  const note = (label, row) => {
    rows.set(label, row);
    console.error(`${name}: ${label} ${cell(row)}`);
  };
  let store = await open();
  sample.length = 0;
  const { wrote, cpu } = await fill(name, store);
  if (wrote > 0) {
    note('ingest, records/s', { value: Math.round(total / (wrote / 1000)), least: 3000 });
    note('ingest, µs of CPU time per record', { value: (cpu / total) * 1000, most: 333 });
  }
  if (options.load) {
    await store.close();
    return rows;
  }
  await store.close();
  const opened = performance.now();
  store = await open();
  await store.search({ ...collection, params: { query: { filter: { eq: { id: sample[0].id } } } } });
  note('cold open and first search, ms', { value: performance.now() - opened, most: 100 });
  for (const [label, most, params] of searches) {
    await store.search({ ...collection, params: params() });
    const { p50, p99 } = await timed(rounds, () => store.search({ ...collection, params: params() }), clock);
    note(label, { p50, p99, most });
  }
  let cursor = null;
  const deep = await timed(
    rounds,
    async () => {
      const params = { query: { sort: [{ updatedAt: 'desc' }] }, ...(cursor && { cursor }) };
      cursor = (await store.search({ ...collection, params })).meta.cursor;
    },
    clock,
  );
  note('keyset pages of 1000', { ...deep, most: 35 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const changing = sample.slice(0, 400);
  let syncing = true;
  let upserts = 0;
  const upsertStart = performance.now();
  const sync = (async () => {
    while (syncing) {
      const fresh = Array.from({ length: 250 }, (_, index) => issue(total + index));
      await store.write(collection, [...changing.map((record) => ({ ...record, title: text(6) })), ...fresh]);
      upserts += 650;
    }
  })();
  const during = await timed(rounds * 3, async (round) => {
    await store.search({ ...collection, params: searches[round % 3][2]() });
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  syncing = false;
  await sync;
  delay.disable();
  note('write changed and new records during a sync, records/s', {
    value: Math.round(upserts / ((performance.now() - upsertStart) / 1000)),
  });
  note('searches during a sync', { p50: Math.max(0, during.p50 - 5), p99: during.p99 - 5, most: 20 });
  note('event loop delay p99.9, ms', { value: delay.percentile(99.9) / 1e6, most: 50 });
  const unchanged = sample.slice(0, 400).map((record) => ({ ...record }));
  await store.write(collection, unchanged);
  const same = await timed(10, () => store.write(collection, unchanged));
  note('write unchanged records, records/s', { value: Math.round(unchanged.length / (same.p50 / 1000)) });
  await store.close();
  return rows;
}

/** A temporary database on the same server as the given one, or the given database itself if the stores are kept. */
async function ownDatabase(address) {
  if (options.load || options.loaded) return { url: address, drop: async () => {} };
  const { default: pg } = await import('pg');
  const ask = async (statement) => {
    const client = new pg.Client(address);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const name = `bench_${process.pid}`;
  await ask(`create database ${name}`);
  const url = new URL(address);
  url.pathname = name;
  return { url: url.href, drop: () => ask(`drop database ${name} with (force)`) };
}

const { openStore, entitiesOf } = await library();
const { LinearConnector } = await import('agent-connectors/linear');
const { replication } = await LinearConnector.manifest.replication();
const entities = entitiesOf(LinearConnector.manifest, replication);
const cursorKeys = () => [new Uint8Array(32).fill(1)];
const results = new Map();
const scratch = mkdtempSync(join(tmpdir(), 'bench-store-'));
const folder = options.folder ?? join(scratch, 'sqlite');
try {
  if (options.only !== 'Postgres') {
    results.set('SQLite', await measure('SQLite', () => openStore({ folder, entities, cursorKeys })));
    const size = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    results.get('SQLite').set('on disk, MB', { value: size / 1e6 });
  }
  if (options.only !== 'SQLite') {
    const database = options.postgres && (await ownDatabase(options.postgres));
    let open = () => openStore({ databaseUrl: database.url, entities, cursorKeys });
    let name = 'Postgres';
    if (!options.postgres) {
      name = 'PGlite';
      const { PGlite } = await import('@electric-sql/pglite');
      const inProcess = await PGlite.create();
      const transaction = (work) =>
        inProcess.transaction((inner) => work(async (sql, values = []) => (await inner.query(sql, [...values])).rows));
      open = () =>
        openStore({
          pool: { readTransaction: transaction, writeTransaction: transaction, close: async () => {} },
          entities,
          cursorKeys,
        });
    }
    try {
      results.set(name, await measure(name, open));
    } finally {
      await database?.drop();
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const aim = (row) => (row?.least ? `≥ ${row.least}` : row?.most ? `≤ ${row.most}` : '');
const missesGoal = (row) =>
  row && ((row.least && row.value < row.least) || (row.most && (row.p99 ?? row.value) > row.most));
const names = [...results.keys()];
const isAimed = names[0] === 'SQLite' && total === 100_000;
const line = (cells) => `| ${cells.join(' | ')} |`;
const goalCell = (row) => `${aim(row)}${missesGoal(row) ? ' (missed)' : ''}`;
console.log(
  [
    `### The context store with ${total.toLocaleString('en')} records`,
    '',
    `Median / p99 in ms${options.cpu ? ' of CPU time' : ''}, over ${rounds} searches per operation unless stated otherwise${isAimed ? '; the targets are for SQLite' : ''}. A number at the end of an operation is its page size.`,
    '',
    line(['Operation', ...names, ...(isAimed ? ['Target'] : [])]),
    `|${'---|'.repeat(names.length + (isAimed ? 2 : 1))}`,
    ...[...results.get(names[0]).keys()].map((label) => {
      const rows = names.map((name) => results.get(name).get(label));
      return line([label, ...rows.map(cell), ...(isAimed ? [goalCell(rows[0])] : [])]);
    }),
    '',
  ].join('\n'),
);
