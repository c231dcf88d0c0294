import { moveState, putAside } from '../data/state/move.js';
import { placeOf } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Moves the state of a data folder into the database that DATABASE_URL names. */
export async function moveIntoPostgres({ options, json }: Arguments, terminal: Terminal): Promise<void> {
  const place = placeOf(options);
  const rows = await moveState(place, options.now);
  const aside = putAside(place.folder);
  const said = `${rows} rows are in Postgres now; what they were copied from is ${aside}. The key stays the same.`;
  terminal.out(json ? `${JSON.stringify({ rows, aside })}\n` : `${said}\n`);
}
