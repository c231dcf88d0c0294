import { hasDatabase } from '../folder.js';
import { acrossOrganizations, type Database } from './database.js';
import { openSqlite } from './sqlite.js';

/** Where the state is kept. */
export interface StateLocation {
  /** The data folder, or `:memory:` for a state that ends with the process. */
  readonly folder: string;
  /** A database of Postgres in place of the folder. */
  readonly databaseUrl?: string | undefined;
}

/** Opens the database of a place; one in a folder tells the time by `now`, and one in Postgres by itself without. */
export async function openDatabase({ folder, databaseUrl }: StateLocation, now?: () => number): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(folder, now);
  // Loaded only where it is used.
  const { connectTo } = await import('./connections.js');
  const { openPostgres } = await import('./postgres.js');
  try {
    return await openPostgres(await connectTo(databaseUrl), now);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Without the address, which may hold a password.
    const safeMessage = message.replaceAll(databaseUrl, 'the database');
    throw new Error(`The database in DATABASE_URL cannot be opened: ${safeMessage}`, { cause: error });
  }
}

/** Refuses a place that has no state yet: a mistyped folder would become one more database. */
export function requireState({ folder, databaseUrl }: StateLocation): void {
  if (databaseUrl !== undefined || hasDatabase(folder)) return;
  throw new Error(`There is no database in ${folder}: pass its folder with --data.`);
}

/** Whether there is anything in the state: an organisation is the first thing that it gets. */
export const hasOrganizations = async ({ query }: Database): Promise<boolean> =>
  (await acrossOrganizations(() => query.selectFrom('organizations').select('id').limit(1).executeTakeFirst())) !==
  undefined;

/** Refuses to begin anew in Postgres beside a data folder that has a state already. */
export async function rejectAbandonedState(database: Database, { folder, databaseUrl }: StateLocation): Promise<void> {
  if (databaseUrl === undefined || !hasDatabase(folder)) return;
  if (await hasOrganizations(database)) return;
  throw new Error(
    `DATABASE_URL is set, but that database is empty and ${folder} has a state.db. ` +
      'To keep that state, stop every service that uses it and run agent-connectors-service move-state; ' +
      'to start over, move state.db away.',
  );
}
