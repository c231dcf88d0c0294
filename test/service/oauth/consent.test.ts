import { describe, expect, test } from 'vitest';
import { tenantOf } from '../http/setup.js';
import { registeredApp } from './setup.js';

describe('the consent page', () => {
  /** A signed-in user on the consent page. */
  async function inFront() {
    const service = await registeredApp();
    const visitor = service.person();
    const signIn = await visitor.open(service.authorize());
    const { clientId, clientSecret } = service.acme;
    const page = await visitor.submit(signIn, 'sign-in', { client_id: clientId, client_secret: clientSecret });
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
    const [, workspace = ''] = /name="workspace" value="([^"]+)"/.exec(page.html) ?? [];
    const send = (
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>>,
      url = page.url,
    ) =>
      fetch(url, {
        method: 'POST',
        body: new URLSearchParams({ step: 'decide', decision: 'allow', connectors: 'all', csrf, workspace, ...fields }),
        headers: { cookie: visitor.cookie, ...headers },
        redirect: 'manual',
      });
    const own = { origin: service.url, 'sec-fetch-site': 'same-origin' };
    return { ...service, visitor, page, send, own };
  }

  test("shows an app's claims as plain text, along with its redirect target", async () => {
    const { json, person, authorize, acme } = await registeredApp();
    const client_name = `<img src=x onerror=alert(1)>\u202e\u200b Claude ${'x'.repeat(200)}`;
    const metadata = { client_name, redirect_uris: ['cursor://app/callback'], token_endpoint_auth_method: 'none' };
    const { client_id } = await (
      await json('/oauth/register', { ...metadata, logo_uri: 'https://evil.example/x.png' })
    ).json();
    const visitor = person();
    const signIn = await visitor.open(authorize({ client_id, redirect_uri: 'cursor://app/callback' }));
    const { clientId: client, clientSecret: secret } = acme;
    const page = await visitor.submit(signIn, 'sign-in', { client_id: client, client_secret: secret });
    expect(page.html).toContain('&lt;img src=x');
    expect(page.html).not.toMatch(/<img|[\u202e\u200b]|evil\.example|x{61}/);
    expect(page.html).toContain('handles cursor: links');
    expect(page.html).toContain('Any program on this computer');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect([page.headers.get('x-frame-options'), page.headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
  });

  test("shows the vendor's display name for each connector", async () => {
    const { visitor, authorize, acme } = await inFront();
    await acme.connect('google-drive', undefined, { name: 'Our files' });
    const page = await visitor.open(authorize());
    expect(page.html).toContain('Our files<span class="hint">Google Drive</span>');
  });

  test('is shown each time, even to users who have authorized the app before', async () => {
    const { visitor, authorize } = await inFront();
    await visitor.allow(authorize());
    const again = await visitor.open(authorize());
    expect([again.next, again.html.includes('value="decide"')]).toEqual([undefined, true]);
  });

  test('only accepts its own form, for the request and session it was shown for', async () => {
    const { send, own, page, person, authorize, server, acme } = await inFront();
    expect((await send({}, { ...own, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({}, { ...own, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({}, {})).status).toBe(403);
    expect((await send({ csrf: '' }, own)).status).toBe(403);
    const otherRequest = authorize({ state: 'other' }).replace('/authorize', '/consent');
    expect((await send({}, own, otherRequest)).status).toBe(403);
    const other = person();
    await other.allow(authorize());
    expect((await send({}, { ...own, cookie: other.cookie })).status).toBe(403);
    const left = await send({}, { ...own, cookie: '' });
    expect([left.status, (await left.text()).includes('Sign in')]).toEqual([401, true]);
    // None of these attempts was granted.
    const scope = { organizationId: acme.organizationId };
    expect(await server.state.grants.list(scope)).toEqual([]);
    const good = await send({}, own);
    expect([good.status, page.status]).toEqual([200, 200]);
  });

  test("does not accept a workspace the user cannot access, or another workspace's connector", async () => {
    const { send, own, server, acme } = await inFront();
    const rival = await tenantOf(server, 'Rival');
    const linear = await rival.connect('linear', undefined);
    const [workspace] = (await server.state.workspaces.list({ organizationId: rival.organizationId }, { limit: 1 }))
      .rows;
    for (const place of [
      `${rival.organizationId} ${workspace!.id}`,
      `${acme.organizationId} ${workspace!.id}`,
      'nothing',
    ]) {
      const refused = await send({ workspace: place }, own);
      expect([refused.status, (await refused.text()).includes('http-equiv')]).toEqual([404, false]);
    }
    const none = await send({ connectors: 'some', connector: linear }, own);
    expect([none.status, (await none.text()).includes('at least one connector')]).toEqual([422, true]);
  });

  test('preselects no connectors and requires at least one to be chosen', async () => {
    const { page, send, own, server, acme } = await inFront();
    expect(page.html).toContain('Allow <bdi>App</bdi> to access Acme?');
    expect(page.html).not.toMatch(/name="connectors"[^>]* checked/);
    expect(page.html).not.toContain('Linear<span class="hint">Linear</span>');
    const refused = await send({ connectors: '' }, own);
    expect([refused.status, (await refused.text()).includes('at least one connector')]).toEqual([422, true]);
    expect(await server.state.grants.list({ organizationId: acme.organizationId })).toEqual([]);
  });

  test('can be canceled before sign-in, which is reported to the app if it is registered', async () => {
    const { person, authorize } = await registeredApp();
    const visitor = person();
    const { next } = await visitor.submit(await visitor.open(authorize()), 'cancel');
    expect(next).toMatch(/^https:\/\/app\.example\/callback\?error=access_denied&.*state=s&iss=http/);
    const document = await visitor.open(authorize({ client_id: 'https://app.example/client.json' }));
    const left = await visitor.submit(document, 'cancel');
    expect([left.status, left.next, left.html.includes('Nothing was shared')]).toEqual([200, undefined, true]);
    const elsewhere = await visitor.submit(
      { ...document, url: authorize({ redirect_uri: 'https://evil.example/' }).replace('/authorize', '/consent') },
      'cancel',
    );
    expect([elsewhere.status, elsewhere.next]).toEqual([400, undefined]);
  });

  test('grants only selected connectors, even if the whole workspace is still selected', async () => {
    const { send, own, server, acme, redeem } = await inFront();
    const granted = await (await send({ connector: acme.linear }, own)).text();
    await redeem(/code=([\w-]+)/.exec(granted)![1]!);
    const [grant] = await server.state.grants.list({ organizationId: acme.organizationId });
    expect(grant!.connectorIds).toEqual([acme.linear]);
  });

  test('reports denial to the app', async () => {
    const { visitor, page, url, acme } = await inFront();
    const { next } = await visitor.submit(page, 'decide', { decision: 'deny' });
    expect(Object.fromEntries(new URL(next!).searchParams)).toMatchObject({
      error: 'access_denied',
      state: 's',
      iss: url,
    });
    const { body } = await acme.ask('GET', '/api/v1/audit');
    expect(body.data.map(({ event }: any) => event)).toContain('oauth.denied');
  });

  test('does not sign in with an incorrect secret, and lets another user sign in', async () => {
    const { visitor, page, acme } = await inFront();
    const out = await visitor.submit(page, 'sign-out');
    expect(out.html).toContain('value="sign-in"');
    const wrong = await visitor.submit(out, 'sign-in', { client_id: acme.clientId, client_secret: 'wrong' });
    expect([wrong.status, wrong.html.includes('Incorrect client id or secret')]).toEqual([401, true]);
  });
});
