import { LinearConnector } from 'agent-connectors/linear';
import { expect, it } from 'vitest';
import { failure } from '../failure.js';
import { ShelfConnector } from './shelf.js';

const calls: any[] = [];
const transport = async ({ params }: any) => {
  calls.push(params);
  return { data: [{ count: 1 }], meta: { has_more: true, cursor: null, took_ms: 1 } };
};
const shelf = new ShelfConnector({ transport }) as any;
const search = (query: object, rest = {}) => shelf.execute('books', 'context_store_search', { query, ...rest });

it.each([
  { count: true },
  { count: false, sort: [{ title: 'asc' }] },
  { groupBy: 'title', filter: { eq: { lent: true } } },
  { groupBy: ['title', 'author.name'], sort: [{ count: 'desc' }, { 'author.name': 'asc' }] },
  {
    aggregates: { mean: { avg: 'price' }, last: { max: 'title' }, all: { sum: 'author.age' } },
    sort: [{ mean: 'asc' }],
  },
])('accepts %j', async (query) => {
  await expect(search(query)).resolves.toMatchObject({ data: [{ count: 1 }] });
  expect(calls.at(-1)).toEqual({ query });
});

it.each([
  [{ groupBy: 'titel' }, 'query.groupBy', "Did you mean 'title'?"],
  [{ groupBy: ['title', 'author'] }, 'query.groupBy.1', 'is an object. Specify an inner field: "author.name"'],
  [{ groupBy: 'tags' }, 'query.groupBy', 'is an array'],
  [{ groupBy: [] }, 'query.groupBy', 'must be a field, or a list of 1 to 4'],
  [{ groupBy: 7 }, 'query.groupBy', 'must be a field'],
  [{ count: 1 }, 'query.count', 'must be a boolean'],
  [{ aggregates: {} }, 'query.aggregates', 'must be an object with 1 to 16 members'],
  [{ aggregates: { mean: { mean: 'price' } } }, 'query.aggregates.mean', 'must be one of avg, min, max, sum'],
  [
    { aggregates: { mean: { avg: 'title' } } },
    'query.aggregates.mean.avg',
    'cannot be applied to a field of type string',
  ],
  [
    { aggregates: { most: { max: 'lent' } } },
    'query.aggregates.most.max',
    'cannot be applied to a field of type boolean',
  ],
  [{ aggregates: { most: { max: 'prise' } } }, 'query.aggregates.most.max', "Did you mean 'price'?"],
  [{ count: true, sort: [{ title: 'asc' }] }, 'query.sort.0.title', 'cannot sort groups. Valid names: count'],
  [{ groupBy: 'title', sort: [{ titel: 'asc' }] }, 'query.sort.0.titel', "Did you mean 'title'?"],
  [{ count: true, sort: [{ count: 'up' }] }, 'query.sort.0.count', 'must be one of "asc", "desc"'],
  [{ count: true, filter: { eq: { titel: 1 } } }, 'query.filter.eq.titel', "Did you mean 'title'?"],
])('rejects %j', async (query, path, message) => {
  const before = calls.length;
  const { issues } = await failure(search(query));
  expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  expect(calls).toHaveLength(before);
});

it('a grouped search rejects fields and a cursor', async () => {
  const { issues } = await failure(search({ count: true }, { fields: ['id'], cursor: 'x' }));
  expect(issues).toEqual(
    ['fields', 'cursor'].map((path) => ({ path, message: 'cannot be combined with count, groupBy or aggregates' })),
  );
});

it('a grouped search ends after one page', async () => {
  const linear = new LinearConnector({ transport });
  const before = calls.length;
  for await (const _ of linear.paginate('issues', 'context_store_search', { query: { groupBy: 'stateId' } }));
  expect(calls).toHaveLength(before + 1);
});
