import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAppearance, type MonitoredPage } from '../chromium.js';
import {
  allowAtLinear,
  openSetup,
  type SaasEnvironment,
  signIn,
  startSaasEnvironment,
  waitForNotice,
} from './environment.js';

let on: SaasEnvironment;
beforeAll(async () => {
  on = await startSaasEnvironment();
});
afterAll(() => on?.close());

const closed = (popup: Page) => (popup.isClosed() ? undefined : popup.waitForEvent('close'));
const accounts = (page: Page) => page.getByRole('listitem').allInnerTexts();
const namesOf = async (page: Page) => (await accounts(page)).map((text) => text.split('\n')[0]);

async function ask(page: Page): Promise<string> {
  await page.getByLabel('Question').fill('What is new?');
  await page.getByRole('button', { name: 'Ask' }).click();
  return page.getByLabel('Answer').innerText();
}

/** Revokes every token that Linear has issued. */
async function revokeAtLinear(): Promise<void> {
  const { vendors } = on.vendors.sandbox.dump() as any;
  for (const secret of [...Object.keys(vendors.linear.oauth.access), ...Object.keys(vendors.linear.oauth.refresh)]) {
    await fetch(`${on.vendors.url}/_sandbox/revoke`, { method: 'POST', body: JSON.stringify({ secret }) });
  }
}

describe('two users isolated from each other', () => {
  let ada: MonitoredPage;
  let grace: MonitoredPage;
  beforeAll(async () => {
    [ada, grace] = [await on.open(), await on.open()];
    await checkSignIn(ada.page);
    await signIn(ada.page, 'ada@example.com');
    await signIn(grace.page, 'grace@example.com');
  });

  async function checkSignIn(page: Page) {
    await page.goto('/');
    await checkAppearance(page, 'saas-sign-in');
  }

  test('Ada connects with OAuth in a popup that closes itself', async () => {
    const popup = await openSetup(ada.page, 'Connect Linear');
    await popup.getByText('Requested for ada@example.com.').waitFor();
    await allowAtLinear(popup);
    await waitForNotice(ada.page, 'Connected.');
    await closed(popup);
    expect(await namesOf(ada.page)).toEqual(['Linear']);
  });

  test('Grace connects with a key, and an invalid key is rejected', async () => {
    const popup = await openSetup(grace.page, 'Connect Granola');
    for (const key of ['grn_wrong_0123456789', on.vendors.sandbox.vendors.granola.credentials.api_key.api_key]) {
      await popup.getByLabel('API key', { exact: true }).fill(key);
      await popup.getByRole('button', { name: 'Test and connect' }).click();
      if (key.includes('wrong')) await popup.getByRole('alert').waitFor();
    }
    await waitForNotice(grace.page, 'Connected.');
    await closed(popup);
    expect(await namesOf(grace.page)).toEqual(['Granola']);
  });

  test('the agent reads data only for its own user', async () => {
    const issue = 'User invitation shows yesterday’s figures on slow connections';
    const answers = [await ask(ada.page), await ask(grace.page)];
    expect(answers[0]).toContain(issue);
    expect(answers[1]!.split('\n')).toHaveLength(3);
    expect(answers[1]).not.toContain(issue);
    await ada.page.goto('/');
    expect([await namesOf(ada.page), await namesOf(grace.page)]).toEqual([['Linear'], ['Granola']]);
  });

  test.each([1280, 390])('the home page is accessible in light and dark, %i pixels wide', async (width) => {
    await ada.page.setViewportSize({ width, height: 900 });
    await checkAppearance(ada.page, 'saas-home');
    await ada.page.setViewportSize({ width: 1280, height: 900 });
  });

  test('Ada cancels, and can stop waiting for a window that she has closed', async () => {
    const popup = await openSetup(ada.page, 'Connect Granola');
    await popup.getByRole('button', { name: 'Cancel' }).click();
    await waitForNotice(ada.page, 'Nothing was connected.');
    await closed(popup);
    const other = await openSetup(ada.page, 'Connect Granola');
    await other.close();
    await ada.page.getByRole('button', { name: 'Stop waiting' }).click();
    await ada.page.getByRole('alert').getByText('Nothing was connected.').waitFor();
    expect(await namesOf(ada.page)).toEqual(['Linear']);
  });

  test('after access is revoked at the vendor, Ada is notified and reconnects; Grace is not affected', async () => {
    const connectorId = () =>
      ada.page.getByRole('button', { name: 'Reconnect Linear' }).getAttribute('data-connector-id');
    const before = await connectorId();
    await revokeAtLinear();
    expect(await ask(ada.page)).not.toContain('User invitation');
    const needs = async (page: Page) => {
      await page.goto('/');
      return page.getByText('needs to be connected again').count();
    };
    await expect.poll(() => needs(ada.page)).toBe(1);
    expect(await needs(grace.page)).toBe(0);
    const popup = await openSetup(ada.page, 'Reconnect Linear');
    await allowAtLinear(popup);
    await waitForNotice(ada.page, 'Connected.');
    await expect.poll(() => needs(ada.page)).toBe(0);
    expect(await connectorId()).toBe(before);
    expect(await ask(ada.page)).toContain('User invitation');
  });

  test('Ada disconnects, and Grace stays connected', async () => {
    await ada.page.getByRole('button', { name: 'Disconnect Linear' }).click();
    await waitForNotice(ada.page, 'Disconnected.');
    expect(await ask(ada.page)).toBe('Connect an account first.');
    await grace.page.goto('/');
    expect(await namesOf(grace.page)).toEqual(['Granola']);
    const { data } = await on.client.connectors.list();
    expect(data.map(({ workspace_name }) => workspace_name)).toEqual(['user-2']);
    expect([ada.faults, grace.faults]).toEqual([[], []]);
  });
});

test('on a phone the setup page opens in the same tab', async () => {
  const { page, faults } = await on.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await signIn(page, 'ada@example.com');
  await page.getByRole('button', { name: 'Connect Linear' }).tap();
  await allowAtLinear(page);
  await waitForNotice(page, 'Connected.');
  expect(page.url()).toBe(`${on.origin}/`);
  await page.getByRole('button', { name: 'Disconnect Linear' }).tap();
  await waitForNotice(page, 'Disconnected.');
  expect(faults).toEqual([]);
});

test('an expired setup page returns to the product, and nothing is connected', async () => {
  const { page } = await on.open();
  await signIn(page, 'ada@example.com');
  const popup = await openSetup(page, 'Connect Linear');
  on.clock.ahead = 1_801_000;
  await popup.reload();
  await popup.getByText('This link has expired. Nothing was connected.').waitFor();
  await popup.getByRole('link', { name: 'Back to Lantern' }).click();
  await waitForNotice(page, 'The page has expired. Connect again.');
  expect(await namesOf(page)).toEqual([]);
  on.clock.ahead = 0;
});
