import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, searchIds, tasks } from './fixtures.js';
import { search } from './oracle/search.js';

/** An entity with enough records that searches build indexes. */
const fields = {
  id: 'string',
  title: 'string',
  createdAt: 'string',
  notes: 'string',
  ownerId: 'string',
  done: 'boolean',
  state: 'object',
} as const;
export const count = 11_000;
const mixed = ['b', 10, true, null, 'a', 9, false, '', -1.5, { a: 1 }, [1], '10', 1e-20, '\u{1f600}', '\ufffd', 3e-20];
const words = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];
export const records = Array.from({ length: count }, (_, index) => ({
  id: `t${String((index * 7919) % count).padStart(5, '0')}`,
  title: index === 77 ? null : `Task ${index}`,
  createdAt: index === 5000 ? null : index === 5001 ? 'never' : new Date(index * 60_000).toISOString(),
  notes: words[index % words.length],
  ownerId: index % 10 === 0 ? null : `p${index % 10}`,
  done: index === 9000 ? true : index % 2 === 0 ? false : null,
  state: {
    name: index === 10_500 ? 'zulu' : words[index % 3],
    rank: index === 10_600 ? 7 : index % 3,
    mixed: index % 3 === 0 ? null : mixed[index % mixed.length],
    few: index % 1000 === 0 ? mixed[(index / 1000) % mixed.length] : undefined,
  },
}));
type Item = (typeof records)[number];

export const idsOf = (matches: (record: Item) => boolean) =>
  records
    .filter(matches)
    .map((record) => record.id)
    .sort();
const sorted = (compare: (one: Item, other: Item) => number) =>
  [...records].sort((one, other) => compare(one, other) || (one.id < other.id ? -1 : 1)).map((record) => record.id);
export const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Filters and a sort order, what they find, and the index that SQLite builds for them. */
export const filters: Array<[params: { readonly query: object }, expected: string[], index: string]> = [
  [{ query: { filter: { eq: { createdAt: null } } } }, idsOf((one) => one.createdAt === null), 'createdAt:nulls'],
  [{ query: { filter: { eq: { title: null } } } }, idsOf((one) => one.title === null), 'title:nulls'],
  [{ query: { filter: { eq: { done: true } } } }, idsOf((one) => one.done === true), 'done'],
  [{ query: { filter: { gt: { 'state.name': 'x' } } } }, idsOf((one) => one.state.name! > 'x'), 'state.name:order'],
  [{ query: { filter: { gt: { 'state.rank': 2 } } } }, idsOf((one) => one.state.rank > 2), 'state.rank:order'],
  [{ query: { sort: [{ notes: 'asc' }] } }, sorted((one, other) => byText(one.notes!, other.notes!)), 'notes'],
];

type Sort = ReadonlyArray<Readonly<Record<string, 'asc' | 'desc'>>>;
export const sorts: ReadonlyArray<readonly [sort: Sort, filter?: object]> = [
  [[{ 'state.mixed': 'asc' }]],
  [[{ 'state.mixed': 'desc' }]],
  [[{ 'state.mixed': 'asc' }, { 'state.rank': 'asc' }]],
  [[{ createdAt: 'asc' }, { 'state.mixed': 'desc' }]],
  [[{ 'state.name': 'desc' }], { gte: { 'state.name': 'bravo' } }],
  [[{ 'state.mixed': 'desc' }], { lte: { 'state.mixed': 'a' } }],
  [[{ 'state.mixed': 'asc' }], { lt: { 'state.mixed': 3e-20 }, gt: { title: 'Task 2' } }],
];

/** Expects the records that a plain scan finds, in the same order. */
export async function checkSort(store: Store, sort: Sort, filter?: object): Promise<void> {
  const query = { sort, ...(filter && { filter }) };
  const wanted = search(records as never, { ...tasks, fields } as never, { query } as never).ids.flat();
  const ids = await searchIds(store, { query, limit: 1700, fields: ['id'] });
  // Computing a diff takes a long time, even if there is no difference.
  if (!isDeepStrictEqual(ids, wanted)) expect(ids, JSON.stringify(query)).toEqual(wanted);
}

/** Filters and orders for which a composite index is built, and whether Postgres builds one too. */
export const composites: ReadonlyArray<readonly [filter: object, sort: Sort, index: string, both: boolean]> = [
  [{ eq: { ownerId: 'p3' } }, [{ createdAt: 'desc' }], 'ownerId by createdAt', true],
  [{ eq: { ownerId: 'p3' } }, [{ title: 'asc' }], 'ownerId by title', false],
  [{ eq: { ownerId: 'p5' }, gt: { title: 'Task 7' } }, [{ createdAt: 'asc' }], 'ownerId by createdAt', true],
];

/** Expects the records that a plain scan finds, in the same order, on pages that end among them. */
export async function checkPages(store: Store, filter: object, sort: Sort): Promise<void> {
  const query = { filter, sort };
  const wanted = search(records as never, { ...tasks, fields } as never, { query } as never).ids.flat();
  expect(wanted.length).toBeGreaterThan(300);
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const params = { query, limit: 97, fields: ['id'], ...(cursor !== null && { cursor }) };
    const { data, meta } = await store.search({ ...collection, params });
    ids.push(...data.map(({ id }) => id as string));
    cursor = meta.cursor ?? null;
  } while (cursor !== null);
  expect(ids).toEqual(wanted);
}

export const entity = { ...tasks, fields };
