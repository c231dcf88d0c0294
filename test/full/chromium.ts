import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from 'playwright-core';
import { expect } from 'vitest';

const program = '/usr/bin/chromium';
/** Folder for screenshots. */
export const pictures = process.env.CONSOLE_PICTURES ?? mkdtempSync(join(tmpdir(), 'console-pictures-'));

/** Starts Chromium, installing it first if it is missing. */
export function chromiumBrowser(): Promise<Browser> {
  if (!existsSync(program)) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  }
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
}

/** A page and the problems observed in it. */
export interface MonitoredPage {
  readonly page: Page;
  /** Console messages, errors and requests to other hosts. */
  readonly faults: string[];
  /** Every URL requested. */
  readonly requestedUrls: string[];
}

/** Opens a page that records errors and may only send requests to these origins. */
export async function openMonitoredPage(
  browser: Browser,
  origins: readonly string[],
  options: BrowserContextOptions,
): Promise<MonitoredPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const [faults, requestedUrls]: [string[], string[]] = [[], []];
  page.on('console', (message) => {
    // The browser itself logs a response with status 4xx to the console.
    const refused = /the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !refused) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    requestedUrls.push(url);
    if (!origins.includes(new URL(url).origin) && !/^(blob|data):/.test(url)) faults.push(`asks ${url}`);
  });
  return { page, faults, requestedUrls };
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What is not accessible in a page or frame. */
export async function violationsIn(page: Page | Frame): Promise<string[]> {
  // Through the browser's protocol, which bypasses the page's content security policy.
  await page.evaluate(readFileSync(axe, 'utf8'));
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(' | ')}`);
  });
}

/** Takes light and dark screenshots, and checks that the page is accessible and does not overflow the window in either. */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    expect([colorScheme, await violationsIn(page)]).toEqual([colorScheme, []]);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
