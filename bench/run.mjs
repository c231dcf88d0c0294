// Measures user-visible latency with several clients in turn: `npm run bench`. `-- --only linear,pages` runs only those
// sections; `-- --write` writes their results to docs/benchmarks.md and keeps all other sections and notes. Store
// sections also measure the Postgres database given by `--postgres`; `million` and `console` run only if listed in
// `--only`.
import { execFileSync, fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { analyticsTables } from './analytics.mjs';
import { driveTables } from './drive.mjs';
import { linearTables } from './linear.mjs';
import { pageTables } from './pages.mjs';
import { readingTables } from './reading.mjs';
import { sizeTable } from './sizes.mjs';
import { downloadTable, uploadTable } from './transfers.mjs';
import { typeTable } from './types.mjs';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean' }, postgres: { type: 'string' } },
});

const interop = new URL('../test/interop/', import.meta.url);
if (!existsSync(new URL('node_modules/@googleapis/drive', interop))) {
  execFileSync('npm', ['ci', '--silent'], { cwd: interop, stdio: 'inherit' });
}
const fromInterop = createRequire(new URL('package.json', interop));

/** @param {string} path */
const version = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
const versions = [
  `Node ${process.version.slice(1)}`,
  ...['@linear/sdk', '@googleapis/drive', '@googleapis/analyticsdata'].map(
    (name) => `${name} ${version(`../test/interop/node_modules/${name}/package.json`)}`,
  ),
  ...['undici', 'ky', 'zod', 'typescript'].map((name) => `${name} ${version(`../node_modules/${name}/package.json`)}`),
].join(', ');

const server = fork(new URL('server.mjs', import.meta.url));
const vendor = await new Promise((resolve) => server.once('message', resolve));
const origin = `http://127.0.0.1:${vendor.port}`;

/** Runs a script in this folder and returns its output. @param {string} script @param {string[]} words */
const outputOf = (script, ...words) =>
  execFileSync(process.execPath, [new URL(script, import.meta.url).pathname, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString();

/** The store's results with this many records. @param {number} records */
const storeTable = (records) =>
  outputOf('store.mjs', '--records', `${records}`, ...(options.postgres ? ['--postgres', options.postgres] : []));

/** @type {Record<string, () => Promise<string | string[]> | string | string[]>} */
const sections = {
  linear: () => linearTables(`${origin}/linear`, vendor.api_key, fromInterop('@linear/sdk')),
  drive: () => driveTables(`${origin}/google-drive`, vendor.access_token, fromInterop('@googleapis/drive')),
  analytics: () => analyticsTables(origin, vendor, fromInterop('@googleapis/analyticsdata')),
  pages: () => pageTables(origin, vendor.api_key, fromInterop('@linear/sdk')),
  downloads: () => downloadTable(origin, 5),
  uploads: () => uploadTable(origin, 5),
  sizes: () => sizeTable(15),
  types: () => typeTable(5),
  reading: () => readingTables(),
  code: () => outputOf('code-mode.mjs'),
  service: () => outputOf('service.mjs', '600'),
  store: () => [storeTable(10_000), storeTable(100_000)],
  meaning: () => outputOf('semantic-search.mjs'),
  million: () => storeTable(1_000_000),
  console: () => outputOf('console.mjs'),
};
/** The first takes an hour, and the second needs Chromium. */
const onlyByName = ['million', 'console'];

const page = new URL('../docs/benchmarks.md', import.meta.url);
const previousPage = existsSync(page) ? readFileSync(page, 'utf8') : '';
/** A section's current content on the page. @param {string} name */
const previousSection = (name) =>
  new RegExp(`<!-- section: ${name} -->\\n([\\s\\S]*?)(?=<!-- section: |$)`).exec(previousPage)?.[1] ?? '';

const chosen = options.only?.split(',') ?? Object.keys(sections).filter((name) => !onlyByName.includes(name));
const unknown = chosen.filter((name) => !(name in sections));
if (unknown.length > 0)
  throw new Error(`No section ${unknown.join(', ')}; available sections: ${Object.keys(sections).join(', ')}.`);

const report = [
  '# Benchmarks',
  '',
  '<!-- Written by `npm run bench -- --write`. -->',
  '',
  `Clients were measured against a loopback server with canned responses. They took turns within each run, and each ratio is the median over all rounds. ${versions}, ${cpus().length} cores.`,
  '',
];
for (const [name, section] of Object.entries(sections)) {
  const notes = /<!-- notes -->[\s\S]*/.exec(previousSection(name))?.[0] ?? '';
  const text = chosen.includes(name) ? [await section(), notes].flat().join('\n') : previousSection(name);
  if (chosen.includes(name)) console.log(text);
  if (text) report.push(`<!-- section: ${name} -->`, text.trim(), '');
}
server.disconnect();
if (options.write) writeFileSync(page, report.join('\n'));
