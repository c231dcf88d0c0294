import type { Batch, Failure, Source, StoredRecord } from 'agent-connectors/replication';
import { digestOf } from '../../data/state/canonical-json.js';
import { currentHolding } from '../limits/memory.js';
import { isFailure, JobStoppedError, StorageFullError } from './faults.js';
import { refreshRecords, requireRoom } from './refresh.js';
import type { EntityRun, Job, Reading } from './types.js';

/** Records stored together at most: beyond that, a transaction costs little compared with its records. */
const maxRecords = 400;
/** Bytes held at most, in memory as the budget counts it. */
const maxBytes = 16 * 2 ** 20;
/** How long batches wait for the next one, in milliseconds. */
const maxWaitMs = 300;

/**
 * Collects a run's batches, so that they are stored in one transaction: storing a page alone costs several times as much
 * per record. Batches that report more than records stay alone, since the order of what they report matters.
 */
export class BatchMerger {
  #batches: Batch[] = [];
  /** Bytes reserved for them. */
  #bytes = 0;
  readonly #ended = new AbortController();
  readonly #isIdentified: (record: unknown) => boolean;
  #isStoring = false;
  #storeNow: (() => void) | undefined;
  #waiting: Array<() => void> = [];

  /** Takes what tells whether a record can be stored. */
  constructor(isIdentified: (record: unknown) => boolean) {
    this.#isIdentified = isIdentified;
  }

  /** Aborted once batches are no longer stored, so that the reader asks the vendor for nothing more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Lists of batches to store together. Batches are stored without waiting for a next one that is late; then the memory
   * reserved for them is released, but not that of pages which have arrived meanwhile.
   */
  async *merge(batches: AsyncIterable<Batch>): AsyncGenerator<readonly Batch[]> {
    const iterator = batches[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = iterator.next();
        // It may fail while the batches before it are being stored.
        next.catch(() => undefined);
        if (this.#batches.length > 0 && !(await this.#arrivesSoon(next))) yield* this.#take();
        const { done, value } = await next;
        if (done) break;
        const isMergeable = this.#isMergeable(value);
        if (!isMergeable) yield* this.#take();
        this.#batches.push(value);
        this.#bytes = currentHolding()?.bytes ?? 0;
        const records = this.#batches.reduce((sum, batch) => sum + (batch.records?.length ?? 0), 0);
        if (!isMergeable || records >= maxRecords || this.#bytes >= maxBytes) yield* this.#take();
      }
      yield* this.#take();
    } catch (error) {
      yield* this.#take();
      throw error;
    } finally {
      this.#ended.abort();
      // The next run must not read beside this one.
      await iterator.return?.(undefined).catch(() => undefined);
    }
  }

  /** A source that stores the collected batches before it reads the replica. */
  sourceOf(source: Source): Source {
    const stored = async () => {
      if (this.#batches.length === 0 && !this.#isStoring) return;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#storeNow?.();
      });
    };
    const after = async function* <T>(list: () => AsyncIterable<T>): AsyncGenerator<T> {
      await stored();
      yield* list();
    };
    return {
      ...source,
      stored: async (ids) => {
        await stored();
        return source.stored(ids);
      },
      storedIds: () => after(() => source.storedIds()),
      storedWith: (fields) => after(() => source.storedWith(fields)),
    };
  }

