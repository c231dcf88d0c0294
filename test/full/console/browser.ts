import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { type RunningService, serve } from 'agent-connectors-service';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** A service with connectors of every type, and a browser. */
export interface Stage {
  readonly service: RunningService;
  readonly sandbox: Sandbox;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Opens a page that notes whatever goes wrong in it. */
  page(width?: number, colorScheme?: 'light' | 'dark'): Promise<Watched>;
  close(): Promise<void>;
}

/** A page, and what went wrong in it. */
export interface Watched {
  readonly page: Page;
  /** Messages of the console, errors, and requests to other hosts. */
  readonly faults: string[];
}

const program = '/usr/bin/chromium';
/** Where pictures of the pages go. */
const pictures = process.env.CONSOLE_PICTURES ?? mkdtempSync(join(tmpdir(), 'console-pictures-'));

export async function stage(): Promise<Stage> {
  if (!existsSync(program)) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  }
  const sandbox = createSandbox({ seed: 7, scale: 0.3 });
  const service = await serve({ dataFolder: ':memory:', dev: true, port: 0, fetch: sandbox.fetch });
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
  const { client, secret } = tenant(service);
  await connectors(service, sandbox, client.id, secret);
  return {
    ...{ service, sandbox, clientId: client.id, clientSecret: secret },
    page: (width = 1280, colorScheme = 'light') => watched(browser, service.url, width, colorScheme),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

function tenant({ state }: RunningService) {
  const { id } = state.organizations.create('Acme');
  state.workspaces.create(id, 'main');
  return state.clients.create('Acme program', [id]);
}

async function connectors({ url }: RunningService, sandbox: Sandbox, client_id: string, client_secret: string) {
  const post = async (path: string, json: object, token?: string): Promise<any> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(json),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const { access_token } = await post('/api/v1/account/applications/token', { client_id, client_secret });
  const { linear, granola, 'google-drive': drive } = sandbox.vendors;
  const all = [
    { connector_type: 'linear', name: 'Our issues', credentials: linear.credentials.api_key },
    { connector_type: 'granola', name: 'Notes', credentials: granola.credentials.api_key },
    { connector_type: 'google-drive', name: 'Documents', credentials: drive.credentials.access_token },
    { connector_type: 'linear', name: 'Old workspace', credentials: { api_key: 'lin_api_gone' } },
    { connector_type: 'gong', name: 'Calls' },
  ];
  for (const one of all) {
    await post('/api/v1/integrations/connectors', { workspace_name: 'main', ...one }, access_token);
  }
}

async function watched(browser: Browser, url: string, width: number, colorScheme: 'light' | 'dark'): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, baseURL: url, colorScheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    // A refusal that a page shows is written there by the browser itself.
    const refused = /the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !refused) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url())) faults.push(`asks ${request.url()}`);
  });
  return { page, faults };
}

/** Signs in by the form. */
export async function signIn(page: Page, { clientId, clientSecret }: Stage): Promise<void> {
  await page.goto('/console');
  await page.getByLabel('Client id').fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Takes a picture, and checks that the page is accessible and no wider than the window. */
export async function inspected(page: Page, name: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true });
  // By the protocol of the browser, to which the policy of the page does not apply.
  await page.evaluate(await (await import('node:fs/promises')).readFile(axe, 'utf8'));
  const violations = await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(' | ')}`);
  });
  expect(violations).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
