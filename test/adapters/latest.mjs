/**
 * Runs the adapters with the versions of frameworks that need a newer Node than this package: `npm run test:frameworks`,
 * after `npm run build`. Installs them and the packed packages in a temporary folder, runs the tests of this folder and
 * `latest-frameworks.mjs` there with Node 22, compiles `types.ts`, and compares docs/guides/agents.md with what ran.
 * `--write` writes its table.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const here = join(root, 'test/adapters');
const guide = join(root, 'docs/guides/agents.md');
const node = '22';
const dependencies = {
  ai: '7.0.173',
  openai: '7.59.0',
  '@openai/agents': '0.20.0',
  '@anthropic-ai/sdk': '1.14.0',
  '@langchain/core': '1.4.0',
  '@google/genai': '3.3.0',
  '@mastra/core': '1.71.0',
};
const files = ['ai-sdk.test.mjs', 'anthropic.test.mjs', 'langchain.test.mjs', 'openai.test.mjs', 'examples.test.mjs'];

const folder = mkdtempSync(join(tmpdir(), 'agent-connectors-frameworks-'));
try {
  const packed = run('npm', ['pack', '--silent', '--pack-destination', folder, '.', './sandbox'], root).trim();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const tarballs = packed.split('\n').map((name) => join(folder, name));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  run('npm', ['install', ...quiet, ...tarballs], folder);
  const tests = join(folder, 'tests');
  mkdirSync(tests);
  for (const name of [...files, 'setup.mjs', 'latest-frameworks.mjs', 'examples', 'types.ts', 'tsconfig.json']) {
    cpSync(join(here, name), join(tests, name), { recursive: true });
  }
  for (const name of ['typescript', '@types/node', 'undici-types']) {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const path = run('npx', ['--yes', '--package', `node@${node}`, 'node', '--print', 'process.execPath'], folder).trim();
  run(path, ['--test', '--test-reporter=dot', ...files, 'latest-frameworks.mjs'], tests);
  const settings = JSON.parse(readFileSync(join(tests, 'tsconfig.json'), 'utf8'));
  settings.compilerOptions.typeRoots = ['../node_modules/@types'];
  writeFileSync(join(tests, 'tsconfig.json'), JSON.stringify(settings));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], tests);
  checkTable();
  console.log(
    `ok   ${Object.entries(dependencies)
      .map((pair) => pair.join(' '))
      .join(', ')}; Node ${node}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 });
  if (status === 0) return stdout;
  console.log(stdout + stderr);
  throw new Error(`${command} ${args[0]} failed.`);
}

/** The guide's table: the versions that ran here, and those that `npm run test:adapters` runs on Node 20. */
function checkTable() {
  const { devDependencies: older } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const rows = Object.entries(dependencies).map(([name, version]) => {
    const { engines } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    const needs = engines?.node?.replace('>=', '').replace(/(\.0)+$/, '') ?? 'not declared';
    return `| \`${name}\` | ${version} | ${needs} | ${older[name] ?? '–'} |`;
  });
  const head = '| Package | Version, tested with Node 22 | Node that it requires | Version, tested with Node 20 |';
  const table = [head, '|---|---|---|---|', ...rows].join('\n');
  const text = readFileSync(guide, 'utf8');
  const expected = text.replace(
    /(<!-- frameworks -->\n)[\s\S]*?(\n<!-- \/frameworks -->)/,
    (_, before, after) => before + table + after,
  );
  if (text === expected) return;
  if (!process.argv.includes('--write')) throw new Error('docs/guides/agents.md lists others: run with --write.');
  writeFileSync(guide, expected);
}
