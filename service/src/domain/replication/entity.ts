import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, Failure, Json, Replica, Source, StoredRecord, Sweep } from 'agent-connectors/replication';
import { untypedId } from '../../data/records/index.js';
import { digestOf } from '../../data/state/canonical-json.js';
import { randomText } from '../../data/state/database.js';
import type { ReplicaRow, WriteIds } from '../../data/state/replication-types.js';
import { currentHolding } from '../limits/memory.js';
import { isFailure, isRateLimit, JobDeferredError, JobStoppedError, StorageFullError } from './faults.js';
import { BatchMerger, batchesToStore } from './merge-batches.js';
import { batchSize, refreshRecords, requireRoom } from './refresh.js';
import type { Job } from './types.js';

/** One replication run for an entity: its position and what it tracks besides the records. */
interface EntityRun {
  readonly job: Job;
  readonly entity: string;
  readonly replica: Replica;
  /** Milliseconds since 1970. The vendor's changes until then are in the replica once the run is done. */
  readonly startedAt: number;
  /** Where to resume; advances with each stored batch. */
  state: Json | undefined;
  /** Whether it started from the beginning. */
  readonly isFullRead: boolean;
  /** Ids seen at the vendor, if the run detects deletions. */
  readonly seenIds: Set<string> | undefined;
  /** Records written through the service before the run, each with the id of its last write. */
  readonly written: WriteIds;
  /** Replaces the ids of those writes once their results have been read. */
  readonly readId: string;
  records: number;
  /** Records that this run could not read. */
  readonly failedIds: Set<string>;
  /** Unreadable records that the job has counted, in this run or before it repeated or resumed the entity. */
  readonly countedIds: Set<string>;
  /** Whether records that could not be read are known, so that reading them is news. */
  hasUnread: boolean;
  /** Set once records do not fit into the organization's quota. From then on, the position is not saved. */
  storageFull?: StorageFullError;
  /** Number of records deleted by this run. */
  removed: number;
}

