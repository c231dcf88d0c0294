import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failure } from '../../failure.js';
import { clientOf, eras, textOf } from '../../mcp/setup.js';
import { connectorPath, createRequester, execute, type Requester } from '../http/setup.js';
import { personOf, pkce } from '../oauth/setup.js';
import { hitsOf, searchEntity } from '../replication/setup.js';
import { owner, startBoundDrive } from './setup.js';

const ana = 'ana@partner.example';

/** A Drive with one file that Ana can open and one that she cannot. */
async function startPair(config?: object) {
  let [open, closed] = ['', ''];
  const running = await startBoundDrive(async ({ file, root, share }) => {
    open = await file('Open.txt', 'An open plan.', root);
    closed = await file('Closed.txt', 'A closed plan.', root);
    await share(open, { type: 'user', emailAddress: ana });
  }, config);
  const { id } = running;
  return {
    ...running,
    open,
    closed,
    found: async (ask: Requester) =>
      hitsOf(await searchEntity({ ask }, id, 'files')).map((record) => record.id as string),
    get: async (ask: Requester, fileId: string) => (await execute({ ask }, id, 'files', 'get', { fileId })).status,
  };
}

describe('a token bound to a user', () => {
  test('compares email addresses exactly, except for case', async () => {
    const { as, found, open } = await startPair();
    expect(await found((await as('ANA@Partner.Example')).ask)).toEqual([open]);
    for (const other of ['ana+x@partner.example', 'a.na@partner.example', 'ana@partner.example.org']) {
      expect(await found((await as(other)).ask)).toEqual([]);
    }
  });

  test('rejects an invalid address, groups without a user, and a user supplied by a model', async () => {
    const { acme, as, id, open, scoped } = await startPair();
    for (const body of [{ as_user: 'anyone' }, { as_user: '' }, { as_user: 'link:anyone@x' }, { as_groups: [ana] }]) {
      expect([400, 422]).toContain((await scoped(acme, body)).status);
    }
    const { ask } = await as(ana);
    expect((await execute({ ask }, id, 'files', 'get', { fileId: open, as_user: owner })).status).toBe(422);
    expect((await execute({ ask }, id, 'files', 'get', { fileId: open }, { as_user: owner })).status).toBe(422);
  });

  test('is requested by the hosted client for the user that the host application sets', async () => {
    const { acme, closed, open, service } = await startPair();
    const hosted = {
      baseUrl: 'http://localhost',
      clientId: acme.clientId,
      clientSecret: acme.clientSecret,
      workspace: acme.workspace,
    };
    const options = { fetch: (...sent: Parameters<typeof fetch>) => service.fetch(new Request(...sent)) };
    const drive = new GoogleDriveConnector({ ...options, hosted: { ...hosted, asUser: ana, asGroups: [] } });
    const { data } = await drive.files.context_store_search({ query: {} });
    expect(data.map(({ id }) => id)).toEqual([open]);
    expect(await failure(drive.files.get({ fileId: closed }))).toMatchObject({ code: 'not_found' });
    expect(await failure(drive.files.delete({ fileId: open }))).toMatchObject({ code: 'forbidden' });
    for (const binding of [{ asUser: undefined }, { asUser: '' }, { token: 'x', asUser: ana }]) {
      const make = async () =>
        new GoogleDriveConnector({ ...options, hosted: { baseUrl: hosted.baseUrl, ...binding } });
      expect(await failure(make())).toMatchObject({ code: 'invalid_params' });
    }
  });

  test('cannot change anything, list anything outside the filter, or reach another route', async () => {
    const { acme, as, id, open } = await startPair();
    const { ask } = await as(ana);
    const calls = [
      ['files', 'list'],
      ['files', 'update'],
      ['files', 'delete'],
      ['revisions', 'list'],
      ['drives', 'list'],
      ['changes', 'list'],
      ['about', 'get'],
      ['files', 'create'],
    ] as const;
    for (const [entity, action] of calls) {
      expect((await execute({ ask }, id, entity!, action!, { fileId: open })).status).toBe(403);
    }
    const paths = [
      '/api/v1/audit',
      '/api/v1/plans',
      '/api/v1/policies',
      '/api/v1/clients',
      connectorPath(id, '/jobs'),
      '/metrics',
    ];
    for (const path of paths) expect((await ask('GET', path)).status).toBe(403);
    expect((await ask('POST', connectorPath(id, '/sync'))).status).toBe(403);
    expect((await acme.ask('GET', connectorPath(id, '/jobs'))).status).toBe(200);
  });

  test('cannot be exchanged for a token without the binding or for another user', async () => {
    const { acme, found, open, scoped, service } = await startPair();
    const credentials = { client_id: acme.clientId, client_secret: acme.clientSecret };
    const { body } = await createRequester(service)('POST', '/api/v1/account/applications/token', {
      json: { ...credentials, as_user: ana },
    });
    const ask = createRequester(service, { authorization: `Bearer ${body.access_token}` });
    expect(await found(ask)).toEqual([open]);
    const derived = await scoped({ ask }, {});
    expect(derived.body.scopes).toEqual(['read']);
    const inner = createRequester(service, { authorization: `Bearer ${derived.body.token}` });
    expect(await found(inner)).toEqual([open]);
    expect((await inner('GET', '/api/v1/account/me')).body).toMatchObject({ as_user: ana, scopes: ['read'] });
    expect((await scoped({ ask }, { as_user: owner })).status).toBe(403);
    expect((await scoped({ ask }, { scopes: ['write'] })).status).toBe(403);
    expect((await scoped({ ask: inner }, {})).status).toBe(403);
  });

  test('is issued for every token and session of a bound client', async () => {
    const { acme, found, open, service } = await startPair();
    const person = { email: ana, groups: [] };
    const { client, secret } = await service.state.clients.create('Ana', [acme.organizationId], undefined, person);
    const sent = { json: { client_id: client.id, client_secret: secret } };
    const { body } = await createRequester(service)('POST', '/api/v1/account/applications/token', sent);
    const ask = createRequester(service, { authorization: `Bearer ${body.access_token}` });
    expect(await found(ask)).toEqual([open]);
    const other = { json: { ...sent.json, as_user: owner } };
    expect((await createRequester(service)('POST', '/api/v1/account/applications/token', other)).status).toBe(403);
    expect((await ask('GET', '/api/v1/clients')).status).toBe(403);
  });

  test.each(['mcp', 'api'])(
    'is issued to an app that a bound client authorizes at /%s, including after a refresh',
    async (path) => {
      const { acme, found, get, closed, open, service } = await startPair();
      const send: typeof fetch = (input, init) => service.fetch(new Request(input, init));
      const described = await send(`http://localhost/.well-known/oauth-protected-resource/${path}`);
      const { resource, authorization_servers } = await described.json();
      const origin = authorization_servers[0];
      const person = { email: ana, groups: [] };
      const scopes = ['read', 'write'] as const;
      const { client, secret } = await service.state.clients.create('Ana', [acme.organizationId], scopes, person);
      const redirect_uri = 'https://app.example/callback';
      const post = async (route: string, body: URLSearchParams | string) => {
        const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined;
        return (await send(`${origin}${route}`, { method: 'POST', body, ...(headers && { headers }) })).json();
      };
      const metadata = { client_name: 'App', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' };
      const { client_id } = await post('/oauth/register', JSON.stringify(metadata));
      const { verifier, challenge } = pkce();
      const query = new URLSearchParams({
        client_id,
        redirect_uri,
        response_type: 'code',
        scope: 'read write',
        resource,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      const visitor = personOf(origin, { clientId: client.id, clientSecret: secret }, send);
      const allowed = await visitor.allow(`${origin}/oauth/authorize?${query}`, { write: '1' });
      const redeem = (more: Record<string, string>) =>
        post('/oauth/token', new URLSearchParams({ client_id, redirect_uri, ...more }));
      const code = allowed.searchParams.get('code')!;
      const first = await redeem({ grant_type: 'authorization_code', code, code_verifier: verifier });
      const second = await redeem({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
      for (const { access_token, scope } of [first, second]) {
        expect(scope).toBe('read');
        const headers = { authorization: `Bearer ${access_token}` };
        if (path === 'mcp') {
          const mcp = clientOf(eras[0]!);
          await mcp.connect(
            new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
              fetch: send as never,
              requestInit: { headers },
            }),
          );
          onTestFinished(() => mcp.close());
          const text = textOf(await mcp.callTool({ name: 'search', arguments: { prompt: 'plan' } }));
          expect([text.includes('Open.txt'), text.includes('Closed')]).toEqual([true, false]);
          continue;
        }
        const ask = createRequester(service, headers);
        expect((await ask('GET', '/api/v1/account/me')).body).toMatchObject({ as_user: ana, scopes: ['read'] });
        expect(await found(ask)).toEqual([open]);
        expect([await get(ask, open), await get(ask, closed)]).toEqual([200, 404]);
      }
    },
  );

  test('loses access to a file no longer shared: immediately by id, and in searches after the next sync', async () => {
    const { as, closed, found, get, open, share, send, sync } = await startPair();
    const { ask } = await as(ana);
    const { id } = await share(closed, { type: 'user', emailAddress: ana });
    expect(await get(ask, closed)).toBe(200);
    await sync();
    expect(new Set(await found(ask))).toEqual(new Set([open, closed]));
    await send('DELETE', `/files/${closed}/permissions/${id}`, {}).catch(() => undefined);
    expect(await get(ask, closed)).toBe(404);
    await sync();
    expect(await found(ask)).toEqual([open]);
  });

  test('finds link-shared files only if they are discoverable, and opens temporarily shared files only by id', async () => {
    const { as, closed, found, get, open, share, sync } = await startPair();
    const { ask } = await as(ana);
    await share(closed, { type: 'domain', domain: 'partner.example' });
    await sync();
    expect(await found(ask)).toEqual([open]);
    expect(await get(ask, closed)).toBe(200);
    const stranger = await as('cy@other.example');
    expect([await found(stranger.ask), await get(stranger.ask, closed)]).toEqual([[], 404]);
    await share(closed, { type: 'user', emailAddress: 'cy@other.example', expirationTime: '2999-01-01T00:00:00Z' });
    await share(open, { type: 'user', emailAddress: 'cy@other.example', expirationTime: '2020-01-01T00:00:00Z' });
    await sync();
    expect([await found(stranger.ask), await get(stranger.ask, closed)]).toEqual([[], 200]);
    expect(await get(stranger.ask, open)).toBe(404);
  });

  test('cannot read from a connector without permission data', async () => {
    const { acme, as, closed, id } = await startPair({ permissions: false });
    const linear = await acme.connect('linear', { api_key: 'lin_api_1' });
    const { ask } = await as(owner);
    expect((await searchEntity({ ask }, id, 'files')).status).toBe(403);
    expect((await execute({ ask }, id, 'files', 'get', { fileId: closed })).status).toBe(403);
    expect((await searchEntity({ ask }, linear, 'issues')).status).toBe(403);
    const all = await ask('POST', `/api/v1/workspaces/${acme.workspace}/search`, { json: { prompt: 'plan' } });
    expect(all.body.data).toEqual([]);
    expect(all.body.meta.skipped[0].reason).toContain('bound to a user');
  });

  test("gets only its own files with another user's cursor, and no suggestions from hidden files", async () => {
    const { acme, as, id, found, open } = await startPair();
    const page = await searchEntity(acme, id, 'files', { query: {}, limit: 1 });
    const { cursor } = page.body.result.meta;
    const { ask } = await as(ana);
    const after = hitsOf(await searchEntity({ ask }, id, 'files', { query: {}, limit: 1, cursor }));
    expect(after.every((record) => record.id === open)).toBe(true);
    const near = await searchEntity({ ask }, id, 'files', { query: { filter: { eq: { file_name: 'closed.txt' } } } });
    expect(near.text).not.toContain('Closed');
    expect(await found(acme.ask)).toHaveLength(2);
  });
});
