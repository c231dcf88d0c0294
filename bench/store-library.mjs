import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const repository = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the store, which the service does not export, and deletes the build when the process exits.
 *
 * @param {string} [root] folder of a checkout
 */
export async function library(root = repository) {
  const folder = mkdtempSync(join(root, 'node_modules', '.bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    config: false,
    entry: {
      index: join(root, 'service/src/data/records/index.ts'),
      'store-worker': join(root, 'service/src/data/records/drivers/sqlite/worker.ts'),
    },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: folder,
    silent: true,
    external: ['agent-connectors', 'pg'],
    outExtension: () => ({ js: '.js' }),
  });
  return import(pathToFileURL(join(folder, 'index.js')).href);
}
