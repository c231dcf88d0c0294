import { describe, expect, test } from 'vitest';
import { createRequester, requestTo, startTestService, tenantOf } from './setup.js';

const tokenPath = '/api/v1/account/applications/token';
const scopedPath = '/api/v1/account/applications/scoped-token';

/** A client with access to two organizations. */
async function several({ service }: Awaited<ReturnType<typeof startTestService>>) {
  const [first, second] = await Promise.all(
    ['First', 'Second'].map((name) => service.state.organizations.create(name)),
  );
  const { client, secret } = await service.state.clients.create('both', [first!.id, second!.id]);
  return { first: first!, second: second!, client, secret };
}

describe('a token', () => {
  test('is issued for a client id and its secret, with its lifetime', async () => {
    const { service, ask, tenant } = await startTestService();
    const { clientId, clientSecret, organizationId } = await tenant();
    const made = await ask('POST', tokenPath, { json: { client_id: clientId, client_secret: clientSecret } });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 900,
      organization_id: organizationId,
    });
    expect(made.headers.get('cache-control')).toBe('no-store');
    const me = await createRequester(service, { authorization: `bearer ${made.body.access_token}` })(
      'GET',
      '/api/v1/account/me',
    );
    expect(me.body).toEqual({
      client_id: clientId,
      name: 'Acme program',
      token: 'app',
      scopes: ['read', 'write', 'manage', 'admin'],
      organization_id: organizationId,
      organizations: [{ id: organizationId, name: 'Acme', created_at: expect.any(String) }],
      workspace_name: null,
    });
  });

  test('is not issued for an incorrect secret or an unknown client, with identical responses', async () => {
    const { ask, tenant } = await startTestService();
    const { clientId, clientSecret } = await tenant();
    const wrong = await ask('POST', tokenPath, { json: { client_id: clientId, client_secret: `${clientSecret}x` } });
    const unknown = await ask('POST', tokenPath, { json: { client_id: 'cli_none', client_secret: clientSecret } });
    for (const { status, body, headers } of [wrong, unknown]) {
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect({ ...body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' });
      expect(body.code).toBe('unauthorized');
    }
  });

  test('is valid for 15 minutes', async () => {
    let time = Date.now();
    const { tenant } = await startTestService({ now: () => time });
    const { ask } = await tenant();
    time += 899_000;
    expect((await ask('GET', '/api/v1/workspaces')).status).toBe(200);
    time += 2_000;
    const late = await ask('GET', '/api/v1/workspaces');
    expect([late.status, late.body.code, late.headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      expect.stringMatching(/^Bearer resource_metadata=.+, error="invalid_token"$/),
    ]);
  });

  test('is rejected as soon as its client is deleted, even if it has already been used', async () => {
    const { service, tenant } = await startTestService();
    const { ask, clientId } = await tenant();
    expect((await ask('GET', '/api/v1/workspaces')).status).toBe(200);
    await service.state.clients.delete(clientId);
    expect((await ask('GET', '/api/v1/workspaces')).status).toBe(401);
  });

  test.each([
    ['none', undefined],
    ['a different scheme', 'Basic YTpi'],
    ['a scheme without a token', 'Bearer '],
    ['no token at all', 'Bearer x'],
    ['two tokens', 'Bearer a b'],
    ['an unsigned token', `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"cli_x","org":"org_x","typ":"app"}')}.`],
  ])('is required: %s is rejected', async (_, authorization) => {
    const { ask } = await startTestService();
    const refused = await ask('GET', '/api/v1/workspaces', { headers: authorization ? { authorization } : {} });
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized']);
  });

  test('is rejected if it was issued by another service', async () => {
    const other = await (await startTestService()).tenant();
    const { service } = await startTestService();
    const refused = await createRequester(service, { authorization: `Bearer ${other.token}` })(
      'GET',
      '/api/v1/workspaces',
    );
    expect(refused.status).toBe(401);
  });

  test('request is rate-limited for a minute after incorrect secrets, unless it has the correct one', async () => {
    let time = Date.now();
    const running = await startTestService({ now: () => time });
    const { clientId, clientSecret } = await running.tenant();
    const guess = (client_secret: string, client_id = clientId) =>
      running.ask('POST', tokenPath, { json: { client_id, client_secret } });
    for (let tries = 0; tries < 10; tries++) expect((await guess(`wrong ${tries}`)).status).toBe(401);
    const held = await guess('wrong 10');
    expect([held.status, held.body.code, held.body.retryable]).toEqual([429, 'rate_limited', true]);
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(held.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await guess(clientSecret)).status).toBe(200);
    const other = await tenantOf(running.service, 'Other');
    expect((await guess(other.clientSecret, other.clientId)).status).toBe(200);
    time += 60_000;
    expect((await guess('wrong again')).status).toBe(401);
    expect((await guess(clientSecret)).status).toBe(200);
  });

  test('is issued without limit for a correct secret', async () => {
    const { ask, tenant } = await startTestService();
    const { clientId, clientSecret } = await tenant();
    const json = { client_id: clientId, client_secret: clientSecret };
    const all = await Promise.all(Array.from({ length: 50 }, () => ask('POST', tokenPath, { json })));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('an organization', () => {
  test('must be specified by a client with several organizations, and the error lists them', async () => {
    const running = await startTestService();
    const { first, second, client, secret } = await several(running);
    const { body: token } = await running.ask('POST', tokenPath, {
      json: { client_id: client.id, client_secret: secret },
    });
    expect(token.organization_id).toBeNull();
    const ask = createRequester(running.service, { authorization: `Bearer ${token.access_token}` });
    const unnamed = await ask('GET', '/api/v1/workspaces');
    expect(unnamed.status).toBe(400);
    expect(unnamed.body.errors).toEqual([
      {
        field: 'X-Organization-Id',
        message: expect.any(String),
        error_code: 'required',
        details: {
          organizations: [
            { id: first.id, name: 'First' },
            { id: second.id, name: 'Second' },
          ],
        },
      },
    ]);
    expect(unnamed.body.message).toContain(second.id);
    const listed = await ask('GET', '/api/v1/organizations');
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    expect((await ask('GET', '/api/v1/account/me')).body.organization_id).toBeNull();

    const inSecond = { headers: { 'X-ORGANIZATION-ID': second.id } };
    await ask('POST', '/api/v1/workspaces', { json: { name: 'theirs' }, ...inSecond });
    expect((await ask('GET', '/api/v1/workspaces', inSecond)).body.data).toHaveLength(1);
    const inFirst = { headers: { 'x-organization-id': first.id } };
    expect((await ask('GET', '/api/v1/workspaces', inFirst)).body.data).toEqual([]);
  });

  test("is rejected if it is not one of the client's own, whether it exists or not", async () => {
    const running = await startTestService();
    const acme = await running.tenant();
    const other = await tenantOf(running.service, 'Other');
    for (const id of [other.organizationId, 'org_none', '']) {
      const refused = await acme.ask('GET', '/api/v1/workspaces', { headers: { 'x-organization-id': id } });
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    }
    const own = await acme.ask('GET', '/api/v1/workspaces', { headers: { 'x-organization-id': acme.organizationId } });
    expect(own.status).toBe(200);
  });
});

describe('a workspace', () => {
  test('is created once, listed, and deleted with its contents', async () => {
    const { tenant, sandbox } = await startTestService();
    const acme = await tenant();
    const made = await acme.ask('POST', '/api/v1/workspaces', { json: { name: ' Bücher / neu ' } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ws_\w{20,}$/),
      name: 'Bücher / neu',
      organization_id: acme.organizationId,
      created_at: expect.any(String),
    });
    const again = await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'Bücher / neu' } });
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, {
      workspace_name: 'Bücher / neu',
    });
    const listed = await acme.ask('GET', '/api/v1/workspaces');
    expect(listed.body.data.map(({ name }: { name: string }) => name)).toEqual(['main', 'Bücher / neu']);

    const path = `/api/v1/workspaces/${encodeURIComponent('Bücher / neu')}`;
    expect((await acme.ask('DELETE', path)).body).toEqual({ id: made.body.id, deleted: true });
    expect((await acme.ask('GET', `/api/v1/integrations/connectors/${id}`)).status).toBe(404);
    expect((await acme.ask('DELETE', path)).status).toBe(404);
  });

  test('is listed once, in pages of the requested size', async () => {
    const { service, tenant } = await startTestService();
    const acme = await tenant();
    for (let made = 1; made < 103; made++) await service.state.workspaces.create(acme.organizationId, `w${made}`);
    const first = (await acme.ask('GET', '/api/v1/workspaces')).body;
    expect([first.data.length, first.next]).toEqual([100, expect.any(String)]);
    const second = (await acme.ask('GET', `/api/v1/workspaces?cursor=${encodeURIComponent(first.next)}`)).body;
    expect([second.data.length, second.next]).toEqual([3, null]);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(103);
    const whole = (await acme.ask('GET', '/api/v1/workspaces?limit=103')).body;
    expect(whole).toEqual({ data: [...first.data, ...second.data], next: null });
    const scoped = await acme.ask('POST', scopedPath, { json: { workspace_name: 'w5' } });
    const ask = createRequester(service, { authorization: `Bearer ${scoped.body.token}` });
    expect((await ask('GET', '/api/v1/workspaces?limit=1')).body).toMatchObject({ data: [{ name: 'w5' }], next: null });
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=many', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=WyJ4Il0', 'cursor'],
    ['page=2', 'page'],
  ])('cannot be listed with %s', async (query, field) => {
    const refused = await (await (await startTestService()).tenant()).ask('GET', `/api/v1/workspaces?${query}`);
    expect([refused.status, refused.body.code, refused.body.errors[0].field]).toEqual([422, 'invalid_params', field]);
  });

  test.each(['', '   ', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(201), 5, null])('cannot be named %j', async (name) => {
    const { tenant } = await startTestService();
    const { ask } = await tenant();
    const refused = await ask('POST', '/api/v1/workspaces', { json: { name } });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'name']);
  });
});

