import type { Batch, Json, Replica, StoredRecord, Sweep } from 'agent-connectors/replication';
import { untypedId } from '../../data/records/index.js';
import { randomText } from '../../data/state/database.js';
import type { ReplicaRow } from '../../data/state/replication-types.js';
import { currentHolding } from '../limits/memory.js';
import { batchSize } from './refresh.js';
import {
  BatchMerger,
  batchesToStore,
  confirm,
  identifies,
  remove,
  storeBatch,
  supersede,
  unlessWritten,
} from './store-batches.js';
import type { EntityRun, Job } from './types.js';

/** Brings an entity's replica up to date from its current position. */
export async function replicateEntity(job: Job, entity: string): Promise<void> {
  const replica = job.replication.entities[entity]!;
  const row = await openReplica(job, entity);
  const sweep = dueSweep(job, replica, row);
  const readsEverything = replica.sweep === 'all';
  const isFullRead = readsEverything || row.state === undefined;
  const now = job.dependencies.now();
  const run: EntityRun = {
    job,
    entity,
    replica,
    isFullRead,
    // A resumed run does not read again what an earlier attempt has read; its clock may have been ahead.
    startedAt: Math.min((readsEverything ? null : row.startedAt) ?? now, now),
    written: await job.dependencies.state.replicas.allWritten(job.row.id, entity),
    readId: randomText(22),
    state: readsEverything ? undefined : row.state,
    seenIds: sweep || (isFullRead && (readsEverything || row.needsReconcile)) ? new Set() : undefined,
    failedIds: new Set(),
    countedIds: new Set(
      job.progress.of(entity).failed > 0 ? await job.dependencies.state.replicas.unread(job.row.id, entity) : [],
    ),
    hasUnread: row.unread.length > 0,
    removed: 0,
  };
  const { started_at = new Date(job.dependencies.now()).toISOString() } = job.progress.of(entity);
  job.progress.set(entity, { status: 'running', error: null, started_at });
  await job.save(entity, { status: row.syncedAt === null ? 'initializing' : 'updating', error: null });
  const { store } = job.dependencies;
  if (row.syncedAt === null) await store.startLoad(job.collection(entity));
  // Deletions that the rest of a run or a sweep finds may make room; the rest of a first run finds none.
  const isReadToEnd = row.syncedAt !== null || (run.seenIds !== undefined && !sweep);
  try {
    await job.withBackoff(() => readBatches(run, isReadToEnd));
  } finally {
    noteWithheld(run);
  }
  if (sweep) await job.withBackoff(() => runSweep(run, sweep));
  const written = [...run.written.keys()];
  await supersede(run, written);
  const unseen = run.seenIds ? await removeUnseen(run, run.seenIds, row) : undefined;
  await confirm(run, written);
  if (run.storageFull) {
    const { removed, unlisted, unlistedSince } = unseen ?? { ...row, removed: 0 };
    // The next run must know, or it would never remove them and make room.
    await job.save(entity, { unlisted, unlistedSince });
    if (removed + run.removed === 0) throw run.storageFull;
    const { removed: before } = job.progress.of(entity);
    job.progress.set(entity, { removed: before + removed });
    await job.save(entity, { records: await store.count(job.collection(entity)) });
    return replicateEntity(job, entity);
  }
  await forgetUnread(run);
  await store.finishLoad(job.collection(entity));
  if (row.syncedAt === null) await store.settleChanges(job.collection(entity));
  await finish(run, row, await store.count(job.collection(entity)), unseen);
  // A resumed run may have passed changes made before the request.
  if (job.claim.job.reason === 'request' && !readsEverything && row.startedAt !== null) {
    await replicateEntity(job, entity);
  }
}

