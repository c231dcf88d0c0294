import { expect, it } from 'vitest';
import type { ConnectionPool } from '../../../service/src/data/records/drivers/postgres/connection.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, newStore, searchIds } from './fixtures.js';
import {
  byText,
  checkPages,
  checkSort,
  composites,
  count,
  entity,
  filters,
  idsOf,
  records,
  sorts,
} from './own-indexes.js';
import { emptyPostgres } from './pglite.js';
import { recordStatements } from './recorded.js';

/** Names of the indexes built for searches, without the name of their table. */
const namesIn = (pool: ConnectionPool): Promise<string[]> =>
  pool.readTransaction(async (query) => {
    const rows = await query<{ name: string }>(
      `select relname::text as name from pg_class where relkind = 'i' and relname ~ ':(order|nulls|composite)$' order by relname`,
    );
    return rows.map(({ name }) => name.replace('sample.tasks.', ''));
  });

/** The end of a scan in order, which examines a limited number of records. */
const scanned = /order by .* limit \$\d+::integer\) r where/;

const write = (store: Store, from: number, to: number) => store.write(collection, records.slice(from, to));

it('builds an index for a search that would otherwise scan many records, and finds the same records', async () => {
  const pool = await emptyPostgres();
  const pages: Array<readonly [sql: string, values: readonly unknown[]]> = [];
  const created: string[] = [];
  const store = await newStore({
    pool: recordStatements(pool, (sql, values) => {
      if (sql.startsWith('create index if not exists')) created.push(sql);
      if (sql.startsWith('select page.*')) pages.push([sql, values]);
    }),
    entities: [entity],
  });
  await write(store, 0, 2000);
  const byNotes = { query: { sort: [{ notes: 'asc' }] }, limit: 50, fields: ['id'] };
  await store.search({ ...collection, params: byNotes });
  expect(await namesIn(pool)).toEqual([]);
  await write(store, 2000, count);

  for (const [params, expected, index] of filters) {
    const name = index.includes(':') ? index : `${index}:order`;
    expect(await namesIn(pool)).not.toContain(name);
    for (const _ of ['built', 'used']) expect(await searchIds(store, { ...params, limit: 10_000 })).toEqual(expected);
    expect(await namesIn(pool)).toContain(name);
    pages.length = 0;
    await store.search({ ...collection, params: { ...params, limit: 50 } });
    const plans = await pool.readTransaction(async (query) => {
      const rows = [];
      for (const [sql, values] of pages) rows.push(await query(`explain (format json) ${sql}`, values));
      return JSON.stringify(rows);
    });
    expect(plans).toContain(`sample.tasks.${name}`);
  }

  // Concurrent searches wait for the same build.
  created.length = 0;
  const byMixed = { query: { sort: [{ 'state.mixed': 'asc' }] }, limit: 50, fields: ['id'] };
  const [one, other] = await Promise.all([1, 2].map(() => store.search({ ...collection, params: byMixed })));
  expect(one!.data).toEqual(other!.data);
  expect(created.filter((sql) => sql.includes('state.mixed:order"'))).toHaveLength(1);

  const { meta } = await store.search({
    ...collection,
    params: { query: { sort: [{ 'state.few': 'desc' }] }, limit: 1 },
  });
  // As in cursors from version 0.1.
  expect(JSON.parse(Buffer.from(meta.cursor!, 'base64url').subarray(16).toString())[1]).toEqual([2, 1, null]);
  // The limit of eight is reached, so these run without an index of their own.
  expect(await namesIn(pool)).toHaveLength(8);
  expect(await searchIds(store, { query: { filter: { eq: { notes: null } } } })).toEqual([]);
  await checkSort(store, [{ done: 'desc' }, { 'state.rank': 'asc' }, { 'state.name': 'desc' }]);
  expect(await namesIn(pool)).toHaveLength(8);
  await checkSort(store, [{ 'state.few': 'desc' }, { 'state.mixed': 'asc' }]);
  for (const [sort, filter] of sorts) await checkSort(store, sort, filter);
  for (const value of ['alpha', 'zulu', 7, 'none'])
    expect(await searchIds(store, { query: { filter: { eq: { 'state.name': value } } }, limit: 10_000 })).toEqual(
      idsOf((record) => record.state.name === value),
    );
  expect(
    await searchIds(store, { query: { filter: { in: { 'state.mixed': [true, 10, '10', 1e-20] } } }, limit: 10_000 }),
  ).toEqual(idsOf(({ state: { mixed } }) => [true, 10, '10', 1e-20].includes(mixed as never)));

  // Values that are too long for an index.
  const long = Array.from({ length: 2000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)));
  const last = { ...records[0]!, id: 'x1', notes: long.join(''), state: { name: long.join(''), mixed: long.join('') } };
  await store.write(collection, [last] as never);
  for (const field of ['notes', 'state.name', 'state.mixed'])
    for (const filter of [{ eq: { [field]: last.notes } }, { gt: { [field]: 'zzz' } }])
      expect(await searchIds(store, { query: { filter, sort: [{ [field]: 'desc' }] } })).toContain('x1');
  const texts = await store.search({
    ...collection,
    params: { query: { sort: [{ notes: 'desc' }] }, limit: 2, fields: ['id', 'notes'] },
  });
  expect(texts.data.map(({ id }) => id)).toEqual([
    'x1',
    [...records].sort((a, b) => byText(b.notes!, a.notes!) || byText(a.id, b.id))[0]!.id,
  ]);
});

