import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { createSandbox } from 'agent-connectors-sandbox';
import { build } from 'esbuild';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allConnectors, connectClient } from '../../mcp/setup.js';
import { chromiumBrowser, openMonitoredPage, pictures, violationsIn } from '../chromium.js';

const sandbox = createSandbox({ seed: 7 });
const property_id = sandbox.vendors['google-analytics'].properties.website;
const hit = (title: string, url: string) => ({
  connector: { name: 'linear' },
  entity_name: 'issues',
  entity: { id: title, url, title },
  metadata: { context: 'The <b>import</b> of bank feeds crashes.', creatorName: 'Ana Silva' },
});

let browser: Browser;
let host: string;
let client: Client;
beforeAll(async () => {
  browser = await chromiumBrowser();
  const entryPoints = [fileURLToPath(new URL('host.ts', import.meta.url))];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'iife', platform: 'browser' });
  host = outputFiles[0]!.text;
  const searchAll = async () => ({
    data: [
      hit('<img src=x onerror=alert(1)>', 'https://linear.example/ENG-7'),
      hit('Not a web page', 'javascript:alert(2)'),
    ],
  });
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
  client = await connectClient(
    await allConnectors(sandbox),
    { searchAll, allowWrites: true, approve: () => ({ pending: 'p1' }) },
    'modern',
    { capabilities },
  );
});
afterAll(() => browser.close());

/** The page that a tool refers to. */
async function pageOf(tool: string): Promise<string> {
  const { tools } = await client.listTools();
  const { resourceUri: uri } = tools.find(({ name }) => name === tool)!._meta!.ui as { resourceUri: string };
  const { contents } = await client.readResource({ uri });
  return (contents[0] as { text: string }).text;
}

/** Shows the result of a call in the host, and checks that the page caused no errors and loaded nothing. */
async function inHost(
  name: string,
  input: Record<string, unknown>,
  check: (frame: FrameLocator, page: Page, result: unknown) => Promise<void>,
  isBefore = false,
): Promise<void> {
  const result = await client.callTool({ name, arguments: input });
  const { page, faults } = await openMonitoredPage(browser, [], { viewport: { width: 640, height: 800 } });
  await page.setContent('<!doctype html><html lang="en"><head><title>Host</title></head><body></body></html>');
  await page.evaluate(host);
  const shown = { html: await pageOf(name), input, result: isBefore ? undefined : result, theme: 'dark' };
  await page.evaluate((what) => (globalThis as any).show(what), shown);
  await check(page.frameLocator('iframe'), page, result);
  expect(await page.evaluate(() => (globalThis as any).heard.calls)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
}

/** Takes pictures in both themes, and checks that the app is accessible and does not overflow its frame in either. */
async function checkThemes(page: Page, name: string): Promise<void> {
  const frame = page.frames()[1]!;
  for (const theme of ['dark', 'light']) {
    await page.evaluate((next) => (globalThis as any).change(next), theme);
    await expect.poll(() => frame.evaluate(() => document.documentElement.style.colorScheme)).toBe(theme);
    await page.screenshot({ path: join(pictures, `${name}-${theme}.png`), fullPage: true });
    expect([theme, await violationsIn(frame)]).toEqual([theme, []]);
  }
  expect(await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

const report = (dateRanges: object[]) => ({
  connector: 'google-analytics',
  entity: 'website_overview',
  action: 'list',
  params: { property_id, dateRanges },
});

test('a report is a chart that the keyboard reads, with its table behind it, dark and light', () =>
  inHost('execute', report([{ startDate: '2026-01-01', endDate: '2026-01-07' }]), async (frame, page, result) => {
    const { rows, columns } = (result as any)._meta['agent-connectors/view'];
    const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
    await expect.poll(() => frame.locator('rect').count()).toBe(7);
    const text = (row: string[], at: number) =>
      `${row[0]}: ${new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 }).format(Number(row[at]))}`;
    await expect.poll(() => frame.locator('output').textContent()).toBe(text(sorted[6], 1));
    // From the top: the choice of a measure, the bars, the table.
    await frame.locator('select').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => frame.locator('output').textContent()).toBe(text(sorted[5], 1));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => frame.locator('tbody tr').count()).toBe(7);
    await expect.poll(() => frame.locator('th').allTextContents()).toEqual(columns.map(({ name }: any) => name));
    await frame.locator('select').selectOption({ index: 1 });
    await expect.poll(() => frame.locator('output').textContent()).toBe(text(sorted[6], 2));
    const background = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    expect(await background()).toBe('rgb(27, 27, 27)');
    await page.evaluate(() => (globalThis as any).change('light'));
    await expect.poll(background).toBe('rgb(255, 255, 255)');
    await checkThemes(page, 'app-report');
  }));

test('hits are links that the client opens; texts stay texts, and other addresses are no links', () =>
  inHost('search', { prompt: 'bank feeds' }, async (frame, page) => {
    await expect.poll(() => frame.locator('li').count()).toBe(2);
    await expect.poll(() => frame.locator('a').allTextContents()).toEqual(['<img src=x onerror=alert(1)>']);
    await expect.poll(() => frame.locator('img, b').count()).toBe(0);
    await frame.locator('a').focus();
    await page.keyboard.press('Enter');
    const links = () => page.evaluate(() => (globalThis as any).heard.links);
    await expect.poll(links).toEqual(['https://linear.example/ENG-7']);
    await checkThemes(page, 'app-hits');
  }));

const create = { connector: 'linear', entity: 'issues', action: 'create' };
const teams = () =>
  client.callTool({
    name: 'execute',
    arguments: { connector: 'linear', entity: 'teams', action: 'list', select_fields: ['id'] },
  });

test('a write is a preview without hidden characters until its result arrives, and has nothing to approve it with', async () => {
  const [, teamId] = /\b([0-9a-f]{8}-[0-9a-f-]{27})\b/.exec(JSON.stringify(await teams())) ?? [];
  const params = { title: 'Check <the> export', teamId, description: 'Pay \u202e001\u202c\u200b\u{e0041}\nnow' };
  const input = { ...create, params, intent: 'as agreed' };
  await inHost(
    'execute_write',
    input,
    async (frame, page, result) => {
      const status = () => frame.locator('[role=status]').textContent();
      await expect.poll(status).toBe('Not sent yet. Your client or your company decides.');
      await expect.poll(() => frame.locator('h2').textContent()).toBe('linear: issues.create');
      await expect
        .poll(() => frame.locator('dd').allTextContents())
        .toEqual([params.title, teamId, 'Pay \\u202e001\\u202c\\u200b\\udb40\\udc41\nnow']);
      await expect.poll(() => frame.locator('main').textContent()).toContain('Reason from the agent: as agreed');
      expect(await frame.locator('button, input, form, a').count()).toBe(0);
      await page.evaluate((sent) => (globalThis as any).send(sent), result as object);
      await expect.poll(status).toBe('Waiting for approval: nothing was sent.');
      await checkThemes(page, 'app-write');
    },
    true,
  );
});

test('a result without a view is shown as its text', () =>
  inHost('execute', { connector: 'linear', entity: 'nothing', action: 'list' }, async (frame) => {
    await expect.poll(() => frame.locator('pre').textContent()).toContain('unknown_entity');
  }));
