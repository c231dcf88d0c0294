import { openPool, withConnection } from '../../../postgres-pool.js';

/** Carries out one statement; values stand at `$1`, `$2` and so on. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Connections to Postgres. */
export interface ConnectionPool {
  /** Several statements that read one moment. */
  readTransaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** All of `work` or nothing of it. */
  writeTransaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Statements on one connection that are kept one by one; left out where there is but one connection for all. */
  withConnection?<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a database by its address. */
export async function connectTo(databaseUrl: string): Promise<ConnectionPool> {
  const pool = await openPool(databaseUrl, { application_name: 'agent-connectors-service' });
  const withPooledConnection = <T>(work: (query: Query) => Promise<T>, undo?: string): Promise<T> =>
    withConnection(pool, async (client, drop) => {
      try {
        return await work(async (sql, values = []) => (await client.query(sql, values as unknown[])).rows);
      } catch (error) {
        if (undo !== undefined) await client.query(undo).catch(drop);
        throw error;
      }
    });
  const transaction = <T>(begin: string, work: (query: Query) => Promise<T>): Promise<T> =>
    withPooledConnection(async (query) => {
      await query(begin);
      const result = await work(query);
      await query('commit');
      return result;
    }, 'rollback');
  let closing: Promise<void> | undefined;
  return {
    // Searches are over before they could be compiled.
    readTransaction: (work) =>
      transaction('begin isolation level repeatable read, read only; set local jit = off', work),
    writeTransaction: (work) => transaction('begin', work),
    withConnection: (work) => withPooledConnection(work),
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}
