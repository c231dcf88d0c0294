import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AgentConnectors } from 'agent-connectors/hosted';
import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { type RunningService, serve } from 'agent-connectors-service';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../docs/built/shell.js';
import { createRequester } from '../../service/http/setup.js';
import { recordLines } from '../../service/recorder.js';
import { chromiumBrowser, type MonitoredPage, openMonitoredPage } from '../chromium.js';

/** Vendors and a service over HTTP, `examples/saas` as a separate process, and a browser. */
export interface SaasEnvironment {
  readonly vendors: SandboxServer;
  readonly service: RunningService;
  /** The service's clock. */
  readonly clock: { ahead: number };
  /** The product's client for the service. */
  readonly client: AgentConnectors;
  /** The product's origin, on a different site than the service. */
  readonly origin: string;
  /** Output of the product and the service. */
  readonly output: string[];
  /** Opens a page in a new browser context. */
  open(options?: BrowserContextOptions): Promise<MonitoredPage>;
  close(): Promise<void>;
}

const example = fileURLToPath(new URL('../../../examples/saas', import.meta.url));
export const passwords = { 'ada@example.com': 'lovelace', 'grace@example.com': 'hopper' } as const;

/** Compiles the example and starts everything. */
export async function startSaasEnvironment(): Promise<SaasEnvironment> {
  // Inside the example's folder, so that it finds its packages.
  mkdirSync(`${example}/dist`, { recursive: true });
  const folder = mkdtempSync(`${example}/dist/`);
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', example, '--outDir', folder]);
  const vendors = await serveSandbox({ sandbox: createSandbox({ seed: 7, scale: 0.1 }) });
  const { client_id, client_secret } = vendors.sandbox.vendors.linear.credentials.oauth;
  const { lines: output, logger } = recordLines();
  const clock = { ahead: 0 };
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    allowHosts: ['localhost'],
    logger,
    endpoints: { linear: `${vendors.url}/linear`, granola: `${vendors.url}/granola` },
    oauthClients: { linear: { clientId: client_id, clientSecret: client_secret } },
    now: () => Date.now() + clock.ahead,
  });
  const origin = `http://localhost:${await freePort()}`;
  const { environment, client } = await registerProduct(service, origin);
  const product = spawn(process.execPath, [`${folder}/server.js`], {
    cwd: folder,
    env: { PATH: process.env.PATH, ORIGIN: origin, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  product.stderr.on('data', (text) => output.push(String(text)));
  await Promise.race([
    once(createInterface(product.stdout), 'line'),
    once(product, 'exit').then(() => Promise.reject(new Error(output.join('\n')))),
  ]);
  const browser = await chromiumBrowser();
  return {
    vendors,
    service,
    clock,
    client,
    origin,
    output,
    open: (options = {}) =>
      openMonitoredPage(browser, [origin, service.url, vendors.url], {
        viewport: { width: 1280, height: 900 },
        baseURL: origin,
        ...options,
      }),
    async close() {
      await browser.close();
      product.kill();
      await service.close();
      await vendors.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** One-time registration of a product by an administrator of the service. */
export async function registerProduct(service: RunningService, origin: string) {
  const { id } = await service.state.organizations.create('Lantern');
  const { client, secret } = await service.state.clients.create('Lantern', [id]);
  const credentials = { baseUrl: service.url, clientId: client.id, clientSecret: secret };
  const product = new AgentConnectors(credentials);
  const { body: token } = await createRequester(service)('POST', '/api/v1/account/applications/token', {
    json: { client_id: client.id, client_secret: secret },
  });
  const ask = createRequester(service, { authorization: `Bearer ${token.access_token}` });
  const path = `/api/v1/clients/${client.id}/connect`;
  await ask('PUT', path, { json: { return_origins: [origin] } });
  const { body } = await ask('POST', `${path}/key`);
  const webhook = await product.webhooks.create({ url: `${origin}/webhooks` });
  const users = Object.entries(passwords).map(([email, password], at) => ({ id: String(at + 1), email, password }));
  const environment = {
    USERS: JSON.stringify(users),
    AGENT_CONNECTORS_BASE_URL: service.url,
    AGENT_CONNECTORS_CLIENT_ID: client.id,
    AGENT_CONNECTORS_CLIENT_SECRET: secret,
    CONNECT_KEY: body.key,
    WEBHOOK_SECRET: webhook.secret,
  };
  return { environment, client: product };
}

/** Signs in a user. */
export async function signIn(page: Page, email: keyof typeof passwords): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(passwords[email]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your accounts' }).waitFor();
}

/** Clicks a button that opens the setup page in a window. */
export async function openSetup(page: Page, button: string): Promise<Page> {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  await popup.getByRole('heading', { level: 1 }).waitFor();
  return popup;
}

/** Allows access at Linear. */
export async function allowAtLinear(setup: Page): Promise<void> {
  await setup.getByRole('button', { name: 'Sign in with Linear' }).click();
  await setup.getByRole('button', { name: /^Allow as/ }).click();
}

/** Waits for the page's notice about the last action. */
export const waitForNotice = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
