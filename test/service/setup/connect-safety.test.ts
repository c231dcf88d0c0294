import { createHash } from 'node:crypto';
import { verifyConnectResult } from 'agent-connectors/hosted';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { formWith } from './browser.js';
import { brand, type Product, registerProduct, returnUrl, signIn, startProduct, state } from './connect.js';

const path = '/api/v1/connect/sessions';

describe("a user lured into another user's session", () => {
  const config = { 'google-analytics': { property_ids: ['320200001'] } } as Record<string, object>;
  const modes = { granola: 'api_key', 'google-analytics': 'service_account' } as const;
  /** Creates a connector and a session in which new credentials have been entered for it. */
  const reconnect = async (product: Product, type: keyof typeof modes) => {
    const { acme, sandbox } = product.running;
    const mode = modes[type];
    const credentials = ({ ...sandbox.vendors[type].credentials } as Record<string, unknown>)[mode] as Record<
      string,
      string
    >;
    await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'user-1' } });
    const values = { workspace_name: 'user-1', connector_type: type, credentials, replication_config: config[type] };
    const { body } = await acme.ask('POST', '/api/v1/integrations/connectors', { json: values });
    const stored = () => product.running.server.state.connectors.get(acme, body.id);
    const before = await stored();
    const opened = await product.open({ type: undefined, connectorId: body.id, methods: [mode] });
    const back = await opened.browser.submit(formWith(opened.page, /value="credentials"/), credentials);
    return { ...opened, back, connectorId: body.id as string, before, stored };
  };

  test.each(Object.keys(modes) as (keyof typeof modes)[])("cannot change the sender's connector: %s", async (type) => {
    const clock = { time: Date.UTC(2026, 4, 4) };
    const product = await startProduct({ now: () => clock.time });
    const { client } = product;
    const { session, back, connectorId, before, stored } = await reconnect(product, type);
    expect(await product.verify(back, session)).toEqual({ status: 'unconfirmed', connectorId });
    expect(await client.connectors.setupState(session.id)).toEqual({ status: 'unconfirmed' });
    const sender = await product.running.browser().open(session.url);
    expect(sender.html).not.toContain('signature=');
    const forged = `${returnUrl}&signature=${'A'.repeat(43)}`;
    expect(await failure(client.connectors.confirmSetup(session.id, forged))).toMatchObject({
      code: 'invalid_params',
    });
    clock.time += 1000;
    expect(await stored()).toEqual(before);
    // The user who started it receives the result, and the product confirms it; confirming again changes nothing.
    const confirmed = { status: 'connected', connector_id: connectorId };
    expect(await client.connectors.confirmSetup(session.id, back.url)).toEqual(confirmed);
    expect(await client.connectors.confirmSetup(session.id, back.url)).toEqual(confirmed);
    expect((await stored())?.updatedAt).toBe(new Date(clock.time).toISOString());
  });

  test('credentials not confirmed in time are deleted', async () => {
    const clock = { time: Date.UTC(2026, 4, 4) };
    const product = await startProduct({ now: () => clock.time });
    const { session, back, before, stored } = await reconnect(product, 'granola');
    clock.time += 300_000;
    const late = await failure(product.client.connectors.confirmSetup(session.id, back.url));
    expect(late).toMatchObject({ code: 'conflict', message: expect.stringContaining('expired') });
    await product.running.server.state.setups.sweep();
    expect(await product.running.server.state.setups.loadDraft(session.id)).toBeUndefined();
    expect(await stored()).toEqual(before);
  });

  test('the sender of a link neither gets the result nor can continue with what the other user has entered', async () => {
    const product = await startProduct();
    const { session, browser, page } = await product.open({ replicate: 'ask' });
    const picks = await signIn(browser, page);
    const sender = product.running.browser();
    const seen = await sender.open(session.url);
    expect(seen.heading).toBe(page.heading);
    const ahead = await sender.submit(formWith(picks, /value="picks"/));
    expect(ahead.heading).toBe(page.heading);
    const back = await browser.submit(formWith(picks, /value="picks"/));
    expect((await product.verify(back, session)).status).toBe('connected');
    expect((await sender.open(session.url)).html).toContain('<a href="https://app.example.com/">');
    expect((await browser.open(session.url)).html).toContain('signature=');
  });
});

