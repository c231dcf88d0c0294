import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import type { CreateOptions, RunningService } from 'agent-connectors-service';
import { type ApiResponse, readResponse, requestTo, serveTestService, type Tenant, tenantOf } from '../http/setup.js';
import { Browser, type Page } from './browser.js';

/** A started setup. */
export interface SetupSession {
  readonly url: string;
  readonly id: string;
  readonly expires: string;
}

/** A service that listens on a socket and has one tenant, with browsers for it and for its sandbox's vendors. */
export interface SetupTest {
  readonly server: RunningService;
  readonly sandbox: Sandbox;
  readonly acme: Tenant;
  begin(type?: string, more?: object): Promise<SetupSession>;
  status(id: string): Promise<any>;
  browser(): Browser;
  /** Starts a setup and opens its page. */
  beginAndOpen(type?: string, more?: object): Promise<{ setup: SetupSession; browser: Browser; page: Page }>;
  newTenant(name: string): Promise<Tenant>;
}

const path = '/api/v1/integrations/connectors/setup';

/** Requests a setup. */
export const requestSetup = ({ ask }: Tenant, json: object): Promise<ApiResponse> =>
  ask('POST', path, { json: { workspace_name: 'main', name: 'mine', ...json } });

/** Starts everything. */
export async function startSetup(options: CreateOptions & { readonly sandbox?: Sandbox } = {}): Promise<SetupTest> {
  const { sandbox = createSandbox({ seed: 7, scale: 0.1 }), ...others } = options;
  const server = await serveTestService({ fetch: sandbox.fetch, ...others });
  // The public URL can differ from where the service listens.
  const reach: typeof globalThis.fetch = (input, init) => {
    const url = new URL(String(input));
    if (url.hostname === 'app.example.com') return Promise.resolve(new Response('<h1>A product</h1>'));
    const isService =
      url.origin === server.url || url.origin === (others.publicUrl && new URL(others.publicUrl).origin);
    return isService ? fetch(server.url + url.pathname + url.search, init) : sandbox.fetch(input, init);
  };
  const newTenant = async (name: string): Promise<Tenant> => {
    const made = await tenantOf(server, name);
    return {
      ...made,
      ask: async (method, where, sent = {}) => {
        const headers = { authorization: `Bearer ${made.token}`, ...sent.headers };
        return readResponse(await fetch(requestTo(server.url + where, method, { ...sent, headers })));
      },
    };
  };
  const acme = await newTenant('Acme');
  const begin = async (type?: string, more: object = {}): Promise<SetupSession> => {
    const { status, body, text } = await requestSetup(acme, { ...(type && { connector_type: type }), ...more });
    if (status !== 200) throw new Error(text);
    return { url: body.setup_url, id: body.setup_id, expires: body.expires_at };
  };
  return {
    server,
    sandbox,
    acme,
    begin,
    newTenant,
    status: async (id) => (await acme.ask('GET', `${path}/${id}`)).body,
    browser: () => new Browser(reach),
    async beginAndOpen(type, more) {
      const setup = await begin(type, more);
      const browser = new Browser(reach);
      return { setup, browser, page: await browser.open(setup.url) };
    },
  };
}
