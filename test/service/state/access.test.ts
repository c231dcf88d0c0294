import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AccessCache } from '../../../service/src/data/state/access-cache.js';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { migrate } from '../../../service/src/data/state/migrate.js';
import type { PolicyTarget } from '../../../service/src/data/state/policy-types.js';
import type { State, WorkspaceListing } from '../../../service/src/data/state/types.js';
import { deferred } from '../../deferred.js';
import { newKey } from '../keys.js';
import {
  createTenant,
  describeOnBothEngines,
  executeAll,
  newFolder,
  newState,
  noon,
  openTestDatabase,
} from './fixtures.js';

const rule = { readOnly: true, allow: null, approval: null, approvalBy: 'any' } as const;

/** A clock that both processes use. */
function clock() {
  let time = noon;
  const advance = (ms: number) => {
    time += ms;
  };
  return { now: () => time, advance };
}

/** Two processes with the same data, and a tenant with a client, a redeemed grant and a connector. */
async function twoProcesses() {
  const { now, advance } = clock();
  const options = { folder: newFolder(), keys: [newKey()], now };
  const [first, second] = [await newState(options), await newState(options)];
  const { organization, workspace, scope, connect } = await createTenant(first);
  const row = await connect();
  const { client } = await first.clients.create('agent', [organization.id]);
  const { id: grantId, code } = await first.grants.create(scope, {
    workspaceId: workspace.id,
    clientId: client.id,
    appId: 'app',
    appName: 'App',
    redirectUri: 'https://app.example/',
    resource: 'api',
    scopes: ['read'],
    connectorIds: null,
    challenge: 'challenge',
  });
  await first.grants.redeemCode(code, () => true);
  const target: PolicyTarget = { organizationId: organization.id, workspaceId: workspace.id, connectorId: row.id };
  /** Everything that a process knows about the tenant. */
  const accessOf = async ({ access }: State) => ({
    client: await access.client(client.id),
    grant: await access.grant(organization.id, grantId),
    connector: await access.connector(scope, row.id),
    policies: await access.policies(row),
  });
  return {
    first,
    second,
    advance,
    now,
    scope,
    workspace,
    organization,
    client,
    connect,
    grantId,
    row,
    target,
    accessOf,
  };
}

type Processes = Awaited<ReturnType<typeof twoProcesses>>;
type Access = Awaited<ReturnType<Processes['accessOf']>>;

/** Changes, and what is visible after them. */
const changes: ReadonlyArray<
  readonly [
    name: string,
    change: (processes: Processes, state: State) => Promise<unknown>,
    visible: (access: Access, processes: Processes) => unknown,
    before: unknown,
    after: unknown,
  ]
> = [
  [
    'a client is deleted',
    ({ client }, { clients }) => clients.delete(client.id),
    ({ client, grant }) => [client === undefined, grant === undefined],
    [false, false],
    [true, true],
  ],
  [
    'a scope is removed',
    ({ client }, { clients }) => clients.setScopes(client.id, ['read']),
    ({ client }) => client?.scopes,
    ['read', 'write', 'manage', 'admin'],
    ['read'],
  ],
  [
    'a secret is revoked, and with it the grants',
    ({ client }, { clients }) => clients.rollSecret(client.id, 0),
    ({ grant }) => grant !== undefined,
    true,
    false,
  ],
  [
    'a grant is revoked',
    ({ scope, grantId }, { grants }) => grants.revoke(scope, grantId),
    ({ grant }) => grant !== undefined,
    true,
    false,
  ],
  [
    'a policy is added',
    ({ target }, { policies }) => policies.put(target, rule),
    ({ policies }) => policies?.map(({ readOnly }) => readOnly),
    [],
    [true],
  ],
  [
    'the credentials are replaced',
    ({ scope, row }, { connectors }) => connectors.update(scope, row.id, { credentials: { api_key: 'other' } }),
    ({ connector }, { row }) => connector?.updatedAt === row.updatedAt,
    true,
    false,
  ],
  [
    'a connector needs authorization',
    ({ scope, row }, { webhooks }) => webhooks.noteHealth(scope, row.id, 'needs_reauthorization', 'expired'),
    ({ connector }) => connector?.health,
    null,
    'needs_reauthorization',
  ],
  [
    'a connector is deleted',
    ({ scope, row }, { connectors }) => connectors.delete(scope, row.id),
    ({ connector, policies }) => [connector === undefined, policies === undefined],
    [false, false],
    [true, true],
  ],
  [
    'a workspace is deleted',
    ({ scope }, { workspaces }) => workspaces.delete(scope, 'default'),
    ({ connector, grant }) => [connector === undefined, grant === undefined],
    [false, false],
    [true, true],
  ],
];

