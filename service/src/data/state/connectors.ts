import { type Database, newId, readCursor, type Value, writeCursor } from './database.js';
import type { Leases } from './leases.js';
import { type ConnectorRow, type Scope, StateConflict } from './rows.js';
import type { SealedColumns, Sealing } from './sealing.js';
import type { ConnectorChanges, ConnectorFilter, Connectors, Credentials } from './types.js';

interface Columns {
  readonly id: string;
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly name: string;
  readonly type: string;
  readonly replication_config: string | null;
  readonly settings: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const selectConnectors = `SELECT connectors.*, workspaces.name AS workspace_name
  FROM connectors JOIN workspaces ON workspaces.id = connectors.workspace_id`;
// In front of every query, so that none can be written without them.
const visible = ({ workspaceId }: Scope) =>
  `connectors.organization_id = ?1${workspaceId === undefined ? '' : ' AND connectors.workspace_id = ?3'}`;
const inWorkspace = ({ workspaceId }: Scope) => (workspaceId === undefined ? [] : [workspaceId]);

/** The connectors in the database, each seen from its own organisation and workspace alone. */
export function openConnectors(database: Database, sealing: Sealing, now: () => number): Connectors {
  const { forUpdate, textsIn } = database.dialect;
  const find = async (scope: Scope, id: string, lock = false): Promise<ConnectorRow | undefined> => {
    const query = `${selectConnectors} WHERE ${visible(scope)} AND connectors.id = ?2${lock ? forUpdate('connectors') : ''}`;
    const row = await database.get<Columns>(query, scope.organizationId, id, ...inWorkspace(scope));
    return row && toConnectorRow(row);
  };
  const requireFreeName = async (workspaceId: string, name: string, except = '') => {
    const sameName = 'SELECT 1 FROM connectors WHERE workspace_id = ? AND name = ? AND id <> ?';
    if (await database.get(sameName, workspaceId, name, except)) {
      throw new StateConflict(`The workspace has a connector '${name}' already.`);
    }
  };

  return {
    create: (scope, { workspaceId, name, type, replicationConfig, settings, credentials }) =>
      database.transaction(async () => {
        const { organizationId, workspaceId: only = workspaceId } = scope;
        // Held, so that names are given out one after the other.
        const workspace = `SELECT 1 FROM workspaces WHERE organization_id = ? AND id = ?${forUpdate('workspaces')}`;
        if (only !== workspaceId || !(await database.get(workspace, organizationId, workspaceId))) {
          throw new StateConflict('The workspace does not exist any more.');
        }
        await requireFreeName(workspaceId, name);
        const id = newId('con');
        await database.run(
          `INSERT INTO connectors
             (id, organization_id, workspace_id, name, type, replication_config, settings, created_at, updated_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)`,
          id,
          organizationId,
          workspaceId,
          name,
          type,
          serializeConfig(replicationConfig),
          JSON.stringify(settings),
          new Date(now()).toISOString(),
        );
        if (credentials) await storeCredentials(database, sealing, id, credentials);
        return (await find(scope, id))!;
      }),

    async list(scope, filter) {
      const { query, values } = listQuery(scope, filter);
      const found = await database.all<Columns>(query, ...values);
      const page = found.slice(0, filter.limit).map(toConnectorRow);
      const last = page.at(-1);
      return { rows: page, next: found.length > filter.limit && last ? writeCursor(last) : null };
    },

    get: (scope, id) => find(scope, id),

    update: (scope, id, changes) =>
      database.transaction(async () => {
        const current = await find(scope, id);
        if (!current) return undefined;
        // In this order, as where one is made.
        await database.get(`SELECT 1 FROM workspaces WHERE id = ?${forUpdate('workspaces')}`, current.workspaceId);
        const row = await find(scope, id, true);
        if (!row) return undefined;
        const { name = row.name, replicationConfig = row.replicationConfig, settings = row.settings } = changes;
        await requireFreeName(row.workspaceId, name, id);
        await database.run(
          'UPDATE connectors SET name = ?2, replication_config = ?3, settings = ?4, updated_at = ?5 WHERE id = ?1',
          id,
          name,
          serializeConfig(replicationConfig),
          JSON.stringify(settings),
          // Another at each change, even within a millisecond: what is made of a row is kept while it stays.
          new Date(Math.max(now(), Date.parse(row.updatedAt) + 1)).toISOString(),
        );
        await restartReplication(database, id, changes);
        if (changes.credentials) {
          // Another way to authorise has other fields, and those of two ways at once are refused.
          await database.run('DELETE FROM credentials WHERE connector_id = ?', id);
          await storeCredentials(database, sealing, id, changes.credentials);
        }
        return find(scope, id);
      }),

    async delete(scope, id) {
      const deleted = `DELETE FROM connectors WHERE ${visible(scope)} AND id = ?2`;
      return (await database.run(deleted, scope.organizationId, id, ...inWorkspace(scope))) > 0;
    },

    async existing(ids) {
      const found = `SELECT id FROM connectors WHERE id IN (${textsIn('?')})`;
      const rows = await database.all<{ id: string }>(found, JSON.stringify(ids));
      return new Set(rows.map(({ id }) => id));
    },
  };
}

/** The connector with this id, whoever's it is: for the service itself, never for a tenant. */
export async function connectorById(database: Database, id: string): Promise<ConnectorRow | undefined> {
  const row = await database.get<Columns>(`${selectConnectors} WHERE connectors.id = ?`, id);
  return row && toConnectorRow(row);
}

/** Ends the replication that is under way with what has changed, and has another begin at once. */
async function restartReplication(database: Database, id: string, changes: ConnectorChanges): Promise<void> {
  const { replicationConfig, settings, credentials } = changes;
  if (replicationConfig === undefined && !settings && !credentials) return;
  await database.run('UPDATE connectors SET sync_at = 0 WHERE id = ?', id);
  await database.run(
    `UPDATE jobs SET status = 'cancelled', owner = NULL, finished_at = :now, error = 'The connector was changed.'
     WHERE connector_id = ? AND status IN ('queued', 'running')`,
    id,
  );
  // They may be another account's, of which what was read so far says nothing.
  if (credentials) {
    await database.run('UPDATE replicas SET state = NULL, swept_at = NULL, renew = 1 WHERE connector_id = ?', id);
  }
}

/** A page of connectors: only the conditions that are asked for, each of which an index then serves. */
function listQuery({ organizationId, workspaceId }: Scope, { workspaceName, type, limit, cursor }: ConnectorFilter) {
  const values: Value[] = [];
  const parameter = (value: Value) => `?${values.push(value)}`;
  const conditions = [`connectors.organization_id = ${parameter(organizationId)}`];
  if (workspaceId !== undefined) conditions.push(`connectors.workspace_id = ${parameter(workspaceId)}`);
  if (workspaceName !== undefined) {
    const workspaceQuery = `SELECT id FROM workspaces WHERE organization_id = ?1 AND name = ${parameter(workspaceName)}`;
    conditions.push(`connectors.workspace_id = (${workspaceQuery})`);
  }
  if (type !== undefined) conditions.push(`connectors.type = ${parameter(type)}`);
  if (cursor !== undefined) {
    const { createdAt, id } = readCursor(cursor);
    conditions.push(`(connectors.created_at, connectors.id) > (${parameter(createdAt)}, ${parameter(id)})`);
  }
  const order = `ORDER BY connectors.created_at, connectors.id LIMIT ${parameter(limit + 1)}`;
  return { query: `${selectConnectors} WHERE ${conditions.join(' AND ')} ${order}`, values };
}

const serializeConfig = (config: ConnectorRow['replicationConfig']) =>
  config === null ? null : JSON.stringify(config);

const toConnectorRow = (row: Columns): ConnectorRow => ({
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
});

type Fields = Readonly<Record<string, string>>;

interface CredentialColumns extends SealedColumns {
  readonly field: string;
}

/** Seals fields of a connector and stores them; to be called in a transaction. */
async function storeCredentials(
  database: Database,
  sealing: Sealing,
  connectorId: string,
  fields: Fields,
): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    const { keyId, bytes } = await sealing.seal({ owner: connectorId, field }, value);
    await database.run(
      `INSERT INTO credentials (connector_id, field, key_id, sealed) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (connector_id, field) DO UPDATE SET key_id = ?3, sealed = ?4`,
      connectorId,
      field,
      keyId,
      bytes,
    );
  }
}

/** The credentials in the database. */
export function openCredentials(database: Database, sealing: Sealing, leases: Leases): Credentials {
  return {
    async load(connectorId) {
      const rows = await database.all<CredentialColumns>(
        'SELECT field, key_id, sealed FROM credentials WHERE connector_id = ?',
        connectorId,
      );
      if (rows.length === 0) return undefined;
      return Object.fromEntries(
        rows.map((row) => [row.field, sealing.open({ owner: connectorId, field: row.field }, row)]),
      );
    },
    save: (connectorId, fields) =>
      database.transaction(async () => {
        const connector = `SELECT 1 FROM connectors WHERE id = ?${database.dialect.forKeyShare('connectors')}`;
        if (!(await database.get(connector, connectorId))) {
          throw new StateConflict('The connector was deleted meanwhile, so its new credentials were not stored.');
        }
        await storeCredentials(database, sealing, connectorId, fields);
      }),
    alone: (connectorId, work) => leases.withLease(connectorId, work),
  };
}
