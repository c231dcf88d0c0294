import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import {
  allowAtLinear,
  openSetup,
  type SaasEnvironment,
  signIn,
  startSaasEnvironment,
  waitForNotice,
} from './environment.js';

let on: SaasEnvironment;
let elsewhere: Server;
/** URL of a page on a different site than the product, and its HTML. */
let foreign = '';
let trap = '';
let ada: Page;
let grace: Page;

beforeAll(async () => {
  on = await startSaasEnvironment();
  elsewhere = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${trap}`);
  });
  await new Promise<void>((ready) => {
    elsewhere.listen(0, '127.0.0.1', ready);
  });
  foreign = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  [ada, grace] = [(await on.open()).page, (await on.open()).page];
  await signIn(ada, 'ada@example.com');
  await signIn(grace, 'grace@example.com');
});
afterAll(async () => {
  elsewhere?.close();
  await on?.close();
});

const accounts = async (page: Page) => {
  await page.goto('/');
  return page.getByRole('listitem').count();
};
const refusal = 'This result belongs to another user or has already been used.';

/** Opens the URL of a result as if the vendor had redirected the browser to it. */
async function comeBack(page: Page, address: string): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(address);
  await tab.getByRole('alert').getByText(refusal).waitFor();
  await tab.close();
}

/** Connects as Ada in a tab without an opener, and intercepts the result before the product receives it. */
async function interceptResult(): Promise<string> {
  const { url } = await (await ada.request.post('/connect', { data: { type: 'linear' } })).json();
  const tab = await ada.context().newPage();
  await tab.goto(url);
  await tab.route('**/page.js', (route) => route.abort());
  await allowAtLinear(tab);
  await tab.waitForURL(/\/connected\?/);
  const address = tab.url();
  await tab.close();
  return address;
}

test('a result is valid only once, only if unmodified, and only for the user who started it', async () => {
  const address = await interceptResult();
  await openSetup(grace, 'Connect Granola').then((popup) => popup.close());
  await comeBack(grace, address);
  const forged = new URL(address);
  forged.searchParams.set('connector_id', 'con_0000000000000000000000');
  await comeBack(ada, forged.href);
  await ada.goto(address);
  await waitForNotice(ada, 'Connected.');
  await comeBack(ada, address);
  expect(await accounts(grace)).toBe(0);
});

test('a setup page sent to another user shows who it is for, and neither user gets anything from the other', async () => {
  const before = await accounts(ada);
  const { url } = await (await ada.request.post('/connect', { data: { type: 'linear' } })).json();
  const tab = await grace.context().newPage();
  await tab.goto(url);
  await tab.getByText('Requested for ada@example.com.').waitFor();
  await allowAtLinear(tab);
  await tab.getByRole('alert').getByText(refusal).waitFor();
  expect([await accounts(ada), await accounts(grace)]).toEqual([before, 0]);
});

test("another user's connector can neither be reconnected nor deleted", async () => {
  await ada.goto('/');
  const connectorId = await ada
    .getByRole('button', { name: 'Reconnect Linear', exact: true })
    .getAttribute('data-connector-id');
  const before = await accounts(ada);
  const headers = { origin: on.origin };
  const again = await grace.request.post('/connect', { data: { connectorId } });
  const deleted = await grace.request.post('/disconnect', { form: { connector: connectorId! }, headers });
  expect([again.status(), deleted.status(), await accounts(ada)]).toEqual([404, 404, before]);
});

test('neither the setup page nor the product can be framed', async () => {
  const { url } = await (await ada.request.post('/connect', { data: { type: 'linear' } })).json();
  for (const address of [url, on.origin, `${on.origin}/connected`]) {
    trap = `<iframe src="${address}"></iframe>`;
    const page = await ada.context().newPage();
    await page.goto(foreign);
    const frame = page.frames().find((one) => one !== page.mainFrame())!;
    await expect.poll(() => frame.url()).toMatch(/^chrome-error:/);
    await page.close();
  }
});

test("another site cannot use a user's session, with a form or a script", async () => {
  const before = await accounts(ada);
  for (const path of ['/connect', '/connected', '/disconnect', '/ask', '/sign-in', '/sign-out']) {
    trap = `<form method="post" action="${on.origin}${path}"><input name="connector" value="con_1"></form><script>document.forms[0].submit()</script>`;
    const page = await ada.context().newPage();
    const sent = page.waitForResponse((response) => response.url() === on.origin + path);
    await page.goto(foreign);
    expect([path, (await sent).status()]).toEqual([path, 403]);
    trap = '';
    await page.goto(foreign);
    const asked = await page.evaluate(
      (address) =>
        fetch(address, {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': 'application/json' },
          body: '{"type":"linear"}',
        }).then(
          ({ status }) => status,
          () => 'blocked',
        ),
      on.origin + path,
    );
    expect([path, asked]).toEqual([path, 'blocked']);
    await page.close();
  }
  expect(await accounts(ada)).toBe(before);
});

test('a session cannot redirect to another site', async () => {
  const setup = { type: 'linear', workspace: 'user-1', state: 'state-of-ada', brand: { name: 'Lantern' } };
  for (const returnUrl of [foreign, `${on.origin}.evil.example/`, on.origin.replace('localhost', '127.0.0.1')]) {
    expect(await failure(on.client.connectors.setup({ ...setup, returnUrl }))).toMatchObject({
      code: 'invalid_params',
    });
  }
});

test('the product and the service log no secrets and no vendor tokens', () => {
  const { linear, granola } = on.vendors.sandbox.vendors;
  const secrets = [linear.credentials.oauth.client_secret, granola.credentials.api_key.api_key, 'lovelace', 'hopper'];
  const all = on.output.join('\n');
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
