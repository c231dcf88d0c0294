import type { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { ConnectionPool, RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { startPostgres } from '../postgres.js';

const starting = new Map<boolean, Promise<PGlite>>();

/** Started as a role to which policies apply, as they should to the service's own role. */
async function start(pgvector: boolean): Promise<PGlite> {
  const database = await startPostgres(pgvector ? { extensions: { vector } } : {});
  await database.exec('create role service');
  return database;
}

/** An empty in-process Postgres; starting one takes so long that all tests share it, one after the other. */
export async function emptyPostgres({ pgvector = true } = {}): Promise<ConnectionPool> {
  let started = starting.get(pgvector);
  if (!started) {
    started = start(pgvector);
    starting.set(pgvector, started);
  }
  const database = await started;
  await database.exec(`reset role; drop schema public cascade; create schema public authorization service;
    ${pgvector ? 'create extension vector;' : ''} set role service`);
  const through =
    (connection: Pick<PGlite, 'query'>): RunStatement =>
    async (sql, values = []) =>
      (await connection.query(sql, [...values])).rows as never;
  const inTransaction = <T>(work: (query: RunStatement) => Promise<T>): Promise<T> =>
    database.transaction((transaction) => work(through(transaction as unknown as PGlite))) as Promise<T>;
  return {
    readTransaction: inTransaction,
    writeTransaction: inTransaction,
    close: async () => undefined,
  };
}
