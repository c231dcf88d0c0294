import type { ConnectSession } from 'agent-connectors/hosted';
import { describe, expect, test } from 'vitest';
import { type Product, returnUrl, startProduct } from './connect.js';

const { origin } = new URL(returnUrl);

/** Requests a session's form as a page on an origin would. */
async function request(
  { url }: ConnectSession,
  values?: Record<string, string>,
  from: string | null = origin,
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(`${url}/form`, {
    method: values ? 'POST' : 'GET',
    headers: from === null ? {} : { origin: from },
    body: values ? new URLSearchParams(values) : null,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const keyOf = ({ running }: Product) => running.sandbox.vendors.granola.credentials.api_key.api_key;
const submitted = (api_key: string) => ({ step: 'credentials', mode: 'api_key', api_key });

describe('a form that a product shows itself', () => {
  test('connects with a key in the same session, and returns the signed result', async () => {
    const product = await startProduct();
    const session = await product.begin({ type: 'granola' });
    const { status, body, headers } = await request(session);
    expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, origin, 'Origin']);
    expect(body).toMatchObject({
      type: 'granola',
      title: 'Granola',
      methods: [
        { mode: 'api_key', kind: 'fields', label: 'Use an API key', fields: [{ name: 'api_key', secret: true }] },
      ],
    });
    const wrong = await request(session, submitted('grn_wrong'));
    expect([wrong.status, wrong.body]).toEqual([
      422,
      { status: 'invalid', errors: [{ field: 'api_key', message: expect.stringContaining('didn’t accept this key') }] },
    ]);
    expect((await request(session, submitted(''))).body.errors).toEqual([
      { field: 'api_key', message: 'API key is required.' },
    ]);
    const done = await request(session, submitted(keyOf(product)));
    expect([done.status, done.body.status]).toEqual([200, 'connected']);
    expect(done.headers.get('set-cookie')).toBeNull();
    const { status: verified, connectorId } = await product.verify({ url: done.body.address }, session);
    expect(verified).toBe('connected');
    expect(await product.client.connectors.get(connectorId!)).toMatchObject({ connector_type: 'granola' });
    // The session is used up, and its result was given only once.
    const again = await request(session, submitted(keyOf(product)));
    expect([again.status, again.body]).toEqual([410, { message: 'The session has ended: done.' }]);
  });

  test('cancels', async () => {
    const product = await startProduct();
    const session = await product.begin({ type: 'granola' });
    const { body } = await request(session, { step: 'cancel' });
    expect(await product.verify({ url: body.address }, session)).toEqual({ status: 'cancelled', connectorId: null });
  });

  test('leaves new credentials of an existing connector unconfirmed until the product confirms them', async () => {
    const product = await startProduct();
    const { acme } = product.running;
    await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'user-1' } });
    const credentials = { api_key: keyOf(product) };
    const { body: connector } = await acme.ask('POST', '/api/v1/integrations/connectors', {
      json: { workspace_name: 'user-1', connector_type: 'granola', credentials },
    });
    const session = await product.begin({ type: undefined, connectorId: connector.id });
    const { body } = await request(session, submitted(keyOf(product)));
    expect(await product.verify({ url: body.address }, session)).toEqual({
      status: 'unconfirmed',
      connectorId: connector.id,
    });
    expect(await product.client.connectors.confirmSetup(session.id, body.address)).toMatchObject({
      status: 'connected',
    });
  });

  test('names sign-in at the vendor as a method, but takes no fields for it', async () => {
    const product = await startProduct();
    const session = await product.begin({ type: 'google-drive' });
    const { body } = await request(session);
    expect(body.methods).toEqual([{ mode: 'oauth', kind: 'consent', label: 'Sign in with Google', fields: [] }]);
    const entered = await request(session, { step: 'credentials', mode: 'oauth', refresh_token: 'x' });
    expect([entered.status, entered.body.errors]).toEqual([
      422,
      [{ field: 'mode', message: 'The session offers no form for this mode.' }],
    ]);
  });

  test.each([
    ['another origin', 'https://evil.example'],
    ["the origin's subdomain", 'https://a.app.example.com'],
    ['an opaque origin', 'null'],
    ['no browser', null],
  ])('is refused to %s', async (_, from) => {
    const product = await startProduct();
    const session = await product.begin({ type: 'granola' });
    for (const values of [undefined, submitted(keyOf(product)), { step: 'cancel' }]) {
      const { status, headers } = await request(session, values, from);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
    expect(await product.client.connectors.setupState(session.id)).toEqual({ status: 'pending' });
  });

  test('is refused once the origin is no longer registered, and for an unknown session', async () => {
    const product = await startProduct();
    const session = await product.begin({ type: 'granola' });
    const unknown = { ...session, url: session.url.replace(/[^/]+$/, 'A'.repeat(43)) };
    expect((await request(unknown)).status).toBe(403);
    const path = `/api/v1/clients/${product.running.acme.clientId}/connect`;
    await product.running.acme.ask('PUT', path, { json: { return_origins: [] } });
    expect((await request(session)).status).toBe(403);
  });

  test.each([
    ['a session that asks what to replicate', { type: 'granola', replicate: 'ask' }],
    ['a type that needs a choice', { type: 'google-analytics', methods: ['service_account'] }],
  ] as const)('is refused for %s', async (_, setup) => {
    const product = await startProduct();
    const { status, body } = await request(await product.begin(setup as object));
    expect([status, body.message]).toEqual([409, expect.stringContaining('Open its page')]);
  });

  test('ends after too many attempts, like the page', async () => {
    const product = await startProduct();
    const session = await product.begin({ type: 'granola' });
    let last = await request(session, submitted('grn_wrong'));
    for (let attempt = 1; last.status === 422 && attempt < 100; attempt++) {
      last = await request(session, submitted('grn_wrong'));
    }
    expect([last.status, last.body.status]).toEqual([200, 'failed']);
    expect(await product.client.connectors.setupState(session.id)).toMatchObject({ status: 'failed' });
  });
});
