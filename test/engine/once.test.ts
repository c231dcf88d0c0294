import { ConnectorError, type ExecuteOptions, type Sent } from 'agent-connectors';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, json } from './fake-fetch.js';
import { book, ShelfConnector, shelf } from './shelf.js';
import { skipBackoff } from './time.js';

type Reply = Parameters<typeof fakeFetch>[0];

/** A caller's record of one write. */
function memory(sent?: Sent) {
  const noted: Sent[] = [];
  const once: NonNullable<ExecuteOptions['once']> = { ...(sent && { sent }), sending: (now) => noted.push(now) };
  return { noted, options: { once } };
}

/** A vendor with the test's books, which responds to writes as the test specifies. */
function vendor(books: Record<string, object>, write: Reply = ({ json: body }) => json(book(body.id ?? 'b1', body))) {
  return fakeFetch((sent, count) => {
    if (sent.method !== 'GET') return write(sent, count);
    const found = books[sent.url.pathname.split('/').at(-1)!];
    return found ? json(found) : json({ error: 'no such book' }, 404);
  });
}

const reset = () => {
  throw connectionError('ECONNRESET');
};
const earlier: Sent = { id: '3f2b8a34-1d56-4c88-9a0e-6a4f6f0d2c11', by: 'id' };

beforeEach(() => skipBackoff());

