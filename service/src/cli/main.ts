import { run } from './run.js';
import { processTerminal } from './terminal.js';

const code = await run(process.argv.slice(2), processTerminal());
// Exits explicitly: pending work of an aborted request would keep the process alive.
process.stdout.write('', () => process.exit(code));
