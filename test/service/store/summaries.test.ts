import { describe, expect, it } from 'vitest';
import { caseCount } from '../../cases.js';
import { failure } from '../../failure.js';
import { collection, kinds, newStore, tasks } from './fixtures.js';
import { storedEntities } from './sample.js';
import { compareSummaries } from './summaries.js';

const records = [
  {
    id: 'a',
    title: 'One',
    priority: 1,
    views: '9007199254740993',
    createdAt: '2026-03-01T10:00:00+02:00',
    done: true,
    state: { name: 'Done', rank: 2 },
  },
  {
    id: 'b',
    title: 'Two',
    priority: 4,
    views: 7,
    createdAt: '2026-03-01T08:00:00Z',
    done: false,
    state: { name: 'Todo', rank: 1 },
  },
  { id: 'c', title: 'Six', priority: 1, createdAt: '2026-02-01', done: false, state: { name: 'Done', rank: 'high' } },
  { id: 'd', title: 'Ten', state: null },
];

describe.each(kinds)('in %s', { timeout: 600_000 }, (name, open) => {
  it(`aggregates like a full scan, for ${caseCount(1000)} queries`, async () => {
    const store = await open(storedEntities);
    expect(await compareSummaries(store, caseCount(1000)), name).toBeGreaterThanOrEqual(caseCount(1000));
  });

  it('counts, groups and aggregates', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    await store.write({ ...collection, connectorId: 'con_2' }, [{ id: 'x', state: { name: 'Secret' } }]);
    const rows = async (query: object, limit?: number) =>
      (await store.search({ ...collection, params: { query, ...(limit && { limit }) } })).data;

    expect(await rows({ count: true })).toEqual([{ count: 4 }]);
    expect(await rows({ count: true, filter: { keyword: { title: 'one two' } } })).toEqual([{ count: 2 }]);
    expect(await rows({ groupBy: 'state.name' })).toEqual([
      { 'state.name': 'Done', count: 2 },
      { 'state.name': 'Todo', count: 1 },
      { 'state.name': null, count: 1 },
    ]);
    expect(await rows({ groupBy: ['done', 'state.name'], sort: [{ 'state.name': 'desc' }] }, 2)).toEqual([
      { done: false, 'state.name': 'Todo', count: 1 },
      { done: false, 'state.name': 'Done', count: 1 },
    ]);
    expect(
      await rows({
        aggregates: {
          mean: { avg: 'priority' },
          most: { max: 'views' },
          least: { min: 'views' },
          rank: { max: 'state.rank' },
          first: { min: 'createdAt' },
          last: { max: 'createdAt' },
          all: { sum: 'priority' },
        },
      }),
    ).toEqual([
      {
        count: 4,
        mean: 2,
        most: '9007199254740993',
        least: 7,
        rank: 'high',
        all: 6,
        first: '2026-02-01',
        last: '2026-03-01T10:00:00+02:00',
      },
    ]);
    expect(await rows({ groupBy: 'createdAt', sort: [{ createdAt: 'asc' }] })).toEqual([
      { createdAt: '2026-02-01', count: 1 },
      { createdAt: '2026-03-01T08:00:00Z', count: 2 },
      { createdAt: null, count: 1 },
    ]);
    const empty = { ...collection, connectorId: 'con_3' };
    const params = { query: { aggregates: { mean: { avg: 'priority' } } } };
    expect((await store.search({ ...empty, params })).data).toEqual([{ count: 0, mean: null }]);
    expect((await store.search({ ...empty, params: { query: { groupBy: 'done' } } })).data).toEqual([]);
    const { meta } = await store.search({ ...collection, params: { query: { groupBy: 'title' }, limit: 3 } });
    expect(meta).toMatchObject({ has_more: true, cursor: null, total: 4, total_is_exact: true });
  });
});

