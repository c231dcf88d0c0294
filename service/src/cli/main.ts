import { run } from './run.js';
import { processTerminal } from './terminal.js';

const code = await run(process.argv.slice(2), processTerminal());
// Not left to the event loop: what a broken-off request still waits for would keep the process.
process.stdout.write('', () => process.exit(code));
