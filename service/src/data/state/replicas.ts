import type { Database } from './database.js';
import type { ReplicaChanges, ReplicaRow, ReplicaStatus, Replicas } from './replication-types.js';

interface ReplicaColumns {
  readonly entity: string;
  readonly status: string;
  readonly config_hash: string;
  readonly state: string | null;
  readonly records: number;
  readonly synced_at: number | null;
  readonly swept_at: number | null;
  readonly renew: number;
  readonly error: string | null;
}

const emptyReplica: ReplicaRow = {
  entity: '',
  status: 'initializing',
  configHash: '',
  state: undefined,
  records: 0,
  syncedAt: null,
  sweptAt: null,
  needsReconcile: false,
  error: null,
};

/** The replicas in the database; whoever asks has found the connector in its own scope. */
export const openReplicas = (database: Database): Replicas => ({
  async list(connectorId) {
    const all = 'SELECT * FROM replicas WHERE connector_id = ? ORDER BY entity';
    return (await database.all<ReplicaColumns>(all, connectorId)).map(readReplica);
  },
  get: (connectorId, entity) => find(database, connectorId, entity),
});

/** Stores what has changed of a replica, which is made where there is none; to be called in a transaction. */
export async function storeReplica(
  database: Database,
  connectorId: string,
  entity: string,
  changes: ReplicaChanges,
): Promise<void> {
  const row = { ...emptyReplica, ...(await find(database, connectorId, entity)), ...changes };
  await database.run(
    `INSERT INTO replicas
       (connector_id, entity, status, config_hash, state, records, synced_at, swept_at, renew, error)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     ON CONFLICT (connector_id, entity) DO UPDATE SET
       status = ?3, config_hash = ?4, state = ?5, records = ?6, synced_at = ?7, swept_at = ?8, renew = ?9, error = ?10`,
    connectorId,
    entity,
    row.status,
    row.configHash,
    row.state === undefined ? null : JSON.stringify(row.state),
    row.records,
    row.syncedAt,
    row.sweptAt,
    Number(row.needsReconcile),
    row.error,
  );
}

async function find(database: Database, connectorId: string, entity: string): Promise<ReplicaRow | undefined> {
  const row = await database.get<ReplicaColumns>(
    'SELECT * FROM replicas WHERE connector_id = ? AND entity = ?',
    connectorId,
    entity,
  );
  return row && readReplica(row);
}

const readReplica = (row: ReplicaColumns): ReplicaRow => ({
  entity: row.entity,
  status: row.status as ReplicaStatus,
  configHash: row.config_hash,
  state: row.state === null ? undefined : JSON.parse(row.state),
  records: row.records,
  syncedAt: row.synced_at,
  sweptAt: row.swept_at,
  needsReconcile: row.renew === 1,
  error: row.error,
});
