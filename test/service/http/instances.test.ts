import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectorPath, createRequester, execute, startTestService, tenantOf } from './setup.js';

const oauth = { client_id: 'client', client_secret: 'client-secret-1', refresh_token: 'refresh-0' };

/** A Linear server with single-use refresh tokens; access tokens are valid until revoked. */
function rotating(first = 'refresh-0') {
  let good: string | undefined;
  let refresh = first;
  let count = 0;
  const refreshes: string[] = [];
  return {
    refreshes,
    revoke: () => {
      good = undefined;
    },
    fetch: (async (input, init) => {
      if (String(input).endsWith('/oauth/token')) {
        const given = new URLSearchParams(String(init?.body)).get('refresh_token') ?? '';
        refreshes.push(given);
        if (given !== refresh) return Response.json({ error: 'invalid_grant' }, { status: 400 });
        count += 1;
        good = `access-${first}-${count}`;
        refresh = `${first}-${count}`;
        return Response.json({ access_token: good, refresh_token: refresh, expires_in: 3600 });
      }
      const token = new Headers(init?.headers).get('authorization');
      if (good === undefined || token !== `Bearer ${good}`) {
        return Response.json(
          { errors: [{ message: 'no', extensions: { code: 'AUTHENTICATION_ERROR' } }] },
          { status: 401 },
        );
      }
      return Response.json({ data: { teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } });
    }) as typeof globalThis.fetch,
  };
}

describe('rotating tokens', () => {
  test('are stored before they are used and survive a restart', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const vendor = rotating();
    const before = await createService({ dataFolder, createKey: true, fetch: vendor.fetch, replicate: false });
    const tenant = await tenantOf(before, 'Lasting');
    const id = await tenant.connect('linear', oauth);
    expect((await execute(tenant, id, 'teams', 'list')).status).toBe(200);
    expect(await before.state.credentials.load(id)).toMatchObject({
      refresh_token: 'refresh-0-1',
      access_token: 'access-refresh-0-1',
    });
    await before.close();

    const after = await createService({ dataFolder, fetch: vendor.fetch, replicate: false });
    onTestFinished(() => after.close());
    const again = { ask: createRequester(after, { authorization: `Bearer ${tenant.token}` }) };
    expect((await execute(again, id, 'teams', 'list')).status).toBe(200);
    expect(vendor.refreshes).toEqual(['refresh-0']);
    vendor.revoke();
    expect((await execute(again, id, 'teams', 'list')).status).toBe(200);
    expect(vendor.refreshes).toEqual(['refresh-0', 'refresh-0-1']);
  });

  test('are refreshed once for all waiting calls', async () => {
    const vendor = rotating();
    const acme = await (await startTestService({ fetch: vendor.fetch })).tenant();
    const id = await acme.connect('linear', oauth);
    const all = await Promise.all(Array.from({ length: 20 }, () => execute(acme, id, 'teams', 'list')));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(vendor.refreshes).toEqual(['refresh-0']);
  });

  test('are not refreshed again when the connector is renamed', async () => {
    const vendor = rotating();
    const acme = await (await startTestService({ fetch: vendor.fetch })).tenant();
    const id = await acme.connect('linear', oauth);
    await execute(acme, id, 'teams', 'list');
    await acme.ask('PUT', connectorPath(id), { json: { name: 'Renamed' } });
    expect((await execute(acme, id, 'teams', 'list')).status).toBe(200);
    expect(vendor.refreshes).toEqual(['refresh-0']);
  });

  test('are not used if they expired before first use', async () => {
    let time = Date.now();
    const vendor = rotating();
    const running = await startTestService({ fetch: vendor.fetch, now: () => time });
    const acme = await running.tenant();
    const id = await acme.connect('linear', oauth);
    await execute(acme, id, 'teams', 'list');
    const stored = (await running.service.state.credentials.load(id))!;
    expect(Date.parse(stored.expires_at!)).toBeGreaterThan(time);
    time += 600_000;
    await acme.ask('PUT', connectorPath(id), { json: { name: 'Remade' } });
    expect((await execute(acme, id, 'teams', 'list')).status).toBe(200);
    expect(vendor.refreshes).toEqual(['refresh-0']);
  });

  test('are not stored with new credentials if the account was replaced in the meantime', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const old = rotating('old');
    const fresh = rotating('new');
    let asked = false;
    const running = await startTestService({
      fetch: async (input, init) => {
        const isNew =
          String(init?.body).includes('new') || String(new Headers(init?.headers).get('authorization')).includes('new');
        if (isNew) return fresh.fetch(input, init);
        asked = true;
        await held;
        return old.fetch(input, init);
      },
    });
    const acme = await running.tenant();
    const id = await acme.connect('linear', { ...oauth, refresh_token: 'old' });
    const late = execute(acme, id, 'teams', 'list');
    await expect.poll(() => asked).toBe(true);
    const replacing = acme.ask('PUT', connectorPath(id), { json: { credentials: { ...oauth, refresh_token: 'new' } } });
    release();
    // Refreshed with the old token, and not sent with it if the credentials have been replaced by then.
    expect([200, 409]).toContain((await late).status);
    expect((await replacing).status).toBe(200);
    expect((await running.service.state.credentials.load(id))?.refresh_token).toBe('new');
    expect((await execute(acme, id, 'teams', 'list')).status).toBe(200);
    expect((await running.service.state.credentials.load(id))?.refresh_token).toBe('new-1');
  });
});

