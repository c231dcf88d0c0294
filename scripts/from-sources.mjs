import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './run.mjs';
import { textFiles } from './text-files.mjs';

/** Next to the service's `dist`, because the service finds its embedding table relative to that folder. */
const outdir = `${root}service/dist-demo`;

/** Bundles a program that uses the packages from their sources, which takes no build, and imports it. */
export async function importFromSources(program) {
  await build({
    absWorkingDir: root,
    entryPoints: {
      demo: program,
      'store-worker': 'service/src/data/records/drivers/sqlite/worker.ts',
      'text-worker': 'service/src/data/text/worker.ts',
    },
    outdir,
    tsconfig: 'tsconfig.json',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // `imports` in package.json leads to the built file.
    alias: { '#default-fetch': './src/node/default-fetch.ts' },
    loader: textFiles,
    logLevel: 'error',
  });
  return import(pathToFileURL(`${outdir}/demo.js`).href);
}
