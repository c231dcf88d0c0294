import { expect, it } from 'vitest';
import type { ConnectionPool, Query } from '../../../service/src/store/drivers/postgres/connection.js';
import { postgresMigrations } from '../../../service/src/store/migrations/postgres.js';
import { collection, found, newStore, tasks } from './fixtures.js';
import { foundBy, meaningOptions, noted, notes, someNotes, textsOf } from './meaning-sample.js';
import { emptyPostgres } from './pglite.js';

const records = Array.from({ length: 50 }, (_, index) => ({
  id: `t${index}`,
  title: `Task ${index}`,
  priority: index,
}));

/** Names of all tables and indexes that do not belong to an entity. */
async function schema(pool: ConnectionPool): Promise<unknown[]> {
  const rows = await pool.reading((query) =>
    query<{ name: string }>(`select indexdef as name from pg_indexes where tablename not like '%.%' order by 1`),
  );
  return rows.map(({ name }) => name);
}

/** Takes a database back to its first version: what came later is gone, and its own tables are made by its own statements. */
async function takeBack(query: Query): Promise<void> {
  await query(`drop table passage_fields, field_texts, passages, passage_terms, embedders, embedded`);
  await query('drop index terms_numbers');
  await query('delete from versions where version > 1');
}

it('brings a database of the first version to this one, and keeps the records in it', async () => {
  const pool = await emptyPostgres();
  const before = await newStore({ pool, entities: [tasks, { ...notes, semantic: undefined }] });
  await before.write(collection, records);
  await before.write(noted, someNotes);
  const complete = await schema(pool);
  await pool.writing(takeBack);
  expect(await schema(pool)).not.toEqual(complete);

  const options = meaningOptions();
  const store = await newStore({ pool, ...options, entities: [tasks, ...options.entities] });
  expect(await schema(pool)).toEqual(complete);
  const versions = await pool.reading((query) => query('select version from versions order by version'));
  expect(versions).toEqual(postgresMigrations.map(({ version }) => ({ version })));
  expect(await store.count(collection)).toBe(records.length);
  expect(await found(store, { query: { filter: { fuzzy: { title: 'tsk' }, gte: { priority: 48 } } } })).toEqual([
    't48',
    't49',
  ]);
  expect(await store.write(collection, records)).toMatchObject({ unchanged: records.length });
  // Texts that were never cut are, once their records come again.
  await store.write(noted, someNotes, textsOf);
  expect(await store.count(noted)).toBe(someNotes.length);
  expect(await foundBy(store, { prompt: 'replaced batteries' })).toEqual(['garage']);
});

it('refuses a database that a newer release has written', async () => {
  const pool = await emptyPostgres();
  await newStore({ pool, entities: [tasks] });
  await pool.writing((query) => query(`insert into versions values (99, 'later', '2030-01-01')`));
  await expect(newStore({ pool, entities: [tasks] })).rejects.toThrow(/version 99.*newer release/);
});
