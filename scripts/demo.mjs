/** Runs the demo from the sources; `--all` runs the tour of everything in `examples/demo.mjs`. */
import { importFromSources } from './from-sources.mjs';

await importFromSources(process.argv.includes('--all') ? 'examples/demo.mjs' : 'sandbox/src/demo/index.ts');
