import { randomBytes } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';
import type { CreateOptions, RunningService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectorPath, serveTestService, type Tenant, tenantOf } from './setup.js';

async function running(options: CreateOptions = {}): Promise<{ server: RunningService; acme: Tenant }> {
  // Without replication: vendors in these tests send responses that would break it.
  const server = await serveTestService(options);
  return { server, acme: await tenantOf(server, 'Acme') };
}

const post = (
  { url }: RunningService,
  { token }: Tenant,
  path: string,
  json: unknown,
  headers = {},
  signal?: AbortSignal,
) =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
    ...(signal && { signal }),
  });

/** A Drive with one file that either never ends or is cut off. */
function endless(breaksAt = Number.POSITIVE_INFINITY, length?: number) {
  const passed = { bytes: 0, cancelled: false };
  const vendor: typeof globalThis.fetch = async () => {
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (passed.bytes >= breaksAt) throw new TypeError('terminated');
          passed.bytes += 10_000;
          controller.enqueue(new Uint8Array(10_000));
        },
        cancel() {
          passed.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'audio/mpeg', ...(length && { 'content-length': String(length) }) };
    return new Response(body, { headers });
  };
  return { passed, vendor };
}

const download = { entity: 'files', action: 'download', params: { fileId: 'f1' } };
const drive = (acme: Tenant) => acme.connect('google-drive', { access_token: 'ya29.any' });

/** More bytes than all buffers between client and service can hold. */
const large = 8_000_000;

describe('a service on a socket', () => {
  test('listens on loopback and responds as it does without a socket', async () => {
    const { server, acme } = await running();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const health = await fetch(`${server.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const head = await fetch(`${server.url}/health`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const json = { workspace_name: 'main', connector_type: 'linear', name: 'Grüße 世界' };
    const made = await post(server, acme, '/api/v1/integrations/connectors', json);
    expect([made.status, made.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await made.json()).toMatchObject({ name: 'Grüße 世界' });
  });

  test('requires a token for its metrics, since a local proxy may not forward any headers', async () => {
    const { server, acme } = await running({ dev: false, key: randomBytes(32).toString('base64') });
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const authorized = { authorization: `Bearer ${acme.token}` };
    expect((await fetch(`${server.url}/metrics`, { headers: authorized })).status).toBe(200);
  });

  test.each([{ localMetrics: true, dev: false, key: randomBytes(32).toString('base64') }, { dev: true }])(
    'serves its metrics without a token locally if configured or in dev mode, but not through local proxies',
    async (options) => {
      const { server, acme } = await running(options);
      expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
      // Operators can block this single path in a proxy.
      expect((await fetch(`${server.url}/api/v1/metrics`)).status).toBe(401);
      for (const name of ['x-forwarded-for', 'x-real-ip', 'via', 'forwarded']) {
        const proxied = { [name]: '203.0.113.9' };
        expect([name, (await fetch(`${server.url}/metrics`, { headers: proxied })).status]).toEqual([name, 401]);
        const authorized = { ...proxied, authorization: `Bearer ${acme.token}` };
        expect((await fetch(`${server.url}/metrics`, { headers: authorized })).status).toBe(200);
      }
    },
  );

  test('rejects a large body before it arrives, and an endless one', { timeout: 300_000 }, async () => {
    const { server, acme } = await running({ maxBodyBytes: 10_000 });
    const refused = await post(server, acme, '/api/v1/workspaces', { name: 'x'.repeat(20_000) });
    expect([refused.status, ((await refused.json()) as any).code]).toEqual([413, 'too_large']);
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(1000))),
    });
    const headers = { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const streamed = await fetch(`${server.url}/api/v1/workspaces`, init);
    expect(streamed.status).toBe(413);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test.each([
    ['with a declared length', `content-length: ${large}\r\n\r\n`, ''],
    ['without a declared length', `transfer-encoding: chunked\r\n\r\n${large.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ])(
    'delivers its rejection of a body %s, even to clients that send everything before reading',
    async (_, begin, end) => {
      const { server, acme } = await running({ maxBodyBytes: 10_000 });
      const socket = connect(server.port, '127.0.0.1').pause();
      onTestFinished(() => void socket.destroy());
      const head = `host: localhost\r\nauthorization: Bearer ${acme.token}\r\ncontent-type: application/json\r\n`;
      socket.write(`POST /api/v1/workspaces HTTP/1.1\r\n${head}${begin}`);
      const sent = (text: string) =>
        new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())));
      for (let part = 0; part < 4; part++) {
        await sent('x'.repeat(large / 4));
        // Enough time for the response, which the client has not read yet.
        await wait(20);
      }
      await sent(end);
      let heard = '';
      for await (const part of socket) heard += part;
      expect(heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*too_large/i);
    },
  );

  test.each([
    ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['an invalid host', 'GET /health HTTP/1.1\r\nhost: a b\r\n\r\n'],
    ['a backslash', 'GET /\\health HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['text that is not HTTP', 'hello\r\n\r\n'],
    [
      'two content lengths',
      'POST /api/v1/workspaces HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
    ],
  ])('survives a request with %s', async (_, text) => {
    const { server } = await running();
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.end(text));
      let said = '';
      socket.on('data', (data) => {
        said += data;
      });
      socket.on('close', () => resolve(said)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test('handles two hundred concurrent executes', { timeout: 300_000 }, async () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const { server, acme } = await running({ fetch: sandbox.fetch });
    const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const path = connectorPath(id, '/execute');
    const all = await Promise.all(
      Array.from({ length: 200 }, () =>
        post(server, acme, path, { entity: 'teams', action: 'list' }).then((response) => response.json() as any),
      ),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['success']));
  });

  test('reports an address that is already in use', async () => {
    const { server } = await running();
    await expect(running({ port: server.port })).rejects.toThrow(/EADDRINUSE/);
  });
});

