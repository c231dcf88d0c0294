import { join } from 'node:path';
import { verifyWebhook, type WebhookEvent } from 'agent-connectors/hosted';
import { createSandbox } from 'agent-connectors-sandbox';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { accountRoutes } from '../../examples/saas/account-routes.js';
import { createApp } from '../../examples/saas/app.js';
import { createConnections } from '../../examples/saas/connections.js';
import { StoredConnectorIds } from '../../examples/saas/connector-ids.js';
import { failure } from '../failure.js';
import { signIn, startProduct } from '../service/setup/connect.js';
import { newFolder } from '../service/state/fixtures.js';
import { openEndpoint, register } from '../service/webhooks.js';

const origin = 'https://app.example.com';
const users = [
  { id: '1', email: 'ada@example.com', password: 'lovelace' },
  { id: '2', email: 'grace@example.com', password: 'hopper' },
];

/** The product running on a service, and its users' browsers. */
async function startExample() {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  // The sandbox stands in for the vendors; the webhook endpoint listens on this machine.
  const reach: typeof fetch = (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    return hostname === '127.0.0.1' ? fetch(input, init) : sandbox.fetch(input, init);
  };
  const { running, key, client } = await startProduct({ allowHosts: ['127.0.0.1'], fetch: reach }, sandbox);
  const hook = await openEndpoint();
  const { secret: webhookSecret } = await register(running.acme, hook.url);
  const { clientId, clientSecret } = running.acme;
  const service = { baseUrl: running.server.url, clientId, clientSecret };
  const events: WebhookEvent[] = [];
  const settings = { origin, service, connectKey: key, connectorIds: new Map() };
  const app = createApp({ ...settings, users, webhookSecret, notify: (event) => events.push(event) });
  const request = (path: string, cookie = '', body?: object | URLSearchParams, from = origin) => {
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const headers = { cookie, origin: from, 'content-type': type };
    const sent = body && { method: 'POST', body: isForm ? body : JSON.stringify(body) };
    return app.request(origin + path, { headers, ...sent });
  };
  /** Signs a user in. */
  const open = async ({ email, password }: { email: string; password: string }) => {
    const response = await request('/sign-in', '', new URLSearchParams({ email, password }));
    const [cookie = ''] = response.headers.get('set-cookie')!.split(';');
    const post = (path: string, body: object) => request(path, cookie, body);
    return {
      cookie,
      post,
      response,
      submit: (path: string, fields: Record<string, string>) => request(path, cookie, new URLSearchParams(fields)),
      home: async () => (await request('/', cookie)).text(),
      /** Connects on the setup page and at the vendor; returns the URL to which the browser is redirected. */
      async connect(account: object): Promise<string> {
        const { url } = await (await post('/connect', account)).json();
        const browser = running.browser();
        return (await signIn(browser, await browser.open(url))).url;
      },
    };
  };
  return {
    app,
    running,
    client,
    hook,
    webhookSecret,
    events,
    settings,
    request,
    open,
    ada: await open(users[0]!),
    grace: await open(users[1]!),
  };
}

const idIn = (html: string) => /data-connector-id="(con_\w+)"/.exec(html)?.[1];

test('a user signs in and out, and requests without a session have no effect', async () => {
  const { request, open, ada } = await startExample();
  expect(ada.response.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect((await open(users[0]!)).cookie).not.toBe(ada.cookie);
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    const wrong = await request('/sign-in', '', new URLSearchParams({ email, password: 'hopper' }));
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
  }
  expect(await ada.home()).toContain('ada@example.com');
  await ada.submit('/sign-out', {});
  expect(await ada.home()).not.toContain('ada@example.com');
  for (const path of ['/connect', '/connected', '/disconnect', '/ask']) {
    expect([path, (await ada.post(path, { type: 'linear' })).status]).toEqual([path, 401]);
  }
});

test('a user connects an account, asks the agent and disconnects, invisibly to other users', async () => {
  const { ada, grace, client } = await startExample();
  const connected = await ada.post('/connected', { address: await ada.connect({ type: 'linear' }) });
  expect(await connected.json()).toEqual({ status: 'connected' });
  const home = await ada.home();
  const connector = idIn(home)!;
  expect(home).toContain('Connected.');
  expect(await (await ada.submit('/ask', { question: 'What is new?' })).text()).toContain(
    'User invitation shows yesterday’s figures on slow connections',
  );

  expect(idIn(await grace.home())).toBeUndefined();
  expect(await (await grace.submit('/ask', { question: 'What is new?' })).text()).toContain(
    'Connect an account first.',
  );
  expect((await grace.submit('/disconnect', { connector })).status).toBe(404);
  expect((await grace.post('/connect', { connectorId: connector })).status).toBe(404);

  const again = await ada.post('/connected', { address: await ada.connect({ connectorId: connector }) });
  expect(await again.json()).toEqual({ status: 'connected' });
  expect(idIn(await ada.home())).toBe(connector);
  expect((await ada.submit('/disconnect', { connector })).status).toBe(303);
  expect(idIn(await ada.home())).toBeUndefined();
  expect((await client.connectors.list()).data).toEqual([]);
});

