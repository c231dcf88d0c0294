import { AgentConnectors, type ConnectSession, type ConnectSetup, verifyConnectResult } from 'agent-connectors/hosted';
import type { Sandbox } from 'agent-connectors-sandbox';
import { createSandbox } from 'agent-connectors-sandbox';
import type { CreateOptions } from 'agent-connectors-service';
import type { Tenant } from '../http/setup.js';
import type { Browser, Page } from './browser.js';
import { type SetupTest, startSetup } from './start.js';

export const returnUrl = 'https://app.example.com/connected?tab=2';
export const state = 'state-of-ada-0123456789';
export const brand = { name: 'Lantern', color: '#ffee00', supportUrl: 'https://lantern.example/help' };

/** A product that uses a service: a client with a registered origin, a key, and sessions for its users. */
export interface Product {
  readonly running: SetupTest;
  readonly client: AgentConnectors;
  readonly key: string;
  begin(setup?: Partial<ConnectSetup>): Promise<ConnectSession>;
  open(setup?: Partial<ConnectSetup>): Promise<{ session: ConnectSession; browser: Browser; page: Page }>;
  verify(page: Pick<Page, 'url'>, session: ConnectSession): ReturnType<typeof verifyConnectResult>;
}

/** Registers the product's origin and returns the key that signs its results. */
export async function registerProduct({ ask, clientId }: Tenant): Promise<string> {
  const path = `/api/v1/clients/${clientId}/connect`;
  await ask('PUT', path, { json: { return_origins: ['https://app.example.com'] } });
  return (await ask('POST', `${path}/key`)).body.key;
}

/** Starts a service whose operator has OAuth applications for Linear and Google Drive. */
export async function startProduct(
  options: CreateOptions = {},
  sandbox: Sandbox = createSandbox({ seed: 7, scale: 0.1 }),
): Promise<Product> {
  const clientOf = (type: 'linear' | 'google-drive') => {
    const { client_id, client_secret } = sandbox.vendors[type].credentials.oauth;
    return { clientId: client_id, clientSecret: client_secret };
  };
  const oauthClients = { linear: clientOf('linear'), 'google-drive': clientOf('google-drive') };
  const running = await startSetup({ sandbox, oauthClients, ...options });
  const { acme, server } = running;
  const key = await registerProduct(acme);
  const client = new AgentConnectors({ baseUrl: server.url, token: acme.token });
  const begin = (setup: Partial<ConnectSetup> = {}) =>
    client.connectors.setup({ type: 'linear', workspace: 'user-1', returnUrl, state, brand, ...setup } as ConnectSetup);
  return {
    running,
    client,
    key,
    begin,
    async open(setup) {
      const session = await begin(setup);
      const browser = running.browser();
      return { session, browser, page: await browser.open(session.url) };
    },
    verify: (page, { nonce }) => verifyConnectResult(page.url, { key, state, nonce, now: options.now?.() }),
  };
}

/** Signs in at the vendor. */
export async function signIn(browser: Browser, page: Page, user: Record<string, string> = {}): Promise<Page> {
  const consent = await browser.submit(page.forms[0]!);
  return browser.submit(consent.forms[0]!, user, /^Allow/);
}
