// CPU time of searches over HTTP, next to an older build:
//   node bench/searches.mjs --old <folder of an older checkout, built> [--records 1000] [--words 330]
//     [--loads page1000,semantic] [--rounds 7] [--calls 60] [--at-once 8] [--profile <file>]
// Every issue's description has this many words, or 40 to 160 with `--words 0`. `--profile` writes profiles of the new
// build's main thread. Servers take turns, each in its own
// process; a ratio is the median over rounds of new ÷ old. CPU is that of the server process with its threads.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { quantile, range, ratioRange } from './measure.mjs';
import { issue, oneOf, people, randomBelow, states, teams, vocabulary } from './store-records.mjs';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    records: { type: 'string', default: '1000' },
    words: { type: 'string', default: '330' },
    loads: { type: 'string', default: 'page1000,semantic,semanticNew,filterSort' },
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '8' },
    profile: { type: 'string' },
  },
});
const [rounds, calls, atOnce, records, words] = ['rounds', 'calls', 'at-once', 'records', 'words'].map((name) =>
  Number(options[name]),
);
const root = fileURLToPath(new URL('..', import.meta.url));
const roots = { new: root, ...(options.old && { old: options.old }) };
const folder = mkdtempSync(join(tmpdir(), 'searches-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const frequent = (count) =>
  Array.from({ length: count }, () => vocabulary[Math.floor(2000 ** Math.random())]).join(' ');
const query = (filter, sort, limit) => ({ query: { ...(filter && { filter }), ...(sort && { sort }) }, limit });
const newest = [{ updatedAt: 'desc' }];

/** The parameters of each search; every one has others unless its name says so. */
const loads = {
  page1000: () => query(undefined, undefined, 1000),
  sorted1000: () => query(undefined, newest, 1000),
  page10: () => query(undefined, newest, 10),
  semantic: () => ({ semantic: { prompt: 'login error export' }, limit: 10 }),
  semanticNew: () => ({ semantic: { prompt: frequent(3) }, limit: 10 }),
  lexical: () => ({ semantic: { prompt: frequent(3), mode: 'lexical' }, limit: 10 }),
  dense: () => ({ semantic: { prompt: frequent(3), mode: 'dense' }, limit: 10 }),
  filterSort: () => query({ lte: { priority: 2 } }, newest, 10),
  stateSort: () => query({ eq: { stateId: oneOf(states).id } }, newest, 10),
  assigneeSort: () => query({ eq: { assigneeId: oneOf(people) } }, newest, 10),
  teamAndStateSort: () => query({ eq: { teamId: oneOf(teams), stateId: oneOf(states).id } }, newest, 10),
  nullSort: () => query({ eq: { assigneeId: null } }, [{ createdAt: 'asc' }], 10),
  rangeSort: () =>
    query({ gte: { createdAt: new Date(Date.UTC(2023, randomBelow(36), 1)).toISOString() } }, newest, 10),
};

async function start(build) {
  const setup = { root: roots[build], dataFolder: join(folder, build), records, words };
  const child = fork(new URL('searches-server.mjs', import.meta.url), [JSON.stringify(setup)]);
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`The ${build} server has exited.`)));
  exited.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), exited]);
  const server = { child, ...message, pool: new Pool(`http://127.0.0.1:${message.port}`, { connections: 64 }) };
  for (;;) {
    const { context_store_readiness: readiness } = await tell(server, 'inspect');
    const issues = readiness.entities.find(({ entity }) => entity === 'issues');
    if (issues.semantic.every(({ status }) => !/updating|INDEXING/i.test(status))) break;
    await wait(300);
  }
  const bytes = readdirSync(setup.dataFolder)
    .filter((name) => name.startsWith('records.db'))
    .reduce((sum, name) => sum + statSync(join(setup.dataFolder, name)).size, 0);
  console.error(`${build}: ${records} records, ${(bytes / 1e6).toFixed(1)} MB`);
  return server;
}

async function tell({ child }, name) {
  child.send(name);
  const [reply] = await once(child, 'message');
  return reply;
}

async function search({ pool, id, token }, params) {
  const answer = await pool.request({
    method: 'POST',
    path: `/api/v1/integrations/connectors/${id}/execute`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ entity: 'issues', action: 'context_store_search', params }),
  });
  if (answer.statusCode !== 200) throw new Error(await answer.body.text());
  return Buffer.from(await answer.body.arrayBuffer());
}

/** Latencies of some searches in ms. */
async function burst(server, load, count) {
  const took = [];
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      await search(server, load());
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return took;
}

// The same generator made the records of the servers.
for (let number = 1; number <= 100; number++) issue(number);
const servers = {};
for (const build of Object.keys(roots)) servers[build] = await start(build);

for (const name of options.loads.split(',')) {
  const load = loads[name];
  const measured = Object.fromEntries(Object.keys(servers).map((build) => [build, []]));
  const size = (await search(servers.new, load())).length;
  for (const server of Object.values(servers)) await burst(server, load, calls);
  if (options.profile) {
    await tell(servers.new, 'profile');
    await burst(servers.new, load, 4 * calls);
    writeFileSync(`${options.profile}.${name}.cpuprofile`, JSON.stringify(await tell(servers.new, 'profiled')));
  }
  for (let round = 0; round < rounds; round++) {
    for (const [build, server] of Object.entries(servers)) {
      await wait(100);
      const before = await tell(server, 'usage');
      const took = await burst(server, load, calls);
      // Deferred audit entries are part of the cost.
      await wait(80);
      const after = await tell(server, 'usage');
      measured[build].push({
        cpu: (after.cpuMs - before.cpuMs) / calls,
        p50: quantile(took, 0.5),
        p99: quantile(took, 0.99),
      });
    }
  }
  console.log(`\n### ${name}, ${records} records, ${size} bytes, ${atOnce} at once, ${rounds} rounds of ${calls}\n`);
  console.log('| Build | CPU, ms a search | CPU ÷ old | p50, ms | p50 ÷ old | p99, ms |\n|---|--:|--:|--:|--:|--:|');
  for (const [build, values] of Object.entries(measured)) {
    const of = (pick) => values.map(pick);
    const ratio = (pick) => ratioRange(values, measured.old, pick);
    const p50 = ({ p50: value }) => value;
    const cells = [
      build,
      range(
        of(({ cpu }) => cpu),
        2,
      ),
      ratio(({ cpu }) => cpu),
      range(of(p50), 1),
      ratio(p50),
      quantile(
        of(({ p99 }) => p99),
        0.5,
      ).toFixed(1),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
for (const { pool, child } of Object.values(servers)) {
  await pool.close();
  child.disconnect();
}
