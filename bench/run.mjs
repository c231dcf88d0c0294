// Times one exchange through several clients, in turn, in one run: `npm run bench`, with `-- --write` for docs/benchmarks.md.
import { execFileSync, fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { LinearConnector } from 'agent-connectors/linear';
import { request } from 'undici';

const interop = new URL('../test/interop/', import.meta.url);
if (!existsSync(new URL('node_modules/@linear/sdk', interop))) {
  execFileSync('npm', ['ci', '--silent'], { cwd: interop, stdio: 'inherit' });
}
const fromInterop = createRequire(new URL('package.json', interop));
const { LinearClient } = fromInterop('@linear/sdk');

const server = fork(new URL('server.mjs', import.meta.url));
const { port, api_key } = await new Promise((resolve) => server.once('message', resolve));
const url = `http://127.0.0.1:${port}/graphql`;

/** @type {RequestInit} */
let sent = {};
const linear = new LinearConnector({ credentials: { api_key }, endpoints: `http://127.0.0.1:${port}` });
const watched = new LinearConnector({
  credentials: { api_key },
  endpoints: `http://127.0.0.1:${port}`,
  fetch: (input, init) => {
    sent = init ?? {};
    return fetch(input, init);
  },
});
const expected = (await watched.issues.list({ first: 50 })).data.length;
const { query, variables } = JSON.parse(String(sent.body));
const { method, headers, body } = /** @type {{ method: 'POST', headers: Record<string, string>, body: string }} */ (
  sent
);
const sdk = new LinearClient({ apiKey: api_key, apiUrl: url });

/** @type {Record<string, () => Promise<number>>} */
const clients = {
  'bare `fetch`': async () => (await (await fetch(url, { method, headers, body })).json()).data.issues.nodes.length,
  '`undici.request`': async () => {
    const reply = await request(url, { method, headers, body });
    return /** @type {any} */ (await reply.body.json()).data.issues.nodes.length;
  },
  '`@linear/sdk`, same document': async () => (await sdk.client.rawRequest(query, variables)).data.issues.nodes.length,
  '`@linear/sdk`, its own `issues()`': async () => (await sdk.issues({ first: 50 })).nodes.length,
  '`execute`': async () => (await linear.execute('issues', 'list', { first: 50 })).data.length,
};

/** @param {number[]} values @param {number} share */
const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

/**
 * Runs the clients in turn, so that a machine that slows down slows all of them.
 *
 * @param {number} rounds
 * @param {number} atOnce
 */
async function time(rounds, atOnce) {
  /** @type {Record<string, number[]>} */
  const times = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(clients)) {
      const started = performance.now();
      const counts = await Promise.all(Array.from({ length: atOnce }, call));
      const took = (performance.now() - started) / atOnce;
      if (counts.some((count) => count !== expected)) throw new Error(`${name} got another answer.`);
      // The first fifth warms up the engine.
      if (round >= rounds / 5) times[name] = [...(times[name] ?? []), took];
    }
  }
  return times;
}

/** @param {string} title @param {Record<string, number[]>} times */
function table(title, times) {
  const base = Object.values(times)[0] ?? [];
  const rows = Object.entries(times).map(([name, values]) => {
    const ratio = quantile(
      values.map((value, index) => value / (base[index] ?? Number.NaN)),
      0.5,
    );
    const spread = `${quantile(values, 0.25).toFixed(2)}–${quantile(values, 0.75).toFixed(2)}`;
    return `| ${name} | ${quantile(values, 0.5).toFixed(2)} | ${spread} | ${ratio.toFixed(2)} |`;
  });
  return [
    `### ${title}`,
    '',
    '| Client | Median, ms a call | Quartiles | × bare `fetch` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

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
    for (const name of ['zod', 'agent-connectors/linear', 'agent-connectors']) {
      times[name] = [...(times[name] ?? []), importing(name)];
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
  `undici ${version('../node_modules/undici/package.json')}`,
  `ky ${version('../node_modules/ky/package.json')}`,
  `zod ${version('../node_modules/zod/package.json')}`,
].join(', ');

const report = [
  '# Benchmarks',
  '',
  '<!-- Written by `npm run bench -- --write`. -->',
  '',
  `One exchange with a server on loopback: 50 issues, about ${Math.round(body.length / 100) / 10} kB out. The clients take turns in one run; the ratio is the median of the ratios of each round. ${versions}, ${cpus().length} cores.`,
  '',
  table('One call after the other', await time(2000, 1)),
  table('50 calls at once', await time(80, 50)),
  imports(15),
].join('\n');

server.disconnect();
console.log(report);
if (process.argv.includes('--write')) writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), report);