/** The replica to resume; restarts after a configuration change. */
export async function openReplica(job: Job, entity: string): Promise<ReplicaRow> {
  const { claim, dependencies, plan } = job;
  const { configHash } = plan;
  const known = await dependencies.state.replicas.get(claim.row.id, entity);
  const stored = await dependencies.store.count(job.collection(entity));
  // If the store has lost its records, incremental syncs would never read them again.
  const isLost = stored === 0 && known !== undefined && known.records > 0;
  if (known?.configHash === configHash && !isLost) {
    const fields = dependencies.store.fieldsOf(job.collection(entity));
    if (known.fields === fields) return known;
    const hasAll =
      known.fields === null || dependencies.store.lacking(job.collection(entity), known.fields).length === 0;
    // Another version of the connector has read the records: they are read again, and stay searchable meanwhile.
    await job.save(entity, {
      fields,
      ...(!hasAll && { status: 'initializing', state: undefined, startedAt: null, syncedAt: null }),
    });
    return (await dependencies.state.replicas.get(claim.row.id, entity))!;
  }
  const records = known ? stored - (await removeRecords(job, entity)) : stored;
  await job.save(entity, {
    configHash,
    records,
    status: 'initializing',
    state: undefined,
    startedAt: null,
    error: null,
    fields: dependencies.store.fieldsOf(job.collection(entity)),
    syncedAt: null,
    sweptAt: dependencies.now(),
    // Records that exist without a known state came from another source, such as an import.
    needsReconcile: records > 0,
  });
  return (await dependencies.state.replicas.get(claim.row.id, entity))!;
}

/** The vendor's list of all ids, if deletion detection is due. */
function dueSweep({ claim, dependencies }: Job, { sweep }: Replica, { sweptAt, needsReconcile, records }: ReplicaRow) {
  if (typeof sweep !== 'object') return undefined;
  const everyMs = typeof sweep.everyMs === 'number' ? sweep.everyMs : sweep.everyMs(records);
  const now = dependencies.now();
  // A time in the future was recorded by a clock that has been set back since.
  const due = sweptAt === null || sweptAt > now || now - sweptAt >= everyMs;
  return due || needsReconcile || claim.job.reason === 'request' ? sweep : undefined;
}

async function readBatches(run: EntityRun, isReadToEnd: boolean): Promise<void> {
  const { claim, dependencies } = run.job;
  const merger = new BatchMerger(identifies(run.job, run.entity));
  const source = merger.sourceOf(run.job.source(run.entity, run.state, merger.ended));
  for await (const batches of merger.merge(run.replica.read(source))) {
    for (const batch of await batchesToStore(run.job, batches)) {
      const attributes = { connector_type: claim.row.type, entity: run.entity, records: batch.records?.length ?? 0 };
      await dependencies.telemetry.span('replicate batch', attributes, () => storeBatch(run, batch));
      if (run.storageFull && !isReadToEnd) return;
    }
  }
}

/** Adds to the job's progress what the replica never has. */
function noteWithheld({ job, entity, replica, state }: EntityRun): void {
  const { settings, replicationConfig } = job.row;
  const withheld = replica.withheld?.({ settings, config: replicationConfig ?? {}, state }) ?? [];
  if (withheld.length === 0 && !job.progress.of(entity).withheld) return;
  job.progress.set(entity, { withheld: withheld.map((gap) => (typeof gap === 'string' ? gap : gap.detail)) });
}

/** Forgets unread records that a run would have found again if they still existed. */
async function forgetUnread(run: EntityRun): Promise<void> {
  const { job, entity, isFullRead, seenIds, failedIds, hasUnread } = run;
  if (!hasUnread || (!isFullRead && !seenIds)) return;
  const { replicas } = job.dependencies.state;
  const ids = await replicas.unread(job.row.id, entity);
  const gone = ids.filter((id) => !failedIds.has(id) && (isFullRead || !seenIds?.has(id)));
  if (gone.length > 0) await replicas.updateUnread(job.row.id, entity, { resolved: gone });
}

