import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it, test } from 'vitest';
import { failure } from '../failure.js';
import { ShelfConnector } from './shelf.js';

const transport = async () => ({ data: [], meta: {} });
const shelf = new ShelfConnector({ transport }) as any;
const linear = new LinearConnector({ transport }) as any;
const refused = (connector: any, params: unknown, entity = 'issues', action = 'context_store_search') =>
  failure(connector.execute(entity, action, params));
const filtered = async (filter: unknown) => (await refused(linear, { query: { filter } })).issues!;

describe('a filter', () => {
  it('with only misspelled operators is not reported as empty', async () => {
    const issues = await filtered({ equals: { title: 'x' }, grt: { priority: 1 } });
    expect(issues.map(({ path }) => path)).toEqual(['query.filter.equals', 'query.filter.grt']);
    expect(await filtered({ not: {} })).toEqual([{ path: 'query.filter.not', message: 'is empty' }]);
  });

  it.each([
    [{ title: { eq: 'x' } }, { eq: { title: 'x' } }],
    [
      { title: 'x', priority: { lte: 2 } },
      { eq: { title: 'x' }, lte: { priority: 2 } },
    ],
    [{ eq: { id: 'a' }, title: 'x' }, { eq: { id: 'a', title: 'x' } }],
    [{ stateId: ['a', 'b'] }, { in: { stateId: ['a', 'b'] } }],
    [
      { labelIds: ['a'], attachmentIds: 'b' },
      { any: { labelIds: ['a'] }, contains: { attachmentIds: 'b' } },
    ],
    [{ title: { contains: '5 %' } }, { like: { title: '%5 \\%%' } }],
    [{ state: { name: { eq: 'Done' } } }, { eq: { 'state.name': 'Done' } }],
    [{ 'state.name': { neq: 'Done' } }, { neq: { 'state.name': 'Done' } }],
    [
      { createdAt: { $gte: '2026-01-01', $lt: '2026-02-01' } },
      { gte: { createdAt: '2026-01-01' }, lt: { createdAt: '2026-02-01' } },
    ],
    [{ assigneeId: null }, { eq: { assigneeId: null } }],
    [{ state: 'Done' }, { eq: { 'state.name': 'Done' } }],
    [{ parent: ['a', 'b'] }, { in: { 'parent.title': ['a', 'b'] } }],
  ])('that starts with the field is rejected with a suggestion of the intended filter: %j', async (filter, meant) => {
    const [issue, ...others] = await filtered(filter);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({
      path: 'query.filter',
      message: expect.stringContaining('the operator must come first'),
    });
    const shown = JSON.parse(/first: (\{.*\})$/.exec(issue!.message)![1]!);
    expect(shown).toEqual(meant);
    await expect(linear.execute('issues', 'context_store_search', { query: { filter: shown } })).resolves.toBeDefined();
  });

  it('that starts with the field is corrected at any depth', async () => {
    const [issue] = await filtered({ and: [{ eq: { title: 'x' } }, { not: { priority: 1 } }] });
    expect(issue).toMatchObject({
      path: 'query.filter.and.1.not',
      message: expect.stringContaining('{"eq":{"priority":1}}'),
    });
  });

  it.each([
    { titel: { eq: 'x' } },
    { field: 'title', operator: 'is', value: 'x' },
    { title: { sounds_like: 'x' } },
    { title: {} },
    { eq: 'x', title: 'y' },
    { title: 'x'.repeat(1000) },
    { title: 10n },
    { __proto__x: { title: 'x' } },
    [{ eq: { title: 'x' } }],
    'title = x',
  ])('in any other form is rejected with a valid example: %o', async (filter) => {
    const { hint, code } = await refused(linear, { query: { filter } });
    expect(code).toBe('invalid_params');
    expect(hint).toContain('{"<operator>": {"<field>": <value>}}');
  });

  it('that contains only faults quickly produces a short error', async () => {
    const flood = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, { title: 'x' }]));
    expect((await refused(linear, { query: { filter: flood } })).message.length).toBeLessThan(20_000);
    expect((await refused(linear, { query: { filter: { eq: flood } } })).message.length).toBeLessThan(20_000);
    expect((await refused(linear, { query: {}, ...flood })).message.length).toBeLessThan(20_000);
    const long = { [`title${'x'.repeat(1_000_000)}`]: 'x' };
    expect((await refused(linear, { query: { filter: { eq: long } } })).message.length).toBeLessThan(2_000);
  });

  it('that is nested too deeply is rejected', async () => {
    const endless = Array.from({ length: 20_000 }).reduce<object>((not) => ({ not }), { eq: { title: 'x' } });
    expect(await filtered(endless)).toMatchObject([{ message: expect.stringContaining('nested deeper') }]);
  });
});

