// Measures the throughput of several processes sharing one database: `node bench/scaling.mjs [--seconds 8]` after `npm
// run build`, on a machine with Postgres, or with `--citus postgres://…` on the machine of a Citus cluster with this
// coordinator, whose URL must name a superuser. The load generator, vendors, processes and database share the
// machine's cores, so compare the CPU time of each part.
import { execFileSync, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createService } from 'agent-connectors-service';
import pg from 'pg';
import { Pool } from 'undici';
import { openCluster, startDatabase } from '../scripts/database.mjs';
import { quantile } from './measure.mjs';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, citus: { type: 'string' } },
});
const seconds = Number(options.seconds);
const atOnce = 32;
/** @param {string} path */
const siblingPath = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = siblingPath('../service/bin/agent-connectors-service.js');

const database = await (options.citus ? openCluster(options.citus, 'bench') : startDatabase('bench'));
const databaseUrl = database.url;
const backends = await Promise.all(
  database.nodes.map(async (url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return { client, pid: rows[0].pid };
  }),
);

const vendor = fork(siblingPath('scaling-vendor.mjs'));
const [vendorInfo] = /** @type {any[]} */ (await once(vendor, 'message'));
const endpoints = { linear: `http://127.0.0.1:${vendorInfo.port}/linear` };
const key = randomBytes(32).toString('base64');
const environment = {
  ...process.env,
  DATABASE_URL: databaseUrl,
  AGENT_CONNECTORS_KEY: key,
  AGENT_CONNECTORS_LIMITS: '{"rate": 0, "atOnceOfClient": 2000}',
  AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints),
  PORT: '0',
};

/** Fields of /proc/<pid>/stat after the process name. @param {number} pid */
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
/** CPU time in ms of a process and its exited children; 0 if it has exited. @param {number} pid */
const cpuOf = (pid) => {
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  const stat = statOf(pid);
  return 10 * (stat[11] + stat[12] + stat[13] + stat[14]);
};
const postmasters = backends.map(({ pid }) => statOf(pid)[1]);
/** CPU time of all nodes of the database with their child processes. */
const cpuOfDatabase = () =>
  postmasters
    .flatMap((postmaster) => {
      const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
      return [postmaster, ...children.map(Number)];
    })
    .reduce((sum, pid) => sum + cpuOf(pid), 0);

const first = await createService({ databaseUrl, key, endpoints, dataFolder: '/proc/none' });
const { id: organization } = await first.state.organizations.create('bench');
const { id: workspaceId } = await first.state.workspaces.create(organization, 'default');
const { client: account, secret } = await first.state.clients.create('bench', [organization]);
const scope = { organizationId: organization };
if (options.citus) execFileSync(process.execPath, [program, 'migrate', '--distribute'], { env: environment });
// Several connectors, because Citus stores each one's records on one worker.
const connectorIds = [];
for (const name of ['one', 'two', 'three', 'four']) {
  const { id } = await first.state.connectors.create(scope, {
    workspaceId,
    name,
    type: 'linear',
    replicationConfig: null,
    settings: {},
    credentials: { api_key: vendorInfo.api_key },
  });
  connectorIds.push(id);
  for (;;) {
    const { rows: jobs } = await first.state.jobs.list(scope, id, { limit: 1 });
    if (jobs[0]?.status === 'done') break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
await first.close();

/** Starts a service the way a user would. */
async function startProcess() {
  const child = spawn(process.execPath, [program, '--no-replication'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line);
    if (!url) continue;
    child.stdout.resume();
    return { child, pid: /** @type {number} */ (child.pid), pool: new Pool(url, { connections: atOnce }) };
  }
  throw new Error('The service has exited.');
}

const json = { 'content-type': 'application/json' };
let number = 0;
const team = await (async () => {
  const answer = await fetch(`${endpoints.linear}/graphql`, {
    method: 'POST',
    headers: { ...json, authorization: vendorInfo.api_key },
    body: JSON.stringify({ query: '{ teams(first: 1) { nodes { id } } }' }),
  });
  return /** @type {any} */ (await answer.json()).data.teams.nodes[0].id;
})();
const reads = () => ({ entity: 'issues', action: 'list', params: { first: 10 } });
const searches = () => ({
  entity: 'issues',
  action: 'context_store_search',
  params: { query: { filter: { lte: { priority: 2 } }, sort: [{ updatedAt: 'desc' }] }, limit: 10 },
});
const creations = () => ({ entity: 'issues', action: 'create', params: { teamId: team, title: `bench ${++number}` } });
/** Of ten calls, six search, three read and one writes. */
const mixed = () => {
  const turn = number++ % 10;
  return turn === 0 ? creations() : turn < 4 ? reads() : searches();
};
const loads = { searches, reads, 'writes with a key': creations, mixed };

console.log(
  `Node ${process.version.slice(1)}, ${cpus().length} cores for all parts, ${atOnce} concurrent calls, ${seconds} s each.\n`,
);
console.log(
  '| Load | Processes | Calls per second | p50, ms | p99, ms | CPU per call, ms: service | database | vendor | load |',
);
console.log('|---|---|---|---|---|---|---|---|---|');
for (const count of [1, 2, 4]) {
  const processes = await Promise.all(Array.from({ length: count }, startProcess));
  const [front] = /** @type {[typeof processes[0]]} */ (processes);
  const answer = await front.pool.request({
    method: 'POST',
    path: '/api/v1/account/applications/token',
    headers: json,
    body: JSON.stringify({ client_id: account.id, client_secret: secret }),
  });
  const authorization = `Bearer ${/** @type {any} */ (await answer.body.json()).access_token}`;
  for (const [name, load] of Object.entries(loads)) {
    /** @type {number[]} */
    const took = [];
    const cpu = () => ({
      service: processes.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
      database: cpuOfDatabase(),
      vendor: cpuOf(/** @type {number} */ (vendor.pid)),
      load: cpuOf(process.pid),
    });
    const run = async (/** @type {number} */ end) => {
      for (let turn = 0; performance.now() < end; turn += 1) {
        const { pool } = /** @type {typeof processes[0]} */ (processes[(turn + took.length) % count]);
        const id = connectorIds[took.length % connectorIds.length];
        const call = load();
        const headers = {
          ...json,
          authorization,
          ...(call.action === 'create' && { 'idempotency-key': randomBytes(12).toString('hex') }),
        };
        const started = performance.now();
        const path = `/api/v1/integrations/connectors/${id}/execute`;
        const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(call) });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(text);
        took.push(performance.now() - started);
      }
    };
    const all = (/** @type {number} */ ms) => {
      const end = performance.now() + ms;
      return Promise.all(Array.from({ length: atOnce }, () => run(end)));
    };
    await all(1500);
    took.length = 0;
    const before = cpu();
    const began = performance.now();
    await all(seconds * 1000);
    const elapsed = performance.now() - began;
    const after = cpu();
    const each = (/** @type {keyof typeof after} */ part) => ((after[part] - before[part]) / took.length).toFixed(2);
    const figures = [(took.length / elapsed) * 1000, quantile(took, 0.5), quantile(took, 0.99)].map((value) =>
      value.toFixed(0),
    );
    console.log(
      `| ${[name, count, ...figures, each('service'), each('database'), each('vendor'), each('load')].join(' | ')} |`,
    );
  }
  for (const { child, pool } of processes) {
    await pool.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
vendor.disconnect();
await Promise.all(backends.map(({ client }) => client.end()));
await database.stop();
