import { setTimeout as wait } from 'node:timers/promises';
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Caller, send } from './caller.mjs';

/** Requests end when the service is killed or when they time out. */
const fetchFor = (url, init) => fetch(url, { signal: AbortSignal.timeout(30_000), ...init });

const redirectUrl = 'http://127.0.0.1:8912/callback';

/** An MCP client that a user connects with OAuth and later disconnects. */
export class App {
  #service;
  #random;
  #report;
  #owner;
  #saved = {};

  constructor(service, random, report) {
    this.#service = service;
    this.#random = random;
    this.#report = report;
    this.#owner = new Caller(service, random, service.client(), report);
  }

  #provider() {
    const saved = this.#saved;
    return {
      redirectUrl,
      clientMetadata: { client_name: 'Soak', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
      state: () => 'state',
      clientInformation: () => saved.client,
      saveClientInformation(client) {
        saved.client = client;
      },
      tokens: () => saved.tokens,
      saveTokens(tokens) {
        saved.tokens = tokens;
      },
      redirectToAuthorization(url) {
        saved.url = url;
      },
      saveCodeVerifier(verifier) {
        saved.verifier = verifier;
      },
      codeVerifier: () => saved.verifier,
      saveDiscoveryState(state) {
        saved.discovery = state;
      },
      discoveryState: () => saved.discovery,
      invalidateCredentials(what) {
        if (what === 'tokens' || what === 'all') delete saved.tokens;
        if (what === 'client' || what === 'all') delete saved.client;
      },
    };
  }

  /** Completes the sign-in and consent pages; returns the callback's parameters. */
  async #consent() {
    const jar = [];
    const open = async (url, init = {}) => {
      const reply = await fetchFor(url, {
        ...init,
        redirect: 'manual',
        headers: { ...init.headers, cookie: jar.join('; ') },
      });
      for (const cookie of reply.headers.getSetCookie()) jar.push(cookie.split(';')[0]);
      const html = await reply.text();
      const next = reply.headers.get('location') ?? /http-equiv="refresh" content="0; url=([^"]*)"/.exec(html)?.[1];
      if (next === undefined) return { url, html };
      const target = new URL(next.replaceAll('&amp;', '&'), url);
      return target.href.startsWith(redirectUrl) ? { url: target.href, html: '' } : open(target.href);
    };
    const submit = ({ url, html }, step, fields) => {
      const form = html.split('<form').find((part) => part.includes(`name="step" value="${step}"`)) ?? '';
      const body = new URLSearchParams(fields);
      for (const [, name, value] of form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g))
        body.append(name, value.replaceAll('&amp;', '&').replaceAll('&quot;', '"'));
      const headers = { origin: this.#service.url, 'sec-fetch-site': 'same-origin' };
      return open(url, { method: 'POST', body, headers });
    };
    const page = await open(this.#saved.url.href);
    const signedIn = page.html.includes('value="sign-in"')
      ? await submit(page, 'sign-in', this.#service.client())
      : page;
    const done = await submit(signedIn, 'decide', { decision: 'allow', connectors: 'all' });
    if (!done.url.startsWith(redirectUrl)) throw new Error('no callback');
    return new URL(done.url).searchParams;
  }

  async #session() {
    const provider = this.#provider();
    const serverUrl = `${this.#service.url}/mcp`;
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch: fetchFor });
    if ((await auth(provider, { serverUrl, fetchFn: fetchFor })) !== 'AUTHORIZED')
      await transport().finishAuth(await this.#consent());
    const client = new Client({ name: 'soak', version: '1.0.0' });
    try {
      await client.connect(transport());
      const { tools } = await client.listTools();
      if (tools.length === 0) throw new Error('no tools');
      await client.callTool({ name: 'search', arguments: { query: 'bank feeds' } });
    } finally {
      await client.close();
    }
    if (this.#random() < 0.3) await this.#disconnect();
  }

  /** Revokes the app, whose token must then be rejected. */
  async #disconnect() {
    const { body } = await this.#owner.final('GET', '/api/v1/oauth/grants');
    for (const { id } of body?.data ?? []) await this.#owner.final('DELETE', `/api/v1/oauth/grants/${id}`);
    const headers = {
      authorization: `Bearer ${this.#saved.tokens.access_token}`,
      accept: 'application/json, text/event-stream',
    };
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { status } = await send(`${this.#service.url}/mcp`, { method: 'POST', json, headers });
    if (status === 200) this.#report.violations.push('a revoked token was accepted');
    delete this.#saved.tokens;
  }

  #count(name) {
    this.#report.outcomes[name] = (this.#report.outcomes[name] ?? 0) + 1;
  }

  /** @param {number} until */
  async work(until) {
    let failures = 0;
    while (Date.now() < until) {
      try {
        await this.#session();
        this.#count('OAuth and MCP session: ok');
        failures = 0;
      } catch (error) {
        this.#count('OAuth and MCP session: interrupted');
        failures += 1;
        if (failures === 30) this.#report.violations.push(`no OAuth session in 30 tries: ${error}`);
      }
      await wait(1000 + this.#random() * 2000);
    }
  }
}
