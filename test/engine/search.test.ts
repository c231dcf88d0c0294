import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { ShelfConnector } from './shelf.js';

const seen: unknown[] = [];
const connector = new ShelfConnector({
  transport: async ({ params }) => {
    seen.push(params);
    return { data: [], meta: { has_more: false, cursor: null, took_ms: 1 } };
  },
}) as any;
const search = (params: unknown) => connector.execute('books', 'context_store_search', params);
const filtered = (filter: unknown) => search({ query: { filter } });

/** The faults of a search that must not have reached the transport. */
async function faults(call: () => Promise<unknown>) {
  const before = seen.length;
  const error = await failure(call);
  expect(error).toMatchObject({ code: 'invalid_params', docs: 'actions.books.context_store_search' });
  expect(seen).toHaveLength(before);
  return error.issues!;
}

describe('context_store_search parameters', () => {
  it.each([
    { eq: { title: 'Emma' } },
    { eq: { title: null, lent: true } },
    { neq: { pages: 3 } },
    { gt: { pages: 3, price: 1.5 }, lt: { title: 'M' } },
    { gte: { pages: '12345678901234567890' }, lte: { price: 9 } },
    { in: { title: ['a', null], pages: [1, 2] } },
    { like: { title: 'Em%' }, fuzzy: { title: 'ema' }, keyword: { title: 'emma' } },
    { contains: { tags: 'x' }, any: { tags: ['x', 'y'] } },
    { eq: { 'author.name': 'Jane', 'author.works.0.title': 7 } },
    { not: { eq: { title: 'x' } } },
    { and: [{ or: [{ eq: { title: 'x' } }, { not: { like: { title: '%' } } }] }, { gt: { price: 0 } }] },
    { eq: { tags: ['a'], author: { name: 'Jane' } } },
  ])('accepts %j', async (filter) => {
    await filtered(filter);
    expect(seen.at(-1)).toEqual({ query: { filter } });
  });

  it('accepts an empty query, a sort, fields, a limit and a cursor', async () => {
    const params = {
      query: { sort: [{ title: 'asc' }, { 'author.name': 'desc' }] },
      fields: ['id'],
      limit: 10_000,
      cursor: 'c',
    };
    await search(params);
    expect(seen.at(-1)).toEqual(params);
    await search({ query: {} });
    expect(seen.at(-1)).toEqual({ query: {} });
  });

  it('accepts a semantic search', async () => {
    const semantic = {
      field: 'blurb',
      prompt: 'sailing',
      filter: { gt: { pages: 1 } },
      context_size: 2048,
      dedup: 'none',
      mode: 'hybrid',
    };
    await search({ semantic, fields: ['author.name'], limit: 100 });
    expect(seen.at(-1)).toMatchObject({ semantic });
  });

  it.each([
    ['an empty filter within another', { and: [{}] }, 'query.filter.and.0', 'is empty'],
    ['an unknown operator', { equals: { title: 'x' } }, 'query.filter.equals', "'eq'"],
    [
      'an operator that every object inherits',
      { constructor: { title: 'x' } },
      'query.filter.constructor',
      'is unknown',
    ],
    ['an operator without fields', { eq: {} }, 'query.filter.eq', 'has no field'],
    ['an operator with a value instead of fields', { eq: 'x' }, 'query.filter.eq', 'must be'],
    ['an unknown field', { eq: { titel: 'x' } }, 'query.filter.eq.titel', "Did you mean 'title'?"],
    [
      'a field that every object inherits',
      { eq: { constructor: 'x' } },
      'query.filter.eq.constructor',
      'not a searchable',
    ],
    ['a method that every object inherits', { eq: { toString: 'x' } }, 'query.filter.eq.toString', 'not a searchable'],
    ['a path into a text field', { eq: { 'title.x': 1 } }, 'query.filter.eq.title.x', 'not a searchable'],
    ['a number for a text field', { eq: { title: 5 } }, 'query.filter.eq.title', 'type string'],
    ['text for a number field', { gt: { price: '5' } }, 'query.filter.gt.price', 'type number'],
    ['a fraction for an integer field', { eq: { pages: 1.5 } }, 'query.filter.eq.pages', 'type integer'],
    ['null for an ordering', { gt: { pages: null } }, 'query.filter.gt.pages', 'type integer'],
    ['text for a boolean field', { eq: { lent: 'true' } }, 'query.filter.eq.lent', 'type boolean'],
    ['a single value for in', { in: { title: 'x' } }, 'query.filter.in.title', 'needs'],
    ['an empty in', { in: { title: [] } }, 'query.filter.in.title', 'needs'],
    ['an invalid value within in', { in: { pages: [1, 'x'] } }, 'query.filter.in.pages', 'needs'],
    ['a number for like', { like: { title: 5 } }, 'query.filter.like.title', 'needs'],
    ['an empty text for keyword', { keyword: { title: '' } }, 'query.filter.keyword.title', 'needs'],
    ['a single value for any', { any: { tags: 'x' } }, 'query.filter.any.tags', 'needs'],
    ['an empty and', { and: [] }, 'query.filter.and', 'must not be empty'],
    ['a single filter for or', { or: { eq: { title: 'x' } } }, 'query.filter.or', 'must be an array'],
    ['several filters for not', { not: [] }, 'query.filter.not', 'must be an object'],
    [
      'a fault deep inside',
      { and: [{ not: { or: [{ eq: { titel: 'x' } }] } }] },
      'query.filter.and.0.not.or.0.eq.titel',
      "'title'",
    ],
    ['an unknown operator deep inside', { and: [{ liek: { title: 'x' } }] }, 'query.filter.and.0.liek', "'like'"],
  ])('rejects %s', async (_, filter, path, message) => {
    const issues = await faults(() => filtered(filter));
    expect(issues.find((issue) => issue.path === path)?.message).toContain(message);
  });

  it('rejects the field __proto__ instead of searching with fewer conditions', async () => {
    const filter = JSON.parse('{"eq": {"title": "x", "__proto__": "y"}}');
    const [issue] = await faults(() => filtered(filter));
    expect(issue).toMatchObject({
      path: 'query.filter.eq.__proto__',
      message: expect.stringContaining('not a searchable'),
    });
  });

  it('rejects the operator __proto__ instead of ignoring it', async () => {
    const filter = JSON.parse('{"eq": {"title": "x"}, "__proto__": {"eq": {"title": "y"}}}');
    const [issue] = await faults(() => filtered(filter));
    expect(issue!.path).toBe('query.filter.__proto__');
  });

  it.each([
    ['neither query nor semantic', {}, 'query'],
    ['both query and semantic', { query: {}, semantic: { field: 'blurb', prompt: 'x' } }, ''],
    ['a limit of 0', { query: {}, limit: 0 }, 'limit'],
    ['a limit over 10,000', { query: {}, limit: 10_001 }, 'limit'],
    ['a fraction as limit', { query: {}, limit: 1.5 }, 'limit'],
    ['a semantic limit over 100', { semantic: { field: 'blurb', prompt: 'x' }, limit: 101 }, 'limit'],
    ['a cursor with semantic', { semantic: { field: 'blurb', prompt: 'x' }, cursor: 'c' }, 'cursor'],
    ['a sort with semantic', { semantic: { field: 'blurb', prompt: 'x', sort: [{ title: 'asc' }] } }, 'semantic.sort'],
    ['no prompt', { semantic: { field: 'blurb' } }, 'semantic.prompt'],
    ['an empty prompt', { semantic: { field: 'blurb', prompt: '' } }, 'semantic.prompt'],
    ['no semantic field although there are two', { semantic: { prompt: 'x' } }, 'semantic.field'],
    ['a semantic field that is not one', { semantic: { field: 'tags', prompt: 'x' } }, 'semantic.field'],
    ['too much context', { semantic: { field: 'blurb', prompt: 'x', context_size: 2049 } }, 'semantic.context_size'],
    ['an unknown dedup', { semantic: { field: 'blurb', prompt: 'x', dedup: 'all' } }, 'semantic.dedup'],
    ['a sort that is not a list', { query: { sort: { title: 'asc' } } }, 'query.sort'],
    ['an invalid sort direction', { query: { sort: [{ title: 'up' }] } }, 'query.sort.0.title'],
    ['a sort of two fields in one entry', { query: { sort: [{ title: 'asc', id: 'asc' }] } }, 'query.sort.0'],
    ['a sort without a field', { query: { sort: [{}] } }, 'query.sort.0'],
    ['an unknown field to return', { query: {}, fields: ['nope'] }, 'fields.0'],
    ['no field to return', { query: {}, fields: [] }, 'fields'],
    ['an unknown parameter', { query: {}, limits: 3 }, 'limits'],
    ['a filter next to the query', { filter: { eq: { title: 'x' } } }, 'filter'],
  ])('rejects %s', async (_, params, path) => {
    const issues = await faults(() => search(params));
    expect(issues.map((issue) => issue.path)).toContain(path);
  });

  it('lists the valid sort directions and suggests the closest sort field', async () => {
    const [direction] = await faults(() => search({ query: { sort: [{ title: 'up' }] } }));
    expect(direction!.message).toContain('"asc", "desc"');
    const [field] = await faults(() => search({ query: { sort: [{ titel: 'asc' }] } }));
    expect(field!.message).toContain("'title'");
  });

  it.each([null, [], 'text', 5])('rejects %j instead of an object', async (params) => {
    const [issue] = await faults(() => search(params));
    expect(['', 'query']).toContain(issue!.path);
  });

  it('makes semantic.field optional if the entity has only one such field', async () => {
    const given: unknown[] = [];
    const linear = new LinearConnector({
      transport: async ({ params }) => {
        given.push(params);
        return { data: [], meta: {} };
      },
    });
    await linear.execute('issues', 'context_store_search', { semantic: { prompt: 'crash on login' } });
    expect(given).toHaveLength(1);
  });

  it('does not offer semantic search for an entity that does not support it', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch }) as any;
    const error = await failure(linear.execute('teams', 'context_store_search', { semantic: { prompt: 'x' } }));
    expect(error.code).toBe('invalid_params');
    expect(sent).toHaveLength(0);
  });
});

describe('context_store_search without a service', () => {
  it('fails with hosted_only and says how to add one', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch });
    const error = await failure(linear.execute('issues', 'context_store_search', { query: {} }));
    expect(error).toMatchObject({ code: 'hosted_only', docs: 'search', retryable: false });
    expect(error.hint).toContain('hosted');
    expect(sent).toHaveLength(0);
  });

  it('also fails with hosted_only if there are no credentials', async () => {
    const error = await failure(new LinearConnector().execute('issues', 'context_store_search', { query: {} }));
    expect(error.code).toBe('hosted_only');
  });
});
