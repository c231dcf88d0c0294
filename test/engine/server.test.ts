import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { startServer, trackUnhandledRejections, waitForUnhandledRejections } from './fake-fetch.js';
import { book, key, ShelfConnector } from './shelf.js';
import { skipBackoff, waitUntil } from './time.js';

const reply = JSON.stringify(book('b1'));
const over = (endpoints: string, options: object = {}) =>
  new ShelfConnector({ credentials: key, endpoints, ...options });
const get = (endpoints: string, options?: object) => over(endpoints, options).execute('books', 'get', { id: 'b1' });
const update = (endpoints: string, options?: object) =>
  over(endpoints, options).execute('books', 'update', { id: 'b1', title: 'T' });

/** An address without a listener. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('a real server', () => {
  it('receives the request that the action defines, as JSON', async () => {
    const seen: unknown[] = [];
    const address = await startServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { 'content-type': type, authorization, accept } = request.headers;
      seen.push({ method: request.method, url: request.url, type, authorization, accept, body: JSON.parse(body) });
      response.end(reply);
    });
    await over(address).execute('books', 'update', { id: 'b/1', title: 'Émma 🙂' });
    expect(seen).toEqual([
      {
        method: 'PATCH',
        url: '/books/b%2F1',
        type: 'application/json',
        authorization: `Bearer ${key.api_key}`,
        accept: 'application/json',
        body: { title: 'Émma 🙂' },
      },
    ]);
  });

  it('that resets the connection is retried for a read, but not for a write', async () => {
    skipBackoff();
    let calls = 0;
    const address = await startServer((request, response) => {
      if (++calls % 2 === 1) request.socket.resetAndDestroy();
      else response.end(reply);
    });
    expect((await get(address)).data.id).toBe('b1');
    expect(calls).toBe(2);
    expect((await failure(update(address))).code).toBe('unknown_outcome');
    expect(calls).toBe(3);
  });

  it('that disconnects in the middle of the body is retried for a read, but not for a write', async () => {
    skipBackoff();
    let calls = 0;
    const address = await startServer((request, response) => {
      if (++calls % 2 === 0) return void response.end(reply);
      response.writeHead(200, { 'content-length': reply.length });
      response.write(reply.slice(0, 20), () => request.socket.destroy());
    });
    expect((await get(address)).data.id).toBe('b1');
    expect((await failure(update(address))).code).toBe('unknown_outcome');
    expect(calls).toBe(3);
  });

  it('that is not running is retried even for a write, and then reported as a network failure', async () => {
    skipBackoff();
    const address = await nobody();
    const retried: number[] = [];
    const hooks = { onRetry: ({ attempt }: { attempt: number }) => void retried.push(attempt) };
    for (const call of [get, update]) {
      const error = await failure(call(address, { hooks }));
      expect(error).toMatchObject({ code: 'network', message: expect.stringContaining('ECONNREFUSED') });
    }
    expect(retried).toEqual([1, 2, 1, 2]);
  });

  it("that is slow to start or finish its response hits the attempt's timeout", async () => {
    const address = await startServer((request, response) => {
      if (request.url!.includes('b1')) return;
      response.writeHead(200);
      response.write('{');
    });
    const connector = over(address, { attemptTimeoutMs: 40, retries: 0 });
    for (const id of ['b1', 'b2']) {
      expect((await failure(connector.execute('books', 'get', { id }))).code).toBe('timeout');
    }
  });

  it("notices the client's disconnect when a call is aborted while the body is being read", async () => {
    let gone = false;
    const address = await startServer((_, response) => {
      response.on('close', () => {
        gone = true;
      });
      response.write('{');
    });
    const controller = new AbortController();
    let begun = false;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      begun = true;
      return response;
    };
    const call = failure(over(address, { fetch }).execute('books', 'get', { id: 'b1' }, { signal: controller.signal }));
    await waitUntil(() => begun);
    controller.abort();
    expect((await call).code).toBe('aborted');
    await waitUntil(() => gone);
  });

  it('serves 200 concurrent calls', async () => {
    const seen = trackUnhandledRejections();
    const address = await startServer(
      (request, response) => void response.end(JSON.stringify(book(request.url!.slice(7)))),
    );
    const connector = over(address);
    const calls = Array.from({ length: 200 }, (_, n) => connector.execute('books', 'get', { id: `b${n}` }));
    const ids = (await Promise.all(calls)).map(({ data }) => data.id);
    expect(ids).toEqual(ids.map((_, n) => `b${n}`));
    await waitForUnhandledRejections();
    expect(seen).toEqual([]);
  });

  it('can send a body in chunks of any size', async () => {
    const bytes = Buffer.from(JSON.stringify(book('b1', { title: 'Émile 🙂 12345678901234567890' })));
    const address = await startServer(async (_, response) => {
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        if (byte === 0xf0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    });
    expect((await get(address)).data.title).toBe('Émile 🙂 12345678901234567890');
  });
});

describe('a process', () => {
  it("is not kept alive by a timer after a call, whatever the call's timeout", async () => {
    const address = await startServer((_, response) => void response.end(reply));
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const connector = over(address, { timeoutMs: 2e9, attemptTimeoutMs: 2e9 });
    const params = { id: 'b1' };
    await connector.execute('books', 'get', params);
    const before = timers();
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map(() => connector.execute('books', 'get', params, { signal })));
    await failure(connector.execute('books', 'get', params, { signal: AbortSignal.abort() }));
    const controller = new AbortController();
    const call = failure(connector.execute('books', 'get', params, { signal: controller.signal }));
    controller.abort();
    await call;
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
