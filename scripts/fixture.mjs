/**
 * Writes this release's fixture: `node scripts/fixture.mjs`. See test/fixtures/README.md. Requires Postgres, like
 * `scripts/postgres.mjs`, and pg_dump.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { build } from 'tsup';
import { root, run } from './run.mjs';
import { textFiles } from './text-files.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'service/package.json'), 'utf8'));
const target = join(root, 'test/fixtures', version.split('.').slice(0, 2).join('.'));
if (existsSync(target)) throw new Error(`${target} already exists; fixtures are never overwritten.`);
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/fixture-'));

/** Builds the generator inside the repository, so that unbundled packages are found. */
async function buildGenerator() {
  // The service reads its version from the folder above its code.
  mkdirSync(join(folder, 'built'));
  copyFileSync(join(root, 'service/package.json'), join(folder, 'built/package.json'));
  const entry = {
    generate: join(root, 'test/service/upgrade/generate.ts'),
    'store-worker': join(root, 'service/src/data/records/drivers/sqlite/worker.ts'),
    'text-worker': join(root, 'service/src/data/text/worker.ts'),
  };
  await build({
    entry,
    outDir: join(folder, 'built/dist'),
    format: 'esm',
    target: 'es2023',
    config: false,
    silent: true,
    clean: false,
    skipNodeModulesBundle: true,
    loader: textFiles,
    tsconfig: join(root, 'tsconfig.json'),
    noExternal: [/^agent-connectors/],
  });
}

async function generate(name, ...more) {
  const [data, facts] = [join(folder, name), join(folder, `${name}.json`)];
  const { ok, output } = await run([process.execPath, join(folder, 'built/dist/generate.js'), data, facts, ...more], {
    minutes: 10,
  });
  if (!ok) throw new Error(output);
  mkdirSync(join(target, name), { recursive: true });
  copyFileSync(facts, join(target, name, 'facts.json'));
  return data;
}

const writeGzip = (name, bytes) => writeFileSync(join(target, `${name}.gz`), gzipSync(bytes, { level: 9 }));

async function fromSqlite() {
  const data = await generate('sqlite');
  for (const name of readdirSync(data)) {
    if (!/^(state\.db|records\.db|key)$/.test(name)) throw new Error(`The folder still contains ${name}.`);
    if (name !== 'key') writeGzip(`sqlite/${name}`, readFileSync(join(data, name)));
  }
  copyFileSync(join(data, 'key'), join(target, 'sqlite/key'));
}

async function fromPostgres() {
  const server = spawn(process.execPath, [join(root, 'scripts/postgres.mjs'), '--plain'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    const [url] = await once(createInterface(server.stdout), 'line');
    await generate('postgres', url);
    const args = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--no-comments', url];
    const dump = execFileSync('pg_dump', args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
    // Commands that only psql understands.
    writeGzip('postgres/dump.sql', dump.replace(/^\\(un)?restrict .*\n/gm, ''));
  } finally {
    server.stdin.end();
    await ended;
  }
}

try {
  await buildGenerator();
  await fromSqlite();
  await fromPostgres();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