describe('a write that a later call can resume', () => {
  it('is recorded with its id before it is sent, once for all attempts', async () => {
    const order: string[] = [];
    const { fetch, sent } = vendor({}, ({ method, json: body }, count) => {
      order.push(method);
      return count === 1 ? reset() : json(book(body.id));
    });
    const noted: Sent[] = [];
    const sending = (now: Sent) => {
      order.push('noted');
      noted.push(now);
    };
    await shelf(fetch).execute('books', 'create', { title: 'Emma' }, { once: { sending } });
    expect(order).toEqual(['noted', 'POST', 'POST']);
    expect(noted).toEqual([{ id: sent[0]!.json.id, by: 'id' }]);
  });

  it('is not sent if it could not be recorded', async () => {
    const { fetch, sent } = vendor({});
    const cause = Object.assign(new TypeError('disk full'), { code: 'ENOSPC' });
    const sending = () => Promise.reject(cause);
    const error = await failure(shelf(fetch).execute('books', 'create', { title: 'Emma' }, { once: { sending } }));
    expect(sent).toEqual([]);
    expect([error.code, error.hint, error.cause]).toEqual(['aborted', undefined, cause]);
    expect(error.message).toBe('once.sending failed, so the write was not sent.');
  });

  it('is announced before each attempt, and not sent if that fails', async () => {
    const order: string[] = [];
    const { fetch } = vendor({}, ({ method }) => {
      order.push(method);
      return json({ error: 'slow down' }, 429);
    });
    const cause = new Error('taken over');
    const once = {
      sending: () => order.push('sending'),
      attempting: () => {
        order.push('attempting');
        if (order.length > 5) throw cause;
      },
    };
    const error = await failure(shelf(fetch).execute('books', 'create', { title: 'Emma' }, { once }));
    expect(order).toEqual(['sending', 'attempting', 'POST', 'attempting', 'POST', 'attempting']);
    expect([error.code, error.cause]).toEqual(['aborted', cause]);
    expect(error.message).toBe('once.attempting failed, so the request was not sent.');
  });

  it('is not sent if the caller ends the call, whatever the error means when a vendor returns it', async () => {
    const { options } = memory(earlier);
    const ended = new ConnectorError('not_found', 'The connector was deleted.');
    const { fetch, sent } = vendor({});
    const beforeAttempt = () => Promise.reject(ended);
    const created = await failure(shelf(fetch).execute('books', 'create', { title: 'Emma' }, { beforeAttempt }));
    expect(created).toBe(ended);
    // The lookup of an earlier write must not conclude that the record does not exist.
    const resumed = await failure(
      shelf(fetch).execute('books', 'create', { title: 'Emma' }, { ...options, beforeAttempt }),
    );
    expect([resumed.code, resumed.cause]).toEqual(['unknown_outcome', ended]);
    expect(sent).toEqual([]);
  });

  it('is checked before each attempt, reads and lookups included, and then not retried', async () => {
    const order: string[] = [];
    const { fetch } = fakeFetch(({ method }) => {
      order.push(method);
      return json({ error: 'slow down' }, 429);
    });
    const cause = new Error('over');
    const beforeAttempt = () => {
      order.push('check');
      if (order.length > 4) throw cause;
    };
    const error = await failure(shelf(fetch).execute('books', 'get', { id: 'b1' }, { beforeAttempt }));
    expect(order).toEqual(['check', 'GET', 'check', 'GET', 'check']);
    expect([error.code, error.cause]).toEqual(['aborted', cause]);
    expect(error.message).toBe('beforeAttempt failed, so the request was not sent.');
  });

  it('announces no lookups', async () => {
    const { options } = memory(earlier);
    const announced: string[] = [];
    const { fetch, sent } = vendor({ [earlier.id]: book(earlier.id, { title: 'Emma' }) });
    const once = { ...options.once, attempting: () => announced.push('attempting') };
    await shelf(fetch).execute('books', 'create', { title: 'Emma' }, { once });
    expect([sent.length, announced]).toEqual([1, []]);
  });

  it('is not recorded if it was rejected locally or a preceding read failed', async () => {
    const { noted, options } = memory();
    const { fetch } = fakeFetch(reset);
    await failure(shelf(fetch).execute('books', 'move', { id: 'b1', shelf: 'A' }, options));
    await failure(shelf(fetch, { readOnly: true }).execute('books', 'create', { title: 'Emma' }, options));
    expect(noted).toEqual([]);
  });

  it('is considered done if it is found', async () => {
    const { noted, options } = memory(earlier);
    const { fetch, sent } = vendor({ [earlier.id]: book(earlier.id, { title: 'Emma' }) });
    const { data } = await shelf(fetch).execute('books', 'create', { title: 'Emma' }, options);
    expect(data.book).toMatchObject({ id: earlier.id, title: 'Emma' });
    expect(sent.map(({ method }) => method)).toEqual(['GET']);
    expect(noted).toEqual([]);
  });

  it('is executed with the same id if it is not found', async () => {
    const { noted, options } = memory(earlier);
    const { fetch, sent } = vendor({});
    await shelf(fetch).execute('books', 'create', { title: 'Emma' }, options);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(sent[1]!.json.id).toBe(earlier.id);
    expect(noted).toEqual([earlier]);
  });

  it('is found if the earlier request arrives between the lookup and the retry', async () => {
    const books: Record<string, object> = {};
    const { fetch } = vendor(books, () => {
      books[earlier.id] = book(earlier.id, { title: 'Emma' });
      return json({ error: 'duplicate' }, 409);
    });
    const { data } = await shelf(fetch).execute('books', 'create', { title: 'Emma' }, memory(earlier).options);
    expect(data.book).toMatchObject({ id: earlier.id });
  });

  it('stays unknown if it cannot be looked up, and is not sent', async () => {
    const { fetch, sent } = fakeFetch(() => new Response('', { status: 503 }));
    const error = await failure(shelf(fetch).execute('books', 'create', { title: 'Emma' }, memory(earlier).options));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.hint).toContain(earlier.id);
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('stays unknown and unsent if the vendor has no lookup', async () => {
    const { noted, options } = memory();
    await failure(shelf(fakeFetch(reset).fetch).execute('books', 'update', { id: 'b1', title: 'Emma' }, options));
    expect(noted).toEqual([{ id: '', by: null }]);
    const { fetch, sent } = vendor({});
    const call = shelf(fetch).execute('books', 'update', { id: 'b1', title: 'Emma' }, memory(noted[0]).options);
    expect((await failure(call)).code).toBe('unknown_outcome');
    expect(sent).toEqual([]);
  });

  it('is not mistaken for another recorded write', async () => {
    const { fetch, sent } = vendor({});
    for (const sentBefore of [
      { id: '', by: null },
      { id: earlier.id, by: 'values' },
    ] as const) {
      const call = shelf(fetch).execute('books', 'create', { title: 'Emma' }, memory(sentBefore).options);
      expect((await failure(call)).code).toBe('unknown_outcome');
    }
    expect(sent).toEqual([]);
  });
});

it('a hosted connector uses the same key for the write in each call', async () => {
  const { noted, options } = memory();
  const hosted = { baseUrl: 'http://127.0.0.1:1', token: 'token', connectorId: 'con_1' };
  const keys: unknown[] = [];
  const { fetch } = fakeFetch(({ headers }) => {
    keys.push(headers.get('idempotency-key'));
    return json({ status: 'success', result: { success: true, book: book('b1') }, connector_metadata: {} });
  });
  const connector = new ShelfConnector({ hosted, fetch });
  await connector.execute('books', 'create', { title: 'Emma' }, options);
  await connector.execute('books', 'create', { title: 'Emma' }, memory(noted[0]).options);
  expect(keys).toEqual([noted[0]!.id, noted[0]!.id]);
});
