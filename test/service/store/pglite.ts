import type { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { ConnectionPool, Query } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { startPostgres } from '../postgres.js';

const starting = new Map<boolean, Promise<PGlite>>();

/** A Postgres in this process, empty; starting one takes so long that all tests share it, one after the other. */
export async function emptyPostgres({ pgvector = true } = {}): Promise<ConnectionPool> {
  let started = starting.get(pgvector);
  if (!started) {
    started = startPostgres(pgvector ? { extensions: { vector } } : {});
    starting.set(pgvector, started);
  }
  const database = await started;
  await database.exec('drop schema public cascade; create schema public');
  const through =
    (connection: Pick<PGlite, 'query'>): Query =>
    async (sql, values = []) =>
      (await connection.query(sql, [...values])).rows as never;
  return {
    // Nothing else writes meanwhile: one moment without a transaction, which would take as long as the search.
    readTransaction: (work) => work(through(database)),
    writeTransaction: (work) =>
      database.transaction((transaction) => work(through(transaction as unknown as PGlite))) as ReturnType<typeof work>,
    close: async () => undefined,
  };
}
