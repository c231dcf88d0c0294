import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the code of the process that reads files; gives its address, and what removes it again. */
export async function buildWorker(): Promise<{ worker: URL; remove(): void }> {
  // Below the repository, so that what is not bundled is found.
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
