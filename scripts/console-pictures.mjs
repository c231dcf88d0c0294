/**
 * Takes pictures of every page of the console with Chromium, at two widths, dark and light:
 * `node scripts/console-pictures.mjs [--folder pictures] [--docs]`. `--docs` also replaces the pictures in
 * `docs/pictures`. Build the console first.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { importFromSources } from './from-sources.mjs';

const { values: options } = parseArgs({
  options: { folder: { type: 'string', default: 'pictures' }, docs: { type: 'boolean', default: false } },
});
mkdirSync(options.folder, { recursive: true });
mkdirSync('docs/pictures', { recursive: true });

const { startUsedService } = await importFromSources('sandbox/src/demo/pictures.ts');
// Where the service that was built from its sources finds the console.
cpSync('service/dist/console', 'service/dist-demo/console', { recursive: true });
const service = await startUsedService();
const { Issues: issues, Website: website } = service.ids;
const pages = {
  overview: '/',
  connectors: '/connectors',
  sync: `/connectors/${issues}`,
  records: `/connectors/${issues}/records/issues`,
  record: `/connectors/${issues}/records/issues/${service.ids.issue}`,
  run: `/connectors/${issues}/run?entity=issues&action=list`,
  charts: `/connectors/${issues}/charts`,
  settings: `/connectors/${issues}/settings`,
  analytics: `/connectors/${website}`,
  search: '/search?q=two-factor+reset',
  conditions: `/search?by=conditions&connector=${issues}&entity=issues&where=${encodeURIComponent('[["priority","lte","2"]]')}`,
  'first-sync': `/connectors/${service.ids.firstSync}`,
  rejected: `/connectors/${service.ids['Old workspace']}`,
  agents: '/agents',
  approvals: '/approvals',
  webhooks: '/webhooks',
  audit: '/audit',
  access: '/access',
};
const emptyPages = ['overview', 'connectors', 'search', 'agents', 'approvals', 'audit'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const width of [1440, 390]) {
    const context = await browser.newContext({ baseURL: service.url, viewport: { width, height: 900 } });
    // Pages take long to load on a busy machine.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await page.goto(await service.signInUrl());
    // The page of a refused sign-in has a heading, too, but no menu.
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(1500);
      if (name === 'record') await page.getByRole('navigation', { name: 'Linked records' }).waitFor();
      if (name === 'run') {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByRole('region', { name: 'Result' }).waitFor();
      }
      for (const colorScheme of ['dark', 'light']) {
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(300);
        await page.screenshot({ path: `${options.folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        if (options.docs && width === 1440 && ['overview', 'analytics'].includes(name))
          await takeForDocs(page, name, colorScheme);
      }
    }
    await page.goto(await service.emptySignInUrl());
    await page.getByText('New program').waitFor();
    for (const name of emptyPages) {
      await page.goto(`/console${pages[name].replace(/\?.*/, '')}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(1000);
      await page.screenshot({ path: `${options.folder}/empty-${name}-${width}-light.png`, fullPage: true });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await service.close();
}

/** A small picture of the top of a page. */
async function takeForDocs(page, name, colorScheme) {
  const path = `docs/pictures/${name}-${colorScheme}.jpg`;
  await page.screenshot({
    path,
    type: 'jpeg',
    quality: 36,
    clip: { x: 0, y: 0, width: 1440, height: 820 },
    scale: 'css',
  });
}