/** Brings an entity's replica up to date from its current position. */
export async function replicateEntity(job: Job, entity: string): Promise<void> {
  const replica = job.replication.entities[entity]!;
  const row = await openReplica(job, entity);
  const sweep = dueSweep(job, replica, row);
  const readsEverything = replica.sweep === 'all';
  const isFullRead = readsEverything || row.state === undefined;
  const run: EntityRun = {
    job,
    entity,
    replica,
    isFullRead,
    // A resumed run does not read again what an earlier attempt has read.
    startedAt: (readsEverything ? null : row.startedAt) ?? job.dependencies.now(),
    written: await job.dependencies.state.replicas.allWritten(job.row.id, entity),
    readId: randomText(22),
    state: readsEverything ? undefined : row.state,
    seenIds: sweep || (isFullRead && (readsEverything || row.needsReconcile)) ? new Set() : undefined,
    records: row.records,
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
  await withBackoff(job, () => readBatches(run, isReadToEnd));
  if (sweep) await withBackoff(job, () => runSweep(run, sweep));
  const written = [...run.written.keys()];
  await supersede(run, written);
  const unseen = run.seenIds ? await removeUnseen(run, run.seenIds, row) : undefined;
  await confirm(run, written);
  if (run.storageFull) {
    const { removed, unlisted } = unseen ?? { removed: 0, unlisted: row.unlisted };
    if (removed + run.removed === 0) {
      // The next run must know, or it would never remove them and make room.
      await job.save(entity, { unlisted });
      throw run.storageFull;
    }
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

const source = ({ job, entity, state }: EntityRun): Source => job.source(entity, state);

async function readBatches(run: EntityRun, isReadToEnd: boolean): Promise<void> {
  const { claim, dependencies } = run.job;
  const merger = new BatchMerger();
  for await (const batches of merger.merge(run.replica.read(merger.sourceOf(source(run))), currentHolding)) {
    for (const batch of await batchesToStore(run.job, batches)) {
      const attributes = { connector_type: claim.row.type, entity: run.entity, records: batch.records?.length ?? 0 };
      await dependencies.telemetry.span('replicate batch', attributes, () => storeBatch(run, batch));
      if (run.storageFull && !isReadToEnd) return;
    }
  }
}

/** Stores a batch, then the position, so repeating a batch after a crash is harmless. */
async function storeBatch(run: EntityRun, received: Batch): Promise<void> {
  const { job, entity, seenIds } = run;
  const batch = withoutUnidentified(run, received);
  const { claim, dependencies, progress } = job;
  const { records = [], removed = [], failed = [], resolved = [] } = batch;
  const collection = job.collection(entity);
  const idOf = (record: StoredRecord) => dependencies.store.idOf(collection.type, entity, record);
  await job.requireClaim();
  const stored = await recordsWithRoom(run, records);
  const { written, removedCount } = await unlessWritten(run, [...stored.map(idOf), ...removed], async (isNewer) => ({
    written: await dependencies.store.write(
      collection,
      stored.filter((record) => !isNewer(idOf(record))),
      job.texts(entity),
    ),
    removedCount: await remove(
      job,
      entity,
      removed.filter((id) => !isNewer(id)),
    ),
  }));
  if (seenIds) {
    for (const record of records) seenIds.add(idOf(record));
    // Records that could not be read still exist, unless a list of all ids tells.
    if (typeof run.replica.sweep !== 'object') for (const { id } of failed) seenIds.add(id);
    for (const id of removed) seenIds.delete(id);
  }
  await noteUnread(run, failed, [...records.map(idOf), ...removed, ...resolved]);
  run.records += written.inserted - removedCount;
  run.removed += removedCount;
  run.state = batch.state;
  const news = failed.filter(({ id }) => !run.countedIds.has(id) && run.countedIds.add(id));
  progress.add(entity, { ...batch, failed: news }, written, removedCount);
  dependencies.metrics.replication(
    { type: claim.row.type, entity },
    { ...written, removed: removedCount, failed: news.filter(isFailure).length },
  );
  const position = run.storageFull ? {} : { state: batch.state, startedAt: run.startedAt };
  await job.save(entity, { ...position, records: run.records });
  dependencies.onStored?.();
  currentHolding()?.reset(0);
  if (job.signal.aborted) throw new JobStoppedError();
}

/** The records of a batch that fit into the organization's quota; updates of stored records always do. */
async function recordsWithRoom(run: EntityRun, records: readonly StoredRecord[]): Promise<readonly StoredRecord[]> {
  const { job, entity } = run;
  const { recordsPerOrganization, store } = job.dependencies;
  const collection = job.collection(entity);
  try {
    if (recordsPerOrganization > 0) await requireRoom(job, collection, records);
    return records;
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error;
    run.storageFull = error;
    const idOf = (record: StoredRecord) => store.idOf(collection.type, entity, record);
    const stored = new Set((await store.get(collection, records.map(idOf))).map(({ id }) => id));
    return records.filter((record) => stored.has(idOf(record)));
  }
}

/** Moves records without an id to the failed ones, so that they do not stop the others. */
function withoutUnidentified({ job, entity }: EntityRun, batch: Batch): Batch {
  const { records = [], failed = [] } = batch;
  const { store } = job.dependencies;
  const collection = job.collection(entity);
  const isIdentified = (record: unknown) =>
    typeof record === 'object' && record !== null && store.hasId(collection, record as StoredRecord);
  const unidentified = records.flatMap((record, index) => (isIdentified(record) ? [] : [{ record, index }]));
  if (unidentified.length === 0) return batch;
  const key = (job.replication.entities[entity]?.key ?? ['id']).join(', ');
  const named = unidentified.map(({ record, index }): Failure => {
    const fields = Object.entries(record ?? {}).flatMap(([name, value]) => (isEmpty(value) ? [] : name));
    return {
      // Distinguishes such records without revealing what is in them.
      id: `no ${key}: ${digestOf(record).slice(0, 8)}`,
      message: `Record ${index + 1} of a page has no ${key}. Its fields: ${fields.join(', ') || 'none'}.`,
    };
  });
  return { ...batch, records: records.filter(isIdentified), failed: [...failed, ...named] };
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Records which records could not be read, and which no longer belong to them. */
async function noteUnread(run: EntityRun, failed: readonly Failure[], readIds: readonly string[]): Promise<void> {
  const { job, entity, failedIds } = run;
  for (const { id } of failed) failedIds.add(id);
  if (failed.length === 0 && !run.hasUnread) return;
  run.hasUnread = true;
  await job.dependencies.state.replicas.updateUnread(job.row.id, entity, { failed, resolved: readIds });
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

/**
 * Replaces the ids of writes to these records that were made before the run started. Call it before storing what the
 * run has read, so that a process that is still reading these records back sees that it has been superseded.
 */
async function supersede({ job, entity, written, readId }: EntityRun, ids: readonly string[]): Promise<void> {
  const writes = new Map(ids.flatMap((id) => (written.has(id) ? [[id, written.get(id)!]] : [])));
  if (writes.size > 0) await job.dependencies.state.replicas.replaceWrites(job.row.id, entity, writes, readId);
}

/** Removes the marks of superseded writes. Call it once their results are stored: until then, searches wait. */
async function confirm({ job, entity, written, readId }: EntityRun, ids: readonly string[]): Promise<void> {
  const marked = ids.filter((id) => written.has(id));
  if (marked.length > 0) await job.dependencies.state.replicas.confirmWritten(job.row.id, entity, marked, readId);
}

/**
 * Applies what a run has read to the stored records. Records written through the service since the run started are
 * skipped and read again.
 */
async function unlessWritten<T>(
  run: EntityRun,
  ids: readonly string[],
  work: (isNewer: (id: string) => boolean) => Promise<T>,
): Promise<T> {
  const { job, entity, written, readId } = run;
  const { replicas } = job.dependencies.state;
  const sinceStart = async () => {
    const now = await replicas.written(job.row.id, entity, ids);
    const isOfRun = (id: string) => [written.get(id), readId].includes(now.get(id));
    return new Set(ids.filter((id) => now.has(id) && !isOfRun(id)));
  };
  const skipped = await sinceStart();
  await supersede(run, ids);
  const result = await work((id) => skipped.has(id));
  await confirm(run, ids);
  // Check again, because a write recorded in the meantime may have been stored before this one.
  const newer = await sinceStart();
  if (newer.size > 0) await refreshRecords(job, entity, [...newer]);
  return result;
}

/** Lists all ids, and reads the records that the replica does not have. */
async function runSweep(run: EntityRun, sweep: Exclude<Sweep, 'all'>): Promise<void> {
  const { job, entity, seenIds = new Set<string>() } = run;
  for await (const page of sweep.ids(source(run))) {
    await job.requireClaim();
    const { ids, records, failed = [] } = 'ids' in page ? page : { ids: page, records: [], failed: [] };
    const batch = { records, failed, state: run.state as Json, progress: 1 };
    if (records.length + failed.length > 0) await storeBatch(run, batch);
    for (const id of ids) seenIds.add(id);
    currentHolding()?.reset(0);
  }
  if (!sweep.read) return;
  const missing = new Set(seenIds);
  for await (const id of job.dependencies.store.ids(job.collection(entity))) missing.delete(id);
  const ids = [...missing];
  for (let at = 0; at < ids.length && !run.storageFull; at += idsPerRead) {
    const batch = await sweep.read(source(run), ids.slice(at, at + idsPerRead));
    await storeBatch(run, { ...batch, state: run.state as Json, progress: 1 });
  }
}

/** Maximum number of records that a sweep reads at once. */
const idsPerRead = 100;

async function finish(
  { job, entity, replica, isFullRead, startedAt, seenIds }: EntityRun,
  row: ReplicaRow,
  records: number,
  unseen: Unseen | undefined,
): Promise<void> {
  const { claim, dependencies, progress } = job;
  const { removed, unlisted } = unseen ?? { removed: 0, unlisted: row.unlisted };
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
    // A list that has to be confirmed is read again by the next run.
    ...(seenIds && unlisted === null && { sweptAt: dependencies.now() }),
    ...(needsReconcile && !isFullRead && typeof replica.sweep !== 'object' && { state: undefined }),
  });
}

/** Longest delay that a job waits out; for longer ones, it is released along with its slot. */
const maxWaitMs = 3_600_000;
const baseBackoffMs = 1_000;
const maxBackoffMs = 60_000;
/** Number of consecutive rate limits without progress that is treated as a failure. */
const maxRateLimits = 20;

/** Runs part of a job and retries it after a delay if the vendor rate-limits it. */
async function withBackoff(job: Job, work: () => Promise<void>): Promise<void> {
  const { dependencies, progress, signal } = job;
  const done = () => progress.entities.reduce((sum, { read, removed }) => sum + read + removed, 0);
  for (let rateLimits = 0, before = done(); ; ) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new JobStoppedError();
      if (!isRateLimit(error)) throw error;
      rateLimits = done() > before ? 1 : rateLimits + 1;
      before = done();
      if (rateLimits > maxRateLimits) throw error;
      const waitMs = error.retryAfterMs ?? Math.min(baseBackoffMs * 2 ** (rateLimits - 1), maxBackoffMs);
      if (waitMs > maxWaitMs) throw new JobDeferredError(error, waitMs);
      await dependencies.pause(waitMs);
    }
  }
}

/** Waits for `ms` or until aborted. */
export async function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw new JobStoppedError();
  });
}

