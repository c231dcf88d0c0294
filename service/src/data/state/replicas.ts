import { type Selectable, sql } from 'kysely';
import { digestOf } from './canonical-json.js';
import { acrossOrganizations, type Database, eachWithinConnector, randomText, withinOrganization } from './database.js';
import { type Processes, selectAlive } from './processes.js';
import type { ReplicaChanges, ReplicaRow, Replicas, Unread, WriteIds, WrittenRecords } from './replication-types.js';
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
  unlisted: null,
  unlistedSince: {},
  fields: null,
};

/** Longest message of a failure that is stored. */
export const maxMessageLength = 300;
/** What unread records are counted by. */
const causes = ['field', 'state', 'cause', 'permanent'] as const;
/** Records listed in one statement. */
const batchSize = 1000;

/** Marks records as written; call with access to their connectors. */
export type MarkRecords = (written: readonly WrittenRecords[]) => Promise<void>;

/** Marks of records that this process reads back; records of entities without a replica are not marked. */
export function openMarks(database: Database, { ownId }: Pick<Processes, 'ownId'>): MarkRecords {
  const { query } = database;
  const columns = ['connector_id', 'entity', 'record_id', 'write_id', 'status', 'process_id'] as const;
  const types = Object.fromEntries(columns.map((name) => [name, 'text'] as const));
  const insert = database.forRows<Record<(typeof columns)[number], string>>(
    types as Record<(typeof columns)[number], 'text'>,
    (rows) =>
      query
        .insertInto('written_records')
        .columns(columns)
        .expression(
          query
            .selectFrom(rows)
            .innerJoin('replicas', (join) =>
              join
                .onRef('replicas.connector_id', '=', 'rows.connector_id')
                .onRef('replicas.entity', '=', 'rows.entity'),
            )
            .select(columns.map((name) => `rows.${name}` as const))
            // SQLite would take `on conflict` for the condition of a join.
            .where(sql<boolean>`true`),
        )
        .onConflict((conflict) =>
          conflict.columns(['connector_id', 'entity', 'record_id']).doUpdateSet(({ ref }) => ({
            write_id: ref('excluded.write_id'),
            status: ref('excluded.status'),
            process_id: ref('excluded.process_id'),
          })),
        ),
  );
  return async (written) => {
    const rows = written.flatMap(({ connectorId, entity, ids }) => {
      const mark = {
        connector_id: connectorId,
        entity,
        write_id: randomText(22),
        status: 'pending',
        process_id: ownId,
      };
      return ids.map((record_id) => ({ ...mark, record_id }));
    });
    // A statement cannot change a row twice, and sorted rows avoid deadlocks.
    const keyOf = ({ connector_id, entity, record_id }: (typeof rows)[number]) =>
      JSON.stringify([connector_id, entity, record_id]);
    const newest = new Map(rows.map((row) => [keyOf(row), row]));
    await insert([...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row));
  };
}

/** Replicas in the database; callers have already looked up the connector in their scope. */
export const openReplicas = (database: Database, mark: MarkRecords): Replicas => ({
  ...eachWithinConnector<Omit<Replicas, 'abandoned' | 'countRecords'>>({
    async list(connectorId) {
      return (await replicasOf(database, connectorId).orderBy('entity').execute()).map(readReplica);
    },
    get: (connectorId, entity) => find(database, connectorId, entity),
    markWritten: (connectorId, entity, ids) => mark([{ connectorId, entity, ids }]),
    written: async (connectorId, entity, ids) =>
      readWriteIds(
        await marksOf(database, connectorId, entity).where('record_id', 'in', database.listOf(ids)).execute(),
      ),
    allWritten: async (connectorId, entity) => readWriteIds(await marksOf(database, connectorId, entity).execute()),
    async unstored(connectorId) {
      const unstored = database.query
        .selectFrom('written_records')
        .select(['entity', 'record_id as id', 'write_id as writeId', 'status'])
        .where('connector_id', '=', connectorId)
        .where(isUnstored)
        .$narrowType<{ status: 'pending' | 'failed' }>();
      return unstored.execute();
    },
    async noteRead(connectorId, entity, writes, status) {
      await updateOf(database, connectorId, entity, writes).set({ status, process_id: '' }).execute();
    },
    async replaceWrites(connectorId, entity, writes, write_id) {
      await updateOf(database, connectorId, entity, writes).set({ write_id }).execute();
    },
    async confirmWritten(connectorId, entity, ids, writeId) {
      await database.query
        .deleteFrom('written_records')
        .where('connector_id', '=', connectorId)
        .where('entity', '=', entity)
        .where('record_id', 'in', database.listOf(ids))
        .where('write_id', '=', writeId)
        .execute();
    },
    async unread(connectorId, entity) {
      const rows = await unreadOf(database, connectorId, entity).select('record_id').execute();
      return rows.map(({ record_id }) => record_id);
    },
    async addToCount(connectorId, entity, added) {
      await database.query
        .updateTable('replicas')
        .set(({ eb }) => ({ records: eb('records', '+', added) }))
        .where('connector_id', '=', connectorId)
        .where('entity', '=', entity)
        .execute();
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
          failed.map(({ id, field = null, message, state = null, cause = null, permanent }) => [
            id,
            {
              ...ofEntity,
              record_id: id,
              field,
              message: message.slice(0, maxMessageLength),
              state,
              cause,
              permanent: Number(permanent ?? false),
            },
          ]),
        );
        const added = [...rows.values()];
        for (let at = 0; at < added.length; at += batchSize) {
          await query
            .insertInto('unread_records')
            .values(added.slice(at, at + batchSize))
            .execute();
        }
        const counts = await unreadOf(database, connectorId, entity)
          .select(({ fn }) => [...causes, fn.countAll<number>().as('count'), fn.min('message').as('message')])
          .groupBy(causes)
          .orderBy('permanent')
          .orderBy('field')
          .orderBy('state')
          .orderBy('cause')
          .execute();
        const unread = counts.map(
          ({ count, permanent, ...row }): Unread => ({
            ...row,
            count: Number(count),
            permanent: Number(permanent) === 1,
          }),
        );
        await query
          .updateTable('replicas')
          .set({ unread: unread.length > 0 ? JSON.stringify(unread) : null })
          .where('connector_id', '=', connectorId)
          .where('entity', '=', entity)
          .execute();
      }),
  }),
  async abandoned() {
    const abandoned = database.query
      .selectFrom('written_records')
      .innerJoin('connectors', 'connectors.id', 'written_records.connector_id')
      .select(['connectors.id', 'organization_id as organizationId'])
      .distinct()
      .where(isUnstored)
      .where('status', '=', 'pending')
      .where('process_id', 'not in', selectAlive(database).select('id'));
    return acrossOrganizations(() => abandoned.execute());
  },
  async countRecords(organizationId) {
    const records = database.query
      .selectFrom('replicas')
      .innerJoin('connectors', 'connectors.id', 'replicas.connector_id')
      .where('connectors.organization_id', '=', organizationId)
      .select(({ fn }) => fn.sum<number | null>('replicas.records').as('sum'));
    return Number((await withinOrganization(organizationId, () => records.executeTakeFirstOrThrow())).sum);
  },
});