it("resolves dates relative to the service's clock, but only in date-times", async () => {
  const now = () => Date.parse('2026-03-11T15:30:00Z');
  const store = await newStore({ folder: ':memory:', entities: [tasks], now });
  const days = ['2026-03-01T00:00:00Z', '2026-03-04T15:29:59Z', '2026-03-04T15:30:00Z', '2026-03-09', '2026-03-11'];
  await store.write(
    collection,
    days.map((createdAt, index) => ({ id: `${index}`, createdAt })),
  );
  const ids = async (filter: object) =>
    (await store.search({ ...collection, params: { query: { filter } } })).data.map(({ id }) => id).join('');
  expect(await ids({ gte: { createdAt: 'now-7d' } })).toBe('234');
  expect(await ids({ lt: { createdAt: 'now-1w' } })).toBe('01');
  expect(await ids({ lt: { createdAt: 'now-2592000s' } })).toBe('');
  expect(await ids({ gte: { createdAt: 'now-604800s' } })).toBe('234');
  expect((await failure(ids({ gte: { createdAt: `now-${'9'.repeat(20)}d` } }))).message).toContain('such as');
  expect(await ids({ gte: { createdAt: 'now-7d/d' } })).toBe('1234');
  expect(await ids({ gte: { createdAt: 'now/w' } })).toBe('34');
  expect(await ids({ in: { createdAt: ['now/d', '2026-03-01'] } })).toBe('04');
  expect(await ids({ gt: { createdAt: 'now+1h-30m-1800s' } })).toBe('');
  expect(await ids({ eq: { title: 'now-7d' } })).toBe('');
  const { issues } = await failure(ids({ gte: { title: 'now-7d', 'state.since': 'now-1h' } }));
  expect(issues).toEqual([
    { path: 'query.filter.gte.title', message: 'does not accept relative dates; dates are createdAt' },
    { path: 'query.filter.gte.state.since', message: 'does not accept relative dates; dates are createdAt' },
  ]);
  await failure(ids({ gte: { createdAt: `now${'+1d'.repeat(1000)}` } }));
  const { message } = await failure(ids({ gte: { createdAt: 'now-7days' } }));
  expect(message).toContain('such as "2026-01-31", "2026-01-31T09:30:00Z" or "now-7d"');
});

it.each([
  [{ groupBy: 'state' }, 'query.groupBy', 'is an object. Specify an inner field; to see them, search with {'],
  [{ groupBy: 'labels' }, 'query.groupBy', 'is an array and cannot be grouped by'],
  [{ groupBy: ['titel'] }, 'query.groupBy.0', "Did you mean 'title'?"],
  [{ groupBy: [] }, 'query.groupBy', 'must be a field, or a list of 1 to 4'],
  [{ groupBy: ['title', 'title'] }, 'query.groupBy', 'lists a field twice'],
  [
    { aggregates: { mean: { avg: 'title' } } },
    'query.aggregates.mean.avg',
    'cannot be applied to a field of type string',
  ],
  [
    { aggregates: { mean: { median: 'priority' } } },
    'query.aggregates.mean',
    'must be one of avg, min, max, sum, count_distinct of a field',
  ],
  [{ aggregates: { count: { avg: 'priority' } } }, 'query.aggregates.count', 'is already used'],
  [{ aggregates: {} }, 'query.aggregates', 'must be an object with 1 to 16 members'],
  [{ count: 'yes' }, 'query.count', 'must be a boolean'],
  [{ count: true, sort: [{ title: 'asc' }] }, 'query.sort.0.title', 'cannot sort groups. Valid names: count'],
  [{ groupBy: 'title', sort: [{ count: 'up' }] }, 'query.sort.0.count', 'must be one of "asc", "desc"'],
])('rejects %j', async (query, path, message) => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const { issues } = await failure(store.search({ ...collection, params: { query } }));
  expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
});

it('rejects grouping by a field that has the same name as the record count', async () => {
  const [entity] = storedEntities.filter(({ fields }) => 'count' in fields);
  const store = await newStore({ folder: ':memory:', entities: [entity!] });
  const search = store.search({
    ...collection,
    type: 'sample',
    entity: entity!.entity,
    params: { query: { groupBy: 'count' } },
  });
  const { issues } = await failure(search);
  expect(issues).toEqual([{ path: 'query.groupBy', message: 'is already used in the result' }]);
});

it('rejects a count combined with fields or a cursor', async () => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const params = { query: { count: true }, fields: ['id'], cursor: 'x' };
  const { issues } = await failure(store.search({ ...collection, params }));
  expect(issues!.map(({ path }) => path)).toEqual(['fields', 'cursor']);
});
