import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Connection } from '../../../service/src/data/records/drivers/sqlite/connection.js';
import { collection, newFolder, newStore, searchIds, tasks } from './fixtures.js';

const fields = {
  id: 'string',
  title: 'string',
  createdAt: 'string',
  notes: 'string',
  done: 'boolean',
  state: 'object',
} as const;
const count = 11_000;
const words = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];
const records = Array.from({ length: count }, (_, index) => ({
  id: `t${String((index * 7919) % count).padStart(5, '0')}`,
  title: index === 77 ? null : `Task ${index}`,
  createdAt: index === 5000 ? null : index === 5001 ? 'never' : new Date(index * 60_000).toISOString(),
  notes: words[index % words.length],
  done: index === 9000 ? true : index % 2 === 0 ? false : null,
  state: { name: index === 10_500 ? 'zulu' : words[index % 3], rank: index === 10_600 ? 7 : index % 3 },
}));
type Item = (typeof records)[number];

const idsOf = (matches: (record: Item) => boolean) =>
  records
    .filter(matches)
    .map((record) => record.id)
    .sort();
const sorted = (compare: (one: Item, other: Item) => number) =>
  [...records].sort((one, other) => compare(one, other) || (one.id < other.id ? -1 : 1)).map((record) => record.id);
const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

const filters: Array<[params: { readonly query: object }, expected: string[], index: string]> = [
  [{ query: { filter: { eq: { createdAt: null } } } }, idsOf((one) => one.createdAt === null), 'createdAt:nulls'],
  [{ query: { filter: { eq: { title: null } } } }, idsOf((one) => one.title === null), 'title:nulls'],
  [{ query: { filter: { eq: { done: true } } } }, idsOf((one) => one.done === true), 'done'],
  [{ query: { filter: { gt: { 'state.name': 'x' } } } }, idsOf((one) => one.state.name! > 'x'), 'state.name:text'],
  [{ query: { filter: { gt: { 'state.rank': 2 } } } }, idsOf((one) => one.state.rank > 2), 'state.rank:number'],
  [{ query: { sort: [{ notes: 'asc' }] } }, sorted((one, other) => byText(one.notes!, other.notes!)), 'notes'],
];

it('builds an index for a search that would otherwise scan many records, and finds the same records', async () => {
  const folder = newFolder();
  const store = await newStore({ folder, entities: [{ ...tasks, fields }], worker: null });
  await store.startLoad(collection);
  await store.write(collection, records);
  await store.finishLoad(collection);
  const file = new Connection(join(folder, 'records.db'));
  const names = () =>
    file
      .all<{ name: string }>(`select name from sqlite_master where type = 'index'`)
      .map(({ name }) => name.replace('sample.tasks.', ''));
  for (const [params, expected, index] of filters) {
    expect(names()).not.toContain(index);
    for (const _ of ['built', 'used']) expect(await searchIds(store, { ...params, limit: 10_000 })).toEqual(expected);
    expect(names(), index).toContain(index);
  }
  const again = {
    query: {
      filter: { neq: { title: null }, gte: { 'state.name': 'delta' } },
      sort: [{ notes: 'desc' }, { title: 'asc' }],
    },
  };
  const present = records.filter((one) => one.title !== null && one.state.name! >= 'delta');
  present.sort((one, other) => byText(other.notes!, one.notes!) || byText(one.title!, other.title!));
  expect(await searchIds(store, { ...again, limit: 900 })).toEqual(present.map((one) => one.id));
  expect(await searchIds(store, { query: { filter: { neq: { createdAt: null } } }, limit: 10_000 })).toEqual(
    idsOf((one) => one.createdAt !== null),
  );
  file.close();
});
