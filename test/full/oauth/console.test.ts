import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initialize } from '../../service/mcp/setup.js';
import { appOf, startOAuthService } from '../../service/oauth/setup.js';
import { checkAppearance, chromiumBrowser, openMonitoredPage } from '../chromium.js';

let browser: Browser;
beforeAll(async () => {
  browser = await chromiumBrowser();
});
afterAll(() => browser?.close());

test.each([1280, 390])('a connected app is listed and revoked in the console, %i pixels wide', async (width) => {
  const { acme, url, signIn, person, post } = await startOAuthService();
  const app = appOf();
  await signIn(app, person());
  const watched = await openMonitoredPage(browser, [url], { viewport: { width, height: 900 } });
  const { page } = watched;
  await page.goto(`${url}/console/access`);
  await page.getByLabel('Client ID').fill(acme.clientId);
  await page.getByLabel('Client secret').fill(acme.clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('http://127.0.0.1:8912').waitFor();
  await checkAppearance(page, 'console-connected-apps');
  const ask = () => post(initialize, { authorization: `Bearer ${app.saved.tokens.access_token}` });
  expect((await ask()).status).toBe(200);
  await page.getByRole('button', { name: 'Revoke Test app' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No connected apps').waitFor();
  expect((await ask()).status).toBe(401);
  expect(watched.faults).toEqual([]);
  await page.context().close();
});
