import { openPool, withConnection } from '../postgres-pool.js';
import { type Access, accessSettings, type Value } from './database.js';

/** What a statement found, and how many rows it changed. */
export interface QueryResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Carries out one statement whose values stand at `$1`, `$2` and so on, or several that take none. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<QueryResult>;

/** Connections to Postgres. */
export interface Connections {
  /** The schema that the state has to itself, where statements look for their tables. */
  readonly schema: string;
  /** One statement that sees and changes what `access` allows. Whole numbers come as numbers, and bytes as a `Uint8Array`. */
  query(access: Access, sql: string, values?: readonly Value[]): Promise<QueryResult>;
  /** All of `work` or nothing of it, on a connection of its own; what it may see and change can be set anew at any time. */
  transaction<T>(access: Access, work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Beside whatever else the database keeps. */
const schema = 'agent_connectors_state';

/** Few, since statements are short: what waits for a vendor holds none. */
const maxConnections = 8;
/** Milliseconds until a database that does not answer is an error. */
const connectTimeoutMs = 10_000;
/** The type of whole numbers of eight bytes. */
const int8Oid = 20;
/** Settings end with the transaction: behind a pooler the next may be another process's. */
const begin = (access: Access): string => `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${accessSettings(access)},
  set_config('search_path', '${schema}', true), set_config('idle_in_transaction_session_timeout', '30s', true)`;

/** Connects to a database by its address, apart from what searches use: a slow one must not hold up a heartbeat. */
export async function connectTo(databaseUrl: string): Promise<Connections> {
  const { types } = (await import('pg')).default;
  const pool = await openPool(databaseUrl, {
    application_name: 'agent-connectors-state',
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    // A statement goes out together with the beginning and the end of its transaction.
    pipeline: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
    },
  });
  const withClient = <T>(work: (query: Query, drop: (error: Error) => void) => Promise<T>): Promise<T> =>
    withConnection(pool, (client, drop) =>
      work(async (sql, values) => {
        const { rows, rowCount } = await client.query(sql, values as unknown[] | undefined);
        return { rows, changes: rowCount ?? 0 };
      }, drop),
    );
  return {
    schema,
    query: (access, sql, values) =>
      withClient(async (query) => {
        // A statement that fails turns the commit into a rollback.
        const sent = [query(begin(access)), query(sql, values), query('COMMIT')] as const;
        await Promise.allSettled(sent);
        const [, result] = await Promise.all(sent);
        return result;
      }),
    transaction: (access, work) =>
      withClient(async (query, drop) => {
        await query(begin(access));
        try {
          const result = await work(query);
          await query('COMMIT');
          return result;
        } catch (error) {
          await query('ROLLBACK').catch(drop);
          throw error;
        }
      }),
    close: () => pool.end(),
  };
}
