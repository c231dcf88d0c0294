/** Bundles the demo from the sources and runs it; `--all` runs the tour of everything in `examples/demo.mjs`. */
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './run.mjs';

/** Next to the service's `dist`, because the service finds its embedding table relative to that folder. */
const outdir = `${root}service/dist-demo`;

await build({
  absWorkingDir: root,
  entryPoints: {
    demo: process.argv.includes('--all') ? 'examples/demo.mjs' : 'sandbox/src/demo/index.ts',
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
  loader: { '.md': 'text', '.worker.js': 'text' },
  logLevel: 'error',
});

await import(pathToFileURL(`${outdir}/demo.js`).href);
