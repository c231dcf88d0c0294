import { hasDatabase } from '../folder.js';
import { acrossOrganizations, type Database } from './database.js';
import { openSqlite } from './sqlite.js';

/** Where the state is stored. */
export interface StateLocation {
  /** The data folder, or `:memory:` for state that is lost when the process ends. */
  readonly folder: string;
  /** A Postgres database to use instead of the folder. */
  readonly databaseUrl?: string | undefined;
}

/** Opens the database at a location. `now` overrides the clock; by default, Postgres uses its own. */
export async function openDatabase({ folder, databaseUrl }: StateLocation, now?: () => number): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(folder, now);
  // Loaded on demand.
  const { connectTo } = await import('./connections.js');
  const { openPostgres } = await import('./postgres.js');
  try {
    return await openPostgres(await connectTo(databaseUrl), now);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Omit the URL, which may contain a password.
    const safeMessage = message.replaceAll(databaseUrl, 'the database');
    throw new Error(`The database in DATABASE_URL cannot be opened: ${safeMessage}`, { cause: error });
  }
}

/** Rejects a location that contains no state; otherwise, a mistyped folder would silently create a new database. */
export function requireState({ folder, databaseUrl }: StateLocation): void {
  if (databaseUrl !== undefined || hasDatabase(folder)) return;
  throw new Error(`There is no database in ${folder}: pass the correct folder with --data.`);
}

/** Whether the state is in use. An organization is always created first. */
export const hasOrganizations = async ({ query }: Database): Promise<boolean> =>
  (await acrossOrganizations(() => query.selectFrom('organizations').select('id').limit(1).executeTakeFirst())) !==
  undefined;

/** Rejects an empty Postgres database if the data folder still contains state. */
export async function rejectAbandonedState(database: Database, { folder, databaseUrl }: StateLocation): Promise<void> {
  if (databaseUrl === undefined || !hasDatabase(folder)) return;
  if (await hasOrganizations(database)) return;
  throw new Error(
    `DATABASE_URL is set, but that database is empty and ${folder} has a state.db. ` +
      'To keep that state, stop every service that uses it, then run agent-connectors-service move-state; ' +
      'to start over, move state.db elsewhere.',
  );
}
