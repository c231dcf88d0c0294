import type { Selectable } from 'kysely';
import { checkQuota, lockOrganization } from './accounts.js';
import { acrossOrganizations, type Database, eachWithinConnector, eachWithinOrganization, newId } from './database.js';
import type { Leases } from './leases.js';
import { expirePlans } from './plans.js';
import { type ConnectorRow, readCursor, type Scope, StateConflict, writeCursor } from './rows.js';
import type { Sealing } from './sealing.js';
import { connectorsIn, isOpenJob, type Tables } from './tables.js';
import type { ConnectorChanges, ConnectorFilter, Connectors, Credentials, Quotas } from './types.js';
import { emitEvent } from './webhooks/outbox.js';

const selectConnectors = ({ query }: Database) =>
  query
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .selectAll('connectors')
    .select('workspaces.name as workspace_name');

/** Connectors in the database, each visible only within its own organization and workspace. */
export function openConnectors(database: Database, sealing: Sealing, now: () => number, quotas: Quotas): Connectors {
  const { query } = database;
  const all = selectConnectors(database);
  const visible = (scope: Scope) => all.where(connectorsIn(scope));
  const find = async (scope: Scope, id: string, { lock = false } = {}): Promise<ConnectorRow | undefined> => {
    const found = visible(scope).where('connectors.id', '=', id);
    const row = await (lock ? found.forNoKeyUpdate('connectors') : found).executeTakeFirst();
    return row && toConnectorRow(row);
  };
  const requireFreeName = async (workspaceId: string, name: string, except = '') => {
    const sameName = query.selectFrom('connectors').select('id').where('workspace_id', '=', workspaceId);
    if (await sameName.where('name', '=', name).where('id', '<>', except).executeTakeFirst()) {
      throw new StateConflict(`The workspace already has a connector '${name}'.`);
    }
  };

  const tenants = eachWithinOrganization<Omit<Connectors, 'existing'>>({
    create: (scope, { workspaceId, name, type, replicationConfig, settings, credentials, account = null }) =>
      database.transaction(async () => {
        const { organizationId, workspaceId: only = workspaceId } = scope;
        // Locked so that names are assigned one at a time.
        const workspace = lockWorkspace(database, workspaceId).where('organization_id', '=', organizationId);
        if (only !== workspaceId || !(await workspace.executeTakeFirst())) {
          throw new StateConflict('The workspace was deleted.');
        }
        await requireFreeName(workspaceId, name);
        // The lock order is always workspace, then organization.
        await lockOrganization(database, organizationId).execute();
        const id = newId('con');
        const createdAt = new Date(now()).toISOString();
        await query
          .insertInto('connectors')
          .values({
            id,
            organization_id: organizationId,
            workspace_id: workspaceId,
            name,
            type,
            replication_config: serializeConfig(replicationConfig),
            settings: JSON.stringify(settings),
            created_at: createdAt,
            updated_at: createdAt,
            account,
          })
          .execute();
        await checkQuota(database, organizationId, 'connectors', quotas.connectorsPerOrganization);
        if (credentials) await storeCredentials(database, sealing, { id, organizationId }, credentials);
        const row = (await find(scope, id))!;
        if (credentials) await emitEvent(database, row, 'connector.connected', { renewed: false });
        return row;
      }),

    async list(scope, filter) {
      const found = await pageOf(visible(scope), scope, filter).execute();
      const page = found.slice(0, filter.limit).map(toConnectorRow);
      const last = page.at(-1);
      return { rows: page, next: found.length > filter.limit && last ? writeCursor(last) : null };
    },

    async all(scope, workspaceName) {
      const found = await pageOf(visible(scope), scope, { workspaceName }).execute();
      return found.map(toConnectorRow);
    },

    get: (scope, id) => find(scope, id),

    update: (scope, id, changes) =>
      database.transaction(async () => {
        const current = await find(scope, id);
        if (!current) return undefined;
        // Uses the same lock order as `create`.
        await lockWorkspace(database, current.workspaceId).execute();
        const row = await find(scope, id, { lock: true });
        if (!row) return undefined;
        const { name = row.name, replicationConfig = row.replicationConfig, settings = row.settings } = changes;
        await requireFreeName(row.workspaceId, name, id);
        await query
          .updateTable('connectors')
          .set((eb) => ({
            name,
            replication_config: serializeConfig(replicationConfig),
            settings: JSON.stringify(settings),
            // If no account is given with the new credentials, the account is unknown.
            account: changes.credentials ? (changes.account ?? null) : row.account,
            // Changes on every update, even within a millisecond, because it is the cache key for values derived from
            // the row.
            updated_at: new Date(Math.max(now(), Date.parse(row.updatedAt) + 1)).toISOString(),
            credentials_version: eb('credentials_version', '+', changes.credentials ? 1 : 0),
          }))
          .where('id', '=', id)
          .execute();
        await restartReplication(database, id, changes);
        if (changes.credentials) {
          await expirePlans(database, id);
          // A different auth method has different fields, and mixing two methods is rejected.
          const hadCredentials = await query
            .deleteFrom('credentials')
            .where('connector_id', '=', id)
            .executeTakeFirst();
          await storeCredentials(database, sealing, row, changes.credentials);
          const renewed = hadCredentials.numDeletedRows > 0n;
          await emitEvent(database, { ...row, name }, 'connector.connected', { renewed });
        }
        return find(scope, id);
      }),

    delete: (scope, id) =>
      database.transaction(async () => {
        const row = await find(scope, id, { lock: true });
        if (!row) return false;
        await query.deleteFrom('connectors').where('id', '=', id).execute();
        await emitEvent(database, row, 'connector.removed');
        return true;
      }),
  });
  return {
    ...tenants,
    async existing(ids) {
      const found = query.selectFrom('connectors').select('id').where('id', 'in', database.listOf(ids));
      return new Set((await acrossOrganizations(() => found.execute())).map(({ id }) => id));
    },
  };
}