const marksOf = ({ query }: Database, connectorId: string, entity: string) =>
  query
    .selectFrom('written_records')
    .select(['record_id', 'write_id'])
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity);

/** An update of the marks of these writes; a record with a later write has another one. */
const updateOf = (database: Database, connectorId: string, entity: string, writes: WriteIds) =>
  database.query
    .updateTable('written_records')
    .where('connector_id', '=', connectorId)
    .where('entity', '=', entity)
    .where('record_id', 'in', database.listOf([...writes.keys()]))
    .where('write_id', 'in', database.listOf([...new Set(writes.values())]));

const readWriteIds = (rows: ReadonlyArray<{ readonly record_id: string; readonly write_id: string }>): WriteIds =>
  new Map(rows.map(({ record_id, write_id }) => [record_id, write_id]));

/** In the words of the index, which a bound value would not match. */
const isUnstored = sql<boolean>`written_records.status <> 'stored'`;

/** Updates or creates a replica; call within a transaction. */
export async function storeReplica(
  database: Database,
  connectorId: string,
  entity: string,
  { recordsAdded = 0, ...changes }: ReplicaChanges,
): Promise<void> {
  const row = { ...emptyReplica, ...(await find(database, connectorId, entity)), ...changes };
  const columns = {
    status: row.status,
    config_hash: row.configHash,
    state: row.state === undefined ? null : JSON.stringify(row.state),
    records: row.records + recordsAdded,
    started_at: row.startedAt,
    synced_at: row.syncedAt,
    swept_at: row.sweptAt,
    renew: Number(row.needsReconcile),
    error: row.error,
    error_reason: row.errorReason,
    fields: row.fields,
    unlisted: row.unlisted,
    unlisted_since: Object.keys(row.unlistedSince).length === 0 ? null : JSON.stringify(row.unlistedSince),
  };
  await database.query
    .insertInto('replicas')
    .values({ connector_id: connectorId, entity, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['connector_id', 'entity']).doUpdateSet(({ eb }) => ({
        ...columns,
        // Records may be erased, by another process, while a page is stored.
        ...(changes.records === undefined && { records: eb('replicas.records', '+', recordsAdded) }),
      })),
    )
    .execute();
}

/** Marks the replicas whose last attempt failed, because their job has failed. */
export async function failReplicas({ query }: Database, connectorId: string): Promise<void> {
  await query
    .updateTable('replicas')
    .set({ status: 'failed' })
    .where('connector_id', '=', connectorId)
    .where('error', 'is not', null)
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
  // Records erased right after they were stored are not counted yet.
  records: Math.max(0, row.records),
  startedAt: row.started_at,
  syncedAt: row.synced_at,
  sweptAt: row.swept_at,
  needsReconcile: row.renew === 1,
  error: row.error,
  errorReason: row.error_reason,
  unread: row.unread === null ? [] : JSON.parse(row.unread),
  unlisted: row.unlisted,
  unlistedSince: row.unlisted_since === null ? {} : JSON.parse(row.unlisted_since),
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
