import { describe, expect, test } from 'vitest';
import { createRequester, startTestService, type Tenant } from './setup.js';

type TokenScope = 'read' | 'write' | 'manage' | 'admin';

async function start() {
  const clock = { time: Date.parse('2026-03-02T12:00:00Z') };
  const running = await startTestService({ now: () => clock.time });
  const acme = await running.tenant();
  const { service } = running;
  const tokenFor = (client_id: string, client_secret: string) =>
    running.ask('POST', '/api/v1/account/applications/token', { json: { client_id, client_secret } });
  const program = async (scopes: readonly TokenScope[], organizations = [acme.organizationId]) => {
    const { client, secret } = await service.state.clients.create('program', organizations, scopes);
    const { body } = await tokenFor(client.id, secret);
    const ask = createRequester(service, { authorization: `Bearer ${body.access_token}` });
    return { id: client.id, secret, ask };
  };
  const setScopes = ({ ask }: Pick<Tenant, 'ask'>, id: string, scopes: readonly TokenScope[]) =>
    ask('PUT', `/api/v1/clients/${id}`, { json: { scopes } });
  const roll = ({ ask }: Pick<Tenant, 'ask'>, id: string, json?: object) =>
    ask('POST', `/api/v1/clients/${id}/secret`, json && { json });
  const changes = async () =>
    (await acme.ask('GET', '/api/v1/audit?limit=1000')).body.data
      .filter(({ event }: any) => event.startsWith('client.'))
      .map(({ event, subject, client_id }: any) => [event, subject, client_id])
      .reverse();
  return { ...running, clock, acme, program, tokenFor, setScopes, roll, changes };
}