describe('a download over a socket', () => {
  test('is read from the vendor no faster than the client reads', async () => {
    const { passed, vendor } = endless();
    const { server, acme } = await running({ fetch: vendor });
    const path = connectorPath(await drive(acme), '/execute');
    const opened: ClientRequest = httpRequest(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
    });
    const response = await new Promise<IncomingMessage>((resolve) => {
      opened.on('response', resolve).end(JSON.stringify(download));
    });
    expect(response.statusCode).toBe(200);
    response.pause();
    // Once all buffers are full, no more bytes are transferred.
    let before: number;
    do {
      before = passed.bytes;
      await wait(200);
    } while (passed.bytes !== before && before < 20_000_000);
    expect(before).toBeLessThan(20_000_000);
    response.on('error', () => {});
    opened.destroy();
    await expect.poll(() => passed.cancelled).toBe(true);
  });

  test('is cancelled before its first byte if the client has disconnected', async () => {
    let [asked, aborted] = [false, false];
    const { server, acme } = await running({
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          asked = true;
          init?.signal?.addEventListener('abort', () => {
            aborted = true;
            reject(init.signal?.reason);
          });
        }),
    });
    const gone = new AbortController();
    const path = connectorPath(await drive(acme), '/execute');
    const lost = post(server, acme, path, download, {}, gone.signal).catch(() => undefined);
    await expect.poll(() => asked).toBe(true);
    gone.abort();
    await lost;
    await expect.poll(() => aborted).toBe(true);
  });

  test.each([
    ['of known length', 1_000_000],
    ['of unknown length', undefined],
  ])('%s that fails partway aborts the connection without logging to the console', async (_, length) => {
    const spoken = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => spoken.mockRestore());
    for (const breaksAt of [10_000, 500_000]) {
      const { vendor } = endless(breaksAt, length);
      const { server, acme } = await running({ fetch: vendor });
      const path = connectorPath(await drive(acme), '/execute');
      const whole = post(server, acme, path, download).then((response) => response.arrayBuffer());
      await expect(whole).rejects.toThrow();
    }
    expect(spoken).not.toHaveBeenCalled();
  });
});

describe('closing', () => {
  test('lets running requests finish and accepts no new ones', async () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = false;
    const { server, acme } = await running({
      fetch: async (input, init) => {
        asked = true;
        await held;
        return sandbox.fetch(input, init);
      },
    });
    const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const under = post(server, acme, connectorPath(id, '/execute'), { entity: 'teams', action: 'list' });
    await expect.poll(() => asked).toBe(true);
    const closing = server.close();
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    release();
    expect((await under).status).toBe(200);
    await closing;
  });
});
