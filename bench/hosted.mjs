// CPU time and latency of calls through the service, next to an older build, a minimum server and a bare proxy:
//   node bench/hosted.mjs --old <folder of an older checkout, built> [--engine sqlite,postgres] [--loads read1,write]
//     [--rounds 7] [--calls 400] [--at-once 32] [--servers new,old,minimum,proxy] [--node <another node>]
//     [--again-after 20000]: measures the loads once more after as many writes
// Servers take turns, each in its own process; a ratio is the median over rounds of new ÷ old. CPU is that of the server
// process, plus that of Postgres. `--engine postgres` starts a temporary Postgres, on Linux.
import { fork, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LinearConnector } from 'agent-connectors/linear';
import pg from 'pg';
import { Pool } from 'undici';
import { quantile, range, ratioRange } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    loads: { type: 'string', default: 'read1,read50,write' },
    servers: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '400' },
    'at-once': { type: 'string', default: '32' },
    'again-after': { type: 'string', default: '0' },
    node: { type: 'string', default: process.execPath },
  },
});
const [rounds, calls, atOnce] = [options.rounds, options.calls, options['at-once']].map(Number);
const kinds = options.servers?.split(',') ?? ['new', ...(options.old ? ['old'] : []), 'minimum', 'proxy'];
const root = fileURLToPath(new URL('..', import.meta.url));
const roots = { new: root, old: options.old };
const folder = mkdtempSync(join(tmpdir(), 'hosted-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Starts a script in its own process and returns its first message with it. */
async function start(script, words = [], execPath = process.execPath) {
  const child = fork(new URL(script, import.meta.url), words, { execPath });
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${script} has exited.`)));
  exited.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return { child, ...message };
}

/** A temporary Postgres: its URL, a client, and its CPU time. */
async function startPostgres() {
  const server = spawn(process.execPath, [join(root, 'scripts/postgres.mjs'), '--plain'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface(server.stdout), 'line');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const postmaster = statOf(rows[0].pid)[1];
  return {
    client,
    /** Milliseconds of all its processes, including ended ones. */
    cpuMs() {
      const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
      const ticks = [postmaster, ...children].map((pid) => {
        try {
          const stat = statOf(pid);
          return stat[11] + stat[12] + stat[13] + stat[14];
        } catch {
          return 0;
        }
      });
      return 10 * ticks.reduce((sum, count) => sum + count, 0);
    },
    async createDatabase(name) {
      await client.query(`create database ${name}`);
      const address = new URL(url);
      address.pathname = name;
      return address.href;
    },
    async stop() {
      await client.end();
      server.stdin.end();
      await once(server, 'exit');
    },
  };
}

const vendor = await start('server.mjs');
const endpoint = `http://127.0.0.1:${vendor.port}/linear`;

/** The documents that the library sends, for servers without it. */
async function documents() {
  const bodies = [];
  const noting = (url, init) => {
    bodies.push(JSON.parse(init.body));
    return fetch(url, init);
  };
  const credentials = { api_key: vendor.api_key };
  const linear = new LinearConnector({ credentials, endpoints: endpoint, fetch: noting });
  const { data: teams } = await linear.teams.list({ first: 1 });
  await linear.issues.list({ first: 1 });
  await linear.issues.create({ teamId: teams[0].id, title: 'Created' });
  const [, list, create] = bodies;
  return { query: list.query, mutation: create.query, teamId: teams[0].id };
}
const { query, mutation, teamId } = await documents();

const loads = {
  read1: () => ({ body: { entity: 'issues', action: 'list', params: { first: 1 } } }),
  read50: () => ({ body: { entity: 'issues', action: 'list', params: { first: 50 } } }),
  write: () => ({
    key: randomBytes(12).toString('hex'),
    body: { entity: 'issues', action: 'create', params: { teamId, title: `Issue ${randomUUID()}` } },
  }),
};

async function call({ pool, id, token }, load) {
  const { body, key } = load();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  if (key) headers['idempotency-key'] = key;
  const path = `/api/v1/integrations/connectors/${id}/execute`;
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(text);
}

/** Latencies of some calls in ms. */
async function burst(server, load, count) {
  const took = [];
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      await call(server, load);
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return took;
}

async function usageOf({ child }) {
  child.send('usage');
  const [usage] = await once(child, 'message');
  return usage;
}

/** Statistics of a database; they are reported with a delay of up to a second. */
async function databaseUsage(postgres, database) {
  if (!database) return {};
  await wait(1500);
  const { rows } = await postgres.client.query(
    `select xact_commit::int as transactions, (select wal_sync::int from pg_stat_wal) as syncs
     from pg_stat_database where datname = $1`,
    [database],
  );
  return rows[0];
}

/** Waits until the first sync is done, so that it does not run beside the measurement. */
async function settle({ pool, id, token }) {
  for (let attempt = 0; attempt < 40; attempt++) {
    const path = `/api/v1/integrations/connectors/${id}/inspect`;
    const answer = await pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });
    const { context_store_readiness: readiness } = await answer.body.json();
    const entities = readiness?.entities ?? [];
    if (entities.length > 0 && entities.every((entity) => entity.ready_for_search !== false)) return;
    await wait(500);
  }
}

async function measureEngine(engine) {
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  const servers = {};
  for (const kind of kinds) {
    const database = postgres && kind !== 'proxy' ? `bench_${kind}` : undefined;
    const setup = {
      dataFolder: join(folder, `${engine}-${kind}`),
      databaseUrl: database && (await postgres.createDatabase(database)),
      root: roots[kind],
      vendor: endpoint,
      api_key: vendor.api_key,
      query,
      mutation,
    };
    const program = kind in roots ? 'service' : kind;
    const server = await start('hosted-server.mjs', [program, JSON.stringify(setup)], options.node);
    const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: 64 });
    servers[kind] = { ...server, pool, database };
    if (program === 'service') await settle(servers[kind]);
  }
  const measureLoads = async (note) => {
    for (const name of options.loads.split(',')) {
      const load = loads[name];
      const measured = Object.fromEntries(kinds.map((kind) => [kind, []]));
      for (const server of Object.values(servers)) await burst(server, load, calls);
      for (let round = 0; round < rounds; round++) {
        for (const [kind, server] of Object.entries(servers)) {
          await wait(100);
          const before = await usageOf(server);
          const databaseBefore = postgres?.cpuMs() ?? 0;
          const took = await burst(server, load, calls);
          // Deferred audit entries are part of the cost.
          await wait(80);
          const after = await usageOf(server);
          measured[kind].push({
            cpu: (after.cpuMs - before.cpuMs) / calls,
            database: ((postgres?.cpuMs() ?? 0) - databaseBefore) / calls,
            p50: quantile(took, 0.5),
            p99: quantile(took, 0.99),
            commits: (after.commits - before.commits) / calls,
          });
        }
      }
      console.log(
        `\n### ${name}${note}, ${engine}, ${atOnce} at once, ${rounds} rounds of ${calls}, ${options.node}\n`,
      );
      console.log(
        '| Server | CPU, ms a call | of it in the database | CPU ÷ old | p50, ms | p50 ÷ old | p99, ms | Commits |',
      );
      console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
      for (const [kind, values] of Object.entries(measured)) {
        const of = (pick) => values.map(pick);
        const ratio = (pick) => ratioRange(values, measured.old, pick);
        const total = ({ cpu, database }) => cpu + database;
        const server = servers[kind];
        const commits = { ...(await databaseUsage(postgres, server.database)) };
        let counted = quantile(
          of((value) => value.commits),
          0.5,
        ).toFixed(2);
        if (server.database) {
          await burst(server, load, calls);
          const { transactions, syncs } = await databaseUsage(postgres, server.database);
          const per = (after, before) => ((after - before) / calls).toFixed(2);
          counted = `${per(transactions, commits.transactions)}, ${per(syncs, commits.syncs)} WAL syncs`;
        }
        const cells = [
          kind,
          range(of(total), 3),
          quantile(
            of((value) => value.database),
            0.5,
          ).toFixed(3),
          ratio(total),
          range(
            of((value) => value.p50),
            1,
          ),
          ratio((value) => value.p50),
          quantile(
            of((value) => value.p99),
            0.5,
          ).toFixed(1),
          counted,
        ];
        console.log(`| ${cells.join(' | ')} |`);
      }
    }
  };
  await measureLoads('');
  const writes = Number(options['again-after']);
  if (writes > 0) {
    for (const server of Object.values(servers)) await burst(server, loads.write, writes);
    await measureLoads(` after ${writes} writes`);
  }
  for (const { pool, child } of Object.values(servers)) {
    await pool.close();
    child.disconnect();
  }
  await postgres?.stop();
}

for (const engine of options.engine.split(',')) await measureEngine(engine);
vendor.child.disconnect();
