import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { type RunningService, serve } from 'agent-connectors-service';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../docs/built/shell.js';
import { emptyFolder, installCopy, pack, remove, run } from '../../package/installed.js';
import { chromiumBrowser, type MonitoredPage, openMonitoredPage } from '../chromium.js';
import { allowAtLinear, registerProduct } from '../saas/environment.js';

let folder: string;
let vendors: SandboxServer;
let service: RunningService;
let product: ChildProcess;
let browser: Browser;
let origin: string;
let ada: MonitoredPage;
let grace: MonitoredPage;

/** Installs the example from tarballs, builds it, and starts it with a service and a sandbox. */
beforeAll(async () => {
  folder = await emptyFolder();
  const packed = await Promise.all(['.', 'react'].map((source) => pack(source, folder)));
  await installCopy('examples/next', `${folder}/product`, ...packed.map(({ file }) => file));
  await run(`${folder}/product`, 'npm', 'run', 'build');
  vendors = await serveSandbox({ sandbox: createSandbox({ seed: 7, scale: 0.1 }) });
  const { client_id, client_secret } = vendors.sandbox.vendors.linear.credentials.oauth;
  service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    allowHosts: ['localhost'],
    endpoints: { linear: `${vendors.url}/linear`, granola: `${vendors.url}/granola` },
    oauthClients: { linear: { clientId: client_id, clientSecret: client_secret } },
  });
  origin = `http://localhost:${await freePort()}`;
  const { environment } = await registerProduct(service, origin);
  const next = `${folder}/product/node_modules/next/dist/bin/next`;
  product = spawn(process.execPath, [next, 'start', '--hostname', 'localhost', '--port', new URL(origin).port], {
    cwd: `${folder}/product`,
    env: { PATH: process.env.PATH, ORIGIN: origin, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(product.stdout!)) if (line.includes('Ready')) break;
  browser = await chromiumBrowser();
  [ada, grace] = [await open('ada', 'lovelace'), await open('grace', 'hopper')];
});
afterAll(async () => {
  await browser?.close();
  if (product) {
    product.kill();
    await once(product, 'exit');
  }
  await service?.close();
  await vendors?.close();
  if (folder) await remove(folder);
});

async function open(user: string, password: string): Promise<MonitoredPage> {
  const monitored = await openMonitoredPage(browser, [origin, service.url, vendors.url], { baseURL: origin });
  const { page } = monitored;
  await page.goto('/');
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: `${user}’s accounts` }).waitFor();
  return monitored;
}

const message = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
/** Loads the page again and waits until it lists these accounts. */
const expectAccounts = async (page: Page, ...names: string[]) => {
  await page.reload();
  const listed = () => page.getByRole('button', { name: /^Disconnect/ }).allInnerTexts();
  await expect.poll(async () => (await listed()).map((text) => text.slice(11)).sort()).toEqual(names);
};
const openSetup = async (page: Page): Promise<Page> => {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Connect Linear', exact: true }).click(),
  ]);
  await popup.getByRole('heading', { level: 1 }).waitFor();
  return popup;
};

test('Ada connects in a window with an overlay, which closes by itself; the result never goes to a page', async () => {
  const popup = await openSetup(ada.page);
  await ada.page.getByRole('dialog', { name: 'Connect your account' }).waitFor();
  const addresses: string[] = [];
  popup.on('framenavigated', (frame) => void addresses.push(frame.url()));
  const closed = popup.waitForEvent('close');
  await allowAtLinear(popup);
  await message(ada.page, 'connected');
  await closed;
  expect(await ada.page.getByRole('dialog').count()).toBe(0);
  expect(addresses.filter((address) => address.startsWith(origin))).toEqual([]);
  await expectAccounts(ada.page, 'Linear');
});

test('Grace connects with a form of the product, which explains a rejected key', async () => {
  const submit = async (key: string) => {
    await grace.page.getByLabel('Granola API key').fill(key);
    await grace.page.getByRole('button', { name: 'Connect Granola', exact: true }).click();
  };
  await submit('grn_wrong_0123456789');
  await message(grace.page, 'Granola didn’t accept this key');
  await submit(vendors.sandbox.vendors.granola.credentials.api_key.api_key);
  await message(grace.page, 'connected');
  await expectAccounts(grace.page, 'Granola');
  await expectAccounts(ada.page, 'Linear');
});

test('the overlay can be cancelled, and opens a closed window again', async () => {
  const popup = await openSetup(ada.page);
  await popup.close();
  const dialog = ada.page.getByRole('dialog');
  await dialog.getByText('If you closed it, open it again.').waitFor();
  const [again] = await Promise.all([
    ada.page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Show window' }).click(),
  ]);
  await again.getByRole('heading', { level: 1 }).waitFor();
  const closed = again.waitForEvent('close');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await closed;
  await message(ada.page, 'closed');
});

test('without the window that opened it, the page goes to the return page, which connects as well', async () => {
  const { url } = await (await grace.page.request.post('/api/connections', { data: { type: 'linear' } })).json();
  const tab = await grace.page.context().newPage();
  await tab.goto(url);
  await allowAtLinear(tab);
  await tab.getByRole('button', { name: 'Disconnect Linear' }).waitFor();
  expect(new URL(tab.url()).search).toBe('');
  await tab.close();
});

test('a page of another origin that opens the session gets no result, but the return page does', async () => {
  const { url } = await (await ada.page.request.post('/api/connections', { data: { type: 'granola' } })).json();
  const stranger = await ada.page.context().newPage();
  await stranger.goto(`${vendors.url}/`);
  await stranger.evaluate(() => {
    Object.assign(globalThis, { got: [] });
    addEventListener('message', ({ data }) => (globalThis as any).got.push(data));
  });
  const [popup] = await Promise.all([
    stranger.waitForEvent('popup'),
    stranger.evaluate((address) => void window.open(address), url),
  ]);
  await popup.getByLabel('API key', { exact: true }).fill(vendors.sandbox.vendors.granola.credentials.api_key.api_key);
  await popup.getByRole('button', { name: 'Test and connect' }).click();
  await popup.waitForURL((address) => address.origin === origin);
  await popup.getByRole('button', { name: 'Disconnect Granola' }).waitFor();
  expect(await stranger.evaluate(() => (globalThis as any).got)).toEqual([]);
  await Promise.all([popup.close(), stranger.close()]);
});

test('Ada disconnects, and Grace stays connected', async () => {
  await ada.page.reload();
  await ada.page.getByRole('button', { name: 'Disconnect Linear' }).click();
  await ada.page.getByRole('button', { name: 'Disconnect Linear' }).waitFor({ state: 'detached' });
  await expectAccounts(ada.page, 'Granola');
  await expectAccounts(grace.page, 'Granola', 'Linear');
  expect([ada.faults, grace.faults]).toEqual([[], []]);
});
