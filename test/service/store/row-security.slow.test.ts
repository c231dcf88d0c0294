import { expect, it } from 'vitest';
import type { RunStatement } from '../../../service/src/data/records/drivers/postgres/connection.js';
import {
  acrossOrganizations,
  enterConnector,
  ownRows,
} from '../../../service/src/data/records/drivers/postgres/row-security.js';
import { quoteIdentifier } from '../../../service/src/data/records/schema.js';
import { vectorOf } from './embedder.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { recordStatements } from './recorded.js';
import { notesCollection, sampleNotes, semanticOptions, textsOf, ticketTexts } from './semantic-sample.js';

/** Tables without a policy, because they contain no connector data besides ids. */
const shared = ['cables', 'change_counter', 'change_openings', 'connectors', 'embedders', 'entities', 'versions'];
/** Tables that searches read through `ownRows`. */
const searched = ['passages', 'sample.notes', 'sample.remarks', 'sample.tickets'];

/** A store in which two connectors have rows in every table, and the statements that it runs from then on. */
async function twoConnectors({ pgvector = false } = {}) {
  const pool = await emptyPostgres({ pgvector });
  // A table that the store does not own and leaves unchanged.
  await pool.writeTransaction((query) => query('create table cables (connector text)'));
  const statements: string[] = [];
  const recording = recordStatements(pool, (sql) => void statements.push(sql));
  const store = await newStore({ pool: recording, ...semanticOptions() });
  for (const connectorId of ['con_1', 'con_2']) {
    await store.write({ ...notesCollection, connectorId }, sampleNotes, textsOf);
    await store.write({ ...notesCollection, connectorId, entity: 'remarks' }, [{ id: 'one', body: 'A car.' }], textsOf);
    await store.write(
      { ...notesCollection, connectorId, entity: 'tickets' },
      [{ id: 'one', body: 'A bus.' }],
      ticketTexts,
    );
  }
  await store.forgetChanges(Date.now() + 60_000);
  const changed = { ...sampleNotes[0]!, priority: 9 };
  for (const connectorId of ['con_1', 'con_2'])
    await store.write({ ...notesCollection, connectorId }, [changed], textsOf);
  const passages = await store.unembedded('words', 100);
  await store.embed(
    'words',
    passages.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
  );
  const tables = await pool.readTransaction((query) =>
    query<{ name: string; secured: boolean }>(
      `select relname as name, relrowsecurity and relforcerowsecurity and exists (
          select 1 from pg_policy where polrelid = pg_class.oid and polcmd = '*') as secured
        from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') order by 1`,
    ),
  );
  statements.length = 0;
  return { pool, store, statements, tables };
}

const allRows = async (query: RunStatement, from: string): Promise<string[]> =>
  (await query(`select * from ${from} r`)).map((row) => JSON.stringify(row));

it.each([false, true])(
  'every table in Postgres with connector data has a policy that also applies to its owner (pgvector: %s)',
  async (pgvector) => {
    const { tables } = await twoConnectors({ pgvector });
    expect(tables.filter(({ secured }) => !secured).map(({ name }) => name)).toEqual(shared);
    expect(tables.length).toBeGreaterThan(10);
  },
);

it("an unconditional statement sees only its connector's rows, and none without a connector", async () => {
  const { pool, tables } = await twoConnectors();
  for (const { name } of tables.filter(({ secured }) => secured)) {
    const from = searched.includes(name) ? ownRows(name) : quoteIdentifier(name);
    const seenBy = (enter: (query: RunStatement) => Promise<unknown>) =>
      pool.readTransaction(async (query) => {
        await enter(query);
        return allRows(query, from);
      });
    const all = await pool.readTransaction(async (query) => {
      await acrossOrganizations(query);
      return allRows(query, quoteIdentifier(name));
    });
    const [first, second] = [
      await seenBy((query) => enterConnector(query, 'con_1')),
      await seenBy((query) => enterConnector(query, 'con_2')),
    ];
    expect(first.length, name).toBeGreaterThan(0);
    expect([...first, ...second].sort(), name).toEqual(all.sort());
    expect(await seenBy((query) => enterConnector(query, 'con_3')), name).toEqual([]);
    expect(await seenBy(async () => undefined), name).toEqual([]);
  }
});

it("an unconditional statement cannot delete or insert another connector's records", async () => {
  const { pool, store, tables } = await twoConnectors();
  const remainingOf = (table: string) =>
    pool.writeTransaction(async (query) => {
      await enterConnector(query, 'con_1');
      await query(`delete from ${quoteIdentifier(table)}`);
      await acrossOrganizations(query);
      return (await allRows(query, quoteIdentifier(table))).length;
    });
  for (const { name } of tables.filter(({ secured }) => secured)) expect(await remainingOf(name), name).not.toBe(0);
  expect(await store.count(notesCollection)).toBe(0);
  expect(await store.count({ ...notesCollection, connectorId: 'con_2' })).toBe(sampleNotes.length);
  const planted = pool.writeTransaction(async (query) => {
    const number = await enterConnector(query, 'con_1');
    await query('insert into embedded values ($1, 1, 1, 1)', [number! + 1]);
  });
  await expect(planted).rejects.toThrow('row-level security');
});

it('searches and reads only access word-indexed tables through their own rows', async () => {
  const { store, statements } = await twoConnectors();
  const filter = { fuzzy: { title: 'ofice' } };
  await store.search({ ...notesCollection, params: { query: { filter, sort: [{ priority: 'asc' }] } } });
  await store.search({ ...notesCollection, params: { query: { filter: { like: { body: '%the%base%' } } } } });
  for (const query of [{ groupBy: ['title'] }, { filter: { eq: { title: 'none' } } }, {}])
    await store.search({ ...notesCollection, params: { query, ...(!('groupBy' in query) && { limit: 1 }) } });
  await store.semanticSearch({
    ...notesCollection,
    params: { semantic: { field: 'body', prompt: 'a car', filter } },
  });
  await store.get(notesCollection, ['garage']);
  await store.count(notesCollection);
  await store.textsOf(notesCollection, ['garage']);
  for await (const _ of store.ids(notesCollection));
  for await (const _ of store.records(notesCollection));
  const reads = statements.filter((sql) => !/^(explain|set local|begin)/.test(sql));
  expect(reads.length).toBeGreaterThan(15);
  const bare = reads
    .map((sql) => sql.replaceAll(ownRows('sample.notes'), '').replaceAll(ownRows('passages'), ''))
    .filter((sql) => /(from|join) ("sample\.notes"|"?passages"?)(?!\w)/.test(sql));
  expect(bare).toEqual([]);
  expect(statements.filter((sql) => sql.includes(`scope = 'all'`))).toEqual([]);
});
