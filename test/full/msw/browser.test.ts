import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, install, pack, remove } from '../../package/installed.js';
import { chromiumBrowser } from '../chromium.js';

/** Serves files by path, all of them scripts but the page. */
async function serveFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const type = url === '/' ? 'text/html' : 'text/javascript';
    response.writeHead(url in files ? 200 : 404, { 'content-type': type }).end(files[url]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['2.15.0', '3'])('handlers serve a page in Chromium through setupWorker of msw %s', async (msw) => {
  const folder = await emptyFolder();
  onTestFinished(async () => void (await remove(folder)));
  const tarballs = await Promise.all(['.', 'sandbox'].map(async (source) => (await pack(source, folder)).file));
  await install(folder, ...tarballs, `msw@${msw}`);
  const entry = join(folder, 'page.mjs');
  await cp(resolve('test/full/msw/page.mjs'), entry);
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false } as const;
  const { outputFiles, warnings } = await build({ entryPoints: [entry], ...options });
  expect(warnings).toEqual([]);

  const url = await serveFiles({
    '/': '<script type="module" src="/page.js"></script>',
    '/page.js': outputFiles[0]!.text,
    '/mockServiceWorker.js': await readFile(join(folder, 'node_modules/msw/lib/mockServiceWorker.js'), 'utf8'),
  });
  const browser = await chromiumBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction(() => 'results' in globalThis);
  expect(await page.evaluate(() => (globalThis as any).results())).toEqual({
    teams: true,
    statuses: [200, 503, 200],
    codes: {
      reset_before: 'network',
      truncated_body: 'network',
      slow_body: 'timeout',
      rate_limited: 'rate_limited',
    },
    overridden: [0, true],
    xhr: 200,
  });
});