/** Finds a connector by id in any organization: for the service itself, never for a tenant. */
export async function connectorById(database: Database, id: string): Promise<ConnectorRow | undefined> {
  const row = await selectConnectors(database).where('connectors.id', '=', id).executeTakeFirst();
  return row && toConnectorRow(row);
}

/** Locks a workspace until the transaction ends, so that names are assigned one at a time. */
export const lockWorkspace = ({ query }: Database, id: string) =>
  query.selectFrom('workspaces').select('id').where('id', '=', id).forNoKeyUpdate('workspaces');

/** Ends the running replication, whose configuration is outdated, and immediately schedules a new one. */
async function restartReplication(database: Database, id: string, changes: ConnectorChanges): Promise<void> {
  const { replicationConfig, settings, credentials } = changes;
  if (replicationConfig === undefined && !settings && !credentials) return;
  const { query, now } = database;
  await query.updateTable('connectors').set({ sync_at: 0 }).where('id', '=', id).execute();
  await query
    .updateTable('jobs')
    .set({ status: 'cancelled', owner: null, finished_at: now, error: 'The connector was changed.' })
    .where('connector_id', '=', id)
    .where(isOpenJob)
    .execute();
  // The credentials may belong to a different account, which invalidates the sync state.
  if (credentials) {
    const replicas = query.updateTable('replicas').set({ state: null, started_at: null, swept_at: null, renew: 1 });
    await replicas.where('connector_id', '=', id).execute();
  }
}

/** A page of connectors. Conditions are only added as needed, so that each query can use an index. */
function pageOf(
  visible: ReturnType<typeof selectConnectors>,
  { organizationId }: Scope,
  { workspaceName, type, limit, cursor }: Partial<ConnectorFilter>,
) {
  let page = visible.orderBy('connectors.created_at').orderBy('connectors.id');
  if (limit !== undefined) page = page.limit(limit + 1);
  if (workspaceName !== undefined) {
    page = page.where('connectors.workspace_id', '=', ({ selectFrom }) =>
      selectFrom('workspaces as named')
        .select('named.id')
        .where('named.organization_id', '=', organizationId)
        .where('named.name', '=', workspaceName),
    );
  }
  if (type !== undefined) page = page.where('connectors.type', '=', type);
  if (cursor !== undefined) {
    const { createdAt, id } = readCursor(cursor);
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('connectors.created_at', 'connectors.id'), '>', tuple(createdAt, id)),
    );
  }
  return page;
}

const serializeConfig = (config: ConnectorRow['replicationConfig']) =>
  config === null ? null : JSON.stringify(config);

const toConnectorRow = (row: Selectable<Tables['connectors']> & { readonly workspace_name: string }): ConnectorRow => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  name: row.name,
  type: row.type,
  replicationConfig: row.replication_config === null ? null : JSON.parse(row.replication_config),
  settings: JSON.parse(row.settings),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  account: row.account,
  health: row.health,
  credentialsVersion: row.credentials_version,
});

type Fields = Readonly<Record<string, string>>;

/** Seals and stores a connector's fields; call within a transaction. */
async function storeCredentials(
  database: Database,
  sealing: Sealing,
  { id, organizationId }: Pick<ConnectorRow, 'id' | 'organizationId'>,
  fields: Fields,
): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    const { keyId, bytes } = await sealing.seal({ organization: organizationId, owner: id, field }, value);
    const sealed = { key_id: keyId, sealed: bytes };
    await database.query
      .insertInto('credentials')
      .values({ connector_id: id, field, ...sealed })
      .onConflict((conflict) => conflict.columns(['connector_id', 'field']).doUpdateSet(sealed))
      .execute();
  }
}

/** Credentials in the database. */
export function openCredentials(database: Database, sealing: Sealing, leases: Leases): Credentials {
  const { query } = database;
  const load: Credentials['load'] = async (connectorId) => {
    const rows = await query
      .selectFrom('credentials')
      .innerJoin('connectors', 'connectors.id', 'credentials.connector_id')
      .select(['field', 'key_id', 'sealed', 'organization_id as organization'])
      .where('connector_id', '=', connectorId)
      .execute();
    if (rows.length === 0) return undefined;
    const fields: [string, string][] = [];
    for (const { field, organization, ...sealed } of rows) {
      fields.push([field, await sealing.open({ organization, owner: connectorId, field }, sealed)]);
    }
    return Object.fromEntries(fields);
  };
  const rows = eachWithinConnector<Omit<Credentials, 'alone'>>({
    load,
    save: (connectorId, fields, expects) =>
      database.transaction(async () => {
        const connector = query.selectFrom('connectors').select(['id', 'organization_id as organizationId']);
        // Excludes other writers of the credentials, so that what `expects` accepts is what is replaced.
        const row = await connector.where('id', '=', connectorId).forNoKeyUpdate('connectors').executeTakeFirst();
        if (expects && !expects(await load(connectorId))) return false;
        if (!row) {
          throw new StateConflict('The connector was deleted, so its new credentials were not stored.');
        }
        await storeCredentials(database, sealing, row, fields);
        return true;
      }),
  });
  return { ...rows, alone: (connectorId, work) => leases.withLease(connectorId, work) };
}