test.each(['connector', 'workspace'])(
  'deletion of a %s revokes the tokens last refreshed by another process',
  async (deleted) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const { fetch, vendors, clock } = createSandbox({ seed: 7, scale: 0.2 });
    const first = await createService({ dataFolder, createKey: true, fetch, replicate: false });
    const second = await createService({ dataFolder, fetch, replicate: false });
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    const tenant = await tenantOf(first, 'Ending');
    const id = await tenant.connect('linear', vendors.linear.credentials.oauth);
    expect((await execute(tenant, id, 'teams', 'list')).status).toBe(200);
    clock.advance(25 * 3_600_000);
    const elsewhere = createRequester(second, { authorization: `Bearer ${tenant.token}` });
    expect((await execute({ ask: elsewhere }, id, 'teams', 'list')).status).toBe(200);
    const { refresh_token = '' } = (await first.state.credentials.load(id))!;

    const path = deleted === 'connector' ? connectorPath(id) : `/api/v1/workspaces/${tenant.workspace}`;
    const gone = await tenant.ask('DELETE', path);
    expect(gone.body).toMatchObject({ deleted: true, ...(deleted === 'connector' && { tokens_ended: true }) });
    const credentials = { ...vendors.linear.credentials.oauth, refresh_token };
    const refreshing = new LinearConnector({ credentials, fetch }).teams.list();
    await expect(refreshing).rejects.toMatchObject({ code: 'invalid_credentials' });
  },
);

describe('a live connector', () => {
  test('is cached between requests and recreated when its credentials change', async () => {
    const seen: string[] = [];
    const acme = await (
      await startTestService({
        fetch: async (_, init) => {
          seen.push(new Headers(init?.headers).get('authorization') ?? '');
          return Response.json({ data: { teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } });
        },
      })
    ).tenant();
    const id = await acme.connect('linear', { api_key: 'lin_api_one' });
    await execute(acme, id, 'teams', 'list');
    for (const api_key of ['lin_api_two', 'lin_api_three']) {
      await acme.ask('PUT', connectorPath(id), { json: { credentials: { api_key } } });
      await execute(acme, id, 'teams', 'list');
    }
    expect(seen).toEqual(['lin_api_one', 'lin_api_two', 'lin_api_three']);
  });

  test('reflects a change made by another process', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const first = await createService({ dataFolder, createKey: true, fetch: sandbox.fetch, replicate: false });
    const second = await createService({ dataFolder, fetch: sandbox.fetch, replicate: false });
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    const tenant = await tenantOf(first, 'Shared');
    const id = await tenant.connect('linear', { api_key: 'lin_api_wrong' });
    const elsewhere = createRequester(second, { authorization: `Bearer ${tenant.token}` });
    expect((await execute({ ask: elsewhere }, id, 'teams', 'list')).status).toBe(424);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const json = { credentials: sandbox.vendors.linear.credentials.api_key };
    await tenant.ask('PUT', connectorPath(id), { json });
    expect((await execute({ ask: elsewhere }, id, 'teams', 'list')).status).toBe(200);
  });

  test('still works when the cache is full', { timeout: 300_000 }, async () => {
    const asked: string[] = [];
    const { service, tenant } = await startTestService({
      fetch: async (_, init) => {
        asked.push(new Headers(init?.headers).get('authorization') ?? '');
        return Response.json({ data: { teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } });
      },
    });
    const acme = await tenant();
    const scope = { organizationId: acme.organizationId };
    const workspaceId = (await service.state.workspaces.find(scope, 'main'))!.id;
    const ids: string[] = [];
    for (let index = 0; index < 510; index++) {
      const credentials = { api_key: `lin_api_${index}` };
      const row = {
        workspaceId,
        name: `c${index}`,
        type: 'linear',
        replicationConfig: null,
        settings: {},
        credentials,
      };
      ids.push((await service.state.connectors.create(scope, row)).id);
    }
    for (const id of [...ids, ids[0]!, ids[509]!]) expect((await execute(acme, id, 'teams', 'list')).status).toBe(200);
    expect(asked).toEqual([...ids.map((_, index) => `lin_api_${index}`), 'lin_api_0', 'lin_api_509']);
  });
});
