import { createHash, randomBytes } from 'node:crypto';
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { CreateOptions } from 'agent-connectors-service';
import { onTestFinished } from 'vitest';
import { clientOf, type Era } from '../../mcp/setup.js';
import { readResponse, type Tenant } from '../http/setup.js';
import { startMcpService } from '../mcp/setup.js';

/** A user with a minimal browser, which supports forms, cookies and refreshes. */
export interface Person {
  /** Opens a URL and follows redirects within the service. */
  open(url: string): Promise<Page>;
  /** Submits the page's form for this step. */
  submit(page: Page, step: string, fields?: Readonly<Record<string, string | readonly string[]>>): Promise<Page>;
  /** Signs in and allows access; returns the URL to which the app is redirected. */
  allow(url: string, fields?: Readonly<Record<string, string | readonly string[]>>): Promise<URL>;
  cookie: string;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where the page redirects the browser; redirects to other hosts are not followed. */
  readonly next: string | undefined;
}

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');

/** A user who knows a client's secret. */
export function personOf(
  origin: string,
  { clientId, clientSecret }: Pick<Tenant, 'clientId' | 'clientSecret'>,
  send: typeof fetch = fetch,
): Person {
  const request = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const headers = new Headers(init.headers);
    if (person.cookie) headers.set('cookie', person.cookie);
    const response = await send(url, { ...init, headers, redirect: 'manual' });
    const [set] = response.headers.getSetCookie();
    if (set) person.cookie = set.split(';')[0]!;
    const location = response.headers.get('location');
    if (location !== null) return request(new URL(location, url).href);
    const html = await response.text();
    const next = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(html)?.[1];
    const target = next === undefined ? undefined : new URL(unescapeHtml(next), url).href;
    if (target?.startsWith(`${origin}/oauth/`)) return request(target);
    return { url, status: response.status, headers: response.headers, html, next: target };
  };
  const person: Person = {
    cookie: '',
    open: (url) => request(url),
    submit({ url, html }, step, fields = {}) {
      const form = html.split('<form').find((part) => part.includes(`name="step" value="${step}"`)) ?? '';
      const body = new URLSearchParams();
      for (const [, name = '', value = ''] of form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
        body.append(name, unescapeHtml(value));
      }
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one);
      return request(url, { method: 'POST', body, headers: { origin, 'sec-fetch-site': 'same-origin' } });
    },
    async allow(url, fields = {}) {
      const page = await person.open(url);
      const signedIn = page.html.includes('value="sign-in"')
        ? await person.submit(page, 'sign-in', { client_id: clientId, client_secret: clientSecret })
        : page;
      const done = await person.submit(signedIn, 'decide', { decision: 'allow', connectors: 'all', ...fields });
      if (done.next === undefined) throw new Error(`${done.status}: ${done.html}`);
      return new URL(done.next);
    },
  };
  return person;
}

/** State that an app keeps between its requests. */
export interface AppMemory extends OAuthClientProvider {
  /** The URL of its last authorization request. */
  authorizationUrl: URL | undefined;
  readonly saved: { client?: any; tokens?: any; verifier?: string; discovery?: OAuthDiscoveryState | undefined };
}

/** An app that uses the official client. */
export function appOf(redirectUrl = 'http://127.0.0.1:8912/callback', documentUrl?: string): AppMemory {
  const saved: AppMemory['saved'] = {};
  const app: AppMemory = {
    saved,
    authorizationUrl: undefined,
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    redirectUrl,
    clientMetadata: { client_name: 'Test app', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    state: () => 'opaque-state',
    clientInformation: () => saved.client,
    saveClientInformation: (client) => {
      saved.client = client;
    },
    tokens: () => saved.tokens,
    saveTokens: (tokens) => {
      saved.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      app.authorizationUrl = url;
    },
    saveCodeVerifier: (verifier) => {
      saved.verifier = verifier;
    },
    codeVerifier: () => saved.verifier ?? '',
    saveDiscoveryState: (state) => {
      saved.discovery = state;
    },
    discoveryState: () => saved.discovery,
    invalidateCredentials: (what) => {
      if (what === 'tokens' || what === 'all') delete saved.tokens;
      if (what === 'client' || what === 'all') delete saved.client;
    },
  };
  return app;
}

/** A service that listens on a socket and has one tenant, with helpers for signing in apps. */
export async function startOAuthService(options: CreateOptions = {}) {
  const mcp = await startMcpService(options);
  const { url } = mcp.server;
  const acme = await mcp.tenant();
  const transportOf = (app: AppMemory, base = url) =>
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: app });
  return {
    ...mcp,
    url,
    acme,
    person: (tenant: Pick<Tenant, 'clientId' | 'clientSecret'> = acme) => personOf(url, tenant),
    /** Signs in an app that only knows the URL of `/mcp`. */
    async signIn(app: AppMemory, person: Person, fields?: Parameters<Person['allow']>[1]): Promise<void> {
      if ((await auth(app, { serverUrl: `${url}/mcp` })) === 'AUTHORIZED') return;
      const callback = await person.allow(app.authorizationUrl!.href, fields);
      await transportOf(app).finishAuth(callback.searchParams);
    },
    /** A signed-in client of the MCP server. */
    async connect(app: AppMemory, era: Era = 'modern') {
      const client = clientOf(era);
      await client.connect(transportOf(app));
      onTestFinished(() => client.close());
      return client;
    },
    /** Sends a request with a new token. */
    async freshly(method: string, path: string) {
      const { client_id, client_secret } = { client_id: acme.clientId, client_secret: acme.clientSecret };
      const issued = await fetch(`${url}/api/v1/account/applications/token`, {
        method: 'POST',
        body: JSON.stringify({ client_id, client_secret }),
        headers: { 'content-type': 'application/json' },
      });
      const { access_token } = await issued.json();
      return readResponse(await fetch(url + path, { method, headers: { authorization: `Bearer ${access_token}` } }));
    },
    transportOf,
    form: (path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
      fetch(url + path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    json: (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      fetch(url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

/** A PKCE verifier and its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The redirect URI of the app below. */
export const callback = 'https://app.example/callback';

/** A service with a registered app, and the URL for its authorization requests. */
export async function registeredApp(options: CreateOptions = {}) {
  const service = await startOAuthService(options);
  const metadata = { client_name: 'App', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
  const { client_id } = await (await service.json('/oauth/register', metadata)).json();
  const { verifier, challenge } = pkce();
  const parameters = {
    client_id,
    redirect_uri: callback,
    response_type: 'code',
    state: 's',
    scope: 'read write',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${service.url}/mcp`,
  };
  const authorize = (changes: Readonly<Record<string, string>> = {}) =>
    `${service.url}/oauth/authorize?${new URLSearchParams({ ...parameters, ...changes })}`;
  const codeOf = async () => (await service.person().allow(authorize())).searchParams.get('code')!;
  const redeem = async (code: string, changes: Readonly<Record<string, string>> = {}) => {
    const sent = { grant_type: 'authorization_code', code, client_id, redirect_uri: callback, code_verifier: verifier };
    const response = await service.form('/oauth/token', { ...sent, ...changes });
    return { status: response.status, body: await response.json() };
  };
  return { ...service, client_id, verifier, authorize, codeOf, redeem };
}
