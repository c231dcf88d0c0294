import { expect, it } from 'vitest';
import { collection, newStore, searchIds, tasks } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { recordStatements } from './recorded.js';

/** The first test waits until Postgres has started. */
const patience = { timeout: 600_000 };

const taskOf = (index: number) => ({ id: `t${index}`, title: `Task ${index % 7}`, ownerId: `owner${index % 3}` });
const many = Array.from({ length: 1200 }, (_, index) => taskOf(index));

it("updates Postgres's statistics as soon as records are added", patience, async () => {
  const pool = await emptyPostgres();
  const store = await newStore({ pool, entities: [tasks] });
  const known = async () => {
    const rows = await pool.readTransaction((query) =>
      query<{ count: number }>(`select reltuples::integer as count from pg_class where relname = 'sample.tasks'`),
    );
    return rows[0]!.count;
  };
  await store.write(collection, many.slice(0, 900));
  expect(await known()).toBeLessThan(900);
  await store.write(collection, many);
  expect(await known()).toBe(1200);
  await store.write(collection, [taskOf(1200)]);
  expect(await known()).toBe(1200);
});

it('does not keep any part of a batch whose last records cannot be stored', patience, async () => {
  const store = await newStore({ pool: await emptyPostgres(), entities: [tasks] });
  const words = Array.from({ length: 80_000 }, (_, index) => `word${index}`).join(' ');
  await expect(store.write(collection, [...many, { id: 'last', title: words }])).rejects.toThrow(/distinct words/);
  expect(await store.count(collection)).toBe(0);
  expect(await store.write(collection, many)).toMatchObject({ inserted: 1200 });
});

it('finds the same records whether words match few, many or most of them', patience, async () => {
  const store = await newStore({ pool: await emptyPostgres(), entities: [tasks] });
  const titleOf = (index: number) =>
    ['always', index % 3 === 0 && 'often', index % 400 === 7 && 'seldom', index > 2500 && 'lastly']
      .filter(Boolean)
      .join(' ');
  const records = Array.from({ length: 4000 }, (_, index) => ({
    id: `t${String(index).padStart(4, '0')}`,
    title: titleOf(index),
    priority: (index * 7919) % 4001,
  }));
  await store.write(collection, records);
  for (const word of ['always', 'often', 'seldom', 'lastly', 'never']) {
    const holding = records.filter(({ title }) => title.split(' ').includes(word));
    const filter = { keyword: { title: word } };
    for (const limit of [70, 1000]) {
      expect(await searchIds(store, { query: { filter }, limit })).toEqual(holding.map(({ id }) => id));
      const sorted = [...holding].sort((one, other) => other.priority - one.priority).map(({ id }) => id);
      expect(await searchIds(store, { query: { filter, sort: [{ priority: 'desc' }] }, limit })).toEqual(sorted);
    }
  }
});

it('does not read the texts of all candidates to count the matches of a large table', patience, async () => {
  const counted: string[] = [];
  const pool = recordStatements(await emptyPostgres(), (sql) => {
    if (sql.startsWith('select r.rid::text as number')) counted.push(sql);
  });
  const store = await newStore({ pool, entities: [tasks] });
  await store.write(collection, many);
  const { data, meta } = await store.search({
    ...collection,
    params: { query: { filter: { fuzzy: { title: 'taskk 3' } } }, limit: 20 },
  });
  expect(data).toHaveLength(20);
  expect(meta).toMatchObject({ total: 21, total_is_exact: false });
  expect(counted).toEqual([]);
});
