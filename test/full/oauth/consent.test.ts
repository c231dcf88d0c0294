import type { RunningService } from 'agent-connectors-service';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pkce, startOAuthService } from '../../service/oauth/setup.js';
import { checkAppearance, chromiumBrowser, openMonitoredPage } from '../chromium.js';

let browser: Browser;
beforeAll(async () => {
  browser = await chromiumBrowser();
});
afterAll(() => browser?.close());

/** The URL of an app's authorization request; its redirect URI is a path on the service that does not exist. */
async function asked({ url, json }: Awaited<ReturnType<typeof startOAuthService>>) {
  const redirect_uri = `${url}/called-back`;
  const metadata = { client_name: 'Sample app', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' };
  const { client_id } = await (await json('/oauth/register', metadata)).json();
  const { challenge } = pkce();
  const query = { client_id, redirect_uri, response_type: 'code', state: 's', code_challenge: challenge };
  return `${url}/oauth/authorize?${new URLSearchParams({ ...query, code_challenge_method: 'S256' })}`;
}

const grantsOf = ({ state }: RunningService, organizationId: string) => state.grants.list({ organizationId });

describe.each([1280, 390])('the consent page, %i pixels wide', (width) => {
  test('can be read, restricted and approved using only the keyboard, and recognizes an existing session', async () => {
    const service = await startOAuthService({ mcpAllowWrites: true });
    const { acme, server, url } = service;
    await acme.connect('google-drive', undefined, { name: 'Our Files' });
    const watched = await openMonitoredPage(browser, [url], { viewport: { width, height: 900 } });
    const { page } = watched;
    const { keyboard } = page;
    const address = await asked(service);
    await page.goto(address);
    await page.getByLabel('Client ID').focus();
    await checkAppearance(page, 'oauth-sign-in');
    await keyboard.type(acme.clientId);
    await keyboard.press('Tab');
    await keyboard.type(acme.clientSecret);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow Sample app to access Acme?' }).waitFor();
    await checkAppearance(page, 'oauth-consent');
    /** Presses Tab until an element with this name has focus. */
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 30; presses++) {
        await keyboard.press('Tab');
        const text = await page.evaluate(() => {
          const { activeElement: at } = document;
          return at?.closest('label')?.textContent ?? at?.textContent ?? '';
        });
        if (text.startsWith(name)) return;
      }
      throw new Error(`${name} is not reached.`);
    };
    await tabTo('Also change data');
    await keyboard.press('Space');
    await tabTo('All connectors');
    await keyboard.press('ArrowDown');
    await tabTo('Linear');
    await keyboard.press('Space');
    await tabTo('Allow');
    await keyboard.press('Enter');
    await page.waitForURL(/called-back\?code=.+&state=s&iss=http/);
    // With an existing session, only the decision is requested.
    await page.goto(address);
    await page.getByRole('heading', { name: 'Allow Sample app to access Acme?' }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/called-back\?error=access_denied/);
    expect(watched.faults).toEqual([]);
    const code = await service.form('/oauth/token', { grant_type: 'authorization_code', code: 'x' });
    expect(code.status).toBe(401);
    expect(await grantsOf(server, acme.organizationId)).toEqual([]);
    await page.context().close();
  });
});

test('the consent page cannot be framed, ignores clicks in its first second, and recognizes the session after a link from another site', async () => {
  const service = await startOAuthService();
  const { acme, url } = service;
  const address = await asked(service);
  const { page } = await openMonitoredPage(browser, [url], {});
  await page.goto(address);
  await page.getByLabel('Client ID').fill(acme.clientId);
  await page.getByLabel('Client secret').fill(acme.clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.waitFor();
  const takesClicks = () => allow.evaluate((button) => getComputedStyle(button).pointerEvents);
  await page.reload();
  expect(await takesClicks()).toBe('none');
  await expect.poll(takesClicks, { timeout: 5_000 }).toBe('auto');
  const foreign = await page.context().newPage();
  await foreign.route('http://evil.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${address}"></iframe><a href="${address}">Connect</a>`,
    }),
  );
  await foreign.goto('http://evil.example/');
  await expect.poll(() => foreign.frames()[1]?.url()).toContain('chrome-error:');
  // The session cookie is only sent from the service's own pages, so a link from another site goes through one of them.
  await foreign.getByText('Connect').click();
  await foreign.getByRole('heading', { name: 'Allow Sample app to access Acme?' }).waitFor();
  await page.context().close();
});