test("the agent reads all of a user's accounts: one for Google Drive and two for Linear", async () => {
  const { ada } = await startExample();
  for (const type of ['linear', 'google-drive', 'linear']) {
    expect((await ada.post('/connected', { address: await ada.connect({ type }) })).status).toBe(200);
  }
  const home = await ada.home();
  for (const name of ['Linear', 'Google Drive', 'Linear 2']) expect(home).toContain(`aria-label="Reconnect ${name}"`);
  const answer = await (await ada.submit('/ask', { question: 'What is new?' })).text();
  const lines = /<pre aria-label="Answer">([^<]*)<\/pre>/.exec(answer)![1]!.split('\n');
  expect(lines).toHaveLength(9);
  expect(lines.slice(6)).toEqual(lines.slice(0, 3));
});

test("the routes respond with 404 to another user's connector and pass other errors through", async () => {
  const { ada, settings } = await startExample();
  await ada.post('/connected', { address: await ada.connect({ type: 'linear' }) });
  const connections = createConnections(settings);
  const routes = accountRoutes(connections, () => ({ user: users[1]! }));
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await new Hono().route('/', routes).request('/connect', sent)).status;
  };
  expect(await post({ connectorId: idIn(await ada.home()) })).toBe(404);
  expect(await post({ type: 'unknown' })).toBe(400);
  expect(await post({ type: 'linear' })).toBe(200);
});

test('connector ids survive a restart', () => {
  const file = join(newFolder(), 'ids.json');
  new StoredConnectorIds(file).set('1', ['con_1']).set('2', []);
  expect([...new StoredConnectorIds(file)]).toEqual([
    ['1', ['con_1']],
    ['2', []],
  ]);
});

test('a forged, foreign or reused result is rejected, and the genuine one is still accepted once', async () => {
  const { ada, grace } = await startExample();
  const address = await ada.connect({ type: 'linear' });
  const forged = new URL(address);
  forged.searchParams.set('connector_id', 'con_0000000000000000000000');
  const stop = async (user: typeof ada, sent: unknown) => (await user.post('/connected', { address: sent })).status;
  expect(await stop(grace, address)).toBe(403);
  await grace.post('/connect', { type: 'linear' });
  expect(await stop(grace, address)).toBe(403);
  for (const sent of [forged, 'connected', null, {}]) expect(await stop(ada, sent)).toBe(403);
  const both = await Promise.all([stop(ada, address), stop(ada, address)]);
  expect(both.sort()).toEqual([200, 403]);
  expect(await stop(ada, address)).toBe(403);
});

test('a user who lures someone else to their setup page gains nothing from it', async () => {
  const { ada, grace } = await startExample();
  const address = await ada.connect({ type: 'linear' });
  expect((await grace.post('/connected', { address })).status).toBe(403);
  expect(idIn(await ada.home())).toBeUndefined();
  expect(await (await ada.submit('/ask', { question: 'What is new?' })).text()).toContain('Connect an account first.');
});

test('other sites can neither submit nor frame its forms, and only offered account types are accepted', async () => {
  const { request, ada } = await startExample();
  for (const path of ['/sign-in', '/sign-out', '/connect', '/connected', '/disconnect', '/ask']) {
    const sent = await request(path, ada.cookie, new URLSearchParams(users[0]), 'https://evil.example');
    expect([path, sent.status]).toEqual([path, 403]);
  }
  const { headers } = await request('/connected');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect((await ada.post('/connect', { type: 'constructor' })).status).toBe(400);
});

test('a user sees that an account was rejected when a webhook reports it, and forged webhooks are ignored', async () => {
  const { ada, grace, app, events, running, hook, webhookSecret } = await startExample();
  await ada.post('/connected', { address: await ada.connect({ type: 'linear' }) });
  const { vendors } = running.sandbox.dump() as any;
  const { access, refresh } = vendors.linear.oauth;
  for (const token of Object.keys({ ...access, ...refresh })) running.sandbox.revoke(token);
  const answer = await (await ada.submit('/ask', { question: 'What is new?' })).text();
  expect(answer).toContain('<pre aria-label="Answer">Linear could not be read.</pre>');
  const received = (type: string) => hook.received.find((message) => message.type === type);
  await expect.poll(() => received('connector.needs_reauthorization')).toBeDefined();
  const { headers, body } = received('connector.needs_reauthorization')!;
  const send = async (text = body) =>
    (await app.request('/webhooks', { method: 'POST', body: text, headers: { ...headers, host: 'x' } })).status;
  const needs = async (user: typeof ada) => (await user.home()).includes('needs to be connected again');
  expect([await needs(ada), await needs(grace)]).toEqual([true, false]);
  expect([await send(`${body} `), events]).toEqual([401, []]);
  const connector_id = idIn(await ada.home());
  expect([await send(), events]).toMatchObject([204, [{ data: { connector_id } }]]);
  await ada.post('/connected', { address: await ada.connect({ connectorId: idIn(await ada.home()) }) });
  expect(await needs(ada)).toBe(false);
  const late = verifyWebhook(new Headers(headers), body, { secret: webhookSecret, now: Date.now() + 301_000 });
  expect(await failure(late)).toMatchObject({ code: 'unauthorized', message: 'The webhook is too old.' });
});
