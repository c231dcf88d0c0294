import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { root } from '../../docs/pages.js';
import { chromiumBrowser, type MonitoredPage, openMonitoredPage } from '../chromium.js';

const program = (name: string): Promise<any> => import(new URL(`../../../scripts/${name}`, import.meta.url).href);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pages = [
  '',
  'documents/Errors.html',
  'classes/agent-connectors.Connector.html',
  'documents/Actions_of_Linear.html',
];

let site: { readonly url: string; close(): Promise<void> };
let browser: Browser;

/** Runs TypeDoc the way the `reference` step does, with additional arguments. */
async function typedoc(...rest: string[]): Promise<{ readonly ok: boolean; readonly output: string }> {
  const { run } = await program('run.mjs');
  return run(['npx', '--no-install', 'typedoc', ...rest], { minutes: 5 });
}

/** Opens a page of the site. */
async function opened(path: string, width = 1280): Promise<MonitoredPage> {
  const seen = await openMonitoredPage(browser, [site.url], { viewport: { width, height: 900 } });
  onTestFinished(() => seen.page.context().close());
  await seen.page.goto(`${site.url}/${path}`, { waitUntil: 'networkidle' });
  return seen;
}

beforeAll(async () => {
  const { run } = await program('run.mjs');
  const built = await run(['npm', 'run', '--silent', 'docs'], { minutes: 8 });
  expect(built.ok, built.output).toBe(true);
  const [counted] = /measured: .*/.exec(built.output) ?? [];
  console.log(counted);
  expect(Number(/\d+/.exec(counted ?? '')?.[0])).toBeGreaterThan(2_000);
  site = await (await program('docs/serve.mjs')).siteServer();
  browser = await chromiumBrowser();
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test('a public name without documentation fails the reference build', async () => {
  const { ok, output } = await typedoc('--entryPoints', 'test/full/docs/undocumented.ts', '--emit', 'none');
  expect(ok).toBe(false);
  expect(output).toContain('Unexplained.name (Property)');
});

test('each guide has a Markdown file beside it, which llms.txt lists and whose links lead to files', () => {
  const site = join(root, 'docs/site');
  const names = readdirSync(join(site, 'documents')).filter((name) => name.endsWith('.html'));
  expect(names.length).toBeGreaterThan(40);
  const index = readFileSync(join(site, 'llms.txt'), 'utf8');
  const broken: string[] = [];
  for (const name of names.map((html) => html.replace(/html$/, 'md'))) {
    const text = readFileSync(join(site, 'documents', name), 'utf8');
    expect(text).toMatch(/^# \S/);
    expect(index).toContain(`](documents/${name})`);
    for (const [, target] of text.replace(/^ *```.*?^ *```$/gms, '').matchAll(/\]\(([^)\s#]+)/g)) {
      const isFile = /^[a-z]+:/.test(target!) || existsSync(join(site, 'documents', decodeURI(target!)));
      if (!isFile) broken.push(`${name}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test.each(pages)('/%s has no errors, fits wide and narrow windows, and is accessible', async (path) => {
  for (const width of [1280, 360]) {
    const { page, faults } = await opened(path, width);
    expect(faults).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    const widest = () => Math.max(0, ...[...document.querySelectorAll('svg')].map((svg) => svg.clientWidth));
    expect(await page.evaluate(widest)).toBeLessThanOrEqual(40);
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const standard = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      // TypeDoc's own script puts links inside the element that opens its navigation.
      const exclude = ['.tsd-navigation'];
      const found = await (globalThis as any).axe.run({ exclude }, { runOnly: standard });
      return found.violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).slice(0, 3)}`);
    });
    expect(violations).toEqual([]);
  }
});

test('the search finds Connector.execute, and finds a guide by its text and opens it', async () => {
  const { page, faults } = await opened('');
  const search = async (words: string, result: string) => {
    await page.keyboard.press('Escape');
    await page.locator('#tsd-search-trigger').click();
    await page.locator('#tsd-search-input').fill(words);
    await page.locator('#tsd-search-results li[role=option]', { hasText: result }).first().waitFor();
  };
  await search('execute', 'Connector.execute');
  await search('webhooks', 'Following changes');
  await page.locator('#tsd-search-results li[role=option]', { hasText: 'Following changes' }).first().click();
  await page.waitForURL(/Following_changes/);
  expect(await page.locator('h1').first().innerText()).toBe('Following changes');
  expect(faults).toEqual([]);
});

test.each([
  ['answer questions', 'Answer questions over calls, issues and documents'],
  ['questions over calls and tickets', 'Answer questions over calls, issues and documents'],
  ['weekly report', 'Write a weekly report'],
  ['connect Drive', 'Let the users of your product connect their accounts'],
  ['customers connect accounts', 'Let the users of your product connect their accounts'],
  ['deploy', 'Hosting a service'],
  ['compare', 'Choose'],
  ['rate limit', 'Limits'],
])('a search for "%s" lists the page for that task first', async (words, title) => {
  const { page } = await opened('');
  await page.locator('#tsd-search-trigger').click();
  await page.locator('#tsd-search-input').fill(words);
  const first = page.locator('#tsd-search-results li[role=option]').first();
  await first.waitFor();
  await expect.poll(() => first.innerText()).toContain(title);
});

test('the navigation starts with the guides', async () => {
  const { page } = await opened('');
  const groups = await page.locator('#tsd-nav-container > li > details > summary').allTextContents();
  expect(groups.map((name) => name.trim()).slice(0, 4)).toEqual(['Guides', 'Vendors', 'Reference', 'Modules']);
});

test('no internal link or anchor is broken', async () => {
  const folder = join(root, 'docs/site');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const html = new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const ids = new Map(
    [...html].map(([name, text]) => [name, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!))]),
  );
  const broken: string[] = [];
  for (const [name, text] of html) {
    for (const [, target] of text.matchAll(/<a\s[^>]*?href="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(target!.replaceAll('&amp;', '&'), `http://site/${name}`);
      if (origin !== 'http://site') continue;
      const file = decodeURIComponent(pathname.slice(1)) || 'index.html';
      const place = decodeURIComponent(hash.slice(1));
      const isThere = html.has(file) ? place === '' || ids.get(file)!.has(place) : file.startsWith('media/');
      if (!isThere) broken.push(`${name}: ${target}`);
    }
  }
  expect(html.size).toBeGreaterThan(200);
  expect(broken).toEqual([]);
});