describe('an unknown field', () => {
  it('lists only the closest of many fields, and where to find the rest', async () => {
    const { message, hint } = await refused(linear, { query: { filter: { eq: { asignee: 'x' } } }, fields: ['titel'] });
    expect(message).toContain("Did you mean 'assignee'? Closest matches among 53 fields: assignee, assigneeId");
    expect(message).toContain("fields.0 is not a searchable field. Did you mean 'title'?");
    expect(message.length).toBeLessThan(400);
    expect(hint).toContain('list all 53 fields');
    expect(hint).toContain('"actions.issues.context_store_search"');
  });

  it('without a close match lists the main fields, once', async () => {
    const { message, hint } = await refused(linear, { query: { filter: { eq: { owner: 'x', severity: 1 } } } });
    expect(message).not.toContain('dueDate');
    expect(hint).toMatch(/^Searchable fields: id, identifier, url, title, description, state, priority, assignee, /);
    expect(hint).toContain(' and 41 more; see section "actions.issues.context_store_search" of the docs.');
    expect(hint!.length).toBeLessThan(250);
  });

  it('lists every field if there are few', async () => {
    const { message } = await refused(shelf, { query: { sort: [{ titel: 'asc' }] } }, 'books');
    expect(message).toContain("Did you mean 'title'? Valid fields: id, title, pages, author, price, lent, tags");
  });
});

describe('a search', () => {
  it.each([{}, { limit: 3 }, { query: 'login bug' }, { filter: { eq: { title: 'x' } } }])(
    'without a query is rejected with an explanation of both kinds: %j',
    async (params) => {
      const { issues } = await refused(linear, params);
      expect(issues![0]).toMatchObject({
        path: 'query',
        message: expect.stringMatching(/"filter".*semantic.*"prompt"/),
      });
    },
  );

  it('does not suggest semantic search if the entity does not support it', async () => {
    const { message } = await refused(linear, {}, 'teams');
    expect(message).toContain('{"filter": {"eq"');
    expect(message).not.toContain('semantic');
    const semantic = await refused(linear, { semantic: { prompt: 'x' } }, 'teams');
    expect(semantic.message).toContain('semantic is not supported: search this entity with query');
  });

  it.each([
    [{ filter: { eq: { title: 'x' } } }, 'filter', 'belongs in query'],
    [{ query: { eq: { title: 'x' } } }, 'query.eq', 'belongs in query.filter'],
    [{ query: { title: 'x' } }, 'query.title', 'belongs in query.filter'],
    [{ query: { filter: { eq: { title: 'x' } }, limit: 5 } }, 'query.limit', 'belongs next to query'],
    [{ prompt: 'x' }, 'prompt', 'belongs in semantic'],
    [{ semantic: 'x' }, 'semantic', '{"prompt": '],
    [{ query: { semantic: { prompt: 'x' } } }, 'query.semantic', 'replaces query'],
    [{ semantic: { prompt: 'x', limit: 5 } }, 'semantic.limit', 'belongs next to semantic'],
    [{ semantic: { prompt: 'x', sort: [{ title: 'asc' }] } }, 'semantic.sort', 'applies only to query'],
    [{ semantic: { prompt: 'x' }, cursor: 'x' }, 'cursor', 'applies only to query'],
    [{ query: { sort: { title: 'asc' } } }, 'query.sort', 'must be an array of {"<field>": "asc" or "desc"}'],
    [{ query: { sort: ['title'] } }, 'query.sort.0', '{"<field>": "asc" or "desc"}'],
  ])('with a misplaced parameter reports where it belongs: %j', async (params, path, message) => {
    const { issues } = await refused(linear, params);
    expect(issues!.find((issue) => issue.path === path)?.message).toContain(message);
  });

  it.each([
    ['gte', 'price', 'much', 'such as 1.5'],
    ['eq', 'pages', 'many', 'such as 42'],
    ['eq', 'lent', 'yes', 'such as true'],
    ['eq', 'title', 7, 'such as "text"'],
    ['eq', 'author', 'Jane', 'is an object. Specify an inner field: {"eq":{"author.name":"Jane"}}'],
    ['in', 'author', ['Jane'], 'Specify an inner field: {"in":{"author.name":["Jane"]}}'],
    ['keyword', 'author', 'Jane', 'Specify an inner field: {"keyword":{"author.name":"Jane"}}'],
    ['gt', 'author', 'Jane', 'Specify an inner field: {"gt":{"author.name":"Jane"}}'],
    ['contains', 'author', 'Jane', 'Specify an inner field: {"contains":{"author.name":"Jane"}}'],
    ['eq', 'tags', 'a', 'is an array. Search its elements: {"contains":{"tags":"a"}}'],
    ['neq', 'tags', 'a', 'Search its elements: {"not":{"contains":{"tags":"a"}}}'],
    ['in', 'tags', ['a', 'b'], 'Search its elements: {"any":{"tags":["a","b"]}}'],
    ['gt', 'tags', 3, 'is an array and cannot be compared'],
    ['eq', 'tags.name', 'a', 'leads into an array. Search its elements: {"contains":{"tags":{"name":"a"}}}'],
    ['in', 'tags.0.name', ['a'], 'Search its elements: {"any":{"tags":[{"name":"a"}]}}'],
    [
      'like',
      'tags.name',
      'a%',
      'leads into an array, so it can be searched only with contains and any, which match whole values',
    ],
    ['in', 'pages', 3, 'such as [42]'],
    ['any', 'tags', 'a', 'such as ["text"'],
    ['keyword', 'title', '', 'such as "text"'],
    ['contains', 'title', 7, 'such as "text"'],
    ['array_contains', 'title', 'a', 'search text with contains, keyword, fuzzy, or like with %'],
    ['fuzzy', 'pages', 'a', 'needs a text field, not one of type integer'],
  ])('with %s on %s reports what is accepted instead of %j', async (operator, field, value, example) => {
    const { issues } = await refused(shelf, { query: { filter: { [operator]: { [field]: value } } } }, 'books');
    expect(issues).toMatchObject([
      { path: `query.filter.${operator}.${field}`, message: expect.stringContaining(example) },
    ]);
  });
});

