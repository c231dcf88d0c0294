import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { CreateOptions, RunningService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { consoleHeaders } from '../console/setup.js';
import { connectorPath, serveTestService, type Tenant, tenantOf } from './setup.js';

async function running(options: CreateOptions = {}): Promise<{ server: RunningService; acme: Tenant }> {
  const server = await serveTestService(options);
  return { server, acme: await tenantOf(server, 'Acme') };
}

interface Connection {
  readonly socket: Socket;
  /** Resolves when the server closes the connection. */
  readonly ended: Promise<void>;
  heard: string;
}

async function open(port: number, text = '', localAddress = '127.0.0.1'): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    socket.on('error', end).on('close', end).on('end', end);
  });
  const connection: Connection = { socket, ended, heard: '' };
  socket.on('data', (data) => {
    connection.heard += data;
  });
  socket.write(text);
  return connection;
}

/** Sends a small request. */
const me = async ({ url }: RunningService, { token }: Tenant): Promise<number> => {
  const answer = await fetch(`${url}/api/v1/account/me`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
};

const head = ({ token }: Tenant, path: string, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`;
const json = (text: string) => `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;

/** A vendor with one file or list of this length. */
const large = (bytes: number, seen?: Parameters<typeof endless>[0]): typeof globalThis.fetch => {
  const text = 'x'.repeat(1_000_000);
  return async (input) =>
    String(input).includes('alt=media')
      ? new Response(endless(seen), { headers: { 'content-type': 'audio/mpeg' } })
      : Response.json({ files: Array.from({ length: bytes / 1e6 }, (_, id) => ({ id: String(id), name: text })) });
};

/** An endless file; counts the bytes read and the cancelled reads. */
const endless = (seen = { bytes: 0, cancelled: 0 }) =>
  new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.bytes += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel() {
        seen.cancelled += 1;
      },
    },
    { highWaterMark: 0 },
  );

