import { connect, type Socket } from 'node:net';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { deferred } from '../../deferred.js';
import { initialize, mainWorkspaceHeaders, startMcpService } from '../mcp/setup.js';
import { connectorPath, serveTestService, tenantOf } from './setup.js';

/** How long a graceful stop would wait for open connections. */
const patienceMs = 10_000;
const patient = { timeout: 30_000 };

/**
 * Opens a connection and sends the given text; resolves once the server has read it. Responses are collected in
 * `heard`.
 */
async function said(port: number, text: string): Promise<{ readonly socket: Socket; heard: string }> {
  const socket = connect(port, '127.0.0.1');
  const connection = { socket, heard: '' };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    connection.heard += data;
  });
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  // A later request has been answered, so the server has read the text.
  await (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer();
  if (text.endsWith('\r\n\r\n')) await expect.poll(() => connection.heard, patient).not.toBe('');
  return connection;
}

const msOf = async (work: Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work;
  return performance.now() - started;
};

test.each([
  ['has sent nothing', ''],
  ['has sent incomplete headers', 'GET /health HTT'],
  ['is kept alive for the next request', 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'],
])('shutdown does not wait for a connection that %s', async (_, text) => {
  const { server } = await startMcpService();
  await said(server.port, text);
  expect(await msOf(server.close())).toBeLessThan(patienceMs);
});

test('shutdown does not wait for a stream cancelled by its client', async () => {
  const { server, tenant, post } = await startMcpService();
  const authorization = `Bearer ${(await tenant()).token}`;
  const session = (await post(initialize, { authorization, ...mainWorkspaceHeaders })).headers.get('mcp-session-id')!;
  const headers = { authorization, ...mainWorkspaceHeaders, accept: 'text/event-stream', 'mcp-session-id': session };
  const standing = await fetch(`${server.url}/mcp`, { headers });
  await standing.body!.cancel();
  // Like clients that keep a spare connection open.
  await said(server.port, '');
  expect(await msOf(server.close())).toBeLessThan(patienceMs);
});

test('on shutdown, a service finishes requests in progress, rejects new ones on the same connections, and is not ready', async () => {
  const [asked, release] = [deferred(), deferred()];
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const server = await serveTestService({
    async fetch(input, init) {
      asked.resolve();
      await release.promise;
      return sandbox.fetch(input, init);
    },
  });
  const acme = await tenantOf(server, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const body = JSON.stringify({ entity: 'teams', action: 'list' });
  const head = `host: localhost\r\nauthorization: Bearer ${acme.token}\r\n`;
  const post = `POST ${connectorPath(id, '/execute')} HTTP/1.1\r\n${head}content-type: application/json\r\n`;
  const running = await said(server.port, `${post}content-length: ${body.length}\r\n\r\n${body}`);
  // Connections with requests in progress when the stop begins.
  const [ready, me] = await Promise.all([
    said(server.port, 'GET /ready HTTP/1.1\r\n'),
    said(server.port, 'GET /api/v1/account/me HTTP/1.1\r\n'),
  ]);
  await asked.promise;
  const closing = server.close();
  ready.socket.write('host: localhost\r\n\r\n');
  me.socket.write(`${head}\r\n`);
  await expect.poll(() => ready.heard, patient).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*unavailable/i);
  await expect.poll(() => me.heard, patient).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*not_begun/i);
  expect(running.heard).toBe('');
  release.resolve();
  await closing;
  await expect.poll(() => running.heard, patient).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"success"/i);
});
