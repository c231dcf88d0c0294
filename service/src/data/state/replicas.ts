import type { Selectable } from 'kysely';
import { type Database, digestOf, eachWithinConnector, randomText, withinOrganization } from './database.js';
import type { ReplicaChanges, ReplicaRow, Replicas, Unread } from './replication-types.js';
import type { ConnectorRow } from './rows.js';
import type { Tables } from './tables.js';

const emptyReplica: ReplicaRow = {
  entity: '',
  status: 'initializing',
  configHash: '',
  state: undefined,
  records: 0,
  startedAt: null,
  syncedAt: null,
  sweptAt: null,
  needsReconcile: false,
  error: null,
  errorReason: null,
  unread: [],
  fields: null,
};

const maxMessageLength = 300;
/** Records listed in one statement. */
const batchSize = 1000;

/** Replicas in the database; callers have already looked up the connector in their scope. */
export const openReplicas = (database: Database): Replicas => ({
  ...eachWithinConnector<Omit<Replicas, 'countRecords'>>({
    async list(connectorId) {
      return (await replicasOf(database, connectorId).orderBy('entity').execute()).map(readReplica);
    },
    get: (connectorId, entity) => find(database, connectorId, entity),
    async markWritten(connectorId, entity, ids) {
      const write_id = randomText(22);
      await database.query
        .insertInto('written_records')
        .values(ids.map((record_id) => ({ connector_id: connectorId, entity, record_id, write_id })))
        .onConflict((conflict) => conflict.columns(['connector_id', 'entity', 'record_id']).doUpdateSet({ write_id }))
        .execute();
    },
    async written(connectorId, entity) {
      const rows = await database.query
        .selectFrom('written_records')
        .select(['record_id', 'write_id'])
        .where('connector_id', '=', connectorId)
        .where('entity', '=', entity)
        .execute();
      return new Map(rows.map(({ record_id, write_id }) => [record_id, write_id]));
    },
    async confirmWritten(connectorId, entity, writes) {
      await database.query
        .deleteFrom('written_records')
        .where('connector_id', '=', connectorId)
        .where('entity', '=', entity)
        .where('write_id', 'in', database.listOf(writes))
        .execute();
    },
    async unread(connectorId, entity) {
      const rows = await unreadOf(database, connectorId, entity).select('record_id').execute();
      return rows.map(({ record_id }) => record_id);
    },
    updateUnread: (connectorId, entity, { failed = [], resolved = [] }) =>
      database.transaction(async () => {
        const { query } = database;
        const ofEntity = { connector_id: connectorId, entity };
        const outdated = [...resolved, ...failed.map(({ id }) => id)];
        for (let at = 0; at < outdated.length; at += batchSize) {
          await query
            .deleteFrom('unread_records')
            .where('connector_id', '=', connectorId)
            .where('entity', '=', entity)
            .where('record_id', 'in', database.listOf(outdated.slice(at, at + batchSize)))
            .execute();
        }
        const rows = new Map(
          failed.map(({ id, field = null, message }) => [
            id,
            { ...ofEntity, record_id: id, field, message: message.slice(0, maxMessageLength) },
          ]),
        );
        for (const row of rows.values()) await query.insertInto('unread_records').values(row).execute();
        const counts = await unreadOf(database, connectorId, entity)
          .select(({ fn }) => ['field', fn.countAll<number>().as('count'), fn.min('message').as('message')])
          .groupBy('field')
          .orderBy('field')
          .execute();
        const unread: Unread[] = counts.map((row) => ({ ...row, count: Number(row.count) }));
        await query
          .updateTable('replicas')
          .set({ unread: unread.length > 0 ? JSON.stringify(unread) : null })
          .where('connector_id', '=', connectorId)
          .where('entity', '=', entity)
          .execute();
      }),
  }),
  async countRecords(organizationId) {
    const records = database.query
      .selectFrom('replicas')
      .innerJoin('connectors', 'connectors.id', 'replicas.connector_id')
      .where('connectors.organization_id', '=', organizationId)
      .select(({ fn }) => fn.sum<number | null>('replicas.records').as('sum'));
    return Number((await withinOrganization(organizationId, () => records.executeTakeFirstOrThrow())).sum);
  },
});

/** Updates or creates a replica; call within a transaction. */
export async function storeReplica(
  database: Database,
  connectorId: string,
  entity: string,
  changes: ReplicaChanges,
): Promise<void> {
  const row = { ...emptyReplica, ...(await find(database, connectorId, entity)), ...changes };
  const columns = {
    status: row.status,
    config_hash: row.configHash,
    state: row.state === undefined ? null : JSON.stringify(row.state),
    records: row.records,
    started_at: row.startedAt,
    synced_at: row.syncedAt,
    swept_at: row.sweptAt,
    renew: Number(row.needsReconcile),
    error: row.error,
    error_reason: row.errorReason,
    fields: row.fields,
  };
  await database.query
    .insertInto('replicas')
    .values({ connector_id: connectorId, entity, ...columns })
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doUpdateSet(columns))
    .execute();
}

const replicasOf = ({ query }: Database, connectorId: string) =>
  query.selectFrom('replicas').selectAll().where('connector_id', '=', connectorId);

const unreadOf = ({ query }: Database, connectorId: string, entity: string) =>
  query.selectFrom('unread_records').where('connector_id', '=', connectorId).where('entity', '=', entity);

async function find(database: Database, connectorId: string, entity: string): Promise<ReplicaRow | undefined> {
  const row = await replicasOf(database, connectorId).where('entity', '=', entity).executeTakeFirst();
  return row && readReplica(row);
}

const readReplica = (row: Selectable<Tables['replicas']>): ReplicaRow => ({
  entity: row.entity,
  status: row.status,
  configHash: row.config_hash,
  state: row.state === null ? undefined : JSON.parse(row.state),
  records: row.records,
  startedAt: row.started_at,
  syncedAt: row.synced_at,
  sweptAt: row.swept_at,
  needsReconcile: row.renew === 1,
  error: row.error,
  errorReason: row.error_reason,
  unread: row.unread === null ? [] : JSON.parse(row.unread),
  fields: row.fields,
});

type Configuration = Pick<ConnectorRow, 'replicationConfig' | 'settings'>;

/** Identifies the configuration that an entity's records are read with; the choice of entities is not part of it. */
export function configHashOf({ replicationConfig, settings }: Configuration): string {
  const { interval, entities, ...rest } = replicationConfig ?? {};
  return digestOf([rest, settings]);
}

/**
 * Whether all stored records were read with the connector's current configuration and credentials. After a change, this
 * is false until a sync has deleted the others.
 */
export const isCurrent = (row: Configuration, { configHash, needsReconcile }: ReplicaRow): boolean =>
  !needsReconcile && configHash === configHashOf(row);
