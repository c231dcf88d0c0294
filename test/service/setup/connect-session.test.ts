import { verifyConnectResult } from 'agent-connectors/hosted';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { formWith } from './browser.js';
import { brand, returnUrl, signIn, startProduct, state } from './connect.js';

const path = '/api/v1/connect/sessions';

describe("a product's user", () => {
  test("connects with one click and the vendor's page, and returns with a result that the product can verify", async () => {
    const { open, verify, client } = await startProduct();
    const { session, browser, page } = await open({ type: 'google-drive', user: 'ada@example.com' });
    expect([...page.forms[0]!.buttons.keys()]).toEqual(['Sign in with Google']);
    expect(page.text).toContain('Lantern wants to access your Google Drive data. Requested for ada@example.com.');
    expect(page.text).toContain('You can disconnect in Lantern at any time');
    const back = await signIn(browser, page);
    expect(back.url).toMatch(/^https:\/\/app\.example\.com\/connected\?tab=2&status=connected&connector_id=con_/);
    const { status, connectorId } = await verify(back, session);
    expect([status, await client.connectors.setupState(session.id)]).toEqual([
      'connected',
      { status: 'connected', connector_id: connectorId },
    ]);
    const connector = await client.connectors.get(connectorId!);
    expect(connector).toMatchObject({ name: 'Google Drive', workspace_name: 'user-1', replication_config: null });
  });

  test('sees no workspaces, ids or service accounts', async () => {
    const { open } = await startProduct();
    for (const methods of [['oauth'], ['service_account'], ['service_account', 'oauth']]) {
      const { session, page } = await open({ type: 'google-drive', methods });
      const shown = `${page.heading} ${page.text}`
        .replaceAll(/In the Google Cloud console[^.]*\./g, '')
        .replace('Service account key (JSON)', '');
      expect(shown).not.toMatch(/user-1|service account|Acme|\bmain\b|client id/i);
      expect(shown).not.toContain(session.id);
    }
  });

  test('connects with a key', async () => {
    const { open, verify, running } = await startProduct();
    const { session, browser, page } = await open({ methods: ['api_key'] });
    const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
    const wrong = await browser.submit(page.forms[0]!, { api_key: 'lin_api_wrong' });
    expect(wrong.heading).toBe('Connect Linear');
    const back = await browser.submit(wrong.forms[0]!, { api_key });
    expect((await verify(back, session)).status).toBe('connected');
  });

  test('explains a rejected key in the language of the page', async () => {
    const { open } = await startProduct();
    const { browser, page } = await open({ type: 'granola', locale: 'de' });
    const wrong = await browser.submit(page.forms[0]!, { api_key: 'grn_wrong' });
    expect(wrong.text).toContain('Granola hat diesen Schlüssel nicht akzeptiert.');
  });

  test('cancels', async () => {
    const { open, verify, client } = await startProduct();
    const { session, browser, page } = await open();
    const back = await browser.submit(formWith(page, /value="cancel"/));
    expect(await verify(back, session)).toEqual({ status: 'cancelled', connectorId: null });
    expect(await client.connectors.setupState(session.id)).toEqual({ status: 'cancelled' });
    const again = await browser.open(session.url);
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('Back to Lantern')]);
  });

  test('denies access at the vendor, and can try again', async () => {
    const { open, verify } = await startProduct();
    const { session, browser, page } = await open();
    const consent = await browser.submit(page.forms[0]!);
    const denied = await browser.submit(consent.forms[0]!, {}, /Deny/);
    expect(denied.text).toContain('Access was denied on the Linear page.');
    expect((await verify(await signIn(browser, denied), session)).status).toBe('connected');
  });

  test('is too late, and is returned to the product', async () => {
    const clock = { time: Date.UTC(2026, 4, 4) };
    const { begin, running, verify } = await startProduct({ now: () => clock.time });
    const session = await begin({ expiresIn: 600 });
    clock.time += 601_000;
    const page = await running.browser().open(session.url);
    const [, link = ''] = /<a href="(https:\/\/app[^"]*)"/.exec(page.html) ?? [];
    expect(page.status).toBe(410);
    expect(await verify({ url: link.replaceAll('&amp;', '&') }, session)).toEqual({
      status: 'expired',
      connectorId: null,
    });
  });

  test('reopens the URL and gets the same result for five minutes, and after that only a link to the product', async () => {
    const clock = { time: Date.UTC(2026, 4, 4) };
    const { open, verify } = await startProduct({ now: () => clock.time });
    const { session, browser, page } = await open();
    const back = await browser.submit(formWith(page, /value="cancel"/));
    const linkNow = async () => /<a href="(https:\/\/app[^"]*)"/.exec((await browser.open(session.url)).html)?.[1];
    clock.time += 299_000;
    expect((await linkNow())?.replaceAll('&amp;', '&')).toBe(back.url);
    expect((await verify(back, session)).status).toBe('cancelled');
    clock.time += 1_000;
    expect(await linkNow()).toBe('https://app.example.com/');
  });

  test('chooses what to replicate if the product requests it', async () => {
    const { open, verify, client } = await startProduct();
    const { session, browser, page } = await open({ replicate: 'ask' });
    const picks = await signIn(browser, page);
    const back = await browser.submit(formWith(picks, /value="picks"/), { entities: ['issues'] });
    const { connectorId } = await verify(back, session);
    expect((await client.connectors.get(connectorId!)).replication_config).toEqual({ entities: ['issues'] });
  });

  test.each<[boolean | object, object | null]>([
    [true, null],
    [false, { entities: [] }],
    [{ interval: '6h' }, { interval: '6h' }],
  ])('is not asked if the product has decided: %j', async (replicate, stored) => {
    const { open, verify, client } = await startProduct();
    const { session, browser, page } = await open({ replicate });
    const { connectorId } = await verify(await signIn(browser, page), session);
    expect((await client.connectors.get(connectorId!)).replication_config).toEqual(stored);
  });

  test("is asked for the connector's required settings", async () => {
    const { open, verify, running } = await startProduct();
    const { session, browser, page } = await open({ type: 'google-analytics', methods: ['service_account'] });
    const { credentials_json } = running.sandbox.vendors['google-analytics'].credentials.service_account;
    const picks = await browser.submit(page.forms[0]!, { credentials_json });
    const back = await browser.submit(formWith(picks, /value="picks"/), { property_ids: ['320200001'] });
    expect((await verify(back, session)).status).toBe('connected');
  });

  test("sees the pages in German, depending on the session's or the browser's language", async () => {
    const { begin, running } = await startProduct();
    const chosen = await running.browser().open((await begin({ locale: 'de' })).url);
    const accepted = await running.browser().open((await begin()).url, { 'accept-language': 'de-AT,en;q=0.5' });
    for (const page of [chosen, accepted]) {
      expect(page.html).toContain('<html lang="de">');
      expect(page.text).toContain('Mit Linear anmelden');
    }
  });

  test("sees the product's name, logo, color and help link", async () => {
    const { open, running } = await startProduct();
    const logo = 'https://cdn.lantern.example/logo.png';
    const { page, browser } = await open({ brand: { ...brand, logo } });
    expect(page.html).toContain(`<img src="${logo}"`);
    expect(page.html).toContain('href="https://lantern.example/help"');
    expect(page.headers.get('content-security-policy')).toMatch(
      /; img-src https:\/\/cdn\.lantern\.example\/logo\.png$/,
    );
    const styles = await browser.open(`${running.server.url}/setup/style.css?accent=ffee00`);
    // Yellow is darkened until it is readable on white.
    expect(styles.html).toMatch(/:root \{ --accent: #(?!ffee00)[\da-f]{6}; --on-accent: #ffffff; \}/);
    expect(styles.html).toContain('--accent: #ffee00; --on-accent: #000000;');
  });
});