it('answers a search whose index cannot be built, and does not try to build it again', async () => {
  let attempts = 0;
  const store = await newStore({
    pool: recordStatements(await emptyPostgres(), (sql) => {
      if (!sql.startsWith('create index if not exists')) return;
      attempts += 1;
      throw new Error('permission denied');
    }),
    entities: [entity],
  });
  await write(store, 0, count);
  const params = { query: { filter: { gt: { 'state.name': 'x' } } }, fields: ['id'] };
  for (const _ of ['first', 'again'])
    expect(await searchIds(store, params)).toEqual(idsOf((record) => record.state.name! > 'x'));
  expect(attempts).toBe(1);
});

it('does not scan for records without a sort value if there are none', async () => {
  const pool = await emptyPostgres();
  const statements: string[] = [];
  const store = await newStore({
    pool: recordStatements(pool, (sql) => void statements.push(sql)),
    entities: [entity],
  });
  await store.write(
    collection,
    records.map((record) => ({ ...record, title: record.title ?? 'Task', createdAt: record.createdAt ?? '2026' })),
  );
  await pool.readTransaction((query) => query('analyze'));
  statements.length = 0;
  const filter = { keyword: { title: 'task' }, gt: { title: 'Task 9998' } };
  const params = { query: { filter, sort: [{ createdAt: 'desc' }] }, fields: ['id'] };
  expect(await searchIds(store, params)).toEqual([records[9999]!.id]);
  const pages = statements.filter((sql) => sql.startsWith('select page.*'));
  expect(pages.some((sql) => scanned.test(sql))).toBe(true);
  const withoutValue = pages.filter((sql) => sql.includes('"k_createdAt" is null'));
  expect(withoutValue).toHaveLength(1);
  expect(withoutValue[0]).not.toMatch(scanned);
});

it('builds a composite index for a filter by one value and a sort, and reads pages from it', async () => {
  const pool = await emptyPostgres();
  const store = await newStore({ pool, entities: [entity] });
  await write(store, 0, count);
  await pool.readTransaction((query) => query('analyze'));
  for (const [filter, sort, index, both] of composites) {
    for (const _ of ['built', 'used']) await checkPages(store, filter, sort);
    if (both) expect(await namesIn(pool)).toContain(`${index}:composite`);
  }
  expect(await namesIn(pool)).toEqual(['ownerId by createdAt:composite']);
});
