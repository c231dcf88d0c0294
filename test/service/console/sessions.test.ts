import { expect, test } from 'vitest';
import { cookieOf, startConsoleService } from './setup.js';

const path = '/console/session';

test('a client signs in with its id and secret, and sees its identity', async () => {
  const { ask, clientId, clientSecret, organizationId } = await startConsoleService();
  const json = { client_id: clientId, client_secret: clientSecret };
  const signedIn = await ask('POST', path, { json });
  expect(signedIn.status).toBe(200);
  expect(signedIn.body).toMatchObject({
    client_id: clientId,
    name: 'Acme program',
    organizations: [{ id: organizationId, name: 'Acme' }],
  });
  expect(signedIn.text).not.toContain(clientSecret);
  const cookie = cookieOf(signedIn);
  expect((await ask('GET', path, { cookie })).body).toEqual(signedIn.body);
  const workspaces = await ask('GET', '/api/v1/workspaces', { cookie });
  expect(workspaces.body.data.map(({ name }: { name: string }) => name)).toEqual(['main']);
});

test('an incorrect secret is rejected without setting a cookie and counts toward the same limit as attempts at the token route', async () => {
  const { ask, clientId } = await startConsoleService();
  const json = { client_id: clientId, client_secret: 'wrong' };
  for (let tries = 0; tries < 10; tries++) {
    const refused = await ask('POST', tries % 2 ? path : '/api/v1/account/applications/token', { json });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []]);
  }
  const held = await ask('POST', path, { json });
  expect([held.status, held.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the cookie cannot be read by pages, is not sent with requests from other sites, and requires HTTPS if the service uses it', async () => {
  const plain = await startConsoleService();
  const sent = { client_id: plain.clientId, client_secret: plain.clientSecret };
  const [cookie = ''] = (await plain.ask('POST', path, { json: sent })).headers.getSetCookie();
  expect(cookie).toMatch(/^agent-connectors=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43\d{3}$/);

  const secure = await startConsoleService({ publicUrl: 'https://connectors.example.com' });
  const json = { client_id: secure.clientId, client_secret: secure.clientSecret };
  const headers = { 'x-console': '1', origin: 'https://connectors.example.com' };
  const [hosted = ''] = (await secure.ask('POST', path, { json, headers })).headers.getSetCookie();
  expect(hosted).toMatch(/^__Host-agent-connectors=.*; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
});

test('a session lasts twelve hours', async () => {
  let time = Date.now();
  const { ask, signIn } = await startConsoleService({ now: () => time });
  const cookie = await signIn();
  time += 12 * 3_600_000 - 1000;
  expect((await ask('GET', path, { cookie })).status).toBe(200);
  time += 2000;
  expect((await ask('GET', path, { cookie })).status).toBe(401);
  expect((await ask('GET', '/api/v1/workspaces', { cookie })).status).toBe(401);
});

test('signing out ends the session on the server, not only in the browser', async () => {
  const { ask, signIn } = await startConsoleService();
  const cookie = await signIn();
  const out = await ask('DELETE', path, { cookie });
  expect(out.status).toBe(204);
  expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0');
  expect((await ask('GET', path, { cookie })).status).toBe(401);
});

test('deleting a client ends its sessions', async () => {
  const { ask, signIn, service, clientId } = await startConsoleService();
  const cookie = await signIn();
  await service.state.clients.delete(clientId);
  expect((await ask('GET', '/api/v1/workspaces', { cookie })).status).toBe(401);
});

test('a sign-in link works once, within ten minutes', async () => {
  let time = Date.now();
  const { ask, service, clientId } = await startConsoleService({ now: () => time });
  const link = await service.state.consoleSessions.createLink(clientId);
  const first = await ask('POST', path, { json: { link } });
  expect([first.status, first.body.client_id]).toEqual([200, clientId]);
  const again = await ask('POST', path, { json: { link } });
  expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
  const late = await service.state.consoleSessions.createLink(clientId);
  time += 600_001;
  expect((await ask('POST', path, { json: { link: late } })).status).toBe(401);
});

test('signing in again ends the previous session', async () => {
  const { ask, signIn, clientId, clientSecret } = await startConsoleService();
  const cookie = await signIn();
  const json = { client_id: clientId, client_secret: clientSecret };
  const second = cookieOf(await ask('POST', path, { json, cookie }));
  expect(second).not.toBe(cookie);
  expect((await ask('GET', path, { cookie })).status).toBe(401);
  expect((await ask('GET', path, { cookie: second })).status).toBe(200);
});

test("a session has its client's scopes", async () => {
  const { ask, service, organizationId } = await startConsoleService();
  const signInAs = async (...scopes: ('read' | 'manage')[]) => {
    const { client, secret } = await service.state.clients.create('some', [organizationId], scopes);
    return cookieOf(await ask('POST', path, { json: { client_id: client.id, client_secret: secret } }));
  };
  const reader = await signInAs('read');
  expect((await ask('GET', '/api/v1/overview', { cookie: reader })).status).toBe(200);
  const json = { workspace_name: 'main', connector_type: 'linear' };
  for (const [method, at, sent] of [
    ['GET', '/api/v1/audit', {}],
    ['GET', '/api/v1/clients', {}],
    ['POST', '/api/v1/integrations/connectors', { json }],
    ['PUT', '/api/v1/policies', { json: { workspace_name: 'main' } }],
  ] as const) {
    const { status, body } = await ask(method, at, { ...sent, cookie: reader });
    expect([at, status, body.message]).toEqual([at, 403, expect.stringContaining('is required')]);
  }
  const manager = await signInAs('manage');
  expect((await ask('GET', '/console/events', { cookie: manager })).status).toBe(403);
});
