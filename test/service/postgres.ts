import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';

const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
const { version } = JSON.parse(readFileSync(join(dirname(library), '../package.json'), 'utf8')) as { version: string };
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const path = join(cache, `pglite-${version}.tar`);

/**
 * Starts an empty in-process Postgres from a copy of the files that the first start created, since creating them takes seconds.
 */
export async function startPostgres(options: PGliteOptions = {}): Promise<PGlite> {
  return PGlite.create({ ...options, loadDataDir: await files() });
}

async function files(): Promise<Blob> {
  try {
    return new Blob([readFileSync(path)]);
  } catch {
    const first = await PGlite.create();
    const made = await first.dumpDataDir('none');
    await first.close();
    mkdirSync(cache, { recursive: true });
    // Renamed atomically, since another process may be reading the path.
    const partial = `${path}.${process.pid}`;
    writeFileSync(partial, new Uint8Array(await made.arrayBuffer()));
    renameSync(partial, path);
    return made;
  }
}
