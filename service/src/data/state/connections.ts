import type { PoolClient } from 'pg';
import { openPool, withConnection } from '../postgres-pool.js';
import type { Value } from './database.js';

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
  /** Whole numbers come as numbers, and bytes as a `Uint8Array`. */
  readonly query: Query;
  /** All of `work` or nothing of it, on a connection of its own. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
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
// A process that stops in the midst of a transaction must not hold up the others for long.
const sessionSettings = `SET search_path TO ${schema}; SET idle_in_transaction_session_timeout TO '30s'`;

/** Connects to a database by its address, apart from what searches use: a slow one must not hold up a heartbeat. */
export async function connectTo(databaseUrl: string): Promise<Connections> {
  const { types } = (await import('pg')).default;
  const pool = await openPool(databaseUrl, {
    application_name: 'agent-connectors-state',
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
    },
  });
  const prepared = new WeakSet<PoolClient>();
  const withClient = <T>(work: (query: Query, drop: (error: Error) => void) => Promise<T>): Promise<T> =>
    withConnection(pool, async (client, drop) => {
      if (!prepared.has(client)) {
        await client.query(sessionSettings).catch((error: Error) => {
          drop(error);
          throw error;
        });
        prepared.add(client);
      }
      return work(async (sql, values) => {
        const { rows, rowCount } = await client.query(sql, values as unknown[] | undefined);
        return { rows, changes: rowCount ?? 0 };
      }, drop);
    });
  return {
    schema,
    query: (sql, values) => withClient((query) => query(sql, values)),
    transaction: (work) =>
      withClient(async (query, drop) => {
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
