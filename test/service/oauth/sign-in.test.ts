import { refreshAuthorization } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { eras, textOf } from '../../mcp/setup.js';
import { execute, initialize, startMcpService } from '../mcp/setup.js';
import { appOf, pkce, startOAuthService } from './setup.js';

const teams = { entity: 'teams', action: 'list' };
const documentUrl = 'https://app.example/oauth/client.json';

/** A fetch that serves an app's metadata document and records the requests for it. */
function documents(document: object, headers: Readonly<Record<string, string>> = {}) {
  const requests: string[] = [];
  const fetch = async (input: unknown) => {
    requests.push(String(input));
    return Response.json(document, { headers });
  };
  return { requests, fetch: fetch as typeof globalThis.fetch };
}

const appDocument = (redirectUri: string) => ({
  client_id: documentUrl,
  client_name: 'Documented',
  redirect_uris: [redirectUri],
});

describe.each(eras)('a %s-era app that knows only the /mcp URL', (era) => {
  test('registers, is authorized, calls tools, refreshes, and stops working when it is revoked', async () => {
    let ahead = 0;
    const started = await startOAuthService({ now: () => Date.now() + ahead });
    const { connect, signIn, person } = started;
    const app = appOf();
    await expect(connect(app, era)).rejects.toThrow('Unauthorized');
    expect(app.saved.client.client_id).toMatch(/^oap_/);
    await signIn(app, person());
    expect(app.saved.tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read' });
    const client = await connect(app, era);
    expect((await client.callTool(execute(teams))).isError).not.toBe(true);
    const before = { ...app.saved.tokens };
    ahead = 3_601_000;
    // Both requests find an expired token and refresh it at the same time.
    const both = await Promise.all([client.callTool(execute(teams)), client.callTool(execute(teams))]);
    expect(both.map(({ isError }) => isError)).toEqual([undefined, undefined]);
    expect(app.saved.tokens.refresh_token).not.toBe(before.refresh_token);
    const { body: granted } = await started.freshly('GET', '/api/v1/oauth/grants');
    expect(granted.data).toEqual([
      expect.objectContaining({ app_name: 'Test app', resource: 'mcp', scopes: ['read'], connector_ids: null }),
    ]);
    expect((await started.freshly('DELETE', `/api/v1/oauth/grants/${granted.data[0].id}`)).status).toBe(200);
    await expect(client.callTool(execute(teams))).rejects.toThrow('Unauthorized');
    expect((await started.freshly('GET', '/api/v1/oauth/grants')).body.data).toEqual([]);
    const { body: log } = await started.freshly('GET', '/api/v1/audit');
    const events = log.data.map(({ event, subject, via }: any) => ({ event, subject, via }));
    const subject = granted.data[0].id;
    expect(events).toEqual(
      expect.arrayContaining([
        { event: 'oauth.granted', subject, via: 'oauth' },
        { event: 'token', subject, via: 'oauth' },
        { event: 'execute', subject, via: 'mcp' },
        { event: 'oauth.revoked', subject, via: 'http' },
      ]),
    );
  });

  test('needs no registration if it has a metadata document, which is only read for signed-in users', async () => {
    const redirect = 'http://127.0.0.1:7777/callback';
    const { requests, fetch } = documents(appDocument(redirect));
    const { connect, signIn, person } = await startOAuthService({ fetch });
    const app = appOf(redirect, documentUrl);
    await expect(connect(app, era)).rejects.toThrow('Unauthorized');
    const visitor = person();
    expect((await visitor.open(app.authorizationUrl!.href)).html).toContain('Sign in');
    expect(requests).toEqual([]);
    await signIn(app, visitor);
    expect(app.saved.client.client_id).toBe(documentUrl);
    expect(requests).toEqual([documentUrl]);
    const client = await connect(app, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute');
  });
});

describe('a signed-in app', () => {
  test('has a single-use refresh token: reusing one revokes the grant', async () => {
    let ahead = 0;
    const { url, signIn, person, form, connect } = await startOAuthService({ now: () => Date.now() + ahead });
    const app = appOf();
    await signIn(app, person());
    const client_id = app.saved.client.client_id;
    const [first, metadata] = [app.saved.tokens.refresh_token, app.saved.discovery?.authorizationServerMetadata];
    const clientInformation = { client_id };
    const renewed = await refreshAuthorization(url, { metadata, clientInformation, refreshToken: first } as any);
    app.saved.tokens = renewed;
    const client = await connect(app);
    const refresh = (refresh_token: string) =>
      form('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
    // Two connections of one app refresh at the same moment and get the same token.
    expect(await (await refresh(first)).json()).toMatchObject({ refresh_token: renewed.refresh_token });
    ahead = 31_000;
    const replayed = await refresh(first);
    expect([replayed.status, await replayed.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: expect.stringContaining('revoked') },
    ]);
    expect((await refresh(renewed.refresh_token!)).status).toBe(400);
    await expect(client.listTools()).rejects.toThrow();
  });

  test('that refreshes from several connections at once keeps its grant, however late they are', async () => {
    let ahead = 0;
    const { signIn, person, form, post } = await startOAuthService({ now: () => Date.now() + ahead });
    const app = appOf();
    await signIn(app, person());
    const { client_id } = app.saved.client;
    const refresh = async (refresh_token: string) => {
      const response = await form('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
      return { status: response.status, body: await response.json() };
    };
    const first = app.saved.tokens.refresh_token;
    // A connection that has just stored the new token refreshes again before a slower one presents the old token.
    const { body: second } = await refresh(first);
    const { body: third } = await refresh(second.refresh_token);
    const { body: fourth } = await refresh(third.refresh_token);
    const late = await refresh(first);
    expect(late).toMatchObject({ status: 200, body: { refresh_token: fourth.refresh_token } });
    expect((await post(initialize, { authorization: `Bearer ${late.body.access_token}` })).status).toBe(200);
    const last = await refresh(late.body.refresh_token);
    expect(last.status).toBe(200);

    ahead = 31_000;
    // Each connection continues with the token it got last, in any order.
    const tokens = [last.body.refresh_token];
    const parallel = await Promise.all(Array.from({ length: 16 }, () => refresh(tokens.at(-1)!)));
    for (const { body } of parallel) tokens.push(body.refresh_token);
    const again = await Promise.all(tokens.map(refresh));
    expect([...parallel, ...again].map(({ status }) => status)).toEqual(Array(33).fill(200));
    expect(new Set([...parallel, ...again].map(({ body }) => body.refresh_token)).size).toBe(1);
    expect(again[0]!.body.refresh_token).not.toBe(last.body.refresh_token);

    // The first token was replaced more than 30 seconds ago, even though the grant has just been refreshed.
    expect(await refresh(first)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await refresh(again[0]!.body.refresh_token)).status).toBe(400);
    expect((await post(initialize, { authorization: `Bearer ${late.body.access_token}` })).status).toBe(401);
  });

  test('that was restarted can refresh at /token, where clients without metadata look', async () => {
    const { signIn, person, form } = await startOAuthService();
    const app = appOf();
    await signIn(app, person());
    const { refresh_token } = app.saved.tokens;
    const sent = { grant_type: 'refresh_token', refresh_token, client_id: app.saved.client.client_id };
    const response = await form('/token', sent);
    expect([response.status, await response.json()]).toMatchObject([200, { token_type: 'Bearer', scope: 'read' }]);
  });

  test('keeps its grant if it asks for an unknown scope, which is refused', async () => {
    const { signIn, person, form } = await startOAuthService();
    const app = appOf();
    await signIn(app, person());
    const { refresh_token } = app.saved.tokens;
    const sent = { grant_type: 'refresh_token', refresh_token, client_id: app.saved.client.client_id };
    const refused = await form('/oauth/token', { ...sent, scope: 'read everything' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_scope' }]);
    expect((await form('/oauth/token', { ...sent, scope: 'read' })).status).toBe(200);
  });

  test('has plans of its own: another app of the same user cannot execute them', async () => {
    const { signIn, person, acme, connect } = await startOAuthService({ mcpAllowWrites: true });
    const policy = { workspace_name: 'main', approval: ['linear:comments.create'], approval_by: 'any' };
    expect((await acme.ask('PUT', '/api/v1/policies', { json: policy })).status).toBe(200);
    const params = { issueId: 'ENG-1', body: 'once' };
    const write = { name: 'execute_write', arguments: { entity: 'comments', action: 'create', params } };
    const planned: string[] = [];
    for (let count = 0; count < 2; count++) {
      const app = appOf();
      await signIn(app, person(), { write: '1' });
      const client = await connect(app);
      planned.push(/pln_\w+/.exec(textOf(await client.callTool(write)))![0]);
    }
    expect(planned[0]).not.toBe(planned[1]);
  });

  test('can revoke its own grant', async () => {
    const { signIn, person, form, post } = await startOAuthService();
    for (const kind of ['access_token', 'refresh_token']) {
      const app = appOf();
      await signIn(app, person());
      const authorization = { authorization: `Bearer ${app.saved.tokens.access_token}` };
      expect((await post(initialize, authorization)).status).toBe(200);
      const sent = { token: app.saved.tokens[kind], client_id: app.saved.client.client_id };
      const other = appOf();
      await signIn(other, person());
      const foreign = { ...sent, client_id: other.saved.client.client_id };
      expect((await form('/oauth/revoke', foreign)).status).toBe(200);
      expect((await post(initialize, authorization)).status).toBe(200);
      const revoked = await form('/oauth/revoke', sent);
      expect([revoked.status, await revoked.json()]).toEqual([200, {}]);
      const refused = await post(initialize, authorization);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer resource_metadata="http:\/\/127.*mcp", error="invalid_token"$/),
      ]);
      const unknown = await form('/oauth/revoke', { ...sent, token: 'unknown' });
      expect([unknown.status, unknown.headers.get('content-type')]).toEqual([200, 'application/json']);
    }
  });

  test('loses access when its user loses the client, its scopes or its secret', async () => {
    const { signIn, person, post, server, acme } = await startOAuthService();
    const app = appOf();
    await signIn(app, person());
    const ask = () => post(initialize, { authorization: `Bearer ${app.saved.tokens.access_token}` });
    expect((await ask()).status).toBe(200);
    await server.state.clients.setScopes(acme.clientId, ['manage']);
    expect((await ask()).status).toBe(403);
    await server.state.clients.setScopes(acme.clientId, ['read']);
    expect((await ask()).status).toBe(200);
    await server.state.clients.rollSecret(acme.clientId, 0);
    expect((await ask()).status).toBe(401);
  });
});

describe('a restriction chosen by the user', () => {
  test('limits the app: one connector, and no writes unless selected', async () => {
    const { signIn, person, connect, acme, url } = await startOAuthService({ mcpAllowWrites: true });
    await acme.connect('google-drive', undefined, { name: 'Our Files' });
    const [narrow, wide] = [appOf(), appOf()];
    await signIn(narrow, person(), { connectors: 'some', connector: acme.linear });
    await signIn(wide, person(), { write: '1' });
    expect(wide.saved.tokens.scope).toBe('read write');
    const client = await connect(narrow);
    expect(client.getInstructions()).not.toContain('our-files');
    const names = async (app: typeof narrow) => (await (await connect(app)).listTools()).tools.map(({ name }) => name);
    expect(await names(narrow)).not.toContain('execute_write');
    expect(await names(wide)).toContain('execute_write');
    const outside = execute({ connector: 'our-files', entity: 'files', action: 'list' });
    expect((await client.callTool(outside)).isError).toBe(true);
    const answer = await fetch(`${url}/api/v1/integrations/connectors`, {
      headers: { authorization: `Bearer ${narrow.saved.tokens.access_token}` },
    });
    expect(answer.status).toBe(401);
  });
});

describe("the service's API", () => {
  test("has its own metadata, accepts a token requested for it and enforces the token's restrictions", async () => {
    const { url, form, json, person, acme } = await startOAuthService();
    await acme.connect('google-drive', undefined, { name: 'Our Files' });
    const refused = await fetch(`${url}/api/v1/integrations/connectors`);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
    const metadata = await (await fetch(metadataUrl!)).json();
    expect(metadata).toMatchObject({ resource: `${url}/api`, authorization_servers: [url] });
    const redirect_uri = 'https://app.example/callback';
    const registered = await (await json('/oauth/register', { redirect_uris: [redirect_uri] })).json();
    const { client_id, client_secret } = registered;
    expect(registered).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret_expires_at: 0,
    });
    const { verifier, challenge } = pkce();
    const query = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: metadata.resource,
      state: 'a b',
    });
    const callback = await person().allow(`${url}/oauth/authorize?${query}`, {
      connectors: 'some',
      connector: acme.linear,
    });
    expect(Object.fromEntries(callback.searchParams)).toEqual({ code: expect.any(String), state: 'a b', iss: url });
    const code = callback.searchParams.get('code')!;
    const sent = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri };
    const secretless = await form('/oauth/token', { ...sent, client_id });
    expect([secretless.status, (await secretless.json()).error]).toEqual([401, 'invalid_client']);
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    const tokens = await (await form('/oauth/token', sent, { authorization: `Basic ${basic}` })).json();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const listed = await (await fetch(`${url}/api/v1/integrations/connectors`, { headers })).json();
    expect(listed.data.map(({ name }: any) => name)).toEqual(['Linear']);
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers })).status).toBe(401);
    const account = await fetch(`${url}/api/v1/oauth/grants`, { headers });
    expect(account.status).toBe(403);
  });
});

test('a page on another host can call the service if the operator allows it', async () => {
  const { server, post } = await startMcpService({ mcpAllowOrigins: ['app.example'] });
  const origin = 'https://app.example';
  const asked = { origin, 'access-control-request-method': 'POST' };
  const requested = { 'access-control-request-headers': 'authorization, mcp-session-id, x-evil' };
  for (const path of ['/mcp', '/oauth/token', '/oauth/register', '/.well-known/oauth-protected-resource/mcp']) {
    const preflight = await fetch(server.url + path, { method: 'OPTIONS', headers: { ...asked, ...requested } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, mcp-session-id');
    const foreign = await fetch(server.url + path, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  }
  const refused = await post(initialize, { origin });
  expect([refused.status, refused.headers.get('access-control-expose-headers')]).toEqual([
    401,
    'WWW-Authenticate, Mcp-Session-Id, Retry-After',
  ]);
});
