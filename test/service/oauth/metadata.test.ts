import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Tenant, tenantOf } from '../http/setup.js';
import { callback, registeredApp, startOAuthService } from './setup.js';

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