  /** Whether the next batch arrives before those collected must be stored. */
  #arrivesSoon(next: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const late = () => resolve(false);
      const timer = setTimeout(late, maxWaitMs);
      this.#storeNow = late;
      const arrived = () => {
        clearTimeout(timer);
        resolve(true);
      };
      next.then(arrived, arrived);
      if (this.#waiting.length > 0) late();
    });
  }

  *#take(): Generator<readonly Batch[]> {
    const [batches, bytes] = [this.#batches, this.#bytes];
    this.#batches = [];
    this.#bytes = 0;
    this.#isStoring = true;
    try {
      if (batches.length > 0) yield batches;
    } finally {
      this.#isStoring = false;
      const holding = currentHolding();
      if (bytes > 0) holding?.reset(Math.max(0, holding.bytes - bytes));
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  /** Batches whose records have no id stay alone as well, because messages name a record's place on its page. */
  #isMergeable({ records = [], removed = [], failed = [], resolved = [] }: Batch): boolean {
    return removed.length + failed.length + resolved.length === 0 && records.every(this.#isIdentified);
  }
}

/** The batches as one, or as they are if the organization's quota may have room for some of them only. */
export async function batchesToStore(
  { row, dependencies }: Reading,
  batches: readonly Batch[],
): Promise<readonly Batch[]> {
  const records = batches.flatMap((batch) => batch.records ?? []);
  const { recordsPerOrganization, state } = dependencies;
  if (batches.length === 1) return batches;
  if (recordsPerOrganization > 0) {
    const stored = await state.replicas.countRecords(row.organizationId);
    if (stored + records.length > recordsPerOrganization) return batches;
  }
  const last = <Name extends 'progress' | 'total'>(name: Name) =>
    batches.findLast((batch) => batch[name] !== undefined)?.[name];
  return [{ ...batches.at(-1)!, records, progress: last('progress'), total: last('total') }];
}

/** Stores a batch, then the position, so repeating a batch after a crash is harmless. */
export async function storeBatch(run: EntityRun, received: Batch): Promise<void> {
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
  run.removed += removedCount;
  run.state = batch.state;
  const news = failed.filter(({ id }) => !run.countedIds.has(id) && run.countedIds.add(id));
  progress.add(entity, { ...batch, failed: news }, written, removedCount);
  dependencies.metrics.replication(
    { type: claim.row.type, entity },
    { ...written, removed: removedCount, failed: news.filter(isFailure).length },
  );
  const position = run.storageFull ? {} : { state: batch.state, startedAt: run.startedAt };
  await job.save(entity, { ...position, recordsAdded: written.inserted - removedCount });
  dependencies.onStored?.();
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

/** Tests whether a record has an id. */
export function identifies({ dependencies, collection }: Job, entity: string): (record: unknown) => boolean {
  const records = collection(entity);
  return (record) =>
    typeof record === 'object' && record !== null && dependencies.store.hasId(records, record as StoredRecord);
}

/** Moves records without an id to the failed ones, so that they do not stop the others. */
function withoutUnidentified({ job, entity }: EntityRun, batch: Batch): Batch {
  const { records = [], failed = [] } = batch;
  const isIdentified = identifies(job, entity);
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

/**
 * Replaces the ids of writes to these records that were made before the run started. Call it before storing what the
 * run has read, so that a process that is still reading these records back sees that it has been superseded.
 */
export async function supersede({ job, entity, written, readId }: EntityRun, ids: readonly string[]): Promise<void> {
  const writes = new Map(ids.flatMap((id) => (written.has(id) ? [[id, written.get(id)!]] : [])));
  if (writes.size > 0) await job.dependencies.state.replicas.replaceWrites(job.row.id, entity, writes, readId);
}

/** Removes the marks of superseded writes. Call it once their results are stored: until then, searches wait. */
export async function confirm({ job, entity, written, readId }: EntityRun, ids: readonly string[]): Promise<void> {
  const marked = ids.filter((id) => written.has(id));
  if (marked.length > 0) await job.dependencies.state.replicas.confirmWritten(job.row.id, entity, marked, readId);
}

/**
 * Applies what a run has read to the stored records. Records written through the service since the run started are
 * skipped and read again.
 */
export async function unlessWritten<T>(
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

export const remove = async (
  { collection, dependencies }: Job,
  entity: string,
  ids: readonly string[],
): Promise<number> => (ids.length > 0 ? dependencies.store.remove(collection(entity), ids) : 0);