async function openDatabase(now: () => number): Promise<Database> {
  const database = await openTestDatabase(':memory:', now);
  onTestFinished(() => database.close());
  await migrate(database, now);
  return database;
}

/** The revision, and a function that runs statements and returns by how much they raised it. */
function revisionOf(database: Database) {
  const read = async () =>
    (await database.query.selectFrom('access_revision').select('value').executeTakeFirst())?.value;
  return async (statements: string) => {
    const before = (await read()) ?? 0;
    await database.transaction(() => executeAll(database, statements));
    return ((await read()) ?? 0) - before;
  };
}

const tenant = `insert into organizations values ('org_1', 'Acme', '2026');
  insert into workspaces values ('ws_1', 'org_1', 'default', '2026');
  insert into clients (id, name, secret_hash, created_at) select 'cli_1', 'agent', sealed, '2026' from keys;
  insert into connectors (id, organization_id, workspace_id, name, type, settings, created_at, updated_at)
    values ('con_1', 'org_1', 'ws_1', 'Linear', 'linear', '{}', '2026', '2026');
  insert into oauth_grants (id, organization_id, workspace_id, client_id, app_id, app_name, redirect_uri, resource,
    scopes, challenge, code_hash, code_until, created_at, expires_at)
    select 'grt_1', 'org_1', 'ws_1', 'cli_1', 'app', 'App', 'https://app.example/', 'api', '[]', '', sealed, 0, 0, 0
    from keys`;
const others = `insert into client_organizations values ('cli_1', 0, 'org_1');
  insert into policies (workspace_id, read_only, updated_at) values ('ws_1', 1, '2026')`;

