import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAppearance, type MonitoredPage } from '../chromium.js';
import { type ConsoleEnvironment, openConnector, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

const signedIn = (width: number, act: (watched: MonitoredPage) => Promise<void>) => whileSignedIn(on, width, act);

describe.each([1440, 390])('%i pixels wide', (width) => {
  test('records are filtered, shown in columns, and linked to each other', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('row', { name: /Our issues.*Ready/ }).waitFor();
      await openConnector(page, 'Our issues', 'Records');
      const table = page.getByRole('region', { name: 'Records' }).getByRole('table');
      await table.waitFor();
      const heads = await table.locator('th').allTextContents();
      expect(heads.slice(0, 3)).toEqual(['Title', 'Identifier', 'State']);
      await checkAppearance(page, 'records');
      await page.getByText('Columns').click();
      await page.getByRole('checkbox', { name: 'Identifier', exact: true }).uncheck();
      expect(await table.locator('th').allTextContents()).not.toContain('Identifier');
      const first = table.getByRole('link').first();
      const title = (await first.textContent())!;
      await page.getByLabel('Operator').selectOption('eq');
      await page.getByLabel('Value').fill(title);
      await page.keyboard.press('Enter');
      await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(expect.arrayContaining([title]));
      await expect.poll(async () => new Set(await table.getByRole('link').allTextContents()).size).toBe(1);
      await first.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: title, level: 2 }).waitFor();
      await page.getByRole('link', { name: 'Open in Linear' }).waitFor();
      await checkAppearance(page, 'record');
      const linked = page.getByRole('navigation', { name: 'Linked records' }).getByRole('link').first();
      const name = (await linked.textContent())!;
      await linked.click();
      await page.getByRole('heading', { name, level: 2 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: title, level: 2 }).waitFor();
    }));

  test('a record is linked to those of other vendors that it mentions and that mention it', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('row', { name: /Documents.*Ready/ }).waitFor();
      await openConnector(page, 'Documents', 'Records');
      const table = page.getByRole('region', { name: 'Records' }).getByRole('table');
      await table.getByRole('link', { name: 'Links of a review' }).click();
      const links = page.getByRole('navigation', { name: 'Linked records' });
      const item = links.getByRole('listitem').filter({ hasText: 'Mentions' });
      await expect.poll(() => item.textContent()).toMatch(/Our issues · Issues/);
      const issue = item.getByRole('link');
      const title = (await issue.textContent())!;
      await checkAppearance(page, 'links of a file');
      await issue.click();
      await page.getByRole('heading', { name: title, level: 2 }).waitFor();
      const back = links.getByRole('listitem').filter({ hasText: 'Mentioned in' });
      await back.getByRole('link', { name: 'Links of a review' }).waitFor();
      await links.getByRole('link', { name: 'Documents' }).waitFor({ state: 'detached' });
      await links
        .getByRole('listitem')
        .filter({ hasText: /^Assignee|^Team/ })
        .first()
        .getByRole('link')
        .waitFor();
    }));

  test('a failed search leaves the links that others prove, and is shown', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('row', { name: /Our issues.*Ready/ }).waitFor();
      const message = 'The texts cannot be searched.';
      const fails = { status: 400, json: { code: 'validation', message } };
      await page.route('**/api/v1/workspaces/*/search', (route) => route.fulfill(fails));
      await openConnector(page, 'Our issues', 'Records');
      const table = page.getByRole('region', { name: 'Records' }).getByRole('table');
      await table.getByRole('link').first().click();
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
      const links = page.getByRole('navigation', { name: 'Linked records' });
      expect(await links.getByRole('listitem').count()).toBeGreaterThan(0);
    }));

  test("a file's name is its title", () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('row', { name: /Documents.*Ready/ }).waitFor();
      await openConnector(page, 'Documents', 'Records');
      const table = page.getByRole('region', { name: 'Records' }).getByRole('table');
      await table.waitFor();
      expect(await table.locator('th').first().textContent()).toBe('File name');
      await checkAppearance(page, 'files');
      const first = table.getByRole('link').first();
      const name = (await first.textContent())!;
      await first.click();
      await page.getByRole('heading', { name, level: 2 }).waitFor();
      await checkAppearance(page, 'file');
    }));

  test('Markdown in a record is rendered without its HTML, scripts and images', () =>
    signedIn(width, async ({ page, requestedUrls }) => {
      await openConnector(page, 'Our issues', 'Run an action');
      const body = [
        '# Plan\n\n- **one**\n- [x] two\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n> said &amp; done',
        '![pixel](https://tracker.example/p.png) [bad](javascript:globalThis.broken=1) [good](https://good.example/x)',
        '<img src="https://tracker.example/h.png" onerror="globalThis.broken=1"><script>globalThis.broken=1</script>',
        '[data](data:text/html,<script>globalThis.broken=1</script>) <https://auto.example/>',
      ].join('\n\n');
      const path = `/api/v1/integrations/connectors/${new URL(page.url()).pathname.split('/')[3]}/execute`;
      const json = { entity: 'issues', action: 'update', params: { id: 'ENG-1', description: body } };
      await page.evaluate(
        ([url, text]) =>
          fetch(url!, {
            method: 'POST',
            body: text!,
            headers: { 'x-console': '1', 'content-type': 'application/json' },
          }),
        [path, JSON.stringify(json)],
      );
      await page.getByLabel('Action').selectOption('get');
      await page.getByLabel(/^ID/).fill('ENG-1');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const text = page.getByRole('region', { name: 'Result' }).locator('.markdown');
      await text.getByText('said & done').waitFor();
      expect(await text.locator('table, li, blockquote, strong').count()).toBeGreaterThan(5);
      const links = await text
        .locator('a')
        .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')]));
      const rel = 'noopener noreferrer';
      expect(links).toEqual([
        ['https://tracker.example/p.png', rel],
        ['https://good.example/x', rel],
        ['https://auto.example/', rel],
      ]);
      expect(await text.locator('img, script, iframe').count()).toBe(0);
      expect(await page.evaluate(() => (globalThis as any).broken)).toBeUndefined();
      expect(requestedUrls.filter((url) => url.includes('tracker'))).toEqual([]);
      await checkAppearance(page, 'markdown');
    }));
});