describe('a scoped token', () => {
  test('can access only its workspace, which is created if it does not exist', async () => {
    const { service, tenant, sandbox } = await startTestService();
    const acme = await tenant();
    const elsewhere = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
    const scopes = ['read', 'manage', 'admin'];
    const { body } = await acme.ask('POST', scopedPath, { json: { workspace_name: 'customer 7', scopes } });
    expect(body).toMatchObject({ token: expect.any(String), expires_in: 1200 });
    const ask = createRequester(service, { authorization: `Bearer ${body.token}` });

    expect((await ask('GET', '/api/v1/workspaces')).body.data.map(({ name }: { name: string }) => name)).toEqual([
      'customer 7',
    ]);
    expect((await ask('GET', '/api/v1/organizations')).body.data).toHaveLength(1);
    expect((await ask('GET', '/api/v1/account/me')).body).toMatchObject({
      token: 'scoped',
      workspace_name: 'customer 7',
      organization_id: acme.organizationId,
    });
    const json = { connector_type: 'linear', workspace_name: 'customer 7' };
    const { body: own } = await ask('POST', '/api/v1/integrations/connectors', { json });
    expect((await ask('GET', '/api/v1/integrations/connectors')).body.data).toEqual([own]);
    expect((await ask('GET', `/api/v1/integrations/connectors/${elsewhere}`)).status).toBe(404);
    const foreign = await ask('POST', '/api/v1/integrations/connectors', { json: { ...json, workspace_name: 'main' } });
    expect(foreign.status).toBe(404);
    expect((await ask('GET', '/api/v1/integrations/connectors?workspace_name=main')).status).toBe(404);
    for (const [method, path, sent] of [
      ['POST', scopedPath, { json: { workspace_name: 'customer 7' } }],
      ['POST', '/api/v1/workspaces', { json: { name: 'more' } }],
      ['DELETE', '/api/v1/workspaces/customer%207', {}],
    ] as const) {
      const refused = await ask(method, path, sent);
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'forbidden']);
    }
  });

  test('is valid for 20 minutes and only for the workspace that existed when it was issued', async () => {
    let time = Date.now();
    const { service, tenant } = await startTestService({ now: () => time });
    const acme = await tenant();
    const { body } = await acme.ask('POST', scopedPath, { json: { workspace_name: 'main' } });
    const ask = createRequester(service, { authorization: `Bearer ${body.token}` });
    time += 1_199_000;
    expect((await ask('GET', '/api/v1/workspaces')).body.data).toHaveLength(1);
    time += 2_000;
    expect((await ask('GET', '/api/v1/workspaces')).status).toBe(401);
  });
});

test('closing again waits for the close in progress', async () => {
  const { service, tenant } = await startTestService();
  const { token } = await tenant();
  const under = service.fetch(
    requestTo('/api/v1/workspaces', 'GET', { headers: { authorization: `Bearer ${token}` } }),
  );
  await service.close();
  expect((await under).status).toBe(200);
});
