import type { PoolConfig } from 'pg';
import type { LossLimits } from '../loss-limits.js';
import { openPool, withConnection } from '../postgres-pool.js';
import { accessSettings, type RowAccess, type Value } from './database.js';

/** Rows returned by a statement, and the number of rows it changed. */
export interface QueryResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Runs a statement with values bound to `$1`, `$2` and so on, or several statements without values. */
export type RunStatement = (sql: string, values?: readonly Value[]) => Promise<QueryResult>;

/** Connections to Postgres. */
export interface PostgresConnections {
  /** Schema of the state's tables, used as the search path. */
  readonly schema: string;
  /** Runs a statement with the given access. Integers are returned as numbers, and bytes as `Uint8Array`. */
  query(access: RowAccess, sql: string, values?: readonly Value[]): Promise<QueryResult>;
  /** Runs `work` in a transaction on its own connection; its access can change at any time. */
  transaction<T>(access: RowAccess, work: (query: RunStatement) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Keeps the tables separate from everything else in the database. */
const schema = 'agent_connectors_state';

/** A few are enough: statements are short and no connection is held while waiting for a vendor. */
const maxConnections = 8;
/** Connect timeout in milliseconds. */
const connectTimeoutMs = 10_000;
/** Type OID of 8-byte integers. */
const int8Oid = 20;
/** Settings are local to the transaction: behind a pooler, the next transaction may belong to another process. */
const begin = (access: RowAccess): string => `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${accessSettings(access)},
  set_config('search_path', '${schema}', true), set_config('idle_in_transaction_session_timeout', '30s', true)`;

/** Connects to a database, using a separate pool from searches, because a slow search must not delay a heartbeat. */
export async function connectTo(databaseUrl: string, losses?: LossLimits): Promise<PostgresConnections> {
  const { types } = (await import('pg')).default;
  const settings: PoolConfig = {
    application_name: 'agent-connectors-state',
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    // Sends a statement together with its transaction's BEGIN and COMMIT.
    pipeline: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
    },
  };
  const pool = await openPool(databaseUrl, settings, losses);
  const withClient = <T>(work: (query: RunStatement, drop: (error: Error) => void) => Promise<T>): Promise<T> =>
    withConnection(pool, (run, drop) =>
      work(async (sql, values) => {
        const { rows, rowCount } = await run(sql, values);
        return { rows, changes: rowCount ?? 0 };
      }, drop),
    );
  return {
    schema,
    query: (access, sql, values) =>
      withClient(async (query) => {
        // After a failed statement, COMMIT becomes a rollback.
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
