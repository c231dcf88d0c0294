import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the worker that reads files; returns its URL and a function that removes it. */
export async function buildWorker(): Promise<{ worker: URL; remove(): void }> {
  // Inside the repository, so that unbundled modules are found.
  const folder = mkdtempSync(join(repository, 'node_modules', '.text-'));
  await build({
    config: false,
    entry: { 'text-worker': join(repository, 'service/src/data/text/worker.ts') },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: folder,
    splitting: true,
    skipNodeModulesBundle: true,
    silent: true,
    outExtension: () => ({ js: '.js' }),
    tsconfig: join(repository, 'tsconfig.json'),
  });
  return {
    worker: pathToFileURL(join(folder, 'text-worker.js')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
