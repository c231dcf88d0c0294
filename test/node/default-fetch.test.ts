import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { LinearConnector } from 'agent-connectors/linear';
import { HttpResponse, http as on } from 'msw';
import { setupServer } from 'msw/node';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';

/** A vendor on a port, and a call that resolves to the name that it answers with. */
async function vendor(answer: http.RequestListener) {
  const connections = new Set<unknown>();
  const server = http.createServer(answer).listen(0, '127.0.0.1');
  server.on('connection', (socket) => connections.add(socket));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const endpoints = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { api_key: 'lin_api_test' };
  const call = async (fetch?: typeof globalThis.fetch) => {
    const linear = new LinearConnector({ credentials, endpoints, retries: 0, fetch });
    const { data } = await linear.execute('teams', 'list', {}, { raw: true });
    return data.map(({ name }) => name).join();
  };
  return { call, endpoints, connections };
}

const teams = (name: string) =>
  JSON.stringify({
    data: { teams: { nodes: [{ id: 't1', name, key: 'T' }], pageInfo: { hasNextPage: false, endCursor: null } } },
  });

/** Answers with a body in this encoding. */
const answering =
  (encoding: string | undefined, body: Uint8Array | string): http.RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    });
    response.end(body);
  };

test.each([
  ['gzip', zlib.gzipSync(teams('Zoë'))],
  ['br', zlib.brotliCompressSync(teams('Zoë'))],
  ['deflate', zlib.deflateSync(teams('Zoë'))],
  ['deflate', zlib.deflateRawSync(teams('Zoë'))],
  ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(teams('Zoë')))],
  [undefined, `\ufeff${teams('Zoë')}`],
])('reads a body that is encoded as %s', async (encoding, body) => {
  const { call } = await vendor(answering(encoding, body));
  expect(await call()).toBe('Zoë');
});

test('does not send through the global fetch, and keeps the connection', async () => {
  const requests: http.IncomingHttpHeaders[] = [];
  const { call, connections } = await vendor((request, response) => {
    requests.push(request.headers);
    answering(undefined, teams('Real'))(request, response);
  });
  expect([await call(), await call()]).toEqual(['Real', 'Real']);
  expect(connections.size).toBe(1);
  // The global fetch always sends this header.
  expect(requests.map((headers) => headers['sec-fetch-mode'])).toEqual([undefined, undefined]);
});

test('does not keep a connection that the server keeps for a second', async () => {
  const { call, connections } = await vendor((request, response) => {
    response.setHeader('connection', 'keep-alive');
    response.setHeader('keep-alive', 'timeout=1');
    answering(undefined, teams('Real'))(request, response);
  });
  await call();
  await call();
  expect(connections.size).toBe(2);
});

test('fails with network when the connection ends early', async () => {
  const { call } = await vendor((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"data":', () => response.destroy());
  });
  await expect(call()).rejects.toMatchObject({ code: 'network' });
});

test('uses a global fetch that has been replaced, and one that was given', async () => {
  const { call } = await vendor(answering(undefined, teams('Real')));
  const replaced = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(teams('Replaced')));
  onTestFinished(() => replaced.mockRestore());
  expect(await call()).toBe('Replaced');
  expect(await call(async () => new Response(teams('Given')))).toBe('Given');
});

test('msw sees the requests', async () => {
  const { call, endpoints } = await vendor(answering(undefined, teams('Real')));
  const msw = setupServer(on.post(`${endpoints}/graphql`, () => HttpResponse.json(JSON.parse(teams('Mocked')))));
  msw.listen();
  onTestFinished(() => msw.close());
  expect(await call()).toBe('Mocked');
});

test('a global dispatcher, such as a proxy, sees the requests', async () => {
  const { call } = await vendor(answering(undefined, teams('Real')));
  const before = getGlobalDispatcher();
  let dispatched = 0;
  class Counting extends Agent {
    override dispatch(...given: Parameters<Agent['dispatch']>) {
      dispatched++;
      return super.dispatch(...given);
    }
  }
  const counting = new Counting();
  setGlobalDispatcher(counting);
  onTestFinished(() => {
    setGlobalDispatcher(before);
    return counting.destroy();
  });
  expect(await call()).toBe('Real');
  expect(dispatched).toBe(1);
});

test('tools that wrap http.request, as tracers do, see the requests', async () => {
  const { call } = await vendor(answering(undefined, teams('Real')));
  const request = vi.spyOn(http, 'request');
  onTestFinished(() => request.mockRestore());
  expect(await call()).toBe('Real');
  expect(request).toHaveBeenCalledTimes(1);
});

test('tools that trace the global fetch see the requests', async () => {
  const { call } = await vendor(answering(undefined, teams('Real')));
  const seen = vi.fn();
  subscribe('undici:request:create', seen);
  onTestFinished(() => void unsubscribe('undici:request:create', seen));
  expect(await call()).toBe('Real');
  expect(seen).toHaveBeenCalledTimes(1);
});
