import { moveAside, moveState } from '../data/state/move.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Moves the state of a data folder into the database that DATABASE_URL names. */
export async function moveIntoPostgres({ options, json }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  const rows = await moveState(location, options.now);
  const movedPath = moveAside(location.folder);
  const message = `${rows} rows are in Postgres now; what they were copied from is ${movedPath}. The key stays the same.`;
  terminal.out(json ? `${JSON.stringify({ rows, aside: movedPath })}\n` : `${message}\n`);
}