async function finish(
  { job, entity, replica, isFullRead, startedAt, seenIds }: EntityRun,
  row: ReplicaRow,
  records: number,
  unseen: Unseen | undefined,
): Promise<void> {
  const { claim, dependencies, progress } = job;
  const { removed, unlisted, unlistedSince } = unseen ?? { ...row, removed: 0 };
  // A resumed run cannot tell whether earlier records belong to the current account.
  const needsReconcile = row.needsReconcile && !seenIds;
  const before = progress.of(entity);
  progress.set(entity, { status: 'done', progress: 1, removed: before.removed + removed, error: null });
  if (removed > 0) dependencies.metrics.replication({ type: claim.row.type, entity }, { removed });
  await job.save(entity, {
    status: 'ready',
    error: null,
    errorReason: null,
    startedAt: null,
    syncedAt: startedAt,
    records,
    needsReconcile,
    unlisted,
    unlistedSince,
    // A list that has to be confirmed is read again by the next run.
    ...(seenIds && unlisted === null && { sweptAt: dependencies.now() }),
    ...(needsReconcile && !isFullRead && typeof replica.sweep !== 'object' && { state: undefined }),
  });
}

/** Lists all ids, and reads the records that the replica does not have. */
async function runSweep(run: EntityRun, sweep: Exclude<Sweep, 'all'>): Promise<void> {
  const { job, entity, seenIds = new Set<string>() } = run;
  for await (const page of sweep.ids(job.source(entity, run.state))) {
    await job.requireClaim();
    const { ids, records, failed = [] } = 'ids' in page ? page : { ids: page, records: [], failed: [] };
    const batch = { records, failed, state: run.state as Json, progress: 1 };
    if (records.length + failed.length > 0) await storeRead(run, batch);
    for (const id of ids) seenIds.add(id);
    currentHolding()?.reset(0);
  }
  if (!sweep.read) return;
  const missing = new Set(seenIds);
  for await (const id of job.dependencies.store.ids(job.collection(entity))) missing.delete(id);
  const ids = [...missing];
  for (let at = 0; at < ids.length && !run.storageFull; at += idsPerRead) {
    const batch = await sweep.read(job.source(entity, run.state), ids.slice(at, at + idsPerRead));
    await storeRead(run, { ...batch, state: run.state as Json, progress: 1 });
  }
}

/** Stores what was read alone, and releases the memory that is reserved for it. */
async function storeRead(run: EntityRun, batch: Batch): Promise<void> {
  await storeBatch(run, batch);
  currentHolding()?.reset(0);
}

/** Maximum number of records that a sweep reads at once. */
const idsPerRead = 100;

/** What became of the records that a run has not seen. */
interface Unseen {
  readonly removed: number;
  /** Number of records that stay until another run confirms that the vendor no longer lists them; null if none. */
  readonly unlisted: number | null;
  /** When a list first lacked them, by id, if that decides when they are removed. */
  readonly unlistedSince: ReplicaRow['unlistedSince'];
}

/** Least time between two lists that show together that a record is gone. */
const confirmAfterMs = 60_000;

/** Up to this many records are removed without waiting for another run. */
const maxUnconfirmed = 20;

/**
 * Deletes the records that a run has not seen.
 *
 * They may exist nevertheless: a list that shrinks while it is read skips records, and a vendor with a fault may return
 * an empty one. Therefore, they are looked up, or the list is read once more; and if most of a replica would vanish, the
 * next run must agree.
 */
async function removeUnseen(run: EntityRun, seenIds: Set<string>, row: ReplicaRow): Promise<Unseen> {
  const { job, entity } = run;
  // Lists of ids contain texts, whatever the type of the key.
  const isListed = (id: string) => typeof run.replica.sweep === 'object' && seenIds.has(untypedId(id));
  const unseen = () => idsExcept(job, entity, (id) => seenIds.has(id) || isListed(id));
  let ids = await unseen();
  // The records of another account are not listed by this one.
  const { sweep } = run.replica;
  let unlistedSince: ReplicaRow['unlistedSince'] = {};
  if (!row.needsReconcile && ids.length > 0 && typeof sweep === 'object' && sweep.controlRead) {
    unlistedSince = await unconfirmed(run, sweep.controlRead, seenIds, ids, row);
    ids = ids.filter((id) => !Object.hasOwn(unlistedSince, id));
  } else if (!row.needsReconcile && ids.length > 0) {
    const stored = await job.dependencies.store.count(job.collection(entity));
    const isMost = ids.length > maxUnconfirmed && ids.length > stored / 2;
    if (isMost && row.unlisted === null) return { removed: 0, unlisted: ids.length, unlistedSince };
    if (!isMost) {
      await job.withBackoff(() => lookForUnseen(run, seenIds, ids));
      ids = await unseen();
    }
  }
  const removed = await removeInBatches(job, ids, (batch) =>
    unlessWritten(run, batch, (isNewer) =>
      remove(
        job,
        entity,
        batch.filter((id) => !isNewer(id)),
      ),
    ),
  );
  return { removed, unlisted: Object.keys(unlistedSince).length || null, unlistedSince };
}

