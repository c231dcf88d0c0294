// Times one exchange through several clients, in turn, in one run: `npm run bench`, with `-- --write` for docs/benchmarks.md.
import { execFileSync, fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { downloadTable, driveTable } from './drive.mjs';
import { linearTables } from './linear.mjs';
import { quantile } from './measure.mjs';

const interop = new URL('../test/interop/', import.meta.url);
if (!existsSync(new URL('node_modules/@googleapis/drive', interop))) {
  execFileSync('npm', ['ci', '--silent'], { cwd: interop, stdio: 'inherit' });
}
const fromInterop = createRequire(new URL('package.json', interop));

/** Milliseconds to import a module in a fresh process. @param {string} name */
function importing(name) {
  const code = `const t = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - t);`;
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: new URL('..', import.meta.url) }),
  );
}

/** @param {number} rounds */
function imports(rounds) {
  /** @type {Record<string, number[]>} */
  const times = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of ['zod', 'agent-connectors', 'linear', 'granola', 'google-drive']) {
      const module = name === 'zod' || name === 'agent-connectors' ? name : `agent-connectors/${name}`;
      times[module] = [...(times[module] ?? []), importing(module)];
    }
  }
  const base = quantile(times.zod ?? [], 0.5);
  const rows = Object.entries(times).map(([name, values]) => {
    const median = quantile(values, 0.5);
    const spread = `${quantile(values, 0.25).toFixed(0)}–${quantile(values, 0.75).toFixed(0)}`;
    return `| \`${name}\` | ${median.toFixed(0)} | ${spread} | ${(median / base).toFixed(2)} |`;
  });
  return ['### Import', '', '| Module | Median, ms | Quartiles | × `zod` |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

/** @param {string} path */
const version = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
const versions = [
  `Node ${process.version.slice(1)}`,
  `@linear/sdk ${version('../test/interop/node_modules/@linear/sdk/package.json')}`,
  `@googleapis/drive ${version('../test/interop/node_modules/@googleapis/drive/package.json')}`,
  ...['undici', 'ky', 'zod'].map((name) => `${name} ${version(`../node_modules/${name}/package.json`)}`),
].join(', ');

const server = fork(new URL('server.mjs', import.meta.url));
const { port, api_key, access_token } = await new Promise((resolve) => server.once('message', resolve));
const base = `http://127.0.0.1:${port}`;

const report = [
  '# Benchmarks',
  '',
  '<!-- Written by `npm run bench -- --write`. -->',
  '',
  `Against a server on loopback that answers with replies made beforehand. The clients take turns in one run; a ratio is the median of the ratios of each round. ${versions}, ${cpus().length} cores.`,
  '',
  ...(await linearTables(`${base}/linear`, api_key, fromInterop('@linear/sdk'))),
  await driveTable(`${base}/google-drive`, access_token, fromInterop('@googleapis/drive')),
  downloadTable(`${base}/google-drive`, 5),
  imports(15),
].join('\n');

server.disconnect();
console.log(report);
if (process.argv.includes('--write')) writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), report);
