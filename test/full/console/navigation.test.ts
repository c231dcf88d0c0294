import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAppearance } from '../chromium.js';
import { type ConsoleEnvironment, openConnector, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

test('reloading, going back and a link keep what was searched, filtered and paged', () =>
  whileSignedIn(on, 1280, async ({ page }) => {
    // A search finds more while connectors are synced for the first time.
    for (const name of ['Our issues', 'Notes', 'Documents', 'Visits']) {
      await page.getByRole('row', { name: new RegExp(`${name}.*Ready`) }).waitFor({ timeout: 60_000 });
    }
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.getByLabel('Query').fill('two-factor');
    await page.keyboard.press('Enter');
    await page.locator('.hits li').first().waitFor();
    const first = await page.locator('.hits').textContent();
    expect(await page.title()).toBe('two-factor · Search · agent-connectors');
    await page.reload();
    await page.locator('.hits li').first().waitFor();
    expect(await page.locator('.hits').textContent()).toBe(first);
    await page.getByLabel('Query').fill('invoice');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=invoice/);
    await page.goBack();
    await page.waitForURL(/q=two-factor/);
    await expect.poll(() => page.getByLabel('Query').inputValue()).toBe('two-factor');

    await page.getByRole('link', { name: 'Connectors', exact: true }).click();
    await openConnector(page, 'Our issues', 'Records');
    await page.getByLabel('Entity').selectOption('issues');
    await page.getByLabel('Sort by').selectOption('createdAt');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/^51–/).waitFor();
    await page.reload();
    await page.getByText(/^51–/).waitFor();
    expect(await page.getByLabel('Sort by').inputValue()).toBe('createdAt');
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText(/^1–50/).waitFor();
    await page.goBack();
    await page.getByText(/^51–/).waitFor();
    expect(await page.title()).toBe('Records · Our issues · agent-connectors');

    await page.goto('/console/audit?outcome=failure&since=3600000');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('failure');
  }));

/** Paths with every kind of choice that a page keeps in its URL. */
const pathsOf = (connector: string, issue: string) => [
  '/',
  '/connectors',
  `/connectors/${connector}`,
  `/connectors/${connector}/records/projects?sort=createdAt`,
  `/connectors/${connector}/records/issues/${issue}`,
  `/connectors/${connector}/run?entity=comments&action=create`,
  `/connectors/${connector}/charts`,
  `/connectors/${connector}/settings`,
  '/search?q=two-factor&rank=lexical',
  `/search?by=conditions&connector=${connector}&entity=users`,
  '/agents',
  '/approvals',
  '/webhooks',
  '/audit?outcome=failure&since=86400000',
  '/access',
];

test('every page is the same after reloading it', () =>
  whileSignedIn(on, 390, async ({ page }) => {
    await page.getByRole('row', { name: /Our issues.*Ready/ }).waitFor({ timeout: 60_000 });
    await openConnector(page, 'Our issues', 'Records');
    await page.locator('.lines a').first().click();
    await page.getByRole('link', { name: 'All issues' }).waitFor();
    const [, connector, issue] = /connectors\/([^/]+)\/records\/issues\/([^/?]+)/.exec(page.url())!;
    // Numbers and times change while the page is open.
    const seen = () =>
      page.evaluate(() => ({
        title: document.title,
        url: location.href,
        headings: [...document.querySelectorAll('main :is(h1, h2)')].map(({ textContent }) => textContent),
        current: [...document.querySelectorAll('[aria-current], [aria-pressed=true]')].map((one) => one.textContent),
        choices: [...document.querySelectorAll<HTMLInputElement>('main :is(select, input)')].map((one) => one.value),
      }));
    // The stream of events stays open.
    const pending = new Set<unknown>();
    page.on('request', (request) => request.url().endsWith('/events') || pending.add(request));
    for (const end of ['requestfinished', 'requestfailed'] as const) {
      page.on(end as 'requestfinished', (request) => pending.delete(request));
    }
    const settled = async () => {
      let last = await seen();
      const isSettled = async () => {
        const before = last;
        last = await seen();
        return pending.size === 0 && JSON.stringify(last) === JSON.stringify(before);
      };
      await expect.poll(isSettled).toBe(true);
      return last;
    };
    for (const path of pathsOf(connector!, issue!)) {
      await page.goto(`/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const before = await settled();
      await page.reload();
      await expect.poll(seen).toEqual(before);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  }));

test('Tab and Enter alone reach every page', () =>
  whileSignedIn(on, 1280, async ({ page }) => {
    const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
    for (const title of await links.allTextContents()) {
      await page.reload();
      await links.first().waitFor();
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      for (let presses = 0; presses < 20 && (await focused()) !== title; presses++) await page.keyboard.press('Tab');
      expect(await focused()).toBe(title);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      // The next Tab goes on inside the page.
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    }
  }));

test('Ctrl+K goes to a connector, / to the search, and arrow keys read a chart', () =>
  whileSignedIn(on, 1280, async ({ page }) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page or connector' }).fill('our iss');
    await page.getByRole('option', { name: /Our issues/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Our issues', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.getByLabel('Query').evaluate((input) => input === document.activeElement)).toBe(true);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await checkAppearance(page, 'overview');
    const chart = page.getByRole('img', { name: /Calls per hour/ });
    await chart.focus();
    await page.keyboard.press('End');
    await page.getByText(/\d+ succeeded, \d+ failed/).waitFor();
    // The service is younger than an hour: the only hour that is known is the last of 24.
    const cursorAt = async () => {
      const [plot, cursor] = await Promise.all([
        chart.locator('.u-over').boundingBox(),
        chart.locator('.u-cursor-x').boundingBox(),
      ]);
      return (cursor!.x - plot!.x) / plot!.width;
    };
    await expect.poll(cursorAt).toBeGreaterThan(0.9);
  }));

test('the fourteen days of a connector that opens with its visits are those of the replica', () =>
  whileSignedIn(on, 1280, async ({ page }) => {
    await page.getByRole('row', { name: /Visits.*Ready/ }).waitFor({ timeout: 60_000 });
    const before = on.sandbox.requests.length;
    await openConnector(page, 'Visits');
    await page.getByRole('img', { name: /Sessions per day/ }).waitFor();
    await page.getByRole('table', { name: 'Views' }).waitFor();
    expect(on.sandbox.requests.length).toBe(before);
    await page.getByText('Show as a table').first().click();
    const rows = await page.getByRole('table', { name: 'Sessions per day' }).getByRole('row').count();
    expect(rows).toBeGreaterThan(3);
  }));