/** Those of the records a list lacks that an earlier list does not confirm, with the time when one first lacked them. */
async function unconfirmed(
  run: EntityRun,
  controlRead: NonNullable<Exclude<Sweep, 'all'>['controlRead']>,
  listed: ReadonlySet<string>,
  ids: readonly string[],
  { unlistedSince }: ReplicaRow,
): Promise<Record<string, number>> {
  const { job, entity, startedAt } = run;
  const now = job.dependencies.now();
  // A time in the future was recorded by a clock that has been set back since.
  const since = new Map(ids.map((id) => [id, Math.min(unlistedSince[id] ?? now, now)]));
  const isOld = (id: string) => startedAt - since.get(id)! >= confirmAfterMs;
  const isProven = ids.some(isOld) && (await controlRead(job.source(entity, run.state), listed));
  return Object.fromEntries([...since].filter(([id]) => !isProven || !isOld(id)));
}

/** Number of records looked up at a time. */
const lookupSize = 200;

/** Adds the ids that still exist to `seenIds`. */
async function lookForUnseen(run: EntityRun, seenIds: Set<string>, ids: readonly string[]): Promise<void> {
  const { job, entity, replica, state } = run;
  const { lookup, sweep } = replica;
  if (lookup) {
    for (let at = 0; at < ids.length; at += lookupSize) {
      const { records, failed = [] } = await lookup.read(job.source(entity, run.state), ids.slice(at, at + lookupSize));
      for (const { id } of failed) seenIds.add(id);
      await storeRead(run, { records, failed, state: state ?? null });
    }
  } else if (typeof sweep === 'object') {
    await runSweep(run, { ...sweep, read: undefined });
  } else {
    const { store } = job.dependencies;
    const collection = job.collection(entity);
    for await (const { records = [] } of replica.read(job.source(entity, undefined))) {
      const isNew = (record: StoredRecord) =>
        store.hasId(collection, record) && !seenIds.has(store.idOf(collection.type, entity, record));
      await storeRead(run, { records: records.filter(isNew), state: state ?? null });
    }
  }
}

/** Deletes all records of an entity. */
export async function removeRecords(job: Job, entity: string): Promise<number> {
  const ids = await idsExcept(job, entity, () => false);
  return removeInBatches(job, ids, (batch) => remove(job, entity, batch));
}

/** Ids of an entity's stored records without the excepted ones. */
async function idsExcept(job: Job, entity: string, isExcepted: (id: string) => boolean): Promise<string[]> {
  const { store } = job.dependencies;
  const collection = job.collection(entity);
  // An older release of the type may have had entities that no longer exist in the store.
  if (!store.entities.some((one) => one.type === collection.type && one.entity === entity)) return [];
  const ids: string[] = [];
  for await (const id of store.ids(collection)) if (!isExcepted(id)) ids.push(id);
  return ids;
}

async function removeInBatches(
  job: Job,
  ids: readonly string[],
  removeBatch: (ids: readonly string[]) => Promise<number>,
): Promise<number> {
  let removed = 0;
  for (let at = 0; at < ids.length; at += batchSize) {
    await job.requireClaim();
    removed += await removeBatch(ids.slice(at, at + batchSize));
  }
  return removed;
}