const remove = async ({ collection, dependencies }: Job, entity: string, ids: readonly string[]): Promise<number> =>
  ids.length > 0 ? dependencies.store.remove(collection(entity), ids) : 0;

/** What became of the records that a run has not seen. */
interface Unseen {
  readonly removed: number;
  /** Number of records that stay until the next run confirms that the vendor no longer lists them; null if none. */
  readonly unlisted: number | null;
}

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
  if (!row.needsReconcile && ids.length > 0) {
    const stored = await job.dependencies.store.count(job.collection(entity));
    const isMost = ids.length > maxUnconfirmed && ids.length > stored / 2;
    if (isMost && row.unlisted === null) return { removed: 0, unlisted: ids.length };
    if (!isMost) {
      await withBackoff(job, () => lookForUnseen(run, seenIds, ids));
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
  return { removed, unlisted: null };
}

/** Number of records looked up at a time. */
const lookupSize = 200;

/** Adds the ids that still exist to `seenIds`. */
async function lookForUnseen(run: EntityRun, seenIds: Set<string>, ids: readonly string[]): Promise<void> {
  const { replica, state } = run;
  const { lookup, sweep } = replica;
  if (lookup) {
    for (let at = 0; at < ids.length; at += lookupSize) {
      const { records, failed = [] } = await lookup.read(source(run), ids.slice(at, at + lookupSize));
      for (const { id } of failed) seenIds.add(id);
      await storeBatch(run, { records, failed, state: state ?? null });
    }
  } else if (typeof sweep === 'object') {
    await runSweep(run, { ...sweep, read: undefined });
  } else {
    const { store } = run.job.dependencies;
    const collection = run.job.collection(run.entity);
    for await (const { records = [] } of replica.read(run.job.source(run.entity, undefined))) {
      const isNew = (record: StoredRecord) =>
        store.hasId(collection, record) && !seenIds.has(store.idOf(collection.type, run.entity, record));
      await storeBatch(run, { records: records.filter(isNew), state: state ?? null });
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