describeOnBothEngines(() => {
  describe.each(changes)('when %s', (_, change, visible, before, after) => {
    it('takes effect in the same process at once', async () => {
      const processes = await twoProcesses();
      const { first, accessOf } = processes;
      expect(visible(await accessOf(first), processes)).toEqual(before);
      await change(processes, first);
      expect(visible(await accessOf(first), processes)).toEqual(after);
    });

    it('takes effect in another process within a second', async () => {
      const processes = await twoProcesses();
      const { first, second, advance, accessOf } = processes;
      expect(visible(await accessOf(second), processes)).toEqual(before);
      await change(processes, first);
      advance(501);
      expect(visible(await accessOf(second), processes)).toEqual(after);
    });
  });

  it('a transaction that fails leaves nothing of its changes in the cache', async () => {
    const { first, client, organization } = await twoProcesses();
    const failing = first.atomically('test', async () => {
      await first.clients.setScopes(client.id, ['read']);
      expect((await first.access.client(client.id))?.scopes).toEqual(['read']);
      throw new Error('late');
    });
    await expect(failing).rejects.toThrow('late');
    await first.clients.create('another', [organization.id]);
    expect((await first.access.client(client.id))?.scopes).toContain('write');
  });

  it('a connector is visible only in its own scope, even if it is cached for another one', async () => {
    const { first, row, scope, workspace } = await twoProcesses();
    const { access } = first;
    const stranger = await createTenant(first, 'stranger');
    const strangers = [
      stranger.scope,
      { ...stranger.scope, workspaceId: workspace.id },
      { ...scope, workspaceId: stranger.workspace.id },
      { ...scope, connectorIds: ['con_other'] },
    ];
    const own = [scope, { ...scope, workspaceId: workspace.id }, { ...scope, connectorIds: [row.id] }];
    // Also while it is being loaded.
    for (const round of ['first', 'second']) {
      const found = await Promise.all([...own, ...strangers].map((each) => access.connector(each, row.id)));
      expect(
        found.map((connector) => connector?.id),
        round,
      ).toEqual([row.id, row.id, row.id, undefined, undefined, undefined, undefined]);
    }
    expect(await access.grant(stranger.organization.id, 'grt_other')).toBeUndefined();
  });

  it('a list is loaded once between polls, and anew after a change in this process', async () => {
    const { first, second, scope, workspace, row, connect, advance } = await twoProcesses();
    const idsOf = ({ connectors }: WorkspaceListing) => connectors.map(({ id }) => id).sort();
    const listed = async (state: State) => idsOf((await state.access.workspace(scope, workspace.name))!);
    const [before] = [await listed(first), await listed(second)];
    expect(before).toEqual([row.id]);
    const { id } = await connect({ name: 'later' });
    expect(await listed(first)).toEqual([row.id, id].sort());
    advance(501);
    expect(await listed(second)).toEqual([row.id, id].sort());
    expect(await first.access.workspace(scope, 'none')).toBeUndefined();
  });

  it('a row that was read before a change is not used after it, whatever the order of their responses', async () => {
    const { now, advance } = clock();
    const database = await openDatabase(now);
    const raise = revisionOf(database);
    await raise("insert into organizations values ('org_1', 'old', '2026')");
    const cache = new AccessCache(database, now);
    const name = async () => {
      const found = database.query.selectFrom('organizations').selectAll().where('id', '=', 'org_1');
      return acrossOrganizations(() => found.executeTakeFirst());
    };
    const { promise: released, resolve: release } = deferred();
    const { promise: isRead, resolve: onRead } = deferred();
    const slow = cache.read('name', async () => {
      const row = await name();
      onRead();
      await released;
      return row;
    });
    await isRead;
    expect(await raise("update organizations set name = 'new'")).toBe(1);
    advance(501);
    expect((await cache.read('name', name))?.name).toBe('new');
    release();
    expect((await slow)?.name).toBe('old');
    expect((await cache.read('name', name))?.name).toBe('new');
  });

  it('rows are loaded once until they change or the cache is full', async () => {
    const { now } = clock();
    const database = await openDatabase(now);
    const cache = new AccessCache(database, now);
    let loads = 0;
    const read = async (key: string) => {
      const row = await cache.read(key, async () => {
        loads += 1;
        return { text: 'x'.repeat(1024 * 1024) };
      });
      expect(Object.isFrozen(row)).toBe(true);
    };
    await Promise.all([read('first'), read('first'), read('first')]);
    await read('first');
    expect(loads).toBe(1);
    for (let key = 0; key < 16; key++) await read(`key ${key}`);
    await read('first');
    expect(loads).toBe(18);
  });

  it('without the database, rows are used for half a second only', async () => {
    const { now, advance } = clock();
    const database = await openDatabase(now);
    const cache = new AccessCache(database, now);
    const row = async () => ({ id: 1 });
    await cache.read('row', row);
    await database.close();
    advance(501);
    await expect(cache.read('row', row)).rejects.toThrow('closed');
  });

  it('every change of the rows behind access raises the revision once, except of columns that do not affect it', async () => {
    const database = await openDatabase(Date.now);
    const raised = revisionOf(database);
    const key = { id: 'key_1', sealed: Buffer.from('x') };
    await acrossOrganizations(() => database.query.insertInto('keys').values(key).execute());
    // New rows of these tables cannot be cached yet.
    expect(await raised(tenant)).toBe(0);
    expect(await raised(others)).toBeGreaterThan(0);
    const unaffected: string[] = [];
    const tables = [
      'organizations',
      'workspaces',
      'clients',
      'client_organizations',
      'policies',
      'connectors',
      'oauth_grants',
    ];
    for (const table of tables) {
      const { rows } = await acrossOrganizations(() => sql`select * from ${sql.ref(table)}`.execute(database.query));
      for (const column of Object.keys(rows[0] as object)) {
        const times = await raised(`update ${table} set ${column} = ${column}`);
        if (times === 0) unaffected.push(`${table}.${column}`);
      }
    }
    expect(unaffected).toEqual([
      'connectors.sync_at',
      // Changes only along with `updated_at`.
      'connectors.credentials_version',
      'oauth_grants.code_hash',
      'oauth_grants.code_until',
      'oauth_grants.family_hash',
      'oauth_grants.refresh_hash',
      'oauth_grants.previous_hash',
      'oauth_grants.rotated_at',
      'oauth_grants.used_at',
      'oauth_grants.expires_at',
    ]);
    // Cascades included: the other rows belong to the organization or to the client.
    for (const table of [...tables].reverse().filter((name) => !['workspaces', 'organizations'].includes(name))) {
      expect(await raised(`delete from ${table}`), table).toBeGreaterThan(0);
    }
    expect(await raised('delete from organizations')).toBeGreaterThan(0);
  });
});
