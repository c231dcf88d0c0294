// Runs a service under load and faults, then checks the outcome of every write: `npm run soak -- --minutes 30 --seed 1`.
// With `--postgres`, the service uses a temporary Postgres server; with `--citus postgres://…`, the cluster with this
// coordinator, whose URL must name a superuser.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openCluster, startDatabase } from '../database.mjs';
import { App } from './app.mjs';
import { injectFaults, randomOf } from './chaos.mjs';
import { Intruder } from './intruder.mjs';
import { Load } from './load.mjs';
import { Operator } from './operator.mjs';
import { dataFolder, Service, startVendors } from './programs.mjs';
import { startReceiver } from './receiver.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
    citus: { type: 'string' },
    log: { type: 'string' },
  },
});
const minutes = Number(options.minutes);
const seed = Number(options.seed);
const started = Date.now();
const until = started + minutes * 60_000;
// In the second half, the process is not killed, so that its memory can be observed.
const killUntil = started + minutes * 30_000;

process.on('unhandledRejection', (error) => {
  console.error(error);
  process.exit(1);
});

// The write-ahead log of the records takes up to 128 MiB, and the data grows by some 6 MiB per minute.
const disk = dataFolder(256 + Math.ceil(10 * minutes));
const database = options.citus
  ? await openCluster(options.citus, 'soak')
  : options.postgres
    ? await startDatabase('soak')
    : undefined;
const { vendors, steer, stop } = await startVendors(seed);
const service = new Service({
  folder: disk.folder,
  endpoints: Object.fromEntries(Object.entries(vendors).map(([name, { url }]) => [name, url])),
  databaseUrl: database?.url,
  log: options.log,
});
if (!(await service.start())) throw new Error('The service did not start.');
if (options.citus) console.error(await service.command('migrate', '--distribute'));

const report = { outcomes: {}, violations: [] };
const load = new Load(service, randomOf(seed + 7), report);
await steer('PUT', '/limits', {
  linear: { requestsPerHour: 10_000_000, complexityPerHour: 1_000_000_000_000 },
  granola: { requestsPerFiveSeconds: 500, requestsPerMinute: 5000 },
  gong: { requestsPerSecond: 100, requestsPerDay: 10_000_000 },
});
await load.prepare(vendors);
const receiver = await startReceiver(randomOf(seed + 8), report.violations);
const { connectors } = load;
const operator = new Operator(service, randomOf(seed + 9), report, { vendors, connectors, receiver });
await operator.prepare();
await service.json('create-organization', '--name', 'Intruder');
const intruder = new Intruder(
  service,
  randomOf(seed + 10),
  report,
  await service.createClient('intruder', 'Intruder'),
  {
    connectors: Object.values(connectors),
    keys: () => load.writes.keys(),
  },
);
const app = new App(service, randomOf(seed + 11), report);

const counts = {};
const pace = Math.min(1, minutes / 10);
const trouble = injectFaults({ steer, service, disk, database }, { seed, until, killUntil, pace }, counts);
/** MiB, sampled once per second in the second half. */
const memory = [];
const watch = setInterval(() => {
  const used = service.memory();
  if (used && Date.now() > killUntil + minutes * 3000) memory.push(used);
}, 1000);
const progressTimer = setInterval(() => {
  const passed = ((Date.now() - started) / 60_000).toFixed(1);
  const memoryText = service.memory()?.toFixed(0) ?? '–';
  const words = `${load.writes.size} writes, ${report.violations.length} violations, ${memoryText} MiB`;
  console.error(`${passed} min: ${words}${report.violations.map((one) => `\n  ${one}`).join('')}`);
}, 30_000);
await Promise.all([
  trouble,
  ...Array.from({ length: 6 }, () => load.work(until)),
  operator.work(until, pace),
  intruder.work(until),
  app.work(until),
]);
clearInterval(watch);
clearInterval(progressTimer);

// After the faults, every completed write is sent again and must get the same response.
await steer('DELETE', '/faults');
await wait(1000);
const replays = [...load.writes.values()];
for (let at = 0; at < replays.length; at += 8)
  await Promise.all(replays.slice(at, at + 8).map((write) => load.write(write)));

await operator.finish();
receiver.close();

/** Number of occurrences of each title or name in the vendors' data. */
const occurrences = new Map();
for (const [, name] of (await steer('GET', '/dump')).matchAll(/"(?:title|name)":"([^"]*)"/g)) {
  occurrences.set(name, (occurrences.get(name) ?? 0) + 1);
}
const violations = [...report.violations];
const tally = { 'done, once': 0, 'unknown, done': 0, 'unknown, not done': 0, 'refused, not done': 0 };
for (const { mark, acknowledged, refusal } of load.writes.values()) {
  const times = occurrences.get(mark) ?? 0;
  if (times > 1) violations.push(`${mark} was executed ${times} times`);
  if (acknowledged && times !== 1) violations.push(`${mark} was acknowledged and is present ${times} times`);
  if (acknowledged) tally['done, once']++;
  else if (/unknown|conflict/.test(refusal)) tally[times ? 'unknown, done' : 'unknown, not done']++;
  else if (times > 0) violations.push(`${mark} was refused as ${refusal} but is present`);
  else tally['refused, not done']++;
}
for (const name of occurrences.keys())
  if (name === 'mine' || name.startsWith('denied-')) violations.push(`${name} was written`);
const quarter = Math.max(1, Math.floor(memory.length / 4));
const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const [early, late] = [median(memory.slice(0, quarter)), median(memory.slice(-quarter))];
// SQLite caches up to 128 MiB of pages for each of four connections as its files grow.
const caches = database ? 0 : 512;
if (minutes >= 10 && late > early * 1.3 + 30 + caches) violations.push(`memory grew from ${early} to ${late} MiB`);
const end = await service.stop();
if (end.code !== 0 || end.seconds > 12) violations.push(`stopped with ${end.code} after ${end.seconds.toFixed(1)} s`);
await service.command('verify-audit').catch((error) => violations.push(`verify-audit: ${error}`));
violations.push(...service.crashes.map((crash) => `ended by itself: ${crash}`), ...service.unexplainedLogLines);
await stop();
await database?.stop();

const rows = (title, record) => [
  `| ${title} | How often |`,
  '|---|---|',
  ...Object.entries(record)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => `| ${what} | ${times.toLocaleString('en')} |`),
  '',
];
console.log(
  [
    `${minutes} minutes, seed ${seed}, ${options.citus ? 'Citus' : options.postgres ? 'Postgres' : 'SQLite'}; service memory ${early.toFixed(0)} MiB at the start, ${late.toFixed(0)} MiB at the end; disk ${disk.small ? 'small' : 'not limited'}.`,
    '',
    ...rows('Trouble', counts),
    ...rows('Answer', report.outcomes),
    ...rows('Write', tally),
    ...(violations.length > 0 ? ['Violations:', ...new Set(violations)].slice(0, 50) : ['No violations.']),
  ].join('\n'),
);
process.exit(violations.length > 0 ? 1 : 0);