describe("a client's scopes", () => {
  test('are changed by an admin, and existing tokens immediately lose a removed scope but never gain one', async () => {
    const { acme, program, setScopes, tokenFor, changes, service } = await start();
    const some = await program(['read', 'write', 'manage']);
    const { token } = await service.state.consoleSessions.begin(some.id);
    const session = createRequester(service, { cookie: `agent-connectors=${token}` });
    const scopesOf = async ({ ask }: Pick<Tenant, 'ask'>) => (await ask('GET', '/api/v1/account/me')).body.scopes;
    const changed = await setScopes(acme, some.id, ['admin', 'read']);
    expect([changed.status, changed.body.scopes]).toEqual([200, ['read', 'admin']]);
    expect(await scopesOf(some)).toEqual(['read']);
    expect(await scopesOf({ ask: session })).toEqual(['read', 'admin']);
    expect((await some.ask('POST', '/api/v1/workspaces', { json: { name: 'x' } })).status).toBe(403);
    const { body } = await tokenFor(some.id, some.secret);
    const anew = createRequester(service, { authorization: `Bearer ${body.access_token}` });
    expect(await scopesOf({ ask: anew })).toEqual(['read', 'admin']);
    expect(await changes()).toEqual([['client.scopes_changed', some.id, acme.clientId]]);
  });

  test('cannot be extended by the client itself unless it is an admin', async () => {
    const { program, setScopes, roll, changes } = await start();
    const some = await program(['read', 'write', 'manage']);
    for (const answer of [await setScopes(some, some.id, ['read', 'admin']), await roll(some, some.id)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    }
    const admin = await program(['admin']);
    expect((await setScopes(admin, admin.id, ['read', 'admin'])).status).toBe(200);
    expect(await changes()).toHaveLength(1);
    for (const scopes of [[], ['all'], undefined]) {
      expect((await setScopes(admin, admin.id, scopes as never)).status).toBe(422);
    }
  });

  test('and its secret cannot be changed from another organization, not even one that the client also belongs to', async () => {
    const { service, tenant, acme, program, setScopes, roll, tokenFor } = await start();
    const other = await tenant('Other');
    const both = await program(['read'], [acme.organizationId, other.organizationId]);
    for (const change of [
      setScopes.bind(null, acme, other.clientId, ['admin']),
      roll.bind(null, acme, other.clientId),
    ]) {
      expect((await change()).status).toBe(404);
    }
    for (const change of [setScopes.bind(null, acme, both.id, ['admin']), roll.bind(null, acme, both.id)]) {
      const { status, body, text } = await change();
      expect([status, body.code]).toEqual([403, 'forbidden']);
      expect(text).not.toContain(other.organizationId);
    }
    expect((await service.state.clients.get(both.id))!.scopes).toEqual(['read']);
    expect((await tokenFor(other.clientId, other.clientSecret)).status).toBe(200);
    expect((await tokenFor(both.id, both.secret)).status).toBe(200);
  });
});

describe("a client's secret", () => {
  test('is rotated, and the previous one stays valid for a day', async () => {
    const { clock, acme, roll, tokenFor, changes } = await start();
    const { status, body, headers } = await roll(acme, acme.clientId);
    expect([status, body]).toEqual([
      200,
      {
        client_id: acme.clientId,
        client_secret: expect.stringMatching(/^acs_[0-9A-Za-z]{49}$/),
        previous_valid_until: '2026-03-03T12:00:00.000Z',
      },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    const works = async (secret: string) => (await tokenFor(acme.clientId, secret)).status === 200;
    expect([await works(acme.clientSecret), await works(body.client_secret)]).toEqual([true, true]);
    expect(await changes()).toEqual([['client.secret_rolled', acme.clientId, acme.clientId]]);
    clock.time += 24 * 3_600_000 - 1;
    expect(await works(acme.clientSecret)).toBe(true);
    clock.time += 1;
    expect([await works(acme.clientSecret), await works(body.client_secret)]).toEqual([false, true]);
  });

  test('stops working immediately if the overlap is 0, as do console sessions and links', async () => {
    const { service, acme, roll, tokenFor } = await start();
    const sessions = service.state.consoleSessions;
    const { token } = await sessions.begin(acme.clientId);
    const link = await sessions.createLink(acme.clientId);
    const { body } = await roll(acme, acme.clientId, { overlap_seconds: 0 });
    expect(body.previous_valid_until).toBeNull();
    expect((await tokenFor(acme.clientId, acme.clientSecret)).status).toBe(401);
    expect((await tokenFor(acme.clientId, body.client_secret)).status).toBe(200);
    expect([await sessions.get(token), await sessions.redeemLink(link)]).toEqual([undefined, undefined]);
  });

  test('keeps earlier console sessions and links valid until the overlap ends', async () => {
    const { clock, service, acme, roll } = await start();
    const sessions = service.state.consoleSessions;
    const { token } = await sessions.begin(acme.clientId);
    const link = await sessions.createLink(acme.clientId);
    await roll(acme, acme.clientId, { overlap_seconds: 60 });
    const later = await sessions.begin(acme.clientId);
    clock.time += 59_999;
    expect(await sessions.get(token)).toBeDefined();
    clock.time += 1;
    expect([await sessions.get(token), await sessions.redeemLink(link)]).toEqual([undefined, undefined]);
    expect(await sessions.get(later.token)).toBeDefined();
  });

  test('can be rotated again, and only the latest two are valid', async () => {
    const { acme, roll, tokenFor } = await start();
    const second = (await roll(acme, acme.clientId)).body.client_secret;
    const third = (await roll(acme, acme.clientId, { overlap_seconds: 60 })).body.client_secret;
    const statuses = [];
    for (const secret of [acme.clientSecret, second, third]) {
      statuses.push((await tokenFor(acme.clientId, secret)).status);
    }
    expect(statuses).toEqual([401, 200, 200]);
    for (const overlap_seconds of [-1, 604_801, 1.5, '60']) {
      expect((await roll(acme, acme.clientId, { overlap_seconds })).status).toBe(422);
    }
  });
});
