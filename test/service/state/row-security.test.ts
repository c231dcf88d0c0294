import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresConnections } from '../../../service/src/data/state/connections.js';
import {
  acrossOrganizations,
  type Database,
  withinConnector,
  withinOrganization,
} from '../../../service/src/data/state/database.js';
import { openState } from '../../../service/src/data/state/open.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../keys.js';
import { beginWrite, createTenant, policiesIn } from './fixtures.js';
import { connectionsFor } from './pglite.js';

/** Tables without a policy, because they contain no tenant data. */
const shared = {
  versions: 'which migrations were applied',
  access_revision: 'a number',
  keys: 'a sealed constant for each key',
  processes: 'which processes are alive',
  leases: 'names such as ids of connectors, with a random holder each',
  rate_limits: 'digests of what is limited, with a number each',
  vendor_limits: 'digests of credentials and types of connectors, with when requests were sent and failed',
};

/** Tables that are read only before the organization is known. */
const beforeOrganizations = [
  'access_tokens',
  'client_organizations',
  'clients',
  'console_links',
  'console_sessions',
  'oauth_apps',
];

const planContent = {
  params: {},
  intent: null,
  reason: null,
  plan: {
    connector: 'linear',
    entity: 'issues',
    action: 'create',
    id: 'x',
    digest: '',
    request: { method: 'POST', url: '', body: null },
  },
};

/** A state in which two organizations have rows in every table. */
async function twoOrganizations() {
  const database = await openPostgres(await connectionsFor(':memory:'));
  const state = await openState({ folder: ':memory:', database, keys: keyRing([newKey()]) });
  const fill = async (name: string) => {
    const { organization, workspace, scope, connect } = await createTenant(state, name);
    const row = await connect();
    const { client } = await state.clients.create(name, [organization.id]);
    await state.consoleSessions.begin(client.id);
    await state.consoleSessions.createLink(client.id);
    const token = { id: `tok_${name}`, client_id: client.id, organization_id: organization.id };
    await acrossOrganizations(() =>
      database.query
        .insertInto('access_tokens')
        .values({ ...token, created_at: 1, expires_at: 2 })
        .execute(),
    );
    await state.policies.put(
      { organizationId: organization.id, workspaceId: workspace.id, connectorId: row.id },
      { readOnly: true, allow: null, approval: null, approvalBy: 'other' },
    );
    await state.connectClients.rollKey(scope, client.id, 0);
    const { row: endpoint } = await state.webhooks.create(scope, {
      url: 'https://hooks.example.com/',
      events: null,
      workspaceId: null,
    });
    await state.webhooks.sendTest(scope, endpoint.id);
    const feed = { webhookId: endpoint.id, events: [], entity: 'issues', cursor: undefined, isNewConnector: false };
    await state.webhooks.emitRecords({ ...feed, connector: row }, 'cursor', []);
    await state.setups.begin(scope, { workspaceId: workspace.id, clientId: client.id, name: 'New', type: 'gong' });
    const key = { clientId: client.id, connectorId: row.id, entity: 'issues', action: 'create', key: 'one' };
    await beginWrite(state, key);
    await state.audit.record({
      organization_id: organization.id,
      event: 'execute',
      workspace_id: null,
      connector_id: row.id,
      connector_type: null,
      client_id: null,
      via: 'http',
      entity: null,
      action: null,
      effect: null,
      params_digest: null,
      intent: null,
      outcome: 'success',
      begun_as: null,
      duration_ms: null,
      request_id: null,
      address: null,
      subject: null,
    });
    const checkpoint = { removed_seq: 0, removed_digest: '', mac: '' };
    await withinOrganization(organization.id, () =>
      database.query
        .insertInto('audit_checkpoints')
        .values({ organization_id: organization.id, ...checkpoint })
        .execute(),
    );
    const hour = { connector_id: row.id, hour: '2026-05-04T12' };
    const sync = { entity: 'issues', syncs: 1, failed_syncs: 0, read: 1, changed: 1, failed: 0, records: 1 };
    await withinOrganization(organization.id, async () => {
      const { id: organization_id } = organization;
      const call = { duration_ms: 3, calls: 1, errors: 0 };
      await database.query
        .insertInto('call_hours')
        .values({ organization_id, ...hour, ...call })
        .execute();
      await database.query
        .insertInto('sync_hours')
        .values({ organization_id, ...hour, ...sync })
        .execute();
      await database.query.insertInto('counted_calls').values({ organization_id, seq: 1 }).execute();
    });
    await state.plans.create(row, {
      id: `pln_${name}`,
      entity: 'issues',
      action: 'create',
      effect: 'write',
      lifetimeMs: 1000,
      requestedBy: client.id,
      requestedVia: 'http',
      paramsDigest: '',
      content: planContent,
    });
    const metadata = { name, redirectUris: ['https://app.example/'], authMethod: 'none' } as const;
    const { app } = await state.oauthApps.register(metadata, '10.0.0.1');
    await state.grants.create(scope, {
      workspaceId: workspace.id,
      clientId: client.id,
      appId: app.id,
      appName: name,
      connectorIds: null,
      redirectUri: 'https://app.example/',
      resource: 'mcp',
      scopes: ['read'],
      challenge: '',
    });
    await state.jobs.request(scope, row.id, null);
    const claim = (await state.jobs.claim(['linear']))!;
    await state.jobs.checkpoint(claim, [], { entity: 'issues', changes: { records: 1 } });
    await state.replicas.markWritten(row.id, 'issues', ['a']);
    await state.replicas.updateUnread(row.id, 'issues', { failed: [{ id: 'b', message: 'It cannot be read.' }] });
    return { organizationId: organization.id, connectorId: row.id };
  };
  return { database, state, acme: await fill('acme'), rival: await fill('rival') };
}

