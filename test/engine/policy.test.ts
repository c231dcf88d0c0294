import { type Operation, VERSION } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { book, key, ShelfConnector, shelf } from './shelf.js';

describe('readOnly', () => {
  it.each([
    ['create', { title: 'T' }],
    ['update', { id: 'b1' }],
    ['delete', { id: 'b1' }],
    ['move', { id: 'b1', shelf: 'B' }],
  ] as const)('rejects %s before anything is sent', async (action, params) => {
    const { fetch, sent } = fakeFetch(() => json(book('b1')));
    const error = await failure(shelf(fetch, { readOnly: true }).execute('books', action, params as any));
    expect(error).toMatchObject({ code: 'denied_by_policy', retryable: false });
    expect(error.message).toContain('read-only');
    expect(sent).toHaveLength(0);
  });

  it('allows reads and searches', async () => {
    const connector = new ShelfConnector({ readOnly: true, transport: async () => ({ data: [], meta: {} }) });
    await expect(connector.execute('books', 'list')).resolves.toBeDefined();
    await expect(connector.execute('books', 'context_store_search', { query: {} })).resolves.toBeDefined();
  });

  it('applies to entity methods and to a custom transport', async () => {
    const seen: Operation[] = [];
    const transport = async (operation: Operation) => {
      seen.push(operation);
      return { data: {}, meta: {} };
    };
    const connector = new LinearConnector({ readOnly: true, transport });
    expect((await failure(connector.issues.create({ teamId: 't', title: 'x' }))).code).toBe('denied_by_policy');
    expect((await failure(connector.execute('issues', 'update', { id: 'x' }))).code).toBe('denied_by_policy');
    expect(seen).toEqual([]);
  });
});

describe('allow', () => {
  const allowed = async (allow: string[], entity: string, action: string, params: object = {}) => {
    const connector = new LinearConnector({ allow: allow as any, transport: async () => ({ data: {}, meta: {} }) });
    return (connector as any).execute(entity, action, params).then(
      () => true,
      (error: any) => error.code !== 'denied_by_policy' && Promise.reject(error),
    );
  };

  it.each([
    [['issues.list'], 'issues', 'list', true],
    [['issues.list'], 'issues', 'context_store_search', false],
    [['issues.list'], 'projects', 'list', false],
    [['issues.*'], 'issues', 'list', true],
    [['issues.*'], 'teams', 'list', false],
    [['*.list'], 'teams', 'list', true],
    [['*.list'], 'teams', 'context_store_search', false],
    [['*.*'], 'users', 'list', true],
    [['teams.get', 'users.list'], 'users', 'list', true],
    [[], 'users', 'list', false],
  ])('%j makes %s.%s %s', async (allow, entity, action, expected) => {
    const params = action === 'context_store_search' ? { query: {} } : {};
    expect(await allowed(allow, entity, action, params)).toBe(expected);
  });

  it.each([
    ['issue.list', "'issues'"],
    ['issues.lst', "'list'"],
    ['issues', '<entity>.<action>'],
    ['issues.list.all', '<entity>.<action>'],
    ['', '<entity>.<action>'],
    ['.list', 'no entity'],
    ['workflow_states.get', 'matches no action'],
    ['*.delete', 'matches no action'],
    ['constructor.list', 'no entity'],
    ['issues.constructor', 'matches no action'],
    ['Issues.list', "'issues'"],
  ])('rejects the pattern %j, which would silently deny calls', async (pattern, message) => {
    const error = await failure(() => new LinearConnector({ allow: [pattern as any] }));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain(message);
  });

  it('does not override readOnly', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const connector = shelf(fetch, { readOnly: true, allow: ['books.*'] });
    expect((await failure(connector.execute('books', 'delete', { id: 'b1' }))).code).toBe('denied_by_policy');
    expect(sent).toHaveLength(0);
  });

  it('cannot be extended after the connector has been created', async () => {
    const { fetch, sent } = fakeFetch(() => json(book('b1')));
    const options = { allow: ['books.list'] as any[], readOnly: true };
    const connector = shelf(fetch, options);
    options.allow.push('books.*');
    options.readOnly = false;
    expect((await failure(connector.execute('books', 'get', { id: 'b1' }))).code).toBe('denied_by_policy');
    expect((await failure(connector.execute('books', 'delete', { id: 'b1' }))).code).toBe('denied_by_policy');
    expect(sent).toHaveLength(0);
  });

  it('is checked before parameters, so nothing is revealed about a denied action', async () => {
    const error = await failure(new LinearConnector({ allow: ['issues.list'] }).execute('issues', 'create', {} as any));
    expect(error.code).toBe('denied_by_policy');
  });
});

describe('transport', () => {
  it('receives the validated operation, and returns the result', async () => {
    const seen: Operation[] = [];
    const connector = new ShelfConnector({
      timeoutMs: 1_234,
      transport: async (operation) => {
        seen.push(operation);
        return { data: { id: 'b1', title: 'Emma' }, meta: { from: 'elsewhere' } };
      },
    });
    const options = { selectFields: ['id'] };
    const result = await connector.execute('books', 'get', { id: ' b1 ' }, options);
    expect(result).toEqual({ data: { id: 'b1' }, meta: { from: 'elsewhere' } });
    expect(seen[0]).toMatchObject({
      entity: 'books',
      action: 'get',
      effect: 'read',
      params: { id: 'b1' },
      timeoutMs: 1_234,
    });
    expect(seen[0]!.options).toBe(options);
  });

  it('replaces the credentials, the endpoints and fetch', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const transport = async () => ({ data: [], meta: {} });
    await new ShelfConnector({ credentials: key, fetch, transport }).execute('books', 'list');
    expect(sent).toHaveLength(0);
  });

  it('does not receive invalid calls', async () => {
    let calls = 0;
    const connector = new ShelfConnector({
      transport: async () => {
        calls++;
        return { data: [], meta: {} };
      },
    });
    await failure(connector.execute('books', 'list', { size: 0 }));
    await failure((connector as any).execute('books', 'nope'));
    expect(calls).toBe(0);
  });
});

describe('the user agent', () => {
  it("consists of the caller's prefix and the name of the library", async () => {
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    await shelf(fetch).execute('books', 'list');
    await shelf(fetch, { userAgent: 'my-app/2' }).execute('books', 'list');
    const agents = sent.map(({ headers }) => headers.get('user-agent'));
    expect(agents).toEqual([`agent-connectors/${VERSION}`, `my-app/2 agent-connectors/${VERSION}`]);
  });
});
