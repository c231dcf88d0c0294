import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleEnvironment, openConnector, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

test('reloading, going back and a link keep what was searched, filtered and paged', () =>
  whileSignedIn(on, 1280, async ({ page }) => {
    await page.getByRole('row', { name: /Our issues.*Ready/ }).waitFor({ timeout: 60_000 });
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
