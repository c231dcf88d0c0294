import type { PoolClient } from 'pg';
import type { LossLimits } from '../../../loss-limits.js';
import { openPool, withConnection } from '../../../postgres-pool.js';

/** Runs a statement; values are bound to `$1`, `$2`, and so on. */
export type RunStatement = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Connections to Postgres. */
export interface ConnectionPool {
  /**
   * Statements that share a snapshot. With a timeout, the database cancels any statement that takes longer, and closing
   * does not wait for running statements.
   */
  readTransaction<T>(work: (query: RunStatement) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Runs `work` in a transaction. The server ends it if `work` pauses for 15 seconds between statements. */
  writeTransaction<T>(work: (query: RunStatement) => Promise<T>): Promise<T>;
  /**
   * Runs statements with autocommit; undefined if there is only a single shared connection. `ownsSession` is false
   * behind a transaction pooler, where each statement may run in a different session, so settings and locks do not
   * persist.
   */
  withConnection?<T>(work: (query: RunStatement, ownsSession: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Makes Citus propagate a transaction's settings to its nodes, where row policies read them; other servers ignore it.
 */
const propagateSettings = `set local citus.propagate_set_commands = 'local'`;

/**
 * How long a transaction may wait for its process before the server ends it, in milliseconds: a process that is silent
 * for so long counts as gone, and its locks would block all others.
 */
const maxIdleMs = 15_000;

interface Limits {
  readonly idleMs?: number;
  readonly losses?: LossLimits;
}

/** Opens a connection pool for a database URL. */
export async function connectTo(
  databaseUrl: string,
  { idleMs = maxIdleMs, losses }: Limits = {},
): Promise<ConnectionPool> {
  // Set before other settings are propagated: nodes of a cluster are idle while another one works.
  const settings = `set local idle_in_transaction_session_timeout = ${idleMs}; ${propagateSettings}`;
  const pool = await openPool(databaseUrl, { application_name: 'agent-connectors-service' }, losses);
  let closing: Promise<void> | undefined;
  /** Connections of running searches; closing cancels them. */
  const searching = new Set<PoolClient>();
  const withPooledConnection = <T>(
    work: (query: RunStatement, client: PoolClient) => Promise<T>,
    undo?: string,
    isSearch = false,
  ): Promise<T> =>
    withConnection(pool, async (run, drop, client) => {
      if (isSearch && closing) throw new Error('The store has been closed.');
      if (isSearch) searching.add(client);
      try {
        return await work(async (sql, values = []) => (await run(sql, values)).rows, client);
      } catch (error) {
        if (undo !== undefined) await run(undo).catch(drop);
        throw error;
      } finally {
        searching.delete(client);
      }
    });
  const transaction = <T>(begin: string, work: (query: RunStatement) => Promise<T>, isSearch = false): Promise<T> =>
    withPooledConnection(
      async (query) => {
        await query(begin);
        const result = await work(query);
        await query('commit');
        return result;
      },
      'rollback',
      isSearch,
    );
  return {
    // JIT compilation takes longer than the searches themselves.
    readTransaction: (work, timeoutMs = 0) =>
      transaction(
        `begin isolation level repeatable read, read only; ${settings}; set local jit = off; set local statement_timeout = ${timeoutMs}`,
        work,
        timeoutMs > 0,
      ),
    writeTransaction: (work) => transaction(`begin isolation level read committed; ${settings}`, work),
    withConnection: (work) =>
      withPooledConnection(async (query, client) => {
        const [session] = await query<{ pid: number }>('select pg_backend_pid() as pid');
        // A pooler reports its own process ids to clients.
        return work(query, session!.pid === (client as PoolClient & { readonly processID: number }).processID);
      }),
    close() {
      // Closing does not wait for the database, which keeps running the statements until they time out.
      for (const client of searching) void (client as PoolClient & { end(): Promise<void> }).end();
      closing ??= pool.end();
      return closing;
    },
  };
}
