import { PGlite } from '@electric-sql/pglite';
import type { ConnectionPool, Query } from '../../../service/src/store/drivers/postgres/connection.js';

let starting: Promise<PGlite> | undefined;

/** A Postgres in this process, empty; starting one takes so long that all tests share it, one after the other. */
export async function emptyPostgres(): Promise<ConnectionPool> {
  starting ??= PGlite.create();
  const database = await starting;
  await database.exec('drop schema public cascade; create schema public');
  const through =
    (connection: Pick<PGlite, 'query'>): Query =>
    async (sql, values = []) =>
      (await connection.query(sql, [...values])).rows as never;
  return {
    // Nothing else writes meanwhile: one moment without a transaction, which would take as long as the search.
    reading: (work) => work(through(database)),
    writing: (work) =>
      database.transaction((transaction) => work(through(transaction as unknown as PGlite))) as ReturnType<typeof work>,
    close: async () => undefined,
  };
}
