import { expect, it } from 'vitest';
import type { ConnectionPool, Query } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { postgresMigrations } from '../../../service/src/data/records/migrations/postgres.js';
import { collection, newStore, searchIds, tasks } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { notes, notesCollection, sampleNotes, semanticOptions, semanticSearchIds, textsOf } from './semantic-sample.js';

const records = Array.from({ length: 50 }, (_, index) => ({
  id: `t${index}`,
  title: `Task ${index}`,
  priority: index,
}));

/** Definitions of all indexes without their generated names; for the entity tables, only those of one table. */
async function schema(pool: ConnectionPool): Promise<unknown[]> {
  const rows = await pool.readTransaction((query) =>
    query<{ name: string }>(
      `select regexp_replace(indexdef, 'INDEX .*? ON', 'INDEX ON') as name
      from pg_indexes where tablename not like '%.%' and schemaname = 'public' or tablename = $1 order by 1`,
      [`${tasks.type}.${tasks.entity}`],
    ),
  );
  return rows.map(({ name }) => name);
}

/** Downgrades a database to a version by removing later additions and restoring what was removed since. */
async function takeBack(query: Query, version: number): Promise<void> {
  const later = await query<{ statement: string }>(`
    select format('drop index %I', indexname) as statement from pg_indexes where indexdef like '%> 1000)%'
    union all select format('alter index %I reset (gin_pending_list_limit)', indexname) from pg_indexes
      where indexdef like '%gin_pending_list_limit%'`);
  expect(later.length).toBeGreaterThan(4);
  for (const { statement } of later) await query(statement);
  await query('drop policy tenant on terms');
  await query('alter table terms drop column connector');
  await query('alter table terms add primary key (n), add unique (scope, term)');
  await query('alter table embedded drop column up_to');
  await query('alter table embedders add column embedded_up_to bigint not null default 0');
  if (version === 1)
    await query(`drop table passage_fields, field_texts, passages, passage_terms, embedders, embedded`);
  else await query('create index terms_numbers on terms (n)');
  await query('delete from versions where version > $1', [version]);
}

it.each([1, 2])('migrates a database from version %i to the current one, and keeps its records', async (version) => {
  const pool = await emptyPostgres();
  const before = await newStore({ pool, entities: [tasks, { ...notes, semantic: undefined }] });
  await before.write(collection, records);
  await before.write(notesCollection, sampleNotes);
  const complete = await schema(pool);
  await pool.writeTransaction((query) => takeBack(query, version));
  expect(await schema(pool)).not.toEqual(complete);

  const options = semanticOptions();
  const store = await newStore({ pool, ...options, entities: [tasks, ...options.entities] });
  expect(await schema(pool)).toEqual(complete);
  const versions = await pool.readTransaction((query) => query('select version from versions order by version'));
  expect(versions).toEqual(postgresMigrations.map(({ version }) => ({ version })));
  expect(await store.count(collection)).toBe(records.length);
  expect(await searchIds(store, { query: { filter: { fuzzy: { title: 'tsk' }, gte: { priority: 48 } } } })).toEqual([
    't48',
    't49',
  ]);
  expect(await store.write(collection, records)).toMatchObject({ unchanged: records.length });
  // Texts that have not been split yet are split when their records are written again.
  await store.write(notesCollection, sampleNotes, textsOf);
  expect(await store.count(notesCollection)).toBe(sampleNotes.length);
  expect(await semanticSearchIds(store, { prompt: 'replaced batteries' })).toEqual(['garage']);
});

it('rejects a database from a newer release', async () => {
  const pool = await emptyPostgres();
  await newStore({ pool, entities: [tasks] });
  await pool.writeTransaction((query) => query(`insert into versions values (99, 'later', '2030-01-01')`));
  await expect(newStore({ pool, entities: [tasks] })).rejects.toThrow(/version 99.*newer release/);
});
