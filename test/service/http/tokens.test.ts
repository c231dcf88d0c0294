import { expect, test } from 'vitest';
import { createRequester, startTestService, type Tenant } from './setup.js';

const path = (name = '') => `/api/v1/account/tokens${name}`;

async function start() {
  let time = Date.parse('2026-05-01T12:00:00Z');
  const running = await startTestService({ now: () => time });
  const acme = await running.tenant();
  const scopedOf = async (tenant: Tenant): Promise<string> =>
    (
      await tenant.ask('POST', '/api/v1/account/applications/scoped-token', {
        json: { workspace_name: tenant.workspace },
      })
    ).body.token;
  const statusOf = async (token: string) => {
    const me = await createRequester(running.service, { authorization: `Bearer ${token}` })(
      'GET',
      '/api/v1/account/me',
    );
    return me.status;
  };
  const advance = (ms: number) => {
    time += ms;
  };
  return { ...running, acme, scopedOf, statusOf, advance };
}

test('one token is revoked alone, by itself or by its id', async () => {
  const { acme, scopedOf, statusOf } = await start();
  const [first, second, third] = [await scopedOf(acme), await scopedOf(acme), await scopedOf(acme)];
  expect((await acme.ask('POST', path('/revoke'), { json: { token: first } })).body).toMatchObject({ revoked: true });
  const id = (await acme.ask('POST', path('/introspect'), { json: { token: second } })).body.jti;
  expect((await acme.ask('POST', path('/revoke'), { json: { id } })).body).toEqual({ id, revoked: true });
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
  expect((await acme.ask('POST', path('/revoke'), { json: { token: first } })).status).toBe(404);
  expect((await acme.ask('POST', path('/revoke'), { json: {} })).status).toBe(422);
  const { body } = await acme.ask('GET', '/api/v1/audit');
  expect(body.data[0]).toMatchObject({ event: 'token.revoked', subject: id });
});

test('tokens are listed with their last use until they expire or are revoked', async () => {
  const { acme, scopedOf, statusOf, advance, service } = await start();
  const token = await scopedOf(acme);
  const listed = async () => (await acme.ask('GET', path())).body.data;
  const [scoped] = (await listed()).filter(({ workspace_id }: any) => workspace_id);
  expect(scoped).toMatchObject({
    client_id: acme.clientId,
    created_at: '2026-05-01T12:00:00.000Z',
    expires_at: '2026-05-01T12:20:00.000Z',
    last_used_at: null,
  });
  advance(90_000);
  await statusOf(token);
  await expect
    .poll(async () => (await listed()).find(({ id }: any) => id === scoped.id)?.last_used_at)
    .toBe('2026-05-01T12:01:30.000Z');
  await service.state.accessTokens.revoke(scoped.id);
  expect((await listed()).map(({ id }: any) => id)).not.toContain(scoped.id);
});

test('a valid token is described, and no other', async () => {
  const { acme, tenant, scopedOf, advance } = await start();
  const token = await scopedOf(acme);
  const describe = async (asker: Tenant, text = token) =>
    (await asker.ask('POST', path('/introspect'), { json: { token: text } })).body;
  expect(await describe(acme)).toMatchObject({
    active: true,
    client_id: acme.clientId,
    token_type: 'bearer',
    scope: 'read write',
    exp: Date.parse('2026-05-01T12:20:00Z') / 1000,
  });
  expect(await describe(acme, `${token}x`)).toEqual({ active: false });
  expect(await describe(await tenant('Globex'))).toEqual({ active: false });
  expect((await (await tenant('Initech')).ask('POST', path('/revoke'), { json: { token } })).status).toBe(404);
  await acme.ask('POST', path('/revoke'), { json: { token } });
  expect(await describe(acme)).toEqual({ active: false });
  advance(21 * 60_000);
});

test('a new secret ends the tokens of the old one if asked to, or without an overlap', async () => {
  const { ask, service, acme, statusOf } = await start();
  const { client, secret } = await service.state.clients.create('agent', [acme.organizationId]);
  const tokenWith = async (client_secret: string): Promise<string> =>
    (await ask('POST', '/api/v1/account/applications/token', { json: { client_id: client.id, client_secret } })).body
      .access_token;
  const roll = async (json: object) => (await acme.ask('POST', `/api/v1/clients/${client.id}/secret`, { json })).body;
  const first = await tokenWith(secret);
  const session = await service.state.consoleSessions.begin(client.id);
  const kept = await roll({ overlap_seconds: 60 });
  expect([await statusOf(first), await service.state.consoleSessions.get(session.token)]).toMatchObject([200, {}]);
  await roll({ overlap_seconds: 60, end_tokens: true });
  expect([await statusOf(first), await service.state.consoleSessions.get(session.token)]).toEqual([401, undefined]);
  // The overlap is for the secret: it still gets new tokens.
  const second = await tokenWith(kept.client_secret);
  expect(await statusOf(second)).toBe(200);
  const last = await roll({ overlap_seconds: 0 });
  expect(await statusOf(second)).toBe(401);
  const third = await tokenWith(last.client_secret);
  await roll({ overlap_seconds: 0, end_tokens: false });
  expect(await statusOf(third)).toBe(200);
});

test('a user who leaves a group is taken out of a bound client at once', async () => {
  const { ask, service, acme } = await start();
  const user = { email: 'ana@acme.example', groups: ['board@acme.example', 'staff@acme.example'] };
  const { client, secret } = await service.state.clients.create('agent', [acme.organizationId], ['read'], user);
  const json = { client_id: client.id, client_secret: secret };
  expect((await ask('POST', '/api/v1/account/applications/token', { json })).status).toBe(200);
  const change = (body: object) => acme.ask('PUT', `/api/v1/clients/${client.id}`, { json: body });
  const left = await change({ as_user: 'ana@acme.example', as_groups: ['staff@acme.example'] });
  expect(left.body).toMatchObject({ as_user: user.email, as_groups: ['staff@acme.example'], scopes: ['read'] });
  expect((await service.state.access.client(client.id))?.asUser?.groups).toEqual(['staff@acme.example']);
  const { body } = await acme.ask('GET', '/api/v1/clients');
  expect(body.data.find(({ id }: any) => id === client.id)).toMatchObject(left.body);
  expect((await change({})).status).toBe(422);
  expect((await change({ as_groups: [] })).status).toBe(422);
  expect((await change({ as_user: user.email })).body.as_groups).toEqual([]);
});
