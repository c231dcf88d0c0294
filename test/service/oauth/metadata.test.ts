import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CreateOptions } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Tenant, tenantOf } from '../http/setup.js';
import { appOf, callback, registeredApp, startOAuthService } from './setup.js';

describe('a metadata document', () => {
  const document = 'https://app.example/client.json';
  const good = { client_id: document, client_name: 'App', redirect_uris: [callback] };
  /** The page shown for this document. */
  async function pageFor(answer: () => Response | Promise<Response>, client_id = document) {
    const { person, authorize, acme } = await registeredApp({ fetch: async () => answer() });
    const visitor = person();
    const signIn = await visitor.open(authorize({ client_id }));
    return visitor.submit(signIn, 'sign-in', { client_id: acme.clientId, client_secret: acme.clientSecret });
  }

  test.each<[string, () => Response, string]>([
    [
      'that belongs to another client',
      () => Response.json({ ...good, client_id: 'https://other.example/x' }),
      'does not match',
    ],
    ['that redirects', () => new Response(null, { status: 302, headers: { location: document } }), 'is not 200'],
    ['that is not JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'is not 200'],
    ['that is too long', () => Response.json({ ...good, more: 'x'.repeat(20_000) }), 'larger than'],
    [
      'that requires a secret',
      () => Response.json({ ...good, token_endpoint_auth_method: 'client_secret_post' }),
      'only token',
    ],
    ['with an unsafe redirect URI', () => Response.json({ ...good, redirect_uris: ['javascript:1'] }), 'redirect_uris'],
  ])('%s is rejected', async (_, answer, reason) => {
    const page = await pageFor(answer);
    expect([page.status, page.next, page.html.includes(reason)]).toEqual([400, undefined, true]);
  });

  test('that is valid is shown for consent', async () => {
    const page = await pageFor(() => Response.json(good));
    expect([page.status, page.html.includes('published at')]).toEqual([200, true]);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ['is unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['is replaced by the page of a firewall', () => new Response('<html>', { status: 403 })],
  ])('that %s is reported with what the operator can do', async (_, answer) => {
    const { status, html } = await pageFor(answer);
    expect([status, /app\.example,.*HTTPS_PROXY.*--no-client-metadata-documents/.test(html)]).toEqual([400, true]);
  });

  test('is neither announced nor read if the operator has turned metadata documents off', async () => {
    const fetched: string[] = [];
    const options = {
      clientMetadataDocuments: false,
      async fetch(input: unknown) {
        fetched.push(String(input));
        return Response.json(good);
      },
    };
    const { url, person, authorize, acme, connect, signIn } = await registeredApp(options as CreateOptions);
    const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    expect(Object.keys(metadata)).not.toContain('client_id_metadata_document_supported');
    const visitor = person();
    const page = await visitor.open(authorize({ client_id: document }));
    const sent = { client_id: acme.clientId, client_secret: acme.clientSecret };
    const refused = await visitor.submit(page, 'sign-in', sent);
    expect([refused.status, refused.html.includes('registers instead')]).toEqual([400, true]);
    // The official client has a document, but registers.
    const app = appOf(callback, document);
    await expect(connect(app)).rejects.toThrow('Unauthorized');
    await signIn(app, visitor);
    expect([app.saved.client.client_id, fetched]).toEqual([expect.stringMatching(/^oap_/), []]);
  });

  test('is fetched through the proxy, except from excluded hosts, but never from private addresses', async () => {
    const tunnels: (string | undefined)[] = [];
    const proxy = createServer().on('connect', ({ url }, socket) => {
      tunnels.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const resolve = async (hostname: string) => {
      if (hostname === 'app.example') throw new Error('this network has no DNS');
      return [{ address: hostname === 'direct.example' ? '127.0.0.2' : '10.0.0.1', family: 4 }];
    };
    const { person, authorize, acme } = await registeredApp({
      fetch: undefined,
      resolve,
      httpsProxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      noProxy: 'other.example, direct.example',
    });
    for (const [client_id, reason] of [
      [document, 'cannot be reached'],
      ['https://direct.example/client.json', 'not allowed to connect'],
      ['https://internal.example/client.json', 'not allowed to connect'],
    ] as const) {
      const visitor = person();
      const signIn = await visitor.open(authorize({ client_id }));
      const sent = { client_id: acme.clientId, client_secret: acme.clientSecret };
      const page = await visitor.submit(signIn, 'sign-in', sent);
      expect([page.status, page.html.includes(reason)], client_id).toEqual([400, true]);
    }
    expect(tunnels).toEqual(['app.example:443']);
  });

  test('at a private address is never fetched, even if a public name resolves to that address', async () => {
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return [{ address: '169.254.169.254', family: 4 }];
    };
    const { person, authorize, acme } = await registeredApp({ resolve, fetch: undefined });
    for (const client_id of [document, 'https://127.0.0.1/client.json', 'https://[::1]/client.json']) {
      const visitor = person();
      const signIn = await visitor.open(authorize({ client_id }));
      const sent = { client_id: acme.clientId, client_secret: acme.clientSecret };
      const page = await visitor.submit(signIn, 'sign-in', sent);
      expect([page.status, page.html.includes('is not allowed to connect to it')], client_id).toEqual([400, true]);
    }
    expect(asked).toEqual(['app.example']);
  });

  test('that is slow to arrive delays only the user who requests it', async () => {
    const asked: string[] = [];
    let answer = () => {};
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { person, authorize, acme, server } = await registeredApp({
      async fetch(input) {
        if (String(input) === document) return Response.json(good);
        asked.push(String(input));
        await silence;
        return new Response(null, { status: 404 });
      },
    });
    const signedIn = async (tenant: Pick<Tenant, 'clientId' | 'clientSecret'>, client_id?: string) => {
      const visitor = person(tenant);
      const signIn = await visitor.open(authorize(client_id === undefined ? {} : { client_id }));
      const sent = { client_id: tenant.clientId, client_secret: tenant.clientSecret };
      return { visitor, page: await visitor.submit(signIn, 'sign-in', sent) };
    };
    const { visitor } = await signedIn(acme);
    const slow = Array.from({ length: 8 }, (_, index) =>
      visitor.open(authorize({ client_id: `https://slow${index}.example/client.json` })),
    );
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    const { page } = await signedIn(await tenantOf(server, 'Other'), document);
    expect([page.status, page.html.includes('published at')]).toEqual([200, true]);
    answer();
    expect((await Promise.all(slow)).map(({ status }) => status).sort()).toEqual([400, 400, ...Array(6).fill(503)]);
  });

  test.each([
    'http://app.example/client.json',
    'https://app.example',
    'https://app.example/a/../b',
    'https://a@app.example/b',
    'https://app.example/b#c',
  ])('is not fetched from %s', async (client_id) => {
    const page = await pageFor(() => Response.json({ ...good, client_id }), client_id);
    expect([page.status, page.html.includes('is unknown')]).toEqual([400, true]);
  });
});

describe("the service's URL", () => {
  /** Uses Node's own client, since `fetch` sets the Host header. */
  const metadataOf = (url: string, host: string) =>
    new Promise<{ readonly status: number | undefined; readonly body: any }>((resolve, reject) => {
      const path = `${url}/.well-known/oauth-protected-resource/mcp`;
      get(path, { headers: { host } }, async (response) => {
        resolve({ status: response.statusCode, body: JSON.parse(await text(response)) });
      }).on('error', reject);
    });

  test('is the public URL or uses a local name, regardless of the Host header', async () => {
    const { url } = await startOAuthService();
    const port = new URL(url).port;
    expect((await metadataOf(url, `localhost:${port}`)).body.resource).toBe(`http://localhost:${port}/mcp`);
    expect((await metadataOf(url, '192.168.1.5')).body).toMatchObject({
      error_description: expect.stringContaining('--public-url'),
    });
    expect((await metadataOf(url, 'evil.example')).status).toBe(403);
    const proxied = await startOAuthService({ publicUrl: 'https://connectors.example.com/base' });
    expect((await metadataOf(proxied.url, `127.0.0.1:${port}`)).body).toMatchObject({
      resource: 'https://connectors.example.com/base/mcp',
      authorization_servers: ['https://connectors.example.com/base'],
    });
  });

  test('causes a warning at startup if clients cannot sign in with it', async () => {
    const warnings: string[] = [];
    const logger = { info: () => {}, error: () => {}, warn: (_: object, message: string) => warnings.push(message) };
    const { url } = await startOAuthService({ publicUrl: 'http://connectors.example.com', logger: logger as any });
    expect(warnings.join()).toContain('OAuth requires https');
    expect((await metadataOf(url, '127.0.0.1')).body.error_description).toContain('OAuth requires https');
  });
});
