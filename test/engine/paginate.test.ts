import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { book, shelf } from './shelf.js';
import { skipBackoff } from './time.js';

/** A vendor with pages of two books; the cursor of page n is `c<n>`. */
function library(pages: number, cursorAfter = (page: number): unknown => `c${page + 1}`) {
  const { fetch, sent } = fakeFetch(({ url }, count) => {
    const page = Number(url.searchParams.get('cursor')?.slice(1) ?? 1);
    const books = [book(`b${count}a`), book(`b${count}b`)];
    return json({ books, next: page < pages ? cursorAfter(page) : null });
  });
  return { connector: shelf(fetch), sent };
}

/** Everything before a failure, and the failure. */
async function until<T>(records: AsyncIterable<T>) {
  const seen: T[] = [];
  const error = await failure(async () => {
    for await (const record of records) if (seen.push(record) > 200) return;
  });
  return { seen, error };
}

describe('paginate', () => {
  it('yields records from all pages in order', async () => {
    const { connector, sent } = library(3);
    const ids: string[] = [];
    for await (const { id } of connector.paginate('books', 'list')) ids.push(id);
    expect(ids).toEqual(['b1a', 'b1b', 'b2a', 'b2b', 'b3a', 'b3b']);
    expect(sent.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c2', 'c3']);
  });

  it('requests every page with the same parameters', async () => {
    const { connector, sent } = library(3);
    const options = { selectFields: ['id'] };
    for await (const record of connector.paginate('books', 'list', { size: 50, tags: ['x', 'y'] }, options)) {
      expect(Object.keys(record)).toEqual(['id']);
    }
    for (const { url } of sent) expect(url.search).toMatch(/^\?(cursor=c\d&)?size=50&tags=x&tags=y$/);
  });

  it('starts at a given cursor', async () => {
    const { connector, sent } = library(3);
    for await (const _ of connector.paginate('books', 'list', { cursor: 'c2' }));
    expect(sent).toHaveLength(2);
  });

  it('yields pages with their meta', async () => {
    const { connector } = library(2);
    const pages: unknown[] = [];
    for await (const { data, meta } of connector.paginate('books', 'list').pages()) pages.push([data.length, meta]);
    expect(pages).toEqual([
      [2, { next: 'c2' }],
      [2, { next: null }],
    ]);
  });

  it('sends nothing before it is read, and requests no more pages after a break', async () => {
    const { connector, sent } = library(9);
    const books = connector.paginate('books', 'list');
    expect(sent).toHaveLength(0);
    for await (const { id } of books) if (id === 'b2a') break;
    expect(sent).toHaveLength(2);
    for await (const { data } of connector.paginate('books', 'list').pages()) if (data.length > 0) break;
    expect(sent).toHaveLength(3);
  });

  it('requests the next page only when the current one is consumed', async () => {
    const { connector, sent } = library(2);
    const records = connector.paginate('books', 'list')[Symbol.asyncIterator]();
    await records.next();
    await records.next();
    expect(sent).toHaveLength(1);
    await records.next();
    expect(sent).toHaveLength(2);
  });

  it('yields no more records from a page once its signal is aborted', async () => {
    const { connector, sent } = library(9);
    const controller = new AbortController();
    const seen: string[] = [];
    const error = await failure(async () => {
      for await (const { id } of connector.paginate('books', 'list', {}, { signal: controller.signal })) {
        seen.push(id);
        controller.abort(new Error('enough'));
      }
    });
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    expect(seen).toEqual(['b1a']);
    expect(sent).toHaveLength(1);
  });

  it('starts over when it is read again', async () => {
    const { connector, sent } = library(2);
    const books = connector.paginate('books', 'list');
    for (let time = 0; time < 2; time++) for await (const _ of books);
    expect(sent).toHaveLength(4);
  });

  it('yields nothing for an empty list, and continues after an empty page', async () => {
    const pages = [{ books: [], next: 'c2' }, { books: [book('b1')] }];
    const { fetch } = fakeFetch((_, count) => json(pages[count - 1]));
    const ids: string[] = [];
    for await (const { id } of shelf(fetch).paginate('books', 'list')) ids.push(id);
    expect(ids).toEqual(['b1']);
  });

  it.each([
    ['the same cursor forever', () => 'c1', 2],
    ['two alternating cursors', (page: number) => `c${3 - page}`, 4],
    ['three rotating cursors', (page: number) => `c${(page % 3) + 1}`, 8],
    ['a loop that starts later', (page: number) => (page < 5 ? `c${page + 1}` : 'c3'), 12],
  ])('stops at %s', async (_, cursorAfter, atMost) => {
    const { connector, sent } = library(100, cursorAfter);
    const { error, seen } = await until(connector.paginate('books', 'list'));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.message).toContain('repeated an earlier cursor');
    expect(sent.length).toBeLessThanOrEqual(atMost);
    expect(seen).toHaveLength(sent.length * 2);
  });

  it('ends at an empty cursor if nothing says that there is more', async () => {
    const { connector, sent } = library(3, (page) => (page < 2 ? `c${page + 1}` : ''));
    const ids: string[] = [];
    for await (const { id } of connector.paginate('books', 'list')) ids.push(id);
    expect([ids.length, sent.length]).toEqual([4, 2]);
    const page = await connector.execute('books', 'list', { cursor: 'c2' });
    expect(connector.following('books', 'list', { cursor: 'c2' }, page as never)).toBeUndefined();
  });

  it('stops if the response says there is more but has no cursor', async () => {
    const nodes = [{ id: 't1' }];
    for (const endCursor of [null, undefined, '']) {
      const { fetch } = fakeFetch(() =>
        json({ data: { teams: { nodes, pageInfo: { hasNextPage: true, endCursor } } } }),
      );
      const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch });
      const { seen, error } = await until(linear.paginate('teams', 'list'));
      expect(error).toMatchObject({ code: 'invalid_response', message: expect.stringContaining('no cursor') });
      expect(seen).toHaveLength(1);
    }
  });

  it('ends at the last page even if it has a cursor', async () => {
    const nodes = [{ id: 't1' }];
    const { fetch, sent } = fakeFetch(() =>
      json({ data: { teams: { nodes, pageInfo: { hasNextPage: false, endCursor: 'c' } } } }),
    );
    const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch });
    for await (const _ of linear.paginate('teams', 'list'));
    expect(sent).toHaveLength(1);
  });

  it('yields the records before a failure, and retries a page after a transient failure', async () => {
    skipBackoff();
    const replies = [
      json({ books: [book('b1')], next: 'c2' }),
      json({}, 503),
      json({ books: [book('b2')], next: 'c3' }),
      json({}, 403),
    ];
    const { fetch } = fakeFetch((_, count) => replies[count - 1]!);
    const { seen, error } = await until(shelf(fetch).paginate('books', 'list'));
    expect(seen.map(({ id }) => id)).toEqual(['b1', 'b2']);
    expect(error.code).toBe('forbidden');
  });

  it('ends when its signal is aborted', async () => {
    const { connector, sent } = library(100);
    const controller = new AbortController();
    const seen: string[] = [];
    const error = await failure(async () => {
      for await (const { id } of connector.paginate('books', 'list', {}, { signal: controller.signal })) {
        seen.push(id);
        if (seen.length === 4) controller.abort();
      }
    });
    expect(error.code).toBe('aborted');
    expect(sent).toHaveLength(2);
  });

  it('immediately rejects unknown names and actions other than lists', async () => {
    const { connector } = library(1);
    const paginate = (entity: string, action: string) => failure(() => (connector as any).paginate(entity, action));
    expect(await paginate('books', 'get')).toMatchObject({
      code: 'unknown_action',
      message: expect.stringContaining('execute'),
    });
    expect(await paginate('book', 'list')).toMatchObject({ code: 'unknown_entity' });
    expect(await paginate('books', 'lists')).toMatchObject({ code: 'unknown_action' });
  });

  it('reports invalid parameters when it is read', async () => {
    const { connector, sent } = library(1);
    const { error } = await until(connector.paginate('books', 'list', { size: 0 }));
    expect(error.code).toBe('invalid_params');
    expect(sent).toHaveLength(0);
  });

  it("pages through a search with the search's own cursor", async () => {
    const cursors: unknown[] = [];
    const linear = new LinearConnector({
      transport: async ({ params }) => {
        cursors.push((params as any).cursor);
        return {
          data: [{ id: String(cursors.length) }],
          meta: { has_more: cursors.length < 3, cursor: `s${cursors.length}`, took_ms: 1 },
        };
      },
    });
    const ids: unknown[] = [];
    for await (const { id } of linear.paginate('teams', 'context_store_search', { query: {} })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(cursors).toEqual([undefined, 's1', 's2']);
  });
});
