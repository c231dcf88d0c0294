import { storeCredentials } from './credentials.js';
import { readCursor, writeCursor } from './cursor.js';
import type { Database } from './database.js';
import { newId } from './identifiers.js';
import type { Sealing } from './sealing.js';
import {
  type ConnectorChanges,
  type ConnectorFilter,
  type ConnectorRow,
  type Connectors,
  type Scope,
  StateConflict,
} from './types.js';

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

const rows = `SELECT connectors.*, workspaces.name AS workspace_name
  FROM connectors JOIN workspaces ON workspaces.id = connectors.workspace_id`;
// In front of every query, so that none can be written without them.
const visible = ({ workspaceId }: Scope) =>
  `connectors.organization_id = ?1${workspaceId === undefined ? '' : ' AND connectors.workspace_id = ?2'}`;
const values = ({ organizationId, workspaceId }: Scope) => [organizationId, workspaceId ?? null] as const;

/** The connectors in the database, each seen from its own organisation and workspace alone. */
export function openConnectors(database: Database, sealing: Sealing, now: () => number): Connectors {
  const find = (scope: Scope, id: string): ConnectorRow | undefined => {
    const row = database.get<Columns>(`${rows} WHERE ${visible(scope)} AND connectors.id = ?3`, ...values(scope), id);
    return row && read(row);
  };
  const refuseTaken = (workspaceId: string, name: string, except = '') => {
    const taken = 'SELECT 1 FROM connectors WHERE workspace_id = ? AND name = ? AND id <> ?';
    if (database.get(taken, workspaceId, name, except)) {
      throw new StateConflict(`The workspace has a connector '${name}' already.`);
    }
  };

  return {
    create: (scope, { workspaceId, name, type, replicationConfig, settings, credentials }) =>
      database.transaction(() => {
        const workspace = 'SELECT 1 FROM workspaces WHERE organization_id = ?1 AND (?2 IS NULL OR id = ?2) AND id = ?3';
        if (!database.get(workspace, ...values(scope), workspaceId)) {
          throw new StateConflict('The workspace does not exist any more.');
        }
        refuseTaken(workspaceId, name);
        const id = newId('con');
        database.run(
          `INSERT INTO connectors
             (id, organization_id, workspace_id, name, type, replication_config, settings, created_at, updated_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)`,
          id,
          scope.organizationId,
          workspaceId,
          name,
          type,
          write(replicationConfig),
          JSON.stringify(settings),
          new Date(now()).toISOString(),
        );
        if (credentials) storeCredentials(database, sealing, id, credentials);
        return find(scope, id)!;
      }),

    list(scope, filter) {
      const found = database.all<Columns>(listQuery(scope, filter), ...listValues(scope, filter));
      const page = found.slice(0, filter.limit).map(read);
      const last = page.at(-1);
      return { rows: page, next: found.length > filter.limit && last ? writeCursor(last) : null };
    },

    get: find,

    update: (scope, id, changes) =>
      database.transaction(() => {
        const row = find(scope, id);
        if (!row) return undefined;
        const { name = row.name, replicationConfig = row.replicationConfig, settings = row.settings } = changes;
        refuseTaken(row.workspaceId, name, id);
        database.run(
          `UPDATE connectors SET name = ?4, replication_config = ?5, settings = ?6, updated_at = ?7
           WHERE ${visible(scope)} AND id = ?3`,
          ...values(scope),
          id,
          name,
          write(replicationConfig),
          JSON.stringify(settings),
          // Another at each change, even within a millisecond: what is made of a row is kept while it stays.
          new Date(Math.max(now(), Date.parse(row.updatedAt) + 1)).toISOString(),
        );
        beginAgain(database, id, changes, now());
        if (changes.credentials) {
          // Another way to authorise has other fields, and those of two ways at once are refused.
          database.run('DELETE FROM credentials WHERE connector_id = ?', id);
          storeCredentials(database, sealing, id, changes.credentials);
        }
        return find(scope, id);
      }),

    delete: (scope, id) =>
      database.run(`DELETE FROM connectors WHERE ${visible(scope)} AND id = ?3`, ...values(scope), id) > 0,

    existing(ids) {
      const found = 'SELECT id FROM connectors WHERE id IN (SELECT value FROM json_each(?))';
      return new Set(database.all<{ id: string }>(found, JSON.stringify(ids)).map(({ id }) => id));
    },
  };
}

/** The connector with this id, whoever's it is: for the service itself, never for a tenant. */
export function connectorById(database: Database, id: string): ConnectorRow | undefined {
  const row = database.get<Columns>(`${rows} WHERE connectors.id = ?`, id);
  return row && read(row);
}

/** Ends the replication that is under way with what has changed, and has another begin at once. */
function beginAgain(database: Database, id: string, changes: ConnectorChanges, at: number): void {
  const { replicationConfig, settings, credentials } = changes;
  if (replicationConfig === undefined && !settings && !credentials) return;
  database.run('UPDATE connectors SET sync_at = 0 WHERE id = ?', id);
  database.run(
    `UPDATE jobs SET status = 'cancelled', owner = NULL, finished_at = ?, error = 'The connector was changed.'
     WHERE connector_id = ? AND status IN ('queued', 'running')`,
    at,
    id,
  );
  // They may be another account's, of which what was read so far says nothing.
  if (credentials) {
    database.run('UPDATE replicas SET state = NULL, swept_at = NULL, renew = 1 WHERE connector_id = ?', id);
  }
}

// Only the conditions that are asked for, each of which an index then serves.
const listQuery = (scope: Scope, { workspaceName, type, cursor }: ConnectorFilter) =>
  [
    `${rows} WHERE ${visible(scope)}`,
    workspaceName !== undefined &&
      'connectors.workspace_id = (SELECT id FROM workspaces WHERE organization_id = ?1 AND name = ?3)',
    type !== undefined && 'connectors.type = ?4',
    cursor !== undefined && '(connectors.created_at, connectors.id) > (?6, ?7)',
  ]
    .filter((condition) => condition !== false)
    .join(' AND ')
    .concat(' ORDER BY connectors.created_at, connectors.id LIMIT ?5');

function listValues(scope: Scope, { workspaceName, type, limit, cursor }: ConnectorFilter) {
  const filtered = [...values(scope), workspaceName ?? null, type ?? null, limit + 1];
  if (cursor === undefined) return filtered;
  const { createdAt, id } = readCursor(cursor);
  return [...filtered, createdAt, id];
}

const write = (config: ConnectorRow['replicationConfig']) => (config === null ? null : JSON.stringify(config));

const read = (row: Columns): ConnectorRow => ({
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
