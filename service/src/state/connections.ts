import type { PoolClient } from 'pg';
import type { Value } from './database.js';

/** What a statement found, and how many rows it changed. */
export interface Answer {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Carries out one statement whose values stand at `$1`, `$2` and so on, or several that take none. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Answer>;

/** Connections to Postgres. */
export interface Connections {
  /** The schema that the state has to itself, where statements look for their tables. */
  readonly schema: string;
  /** Whole numbers come as numbers, and bytes as a `Uint8Array`. */
  readonly query: Query;
  /** All of `work` or nothing of it, on a connection of its own. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Beside whatever else the database keeps. */
const schema = 'agent_connectors_state';

/** Few, since statements are short: what waits for a vendor holds none. */
const mostConnections = 8;
/** Milliseconds until a database that does not answer is an error. */
const patience = 10_000;
/** The type of whole numbers of eight bytes. */
const int8 = 20;
// A process that stops in the midst of a transaction must not hold up the others for long.
const session = `SET search_path TO ${schema}; SET idle_in_transaction_session_timeout TO '30s'`;

/** Connects to a database by its address, apart from what searches use: a slow one must not hold up a heartbeat. */
export async function connectTo(databaseUrl: string): Promise<Connections> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'agent-connectors-state',
    max: mostConnections,
    connectionTimeoutMillis: patience,
    // Without it a server that is gone for good would never be missed.
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => undefined);
  const prepared = new WeakSet<PoolClient>();
  const connected = async <T>(work: (query: Query, drop: (error: Error) => void) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    // The pool listens to idle connections alone, and one that breaks in use would end the process.
    const noted = (error: Error): void => {
      broken = error;
    };
    client.on('error', noted);
    try {
      if (!prepared.has(client)) {
        await client.query(session).catch((error: Error) => {
          noted(error);
          throw error;
        });
        prepared.add(client);
      }
      return await work(async (sql, values) => {
        const { rows, rowCount } = await client.query(sql, values as unknown[] | undefined);
        return { rows, changes: rowCount ?? 0 };
      }, noted);
    } finally {
      client.off('error', noted);
      client.release(broken);
    }
  };
  return {
    schema,
    query: (sql, values) => connected((query) => query(sql, values)),
    transaction: (work) =>
      connected(async (query, drop) => {
        await query('BEGIN ISOLATION LEVEL READ COMMITTED');
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
