import { auth } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { readResponse, tenantOf } from '../http/setup.js';
import { initialize, type McpService } from '../mcp/setup.js';
import { appOf, callback, registeredApp, startOAuthService } from './setup.js';

const mcpStatus = async ({ post }: Pick<McpService, 'post'>, token: string, headers = {}) =>
  (await post(initialize, { authorization: `Bearer ${token}`, ...headers })).status;

describe('an authorization request', () => {
  test('with a different redirect URI is not redirected, and neither is an invalid one', async () => {
    const { authorize, person } = await registeredApp();
    const others = [
      'https://evil.example/callback',
      `${callback}/`,
      `${callback}?x=1`,
      `${callback}#x`,
      'https://app.example:444/callback',
      'https://app.example.evil.example/callback',
      'https://app.example@evil.example/callback',
      'javascript:alert(1)//https://app.example/callback',
    ];
    for (const redirect_uri of others) {
      const page = await person().open(authorize({ redirect_uri }));
      expect([page.status, page.next, page.html.includes('<a ')], redirect_uri).toEqual([400, undefined, false]);
    }
    const visitor = person();
    for (const changes of [
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
      { code_challenge: '' },
      { resource: 'https://other.example/mcp' },
      { prompt: 'none' },
      { request_uri: 'https://evil.example' },
    ]) {
      const page = await visitor.open(authorize(changes as any));
      // The browser is not redirected; the user would have to follow a link.
      expect([page.status, page.next], JSON.stringify(changes)).toEqual([400, undefined]);
      expect(page.html).toMatch(/href="https:\/\/app\.example\/callback\?error=[a-z_]+&amp;.*state=s&amp;iss=http/);
    }
    const unknown = await visitor.open(authorize({ client_id: 'oap_unknown' }));
    expect([unknown.status, unknown.html.includes('<a ')]).toEqual([400, false]);
  });

  test('can use a different local port, but nothing else can differ', async () => {
    const { json, authorize, person } = await registeredApp();
    const metadata = { redirect_uris: ['http://127.0.0.1:1234/callback'], token_endpoint_auth_method: 'none' };
    const { client_id } = await (await json('/oauth/register', metadata)).json();
    const statusOf = async (redirect_uri: string) =>
      (await person().open(authorize({ client_id, redirect_uri }))).status;
    expect(await statusOf('http://127.0.0.1:50000/callback')).toBe(200);
    expect(await statusOf('http://127.0.0.1/callback')).toBe(200);
    for (const refused of [
      'http://localhost:1234/callback',
      'http://127.0.0.1:1234/other',
      'https://127.0.0.1:1234/callback',
      'http://127.0.0.1:1234@evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
    ]) {
      expect(await statusOf(refused), refused).toBe(400);
    }
  });

  test('from an app being registered is rejected if the redirect URI is not valid for an app', async () => {
    const { json } = await registeredApp();
    for (const uri of [
      'http://app.example/callback',
      'https://app.example/callback#fragment',
      'https://user:pass@app.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://app.example\\@evil.example/',
      'callback',
    ]) {
      const response = await json('/oauth/register', { redirect_uris: [uri] });
      expect([response.status, (await response.json()).error], uri).toEqual([400, 'invalid_redirect_uri']);
    }
    for (const metadata of [{}, [], { redirect_uris: [callback], grant_types: ['implicit'] }]) {
      expect((await json('/oauth/register', metadata)).status).toBe(400);
    }
  });
});

describe('a code', () => {
  test('that is reused revokes its grant', async () => {
    const service = await registeredApp();
    const code = await service.codeOf();
    const { body } = await service.redeem(code);
    expect(body.scope).toBe('read');
    expect(await mcpStatus(service, body.access_token)).toBe(200);
    expect(await service.redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await mcpStatus(service, body.access_token)).toBe(401);
    const sent = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: service.client_id };
    expect((await service.form('/oauth/token', sent)).status).toBe(400);
  });

  test.each([
    ['without its verifier', { code_verifier: '' }],
    ['with a different verifier', { code_verifier: 'x'.repeat(43) }],
    ['with a different redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['for a different resource', { resource: 'https://other.example/mcp' }],
  ])('that is stolen is useless %s', async (_, changes) => {
    const { codeOf, redeem } = await registeredApp();
    const code = await codeOf();
    expect(await redeem(code, changes)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await redeem(code)).toMatchObject({ status: 400 });
  });

  test('issued to another app is rejected, and so is a refresh token', async () => {
    const service = await registeredApp();
    const metadata = { redirect_uris: [callback], token_endpoint_auth_method: 'none' };
    const { client_id: other } = await (await service.json('/oauth/register', metadata)).json();
    expect(await service.redeem(await service.codeOf(), { client_id: other })).toMatchObject({ status: 400 });
    const { body } = await service.redeem(await service.codeOf());
    const sent = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await service.form('/oauth/token', { ...sent, client_id: other })).status).toBe(400);
    const more = { ...sent, client_id: service.client_id, scope: 'read write' };
    expect((await service.form('/oauth/token', more)).status).toBe(400);
    expect((await service.form('/oauth/token', { ...sent, client_id: service.client_id })).status).toBe(200);
  });
});

describe('a token', () => {
  test('does not give access to another workspace, organization or API, or to the account', async () => {
    const service = await registeredApp();
    const { body } = await service.redeem(await service.codeOf());
    const { acme, server, url } = service;
    await server.state.workspaces.create(acme.organizationId, 'secret');
    const rival = await tenantOf(server, 'Rival');
    const status = (headers: object) => mcpStatus(service, body.access_token, headers);
    expect(await status({})).toBe(200);
    expect(await status({ 'x-workspace': 'secret' })).toBe(404);
    expect(await status({ 'x-organization-id': rival.organizationId })).toBe(403);
    const headers = { authorization: `Bearer ${body.access_token}` };
    for (const path of ['/api/v1/account/me', '/api/v1/oauth/grants', '/api/v1/workspaces', '/metrics']) {
      const refused = await readResponse(await fetch(url + path, { headers }));
      if (path !== '/metrics') expect([path, refused.status]).toEqual([path, 401]);
    }
    // An app's token cannot replace a session.
    expect((await fetch(`${url}/console/session`, { headers })).status).toBe(401);
  });

  test('from another issuer is not requested: the client detects the mix-up before sending its code', async () => {
    const { url, person, transportOf } = await startOAuthService();
    const app = appOf();
    await auth(app, { serverUrl: `${url}/mcp` });
    const back = await person().allow(app.authorizationUrl!.href);
    for (const change of [
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      (query: URLSearchParams) => query.delete('iss'),
    ]) {
      const query = new URLSearchParams(back.searchParams);
      change(query);
      await expect(transportOf(app).finishAuth(query)).rejects.toThrow(/issuer/i);
    }
    await transportOf(app).finishAuth(back.searchParams);
    expect(app.saved.tokens.access_token).toBeDefined();
  });
});

test('registrations beyond the limits are rejected, and no more than the maximum number of apps per address is kept', async () => {
  const { json, server } = await startOAuthService({ limits: { oauthAppsOfAddress: 3, signIns: 5 } });
  const statuses: number[] = [];
  const ids: string[] = [];
  for (let count = 0; count < 12; count++) {
    const response = await json('/oauth/register', { redirect_uris: [callback] });
    statuses.push(response.status);
    const { client_id } = await response.json();
    if (client_id) ids.push(client_id);
  }
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  const known = await Promise.all(ids.map((id) => server.state.oauthApps.get(id)));
  expect(known.filter(Boolean)).toHaveLength(3);
});
