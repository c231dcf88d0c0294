import { request as httpRequest } from 'node:http';
import { createSandbox } from 'agent-connectors-sandbox';
import type { CreateOptions } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { serveTestService, tenantOf } from './setup.js';

async function running(options: CreateOptions = {}) {
  const server = await serveTestService({ fetch: createSandbox({ seed: 7 }).fetch, ...options });
  return server;
}

/** Sends a request with headers that `fetch` does not allow. */
const asked = (port: number, path: string, headers: Readonly<Record<string, string>>, method = 'GET', body = '') =>
  new Promise<{ readonly status: number; readonly body: any }>((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json');
        resolve({ status: response.statusCode!, body: isJson ? JSON.parse(text) : text });
      });
    });
    sent.on('error', reject).end(body);
  });

const paths = [
  '/health',
  '/ready',
  '/metrics',
  '/openapi.json',
  '/api/v1/account/me',
  '/api/v1/metrics',
  '/console',
  '/console/session',
  '/mcp',
  '/setup/style.css',
  `/setup/${'x'.repeat(43)}`,
  '/nothing',
];

describe("a host name that is not the service's", () => {
  test.each(paths)('is rejected at %s before anything is revealed', async (path) => {
    const { port } = await running();
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const refused = await asked(port, path, { host });
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    }
    const absolute = await asked(port, `http://evil.example${path}`, { host: 'localhost' });
    expect(absolute.status).toBe(403);
  });

  test('does not include localhost or numeric addresses', async () => {
    const { port } = await running();
    for (const host of ['localhost', `localhost:${port}`, 'LOCALHOST.', '127.0.0.1:1', '[::1]:80', '10.1.2.3']) {
      expect([host, (await asked(port, '/health', { host })).status]).toEqual([host, 200]);
    }
  });

  test('does not include names that the operator configured', async () => {
    const named = await running({ hostNames: ['Connectors.internal'], publicUrl: 'https://connectors.example.com/' });
    for (const host of ['connectors.internal:4020', 'connectors.example.com', 'localhost']) {
      expect([host, (await asked(named.port, '/health', { host })).status]).toEqual([host, 200]);
    }
    expect((await asked(named.port, '/health', { host: 'evil.example' })).status).toBe(403);
    const any = await running({ hostNames: ['*'] });
    expect((await asked(any.port, '/health', { host: 'evil.example' })).status).toBe(200);
  });

  test('is rejected if the service is publicly reachable without a configured name', async () => {
    const open = await running({ host: '0.0.0.0' });
    expect((await asked(open.port, '/health', { host: 'connectors' })).status).toBe(200);
    const told = await running({ host: '0.0.0.0', hostNames: ['connectors'] });
    expect((await asked(told.port, '/health', { host: 'evil.example' })).status).toBe(403);
  });
});

describe('X-Forwarded-For', () => {
  const path = '/api/v1/account/applications/token';
  const wrong = JSON.stringify({ client_id: 'cli_nobody', client_secret: 'wrong' });
  /** Counts the attempts that are not rate-limited when each claims a different address. */
  const through = async (options: CreateOptions, claimed: (call: number) => string) => {
    const { port } = await running({ ...options, limits: { signIns: 2, rate: 0 } });
    let refused = 0;
    for (let call = 0; call < 5; call++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': claimed(call), host: 'localhost' };
      if ((await asked(port, path, headers, 'POST', wrong)).status === 429) refused++;
    }
    return 5 - refused;
  };
  const another = (call: number) => `203.0.113.${call}`;

  test('is not trusted unless the operator trusts a proxy', async () => {
    expect(await through({}, another)).toBe(2);
    expect(await through({ trustedProxies: [] }, another)).toBe(2);
    expect(await through({ trustedProxies: 0 }, another)).toBe(2);
    expect(await through({ trustedProxies: ['10.0.0.0/8'] }, another)).toBe(2);
  });

  test('is trusted from proxies in the trusted networks', async () => {
    expect(await through({ trustedProxies: ['127.0.0.0/8'] }, another)).toBe(5);
    expect(
      await through({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }, (call) => `203.0.113.${call}, 10.0.0.7`),
    ).toBe(5);
    // Entries before the one that the proxy added were sent by the caller.
    expect(await through({ trustedProxies: ['127.0.0.0/8'] }, (call) => `203.0.113.${call}, 198.51.100.1`)).toBe(2);
    expect(await through({ trustedProxies: ['127.0.0.0/8'] }, (call) => `nonsense-${call}`)).toBe(2);
  });

  test('is trusted for the configured number of proxies', async () => {
    expect(await through({ trustedProxies: 1 }, another)).toBe(5);
    expect(await through({ trustedProxies: 1 }, (call) => `203.0.113.${call}, 198.51.100.1`)).toBe(2);
    expect(await through({ trustedProxies: 2 }, (call) => `203.0.113.${call}:4711, 198.51.100.1`)).toBe(5);
    expect(await through({ trustedProxies: 2 }, (call) => `[2001:db8:0:${call}::1]:1, 198.51.100.1`)).toBe(5);
  });

  test.each([
    [undefined, 1],
    [0, 0],
    [['127.0.0.0/8'], 0],
  ])('causes one warning if no proxies are configured: %j', async (trustedProxies, times) => {
    const warnings: string[] = [];
    const warn = (_: object, message: string) => void warnings.push(message);
    const logger = { debug() {}, info() {}, warn, error() {} };
    const { port } = await running({ ...(trustedProxies !== undefined && { trustedProxies }), logger });
    await asked(port, '/health', { host: 'localhost' });
    expect(warnings).toEqual([]);
    for (let call = 0; call < 3; call++) {
      await asked(port, '/health', { host: 'localhost', 'x-forwarded-for': '203.0.113.1' });
    }
    expect(warnings.filter((message) => message.includes('--trusted-proxies'))).toHaveLength(times);
  });

  test('counts an IPv6 network as one address, however many addresses a host uses', async () => {
    expect(await through({ trustedProxies: 1 }, (call) => `2001:db8::${call}`)).toBe(2);
  });

  test('does not give access to the metrics through a proxy', async () => {
    const server = await running({ trustedProxies: ['127.0.0.0/8'] });
    const acme = await tenantOf(server, 'Acme');
    const claimed = { host: 'localhost', 'x-forwarded-for': '127.0.0.1' };
    expect((await asked(server.port, '/metrics', claimed)).status).toBe(401);
    const shown = { ...claimed, authorization: `Bearer ${acme.token}` };
    expect((await asked(server.port, '/metrics', shown)).status).toBe(200);
  });

  test.each(['10.0.0.0/33', 'proxy.example', '10.0.0.0/a', '::1/129'])(
    'rejects %s as an invalid network',
    async (network) => {
      await expect(running({ trustedProxies: [network] })).rejects.toThrow('trustedProxies');
    },
  );
});
