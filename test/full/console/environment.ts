import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { type RunningService, serve } from 'agent-connectors-service';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumBrowser, type MonitoredPage, openMonitoredPage } from '../chromium.js';

/** A service with connectors of every type, and a browser. */
export interface ConsoleEnvironment {
  readonly service: RunningService;
  readonly sandbox: Sandbox;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Opens a page that records everything that goes wrong in it. */
  page(width?: number): Promise<MonitoredPage>;
  close(): Promise<void>;
}

export async function startConsoleEnvironment(): Promise<ConsoleEnvironment> {
  const sandbox = createSandbox({ seed: 7, scale: 0.3 });
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    allowHosts: ['127.0.0.1'],
    // Webhook endpoints are on this machine, vendors in the sandbox.
    fetch: (input, init) => (new URL(String(input)).hostname === '127.0.0.1' ? fetch : sandbox.fetch)(input, init),
  });
  const browser = await chromiumBrowser();
  await createLinkedDocument(sandbox);
  const { client, secret } = await createTenant(service);
  await createConnectors(service, sandbox, client.id, secret);
  return {
    service,
    sandbox,
    clientId: client.id,
    clientSecret: secret,
    page: (width = 1280) =>
      openMonitoredPage(browser, [service.url], { viewport: { width, height: 900 }, baseURL: service.url }),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

/** A document that contains the URL of an issue. */
async function createLinkedDocument({ vendors, fetch }: Sandbox) {
  const linear = new LinearConnector({ credentials: vendors.linear.credentials.api_key, fetch });
  const drive = new GoogleDriveConnector({ credentials: vendors['google-drive'].credentials.access_token, fetch });
  const { data } = await linear.issues.list({ first: 1 });
  const text = `Discussed ${data[0]!.url}.`;
  await drive.files_upload.create({
    name: 'Links of a review',
    text,
    mimeType: 'application/vnd.google-apps.document',
  });
}

async function createTenant({ state }: RunningService) {
  const { id } = await state.organizations.create('Acme');
  await state.workspaces.create(id, 'main');
  return state.clients.create('Acme program', [id]);
}

async function createConnectors({ url }: RunningService, sandbox: Sandbox, client_id: string, client_secret: string) {
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
  const { linear, granola, 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
  const all = [
    { connector_type: 'linear', name: 'Our issues', credentials: linear.credentials.api_key },
    { connector_type: 'granola', name: 'Notes', credentials: granola.credentials.api_key },
    { connector_type: 'google-drive', name: 'Documents', credentials: drive.credentials.access_token },
    { connector_type: 'linear', name: 'Old workspace', credentials: { api_key: 'lin_api_gone' } },
    { connector_type: 'gong', name: 'Calls' },
    {
      connector_type: 'google-analytics',
      name: 'Visits',
      credentials: analytics.credentials.service_account,
      replication_config: {
        property_ids: ['320200001'],
        start_date: new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10),
      },
    },
  ];
  for (const one of all) {
    await post('/api/v1/integrations/connectors', { workspace_name: 'main', ...one }, access_token);
  }
}

/** Signs in with the form. */
export async function signIn(page: Page, { clientId, clientSecret }: ConsoleEnvironment): Promise<void> {
  await page.goto('/console');
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Connectors', exact: true }).click();
  await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
}

/** Signs in, runs the steps and checks that no errors went unnoticed. */
export async function whileSignedIn(
  on: ConsoleEnvironment,
  width: number,
  act: (watched: MonitoredPage) => Promise<void>,
): Promise<void> {
  const watched = await on.page(width);
  try {
    await signIn(watched.page, on);
    await act(watched);
    expect(watched.faults).toEqual([]);
  } finally {
    await watched.page.context().close();
  }
}

/** Opens a connector's page and selects a tab. */
export async function openConnector(page: Page, name: string, tab?: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  if (tab) await page.getByRole('link', { name: tab, exact: true }).click();
}
