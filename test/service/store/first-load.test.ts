import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { Connection } from '../../../service/src/data/sqlite.js';
import { collection, newFolder, newStore, searchIds, tasks } from './fixtures.js';

const fields = { id: 'string', title: 'string', ownerId: 'string', priority: 'number', createdAt: 'string' } as const;
const entities = [{ ...tasks, fields }];
const count = 12_000;
const records = Array.from({ length: count }, (_, index) => ({
  id: `t${(index * 7919) % count}`,
  title: `Task ${index % 400}`,
  ownerId: `p${index % 100}`,
  priority: index % 5,
  createdAt: new Date(Date.UTC(2026, 0, 1) + ((index * 104_729) % count) * 60_000).toISOString(),
}));
const searches = [
  { query: { filter: { eq: { ownerId: 'p7' } }, sort: [{ createdAt: 'desc' }] }, limit: 50 },
  { query: { filter: { gt: { createdAt: '2026-01-08T00:00:00Z' } }, sort: [{ priority: 'asc' }, { title: 'desc' }] } },
];

/** Names of the fields in the file with an index of their own. */
function indexedFields(folder: string): string[] {
  const connection = new Connection(join(folder, 'records.db'));
  const rows = connection.all<{ name: string }>(
    `select name from sqlite_master where type = 'index' and name like 'sample.tasks.%' and name not like '%:composite' order by 1`,
  );
  connection.close();
  return rows.map(({ name }) => name.slice('sample.tasks.'.length));
}

const found = async (store: Store) => Promise.all(searches.map((params) => searchIds(store, { ...params })));

it('builds indexes at the end of an initial load, or earlier if a search needs them, and always finds the same records', async () => {
  const plain = await newStore({ folder: ':memory:', entities });
  await plain.write(collection, records);
  const expected = await found(plain);

  const folder = newFolder();
  const store = await newStore({ folder, entities, worker: null });
  const all = indexedFields(folder);
  await store.startLoad(collection);
  await store.write(collection, records.slice(0, 8000));
  expect(indexedFields(folder)).toEqual([]);
  expect((await found(store))[0]!.length).toBeGreaterThan(0);
  // With so few records, scanning is as fast as using an index.
  expect(indexedFields(folder)).toEqual([]);
  await store.write(collection, records.slice(8000));
  await store.search({ ...collection, params: searches[0] });
  expect(indexedFields(folder)).toEqual(['createdAt', 'ownerId']);
  expect(await found(store)).toEqual(expected);
  await store.finishLoad(collection);
  expect(indexedFields(folder)).toEqual(all);
  expect(await found(store)).toEqual(expected);
});

it('merges the index of words at the end of an initial load', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities, worker: null });
  const segments = (): number => {
    const connection = new Connection(join(folder, 'records.db'));
    const rows = connection.all('select distinct segid from "sample.tasks.words_idx"');
    connection.close();
    return rows.length;
  };
  await store.startLoad(collection);
  for (let at = 0; at < count; at += 1000) await store.write(collection, records.slice(at, at + 1000));
  expect(segments()).toBeGreaterThan(1);
  await store.finishLoad(collection);
  expect(segments()).toBe(1);
  expect((await searchIds(store, { query: { filter: { keyword: { title: '7' } } }, limit: 1000 })).length).toBe(30);
});

it('completes the indexes of an interrupted load', async () => {
  const folder = newFolder();
  const first = await newStore({ folder, entities, worker: null });
  const all = indexedFields(folder);
  await first.startLoad(collection);
  await first.write(collection, records.slice(0, 6000));
  await first.close();
  expect(indexedFields(folder)).toEqual([]);
  const second = await newStore({ folder, entities, worker: null });
  await second.write(collection, records);
  await second.finishLoad(collection);
  expect(indexedFields(folder)).toEqual(all);
});

it('keeps indexes if other connectors use the table, and when the load is small', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities, worker: null });
  const all = indexedFields(folder);
  await store.startLoad(collection);
  await store.write(collection, records.slice(0, 800));
  expect(indexedFields(folder)).toEqual(all);
  await store.write(collection, records.slice(800, 4000));
  await store.finishLoad(collection);
  const other = { ...collection, connectorId: 'con_2' };
  await store.startLoad(other);
  await store.write(other, records.slice(0, 6000));
  expect(indexedFields(folder)).toEqual(all);
});