it('accepts its own suggestions', async () => {
  for (const [filter, entity, connector] of [
    [{ eq: { state: 'Done' } }, 'issues', linear],
    [{ in: { tags: ['a'] } }, 'books', shelf],
    [{ neq: { 'tags.owner.name': 'a' } }, 'books', shelf],
  ]) {
    const { message } = await refused(connector, { query: { filter } }, entity as string);
    const advised = JSON.parse(/: (\{.*\})\.$/.exec(message)![1]!);
    const params = { query: { filter: advised } };
    await expect(connector.execute(entity, 'context_store_search', params), message).resolves.toBeDefined();
  }
});

it('treats an empty filter as matching every record', async () => {
  for (const params of [{ query: { filter: {} } }, { semantic: { prompt: 'x', filter: {} } }])
    await expect(linear.execute('issues', 'context_store_search', params)).resolves.toBeDefined();
});

it('returns fields of array elements, but does not sort by them', async () => {
  const fields = ['tags.name', 'author.name'];
  await expect(shelf.execute('books', 'context_store_search', { query: {}, fields })).resolves.toBeDefined();
  const { issues } = await refused(shelf, { query: { sort: [{ 'tags.name': 'asc' }] } }, 'books');
  expect(issues).toEqual([{ path: 'query.sort.0.tags.name', message: 'is inside an array and cannot be sorted by' }]);
});

describe('a list with unknown parameters', () => {
  test.each([
    [LinearConnector, 'issues', { limit: 5 }, 'first'],
    [LinearConnector, 'issues', { pageSize: 5 }, 'first'],
    [LinearConnector, 'issues', { cursor: 'x' }, 'after'],
    [GoogleDriveConnector, 'files', { limit: 5 }, 'pageSize'],
    [GoogleDriveConnector, 'files', { cursor: 'x' }, 'pageToken'],
    [GoogleDriveConnector, 'files', { filter: 'x' }, 'q'],
    [GoogleDriveConnector, 'files', { sort: 'name' }, 'orderBy'],
    [GranolaConnector, 'notes', { limit: 5 }, 'page_size'],
    [GongConnector, 'calls', { after: 'x' }, 'cursor'],
  ])('suggests the intended parameter, case %#', async (Class, entity, params, meant) => {
    const { message } = await refused(new (Class as any)({ transport }), params, entity, 'list');
    expect(message).toContain(`Did you mean '${meant}'?`);
  });

  it.each([{ filter: { key: 'x' } }, { query: 'x' }, { sort: 'x' }, { search: 'x' }])(
    "suggests the entity's search: %j",
    async (params) => {
      const { hint } = await refused(linear, params, 'teams', 'list');
      expect(hint).toContain('teams.context_store_search filters and sorts records');
      expect(hint).toContain('if you have a service');
    },
  );

  it('suggests a filter condition if the name is a field', async () => {
    const { hint } = await refused(linear, { teamId: 'x' }, 'issues', 'list');
    expect(hint).toContain('{"query":{"filter":{"eq":{"teamId":');
  });

  it('suggests no search if the entity has none, or the action is not a list', async () => {
    const drive = new GoogleDriveConnector({ transport });
    expect((await refused(drive, { fileId: 'x', filter: 'x' }, 'permissions', 'list')).hint).toBeUndefined();
    expect((await refused(linear, { id: 'x', filter: 'x' }, 'issues', 'get')).hint).toBeUndefined();
    expect((await refused(linear, { id: 'x', createdAt: 'x' }, 'issues', 'update')).hint).toBeUndefined();
  });

  it('reports whether a misplaced parameter belongs inside another one or next to it', async () => {
    const gong = new GongConnector({ transport });
    const { message } = await refused(gong, { fromDateTime: '2026-01-01' }, 'call_transcripts', 'list');
    expect(message).toContain('fromDateTime belongs in filter');
    const within = await refused(gong, { filter: { cursor: 'x' } }, 'call_transcripts', 'list');
    expect(within.message).toContain('filter.cursor belongs next to filter');
  });
});