describe('a slow sender', () => {
  test('is disconnected if its headers never complete, while other clients are served, even with a hundred slow senders', async () => {
    const { server } = await running({ limits: { headMs: 1_500 } });
    const slow = await Promise.all(Array.from({ length: 100 }, () => open(server.port, 'GET /health HTTP/1.1\r\n')));
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('x-a: b\r\n');
    }, 50);
    onTestFinished(() => clearInterval(dripping));
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    for (const { ended } of slow) await ended;
    expect(slow[0]!.heard).toMatch(/^HTTP\/1\.1 408 /);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test('is disconnected if it sends nothing at all', async () => {
    const { server } = await running({ limits: { headMs: 300 } });
    await (await open(server.port)).ended;
  });

  test('is disconnected if its body arrives too slowly', async () => {
    const { server, acme } = await running({ limits: { requestMs: 500 } });
    const text = JSON.stringify({ name: 'x'.repeat(1000) });
    const slow = await open(server.port, head(acme, '/api/v1/workspaces', 'POST') + json(text));
    let sent = 0;
    const dripping = setInterval(() => {
      if (slow.socket.writable) slow.socket.write(text[sent++]!);
    }, 40);
    onTestFinished(() => clearInterval(dripping));
    await slow.ended;
    expect((await acme.ask('GET', '/api/v1/workspaces')).body.data).toHaveLength(1);
  });

  test('is disconnected if its body stalls, before the total timeout', async () => {
    const { server, acme } = await running({ limits: { stalledMs: 300 } });
    const slow = await open(server.port, `${head(acme, '/api/v1/workspaces', 'POST')}${json('{"name":"x"}')}{`);
    await slow.ended;
  });

  test('is disconnected if it leaves a connection idle', async () => {
    const { server } = await running({ limits: { idleMs: 300 } });
    const idle = await open(server.port, 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await idle.ended;
    expect(idle.heard).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('cannot send endless headers', async () => {
    const { server } = await running({ limits: { headBytes: 4_000 } });
    const long = await open(
      server.port,
      `GET /health HTTP/1.1\r\nhost: localhost\r\nx-a: ${'x'.repeat(5_000)}\r\n\r\n`,
    );
    await long.ended;
    expect(long.heard).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('is rejected beyond the maximum number of connections', async () => {
    const { server } = await running({ limits: { connections: 3 } });
    const kept = await Promise.all(Array.from({ length: 3 }, () => open(server.port)));
    const fourth = await open(server.port, 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await fourth.ended;
    expect(fourth.heard).toBe('');
    kept[0]!.socket.destroy();
    await expect.poll(async () => (await fetch(`${server.url}/health`).catch(() => undefined))?.status).toBe(200);
  });

  test('is rejected beyond the maximum per address, leaving room for others', async () => {
    const { server } = await running({ limits: { connectionsOfAddress: 3 } });
    const health = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    const kept = await Promise.all(Array.from({ length: 3 }, () => open(server.port)));
    const fourth = await open(server.port, health);
    await fourth.ended;
    expect(fourth.heard).toBe('');
    // Other systems have only one loopback address.
    if (process.platform === 'linux') {
      const other = await open(server.port, health, '127.0.0.2');
      await other.ended;
      expect(other.heard).toMatch(/^HTTP\/1\.1 200 /);
    }
    kept[0]!.socket.destroy();
    await expect.poll(async () => (await fetch(`${server.url}/health`).catch(() => undefined))?.status).toBe(200);
  });

  test.each([[['127.0.0.0/8']], [1]])('is not limited per address if it is a proxy: %j', async (trustedProxies) => {
    const { server } = await running({ trustedProxies, limits: { connectionsOfAddress: 2 } });
    await Promise.all(Array.from({ length: 5 }, () => open(server.port)));
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});

describe('a slow reader', { timeout: 300_000 }, () => {
  /** Sends a request and never reads the response. */
  async function unread(server: RunningService, acme: Tenant, path: string, body: object) {
    const text = JSON.stringify(body);
    const connection = await open(server.port);
    connection.socket.pause();
    connection.socket.write(head(acme, path, 'POST') + json(text) + text);
    return connection;
  }
  const drive = (acme: Tenant) => acme.connect('google-drive', { access_token: 'ya29.any' });
  const list = { entity: 'files', action: 'list' };

  test('of a long response is disconnected after reading nothing for a while', async () => {
    const { server, acme } = await running({ fetch: large(30e6), limits: { stalledMs: 500, atOnceOfClient: 1 } });
    const slow = await unread(server, acme, connectorPath(await drive(acme), '/execute'), list);
    await expect.poll(() => slow.socket.readableLength, { timeout: 120_000 }).toBeGreaterThan(0);
    // Until then, its client's other requests are rejected.
    await expect.poll(() => me(server, acme)).toBe(200);
    slow.socket.resume();
    await slow.ended;
    expect(slow.heard.length).toBeLessThan(25e6);
  });

  test('of a long response is disconnected if reading takes too long in total', async () => {
    const { server, acme } = await running({ fetch: large(30e6), limits: { answerMs: 700, atOnceOfClient: 1 } });
    const slow = await unread(server, acme, connectorPath(await drive(acme), '/execute'), list);
    await expect.poll(() => slow.socket.readableLength, { timeout: 120_000 }).toBeGreaterThan(0);
    const sipping = setInterval(() => {
      slow.socket.resume();
      setImmediate(() => slow.socket.pause());
    }, 100);
    onTestFinished(() => clearInterval(sipping));
    await expect.poll(() => me(server, acme)).toBe(200);
    clearInterval(sipping);
    slow.socket.resume();
    await slow.ended;
    expect(slow.heard.length).toBeLessThan(25e6);
  });

  test('of a download uses no additional memory and is disconnected', async () => {
    const seen = { bytes: 0, cancelled: 0 };
    const { server, acme } = await running({ fetch: large(0, seen), limits: { stalledMs: 1_000 } });
    const path = connectorPath(await drive(acme), '/execute');
    const body = { entity: 'files', action: 'download', params: { fileId: 'f1' } };
    globalThis.gc?.();
    const before = process.memoryUsage();
    const slow = await Promise.all(Array.from({ length: 20 }, () => unread(server, acme, path, body)));
    // Once all buffers are full, no more bytes are transferred; without backpressure, this would be gigabytes.
    let taken: number;
    do {
      taken = seen.bytes;
      await wait(200);
    } while ((taken === 0 || seen.bytes !== taken) && taken < 500e6);
    expect(taken).toBeLessThan(500e6);
    const after = process.memoryUsage();
    expect(after.rss - before.rss).toBeLessThan(300e6);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(60e6);
    await expect.poll(() => seen.cancelled).toBe(20);
    for (const { socket, ended } of slow) {
      socket.resume();
      await ended;
    }
  });

  test('of many long responses is rejected until they have been read', async () => {
    const limits = { heldBytesOfOrganization: 130e6 };
    const { server, acme } = await running({ fetch: large(30e6), limits });
    const path = connectorPath(await drive(acme), '/execute');
    const slow = await unread(server, acme, path, list);
    await expect.poll(() => slow.socket.readableLength, { timeout: 120_000 }).toBeGreaterThan(0);
    const again = async () => (await acme.ask('POST', path, { json: list })).status;
    expect(await again()).toBe(429);
    expect(await me(server, acme)).toBe(200);
    slow.socket.destroy();
    await expect.poll(again).toBe(200);
  });

  test('of an event stream stays connected as long as it reads', async () => {
    const { server, acme } = await running({ limits: { stalledMs: 300 } });
    // Signs in without a connection, since a kept-alive one could time out on a busy machine.
    const signedIn = await server.fetch(
      new Request('http://localhost/console/session', {
        method: 'POST',
        headers: { ...consoleHeaders, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: acme.clientId, client_secret: acme.clientSecret }),
      }),
    );
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const follow = `GET /console/events HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\nx-console: 1\r\nsec-fetch-site: same-origin\r\n\r\n`;
    const events = await open(server.port, follow);
    expect(await Promise.race([events.ended.then(() => 'ended'), wait(1_500, 'kept')])).toBe('kept');
    await expect.poll(() => events.heard).toContain('event: connectors');
    events.heard = '';
    await acme.connect('linear', { api_key: 'lin_api_any' });
    await expect.poll(() => events.heard).toContain('linear');
  });
});

test('the total size of concurrent bodies is limited', async () => {
  const { server, acme } = await running({ limits: { heldBytesOfOrganization: 4_000_000 } });
  const text = JSON.stringify({ name: 'x'.repeat(900_000) });
  const begin = () => open(server.port, `${head(acme, '/api/v1/workspaces', 'POST')}${json(text)}{`);
  let first = await begin();
  // The second is rejected once the first is buffered; until then it is read, and rejected for its contents.
  const second = async () => {
    // The server may have read the second before the first, and rejected the first.
    if (first.heard !== '') first = await begin();
    const asked = `${head(acme, '/api/v1/workspaces', 'POST')}connection: close\r\n${json(text)}${text}`;
    const connection = await open(server.port, asked);
    await connection.ended;
    return connection.heard;
  };
  await expect.poll(second).toMatch(/^HTTP\/1\.1 429 [\s\S]*not_begun/);
  first.socket.write(text.slice(1));
  await expect.poll(() => first.heard).toMatch(/^HTTP\/1\.1 422 /);
});