let stage: Awaited<ReturnType<typeof twoOrganizations>>;
beforeAll(async () => {
  stage = await twoOrganizations();
});
afterAll(() => stage.state.close());

/** The rows found by a statement without any condition. */
const allRows = async ({ query }: Database, table: string): Promise<string[]> =>
  (await sql<object>`select * from ${sql.table(table)}`.execute(query)).rows.map((row) => JSON.stringify(row));

describe('an unconditional statement in Postgres', () => {
  it("sees only its organization's rows in every table, and none without an organization", async () => {
    const { database, acme, rival } = stage;
    const tables = (await policiesIn(database)).map(({ table }) => table);
    expect(tables.length).toBeGreaterThan(12);
    for (const table of tables) {
      const all = await acrossOrganizations(() => allRows(database, table));
      const ofAcme = await withinOrganization(acme.organizationId, () => allRows(database, table));
      const ofRival = await withinOrganization(rival.organizationId, () => allRows(database, table));
      expect(all.length, table).toBeGreaterThanOrEqual(2);
      expect(await allRows(database, table), table).toEqual([]);
      expect([...ofAcme, ...ofRival].sort(), table).toEqual(beforeOrganizations.includes(table) ? [] : all.sort());
      expect(ofAcme.length, table).toBe(beforeOrganizations.includes(table) ? 0 : ofRival.length);
    }
  });

  it("sees only its connector's rows", async () => {
    const { database, acme } = stage;
    const found: Record<string, number> = {};
    for (const { table } of await policiesIn(database)) {
      const rows = await withinConnector(acme.connectorId, () => allRows(database, table));
      if (rows.length > 0) found[table] = rows.length;
      for (const row of rows) expect(row).toContain(acme.connectorId);
    }
    expect(found).toEqual({
      connectors: 1,
      credentials: 1,
      jobs: 1,
      ledger: 1,
      replicas: 1,
      unread_records: 1,
      written_records: 1,
    });
  });

  it('in each part of a transaction, sees only what that part has access to', async () => {
    const { database, acme, rival } = stage;
    const seen = await withinOrganization(acme.organizationId, () =>
      database.transaction(async () => [
        await allRows(database, 'organizations'),
        await withinOrganization(rival.organizationId, () => allRows(database, 'organizations')),
        await acrossOrganizations(() => allRows(database, 'organizations')),
        await allRows(database, 'organizations'),
      ]),
    );
    expect(seen.map((rows) => rows.length)).toEqual([1, 1, 2, 1]);
    expect(seen[3]).toEqual(seen[0]);
    expect(seen[1]).not.toEqual(seen[0]);
  });

  it('cannot change, delete or insert anything in another organization', async () => {
    const { database, acme, rival } = stage;
    const { query } = database;
    const counts = await withinOrganization(acme.organizationId, () =>
      Promise.all([
        query.updateTable('connectors').set({ name: 'mine' }).executeTakeFirstOrThrow(),
        query.deleteFrom('credentials').executeTakeFirstOrThrow(),
      ]),
    );
    expect(counts).toMatchObject([{ numUpdatedRows: 1n }, { numDeletedRows: 1n }]);
    const added = withinOrganization(acme.organizationId, () =>
      query
        .insertInto('workspaces')
        .values({ id: 'ws_1', organization_id: rival.organizationId, name: 'planted', created_at: '2026' })
        .execute(),
    );
    await expect(added).rejects.toThrow('row-level security');
    const injected = "' or true --";
    expect(await withinOrganization(injected, () => allRows(database, 'workspaces'))).toEqual([]);
  });
});

it('every table in Postgres either has a policy that also applies to its owner or contains no tenant data', async () => {
  const { database } = stage;
  const tables = sql<{ name: string; secured: boolean }>`
    select relname as name, relrowsecurity and relforcerowsecurity
        and exists (select 1 from pg_policy where polrelid = pg_class.oid) as secured
      from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`;
  const { rows } = await tables.execute(database.query);
  const without = rows.filter(({ secured }) => !secured).map(({ name }) => name);
  expect(without.sort()).toEqual(Object.keys(shared).sort());
});

/** The same connections, but with a role that bypasses policies. */
const asSuperuser = (connections: PostgresConnections): PostgresConnections => ({
  ...connections,
  query: (access, sql, values) =>
    connections.transaction(access, async (query) => {
      await query('SET LOCAL ROLE postgres');
      return query(sql, values);
    }),
});

it.each([
  ['the service’s own role', (same: PostgresConnections) => same, 0],
  ['a superuser', asSuperuser, 1],
])('warns about a role that bypasses policies: %s', async (_, change, expected) => {
  const database = await openPostgres(change(await connectionsFor(':memory:')));
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const state = await openState({ folder: ':memory:', database, keys: keyRing([newKey()]), warn });
  onTestFinished(() => state.close());
  expect(warnings).toEqual(Array(expected).fill(expect.stringContaining('Row-level security has no effect')));
});
