import type { Hooks, MismatchEvent, RequestEvent, ResponseEvent, RetryEvent } from 'agent-connectors';
import { describe, expect, it, vi } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { book, type ShelfConnector, shelf, shelfConnector } from './shelf.js';
import { skipBackoff } from './time.js';

describe('hooks', () => {
  it('receive every attempt in order, without query, headers or body', async () => {
    skipBackoff();
    const events: Array<[string, RequestEvent | ResponseEvent | RetryEvent]> = [];
    const hooks: Hooks = {
      onRequest: (event) => void events.push(['request', event]),
      onResponse: (event) => void events.push(['response', event]),
      onRetry: (event) => void events.push(['retry', event]),
    };
    const { fetch } = fakeFetch((_, count) => (count === 1 ? new Response('', { status: 502 }) : json({ books: [] })));
    await shelf(fetch, { hooks }).execute('books', 'list', { cursor: 'private' });
    expect(events.map(([name]) => name)).toEqual(['request', 'response', 'retry', 'request', 'response']);
    const common = {
      connector: 'shelf',
      entity: 'books',
      action: 'list',
      method: 'GET',
      url: 'https://api.shelf.example/v1/books',
    };
    expect(events.map(([, event]) => event)).toEqual([
      { ...common, attempt: 1 },
      { ...common, attempt: 1, status: 502, durationMs: expect.any(Number) },
      { ...common, attempt: 1, delayMs: 250, error: expect.objectContaining({ code: 'vendor_error', status: 502 }) },
      { ...common, attempt: 2 },
      { ...common, attempt: 2, status: 200, durationMs: expect.any(Number) },
    ]);
  });

  it("receive the vendor's remaining limits", async () => {
    const limits = { learn: () => [{ name: 'requests', remaining: 7, limit: 10, resetsAt: 1 }] };
    const seen: unknown[] = [];
    const { fetch } = fakeFetch(() => json({ books: [] }));
    const hooks: Hooks = { onResponse: ({ budgets }) => void seen.push(budgets) };
    const Shelf = shelfConnector({ limits });
    await new Shelf({ credentials: { api_key: 'k' }, hooks, fetch }).execute('books', 'list');
    expect(seen).toEqual([[{ name: 'requests', remaining: 7, limit: 10, resetsAt: 1 }]]);
  });

  it('receive each step of an action, with its own method', async () => {
    const seen: string[] = [];
    const { fetch } = fakeFetch(() => json(book('b1')));
    const hooks: Hooks = { onRequest: ({ method, url }) => void seen.push(`${method} ${new URL(url).pathname}`) };
    await shelf(fetch, { hooks }).execute('books', 'move', { id: 'b1', shelf: 'B' });
    expect(seen).toEqual(['GET /v1/books/b1', 'PUT /v1/books/b1/place']);
  });

  it('receive no retry event if nothing was retried', async () => {
    const onRetry = vi.fn();
    const { fetch } = fakeFetch(() => json({}, 404));
    await failure(shelf(fetch, { hooks: { onRetry } }).execute('books', 'get', { id: 'x' }));
    expect(onRetry).not.toHaveBeenCalled();
  });

  it('receive two retry events for three attempts', async () => {
    skipBackoff();
    const onRetry = vi.fn();
    const { fetch } = fakeFetch(() => json({}, 500));
    await failure(shelf(fetch, { hooks: { onRetry } }).execute('books', 'get', { id: 'x' }));
    expect(onRetry.mock.calls.map(([{ attempt }]) => attempt)).toEqual([1, 2]);
  });

  it('can throw without affecting the call', async () => {
    skipBackoff();
    const hook = vi.fn(() => {
      throw new Error('the log is full');
    });
    const hooks: Hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onResponseMismatch: hook };
    const { fetch } = fakeFetch((_, count) => (count === 1 ? json({}, 500) : json(book('b1', { pages: 'many' }))));
    const { data } = await shelf(fetch, { hooks }).execute('books', 'get', { id: 'b1' });
    expect(data.pages).toBe('many');
    expect(hook).toHaveBeenCalledTimes(6);
  });
});

describe('onResponseMismatch', () => {
  const watched = async (
    reply: unknown,
    call: (connector: InstanceType<typeof ShelfConnector>) => Promise<unknown>,
  ) => {
    const events: MismatchEvent[] = [];
    const { fetch } = fakeFetch(() => json(reply));
    const hooks: Hooks = { onResponseMismatch: (event) => void events.push(event) };
    const result = await call(shelf(fetch, { hooks }));
    return { events, result };
  };

  it('reports where a response differs without changing it', async () => {
    const reply = { books: [book('b1'), book('b2', { pages: '100', author: 'Jane' })], next: null };
    const { events, result } = await watched(reply, (connector) => connector.execute('books', 'list'));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ connector: 'shelf', entity: 'books', action: 'list' });
    expect(events[0]!.mismatches.map(({ path }) => path)).toEqual(['1.pages', '1.author']);
    expect(result).toMatchObject({ data: [{ id: 'b1' }, { id: 'b2', pages: '100', author: 'Jane' }] });
  });

  it('reports meta that differs', async () => {
    const { events } = await watched({ books: [], next: 7 }, (connector) => connector.execute('books', 'list'));
    expect(events[0]!.mismatches).toEqual([{ path: 'next', message: expect.any(String) }]);
  });

  it('reports a saved record under its key', async () => {
    const { events } = await watched(book('b1', { title: 5 }), (connector) =>
      connector.execute('books', 'update', { id: 'b1' }),
    );
    expect(events[0]!.mismatches.map(({ path }) => path)).toEqual(['book.title']);
  });

  it('is not called for valid responses, even if objects contain other fields', async () => {
    const reply = book('b1', { author: { name: 'Jane', more: [1, { x: null }] }, unlisted: true });
    for (const options of [{}, { raw: true }, { selectFields: ['id'] }, { maxStringLength: 1 }]) {
      const { events } = await watched(reply, (connector) => connector.execute('books', 'get', { id: 'b1' }, options));
      expect(events).toEqual([]);
    }
  });

  it('has no overhead without a listener', async () => {
    const { fetch } = fakeFetch(() => json(book('b1', { pages: 'many' })));
    const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' });
    expect(data.pages).toBe('many');
  });
});
