import type { PoolClient } from 'pg';
import { openPool, withConnection } from '../../../postgres-pool.js';

/** Carries out one statement; values stand at `$1`, `$2` and so on. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Connections to Postgres. */
export interface ConnectionPool {
  /** Several statements that read one moment; with a timeout the database cancels each that takes longer, and a close does not wait for them. */
  readTransaction<T>(work: (query: Query) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** All of `work` or nothing of it. */
  writeTransaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Statements that are kept one by one; left out where there is but one connection for all. `ownsSession` is false
   * behind a transaction pooler, where each statement may run in another session: settings and locks would stay there.
   */
  withConnection?<T>(work: (query: Query, ownsSession: boolean) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Has Citus hand the settings of a transaction to its nodes, where policies read them; other servers know nothing of it. */
const propagateSettings = `set local citus.propagate_set_commands = 'local'`;

/** Connects to a database by its address. */
export async function connectTo(databaseUrl: string): Promise<ConnectionPool> {
  const pool = await openPool(databaseUrl, { application_name: 'agent-connectors-service' });
  let closing: Promise<void> | undefined;
  /** Connections of searches, which a close breaks off. */
  const searching = new Set<PoolClient>();
  const withPooledConnection = <T>(
    work: (query: Query, client: PoolClient) => Promise<T>,
    undo?: string,
    isSearch = false,
  ): Promise<T> =>
    withConnection(pool, async (client, drop) => {
      if (isSearch && closing) throw new Error('The store has been closed.');
      if (isSearch) searching.add(client);
      try {
        return await work(async (sql, values = []) => (await client.query(sql, values as unknown[])).rows, client);
      } catch (error) {
        if (undo !== undefined) await client.query(undo).catch(drop);
        throw error;
      } finally {
        searching.delete(client);
      }
    });
  const transaction = <T>(begin: string, work: (query: Query) => Promise<T>, isSearch = false): Promise<T> =>
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
    // Searches are over before they could be compiled.
    readTransaction: (work, timeoutMs = 0) =>
      transaction(
        `begin isolation level repeatable read, read only; ${propagateSettings}; set local jit = off; set local statement_timeout = ${timeoutMs}`,
        work,
        timeoutMs > 0,
      ),
    writeTransaction: (work) => transaction(`begin isolation level read committed; ${propagateSettings}`, work),
    withConnection: (work) =>
      withPooledConnection(async (query, client) => {
        const [session] = await query<{ pid: number }>('select pg_backend_pid() as pid');
        // A pooler gives its clients process ids of its own.
        return work(query, session!.pid === (client as PoolClient & { readonly processID: number }).processID);
      }),
    close() {
      // The database goes on until the statement's own timeout, which nothing here waits for.
      for (const client of searching) void (client as PoolClient & { end(): Promise<void> }).end();
      closing ??= pool.end();
      return closing;
    },
  };
}
