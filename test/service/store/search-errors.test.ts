import { describe, expect, it } from 'vitest';
import { failure } from '../../failure.js';
import { collection, newStore, tasks } from './fixtures.js';

it('reports every error in a search with its path and the closest field', async () => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const params = {
    query: { filter: { eq: { tittle: 'x', priority: 'high' }, nor: [] }, sort: [{ labels: 'asc' }] },
    limit: 0,
  };
  await expect(store.search({ ...collection, params })).rejects.toMatchObject({
    code: 'invalid_params',
    issues: [
      { path: 'query.filter.eq.tittle', message: expect.stringContaining("Did you mean 'title'?") },
      { path: 'query.filter.eq.priority', message: 'needs a value for a field of type number, such as 1.5' },
      { path: 'query.filter.nor', message: expect.stringContaining("Did you mean 'not'?") },
      { path: 'query.sort.0.labels', message: 'is an array and cannot be sorted by' },
      { path: 'limit', message: 'must be a whole number from 1 to 10000' },
    ],
  });
  const nested = Array.from({ length: 2000 }).reduce<object>((not) => ({ not }), { eq: { id: 'a' } });
  await expect(store.search({ ...collection, params: { query: { filter: nested } } })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  const many = { or: Array.from({ length: 1001 }, () => ({ eq: { id: 'a' } })) };
  await expect(store.search({ ...collection, params: { query: { filter: many } } })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  await expect(store.search({ ...collection, entity: 'task', params: { query: {} } })).rejects.toMatchObject({
    code: 'unknown_entity',
  });
});

it('rejects texts, filters, prompts and paths that are too long, with a short error', async () => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const messageOf = async (filter: object) =>
    (await failure(store.search({ ...collection, params: { query: { filter } } }))).message;
  const long = 'word '.repeat(2001);
  for (const operator of ['like', 'keyword', 'fuzzy', 'contains'])
    expect(await messageOf({ [operator]: { title: long } })).toBe(
      `tasks.context_store_search: query.filter.${operator}.title has more than 10000 characters.`,
    );
  expect(await messageOf({ in: { ownerId: Array.from({ length: 120 }, () => long) } })).toContain(
    'query.filter has more than 1000000 characters',
  );
  const path = `state${'.a'.repeat(100_000)}`;
  const message = await messageOf({ eq: { [path]: 'x' }, gt: { [`${path}.b`]: 1 } });
  expect(message).toContain('has more than 500 characters');
  expect(message.length).toBeLessThan(2000);
});

describe('the hint for an error', () => {
  const refusal = async (params: unknown, entity = tasks) => {
    const store = await newStore({ folder: ':memory:', entities: [entity] });
    return failure(store.search({ ...collection, params }));
  };

  it.each([
    ['gte', 'createdAt', 'last week', 'such as "2026-01-31", "2026-01-31T09:30:00Z" or "now-7d"'],
    ['eq', 'createdAt', '2026-02-30', 'such as "2026-01-31"'],
    ['eq', 'views', 'many', 'such as 42'],
    ['in', 'priority', ['high'], 'such as [1.5]'],
    ['array_contains', 'title', 'x', 'search text with contains, keyword, fuzzy, or like with %'],
    ['keyword', 'priority', 'x', 'needs a text field, not one of type number'],
    ['title', 'eq', 'x', 'has the field first, but the operator must come first: {"eq":{"title":"x"}}'],
  ])('says what %s on %s accepts instead of %j', async (operator, field, value, example) => {
    const { message, issues } = await refusal({ query: { filter: { [operator]: { [field]: value } } } });
    expect(issues).toHaveLength(1);
    expect(message).toContain(example);
  });

  it('shows the expected form of a query and of a sort', async () => {
    expect((await refusal({})).message).toContain('query is required: {} for every record');
    expect((await refusal({ query: 'x' })).message).toContain('{"filter": {"eq": {"<field>": "text"}}}');
    expect((await refusal({ query: { sort: { title: 'asc' } } })).message).toContain(
      'an array of {"<field>": "asc" or "desc"}',
    );
  });

  it('lists the closest of many fields, and where to find all of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`plan${index}`, 'number' as const]));
    const wide = { ...tasks, fields: { ...tasks.fields, ...many } };
    const { message, hint } = await refusal({ query: { filter: { eq: { tittle: 'x' } } } }, wide);
    expect(message).toContain("Did you mean 'title'? Closest matches among 50 fields: title");
    expect(message).not.toContain('plan7');
    expect(hint).toContain('section "actions.tasks.context_store_search" of the docs list all 50 fields');
  });
});
