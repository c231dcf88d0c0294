import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';
import { onTestFinished } from 'vitest';
import { textFiles } from '../../../scripts/text-files.mjs';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { openStore } from '../../../service/src/data/records/open.js';
import type { Store, StoreOptions } from '../../../service/src/data/records/types.js';
import { emptyPostgres } from './pglite.js';

/** Signs cursors in tests. */
const cursorKeys = (): [Uint8Array] => [new Uint8Array(32).fill(7)];

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A temporary folder, deleted after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let workerBuild: Promise<string> | undefined;

/** Builds the worker code and the crash-test program the same way as for a release. */
export function buildOnce(): Promise<string> {
  workerBuild ??= buildAll();
  return workerBuild;
}

/** Removes the build output. */
export async function removeBuilt(): Promise<void> {
  if (workerBuild) rmSync(await workerBuild, { recursive: true, force: true });
  workerBuild = undefined;
}

async function buildAll(): Promise<string> {
  // Inside the repository, so that unbundled modules are found.
  const folder = mkdtempSync(join(repository, 'node_modules', '.store-'));
  await build({
    config: false,
    entry: {
      'store-worker': join(repository, 'service/src/data/records/drivers/sqlite/worker.ts'),
      program: join(repository, 'test/service/store/program.ts'),
      'objects-program': join(repository, 'test/service/store/objects-program.ts'),
    },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: folder,
    splitting: true,
    loader: textFiles,
    silent: true,
    outExtension: () => ({ js: '.js' }),
    tsconfig: join(repository, 'tsconfig.json'),
  });
  return folder;
}

/** URL of the worker code. */
export const workerCode = async (): Promise<URL> => pathToFileURL(join(await buildOnce(), 'store-worker.js'));

/** A store that is closed after the test. */
export async function newStore(options: Omit<StoreOptions, 'cursorKeys'>): Promise<Store> {
  const store = await openStore({ cursorKeys, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Every kind of store database, opened empty. */
export const kinds: ReadonlyArray<
  readonly [name: string, open: (entities: readonly StoredEntity[]) => Promise<Store>]
> = [
  ['SQLite', (entities) => newStore({ folder: ':memory:', entities })],
  ['Postgres', async (entities) => newStore({ pool: await emptyPostgres(), entities })],
];

/** An entity with a field of every type. */
export const tasks: StoredEntity = {
  type: 'sample',
  entity: 'tasks',
  fields: {
    id: 'string',
    title: 'string',
    notes: 'string',
    createdAt: 'string',
    ownerId: 'string',
    priority: 'number',
    views: 'integer',
    done: 'boolean',
    state: 'object',
    labels: 'array',
  },
  dateTimes: ['createdAt'],
  key: ['id'],
};

/** The collection that most tests use. */
export const collection = { connectorId: 'con_1', type: 'sample', entity: 'tasks' };

/** Ids found by a search, across all its pages. */
export async function searchIds(store: Store, params: object, of = collection): Promise<unknown[]> {
  const ids: unknown[] = [];
  let cursor: string | null = null;
  do {
    const { data, meta }: Awaited<ReturnType<Store['search']>> = await store.search({
      ...of,
      params: cursor === null ? params : { ...params, cursor },
    });
    ids.push(...data.map(({ id }) => id));
    cursor = meta.cursor;
  } while (cursor !== null);
  return ids;
}