describe('a reconnected connector', () => {
  const connected = async (setup = {}) => {
    const product = await startProduct();
    const { session, browser, page } = await product.open(setup);
    const { connectorId } = await product.verify(await signIn(browser, page), session);
    return { ...product, connectorId: connectorId! };
  };

  test('keeps its id and settings, and gets new credentials', async () => {
    const { connectorId, open, verify, client, running } = await connected({ replicate: { interval: '6h' } });
    const before = await running.server.state.credentials.load(connectorId);
    const { session, browser, page } = await open({ type: undefined, connectorId });
    expect(await verify(await signIn(browser, page), session)).toEqual({ status: 'connected', connectorId });
    const after = await running.server.state.credentials.load(connectorId);
    expect(after?.refresh_token).not.toBe(before?.refresh_token);
    expect((await client.connectors.get(connectorId)).replication_config).toEqual({ interval: '6h' });
    expect((await client.connectors.list({ workspace_name: 'user-1' })).data).toHaveLength(1);
  });

  test('rejects a different vendor account, unless the product allows it', async () => {
    const { connectorId, open, verify, client, running } = await connected();
    const { state: stored } = running.server;
    const scope = { organizationId: running.acme.organizationId };
    const credentials = (await stored.credentials.load(connectorId))!;
    await stored.connectors.update(scope, connectorId, { credentials, account: 'somebody-else' });
    const { browser, page } = await open({ type: undefined, connectorId });
    const refused = await signIn(browser, page);
    expect(refused.text).toContain('This is a different Linear account');
    expect(await stored.credentials.load(connectorId)).toEqual(credentials);
    const lenient = await open({ type: undefined, connectorId, anyAccount: true });
    const back = await signIn(lenient.browser, lenient.page);
    expect((await verify(back, lenient.session)).status).toBe('unconfirmed');
    expect((await client.connectors.confirmSetup(lenient.session.id, back.url)).status).toBe('connected');
  });

  test('must belong to the same workspace', async () => {
    const { connectorId, begin } = await connected();
    const refused = await failure(begin({ type: undefined, connectorId, workspace: 'user-2' }));
    expect(refused).toMatchObject({ code: 'not_found' });
  });
});

test('after a key is rolled, the previous one remains valid during the overlap', async () => {
  const product = await startProduct();
  const { acme } = product.running;
  const { body } = await acme.ask('POST', `/api/v1/clients/${acme.clientId}/connect/key`, {
    json: { overlap_seconds: 60 },
  });
  const { session, browser, page } = await product.open();
  const back = await signIn(browser, page);
  for (const key of [product.key, body.key]) {
    const verified = await verifyConnectResult(back.url, { key, state, nonce: session.nonce });
    expect(verified.status).toBe('connected');
  }
  expect((await acme.ask('GET', `/api/v1/clients/${acme.clientId}/connect`)).text).not.toContain('acck_');
});

test('a client without a key is told to create one', async () => {
  const { running } = await startProduct();
  const rival = await running.newTenant('Rival');
  await rival.ask('PUT', `/api/v1/clients/${rival.clientId}/connect`, {
    json: { return_origins: ['https://app.example.com'] },
  });
  const json = { workspace_name: 'x', connector_type: 'linear', return_url: returnUrl, state, brand: { name: 'X' } };
  expect((await rival.ask('POST', path, { json })).body).toMatchObject({ code: 'conflict' });
});
