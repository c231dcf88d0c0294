import { expect, it } from 'vitest';
import { collection, newStore, searchIds, tasks } from './fixtures.js';

const values = {
  title: ['plain words', 'other words', null],
  notes: ['a note', 7, null],
  createdAt: ['2026-01-01T00:00:00Z', '2026-02-01', 'no date', null],
  ownerId: ['p1', 'p2', null],
  priority: [1, 1e-17, -0, null],
  views: [5, '12345678901234567890', null],
  done: [true, false, null],
  state: [{ name: 'Todo' }, { name: 'Done' }, null],
  labels: [['a'], ['a', 'b'], null],
};

/** Records for every kind of change: in the next version, each has a different number of changed fields. */
const versionOf = (version: number) =>
  Array.from({ length: 60 }, (_, index) => ({
    id: `t${index}`,
    ...Object.fromEntries(
      Object.entries(values).map(([field, choices], place) => [
        field,
        choices[(index + (index % (place + 2) === 0 ? version : 0)) % choices.length],
      ]),
    ),
  }));

const filters = [
  { keyword: { title: 'other' } },
  { keyword: { title: 'words' } },
  { like: { notes: '%note%' } },
  { gte: { createdAt: '2026-01-15' } },
  { eq: { ownerId: 'p2' } },
  { eq: { priority: null } },
  { lte: { priority: 0.5 } },
  { gt: { views: 5 } },
  { eq: { done: false } },
  { eq: { 'state.name': 'Done' } },
  { contains: { labels: 'b' } },
];

it('finds a record by its values after an update, no matter which fields have changed', async () => {
  const [changed, fresh] = [
    await newStore({ folder: ':memory:', entities: [tasks] }),
    await newStore({ folder: ':memory:', entities: [tasks] }),
  ];
  for (const version of [0, 1, 2]) {
    await changed.write(collection, versionOf(version));
    await fresh.removeConnector(collection.connectorId);
    await fresh.write(collection, versionOf(version));
    for (const filter of filters) {
      const params = { query: { filter } };
      expect(await searchIds(changed, params), JSON.stringify(filter)).toEqual(await searchIds(fresh, params));
    }
    const ids = versionOf(version).map(({ id }) => id);
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
    expect((await changed.get(collection, ids)).sort(byId)).toEqual((await fresh.get(collection, ids)).sort(byId));
  }
});