describe('attacks', () => {
  test.each([
    'https://evil.example/connected',
    'https://app.example.com.evil.example/',
    'https://app.example.com:8443/connected',
    'http://app.example.com/connected',
    'https://app.example.com@evil.example/',
    'https://APP.example.com:444/',
    'javascript:alert(1)//https://app.example.com',
    '//app.example.com/',
  ])('a return URL with an unregistered origin is rejected: %s', async (foreign) => {
    const { begin } = await startProduct();
    expect(await failure(begin({ returnUrl: foreign }))).toMatchObject({ code: 'invalid_params' });
  });

  test('a forged, altered, replayed, foreign or expired result is rejected', async () => {
    const product = await startProduct();
    const { open, verify, running } = product;
    const { session, browser, page } = await open();
    const back = await signIn(browser, page);
    const changed = (name: string, value: string) => {
      const url = new URL(back.url);
      url.searchParams.set(name, value);
      return verify({ url: url.href }, session);
    };
    expect((await verify(back, session)).status).toBe('connected');
    for (const attempt of [
      () => changed('connector_id', 'con_0000000000000000000000'),
      () => changed('status', 'cancelled'),
      () => changed('expires', '99999999999'),
      () => changed('signature', 'A'.repeat(43)),
      () => changed('signature', ''),
      // Another user's session.
      () => verify(back, { ...session, nonce: 'nonce-of-another-user' }),
    ]) {
      expect(await failure(attempt())).toMatchObject({ code: 'unauthorized' });
    }
    const rival = await running.newTenant('Rival');
    const expected = { state, nonce: session.nonce };
    const foreign = { ...expected, key: await registerProduct(rival) };
    expect(await failure(verifyConnectResult(back.url, foreign))).toMatchObject({ code: 'unauthorized' });
    const late = { ...expected, key: product.key, now: Date.now() + 301_000 };
    expect(await failure(verifyConnectResult(back.url, late))).toMatchObject({
      message: expect.stringContaining('expired'),
    });
    const swapped = { ...expected, key: product.key, state: 'state-of-another-user' };
    expect(await failure(verifyConnectResult(back.url, swapped))).toMatchObject({ code: 'unauthorized' });
  });

  test('a session can be found and started only by its own organization', async () => {
    const { begin, running } = await startProduct();
    const { id } = await begin();
    const rival = await running.newTenant('Rival');
    expect((await rival.ask('GET', `${path}/${id}`)).status).toBe(404);
    const json = { workspace_name: 'x', connector_type: 'linear', return_url: returnUrl, state, brand: { name: 'X' } };
    expect((await rival.ask('POST', path, { json })).body.code).toBe('invalid_params');
  });

  test("a user cannot use a vendor's response that was requested in another user's browser", async () => {
    const { open, running } = await startProduct();
    const { browser, page } = await open();
    const consent = await browser.submit(page.forms[0]!);
    const stranger = running.browser();
    const stolen = await stranger.submit(consent.forms[0]!, {}, /^Allow/);
    expect([stolen.status, stolen.heading]).toEqual([400, 'This sign-in is no longer valid']);
  });

  test('the result is posted only to the origin of the return URL, by a script that the policy names', async () => {
    const { begin, running } = await startProduct();
    const session = await begin({ type: 'granola' });
    const browser = running.browser();
    const page = await browser.open(session.url);
    expect(page.headers.get('content-security-policy')).not.toContain('script-src');
    const { api_key } = running.sandbox.vendors.granola.credentials.api_key;
    await browser.submit(page.forms[0]!, { api_key });
    const html = browser.seen.find((text) => text.includes('<script'))!;
    const headers = new Map(JSON.parse(browser.seen[browser.seen.indexOf(html) + 1]!) as [string, string][]);
    const [, code] = /<script[^>]*>([\s\S]*?)<\/script>/.exec(html)!;
    const digest = createHash('sha256').update(code!).digest('base64');
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain(`script-src 'sha256-${digest}'`);
    expect(policy).not.toContain('unsafe-inline');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(html).toContain('data-origin="https://app.example.com"');
    expect(code).not.toMatch(/'\*'/);
  });

  test("a session's pages and redirects keep the window that opened them; pages without a product do not", async () => {
    const product = await startProduct();
    const opener = async (url: string, init: RequestInit = {}) =>
      (await fetch(url, { redirect: 'manual', ...init })).headers.get('cross-origin-opener-policy');
    const { url } = await product.begin();
    const own = await product.running.begin('linear');
    const callback = `${product.running.server.url}/setup/callback?state=${'A'.repeat(43)}`;
    const policies = await Promise.all([opener(url), opener(own.url), opener(callback)]);
    expect(policies).toEqual(['unsafe-none', 'same-origin', 'same-origin']);
    const browser = product.running.browser();
    await signIn(browser, await browser.open(url));
    const seen = browser.seen.filter((text) => text.includes('cross-origin-opener-policy'));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.filter((text) => !text.includes('unsafe-none'))).toEqual([]);
  });

  test("none of a session's pages can be framed", async () => {
    const { open } = await startProduct();
    const { page } = await open();
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html;base64,PGI+'],
    ['http://cdn.example/logo.png'],
    ["https://cdn.example/a;script-src 'unsafe-inline'"],
    ['https://cdn.example:99999/logo.png'],
  ])("a logo that would violate the page's policy is rejected: %s", async (logo) => {
    const { begin } = await startProduct();
    expect(await failure(begin({ brand: { ...brand, logo } }))).toMatchObject({ code: 'invalid_params' });
  });
});
