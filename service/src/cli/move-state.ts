import { moveAside, moveState } from '../data/state/move.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Moves the state from a data folder into the database in DATABASE_URL. */
export async function moveIntoPostgres({ options, json }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  const rows = await moveState(location, options.now);
  const movedPath = moveAside(location.folder);
  const message = `${rows} rows moved to Postgres. The original is now ${movedPath}. The key is unchanged.`;
  terminal.out(json ? `${JSON.stringify({ rows, aside: movedPath })}\n` : `${message}\n`);
}
