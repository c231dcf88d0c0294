import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, Expected, Json, Replica, Source } from 'agent-connectors/replication';
import type { Collection } from '../../data/records/index.js';
import type { ReplicaRow } from '../../data/state/replication-types.js';
import { Deferred, isLimit, Stopped } from './faults.js';
import type { Job, JobParts } from './types.js';

/** One run of one entity: from where it reads, and what it is to find out beside the records. */
interface Run {
  readonly job: Job;
  readonly entity: string;
  readonly replica: Replica;
  /** Where to go on; moves on with each batch that is stored. */
  state: Json | undefined;
  /** Whether it began at the beginning. */
  readonly whole: boolean;
  /** What the vendor has, where that is to be known at the end. */
  readonly seen: Set<string> | undefined;
  records: number;
}

/** Brings the replica of one entity up to date, from where it stands. */
export async function replicateEntity(job: Job, entity: string): Promise<void> {
  const replica = job.replication.entities[entity]!;
  const row = await begun(job, entity);
  const listing = isDue(job, replica, row);
  const everything = replica.sweep === 'all';
  const whole = everything || row.state === undefined;
  const run: Run = {
    ...{ job, entity, replica, whole },
    state: everything ? undefined : row.state,
    seen: listing || (whole && (everything || row.renew)) ? new Set() : undefined,
    records: row.records,
  };
  job.progress.set(entity, { status: 'running', error: null });
  await job.save(entity, { status: row.syncedAt === null ? 'initializing' : 'updating', error: null });
  await patiently(job, () => read(run));
  if (listing) await patiently(job, () => listed(run, listing.ids(source(run))));
  const removed = run.seen ? await emptied(job, entity, run.seen) : 0;
  await finish(run, row, await job.parts.store.count(job.collection(entity)), removed);
}

/** The replica as it is taken up: one that was configured otherwise begins afresh. */
async function begun(job: Job, entity: string): Promise<ReplicaRow> {
  const { claim, parts, plan } = job;
  const { configHash } = plan;
  const known = await parts.state.replicas.get(claim.row.id, entity);
  const stored = await parts.store.count(job.collection(entity));
  // Where the store has lost its records, nothing that was read before would ever come again.
  const isLost = stored === 0 && known !== undefined && known.records > 0;
  if (known?.configHash === configHash && !isLost) return known;
  const records = known ? stored - (await emptied(job, entity)) : stored;
  await job.save(entity, {
    ...{ configHash, records, status: 'initializing', state: undefined, error: null },
    ...{ syncedAt: null, sweptAt: parts.now() },
    // Records of which nothing is known came from elsewhere, such as an import.
    renew: records > 0,
  });
  return (await parts.state.replicas.get(claim.row.id, entity))!;
}

/** The list of all ids, where it is time to look for records that the vendor no longer has. */
function isDue({ claim, parts }: Job, { sweep }: Replica, { sweptAt, renew }: ReplicaRow) {
  if (typeof sweep !== 'object') return undefined;
  const due = sweptAt === null || parts.now() - sweptAt >= sweep.everyMs;
  return due || renew || claim.job.requested === 'request' ? sweep : undefined;
}

const source = ({ job, entity, state }: Run): Source => sourceFor(job, entity, state);

async function read(run: Run): Promise<void> {
  const { claim, parts } = run.job;
  for await (const batch of run.replica.read(source(run))) {
    const told = { connector_type: claim.row.type, entity: run.entity, records: batch.records?.length ?? 0 };
    await parts.telemetry.span('replicate batch', told, () => stored(run, batch));
  }
}

/** Stores a batch and then where to go on: what is done twice because of a crash in between changes nothing. */
async function stored(run: Run, batch: Batch): Promise<void> {
  const { job, entity, seen } = run;
  const { claim, parts, progress } = job;
  const { records = [], removed = [], failed = [] } = batch;
  const collection = job.collection(entity);
  await job.check();
  const written = await parts.store.write(collection, records, job.texts(entity));
  const gone = removed.length > 0 ? await parts.store.remove(collection, removed) : 0;
  if (seen) {
    for (const record of records) seen.add(parts.store.idOf(collection.type, entity, record));
    // What could not be read is still there.
    for (const { id } of failed) seen.add(id);
    for (const id of removed) seen.delete(id);
  }
  run.records += written.inserted - gone;
  run.state = batch.state;
  progress.add(entity, batch, written, gone);
  parts.metrics.replicated({ type: claim.row.type, entity }, { ...written, removed: gone, failed: failed.length });
  await job.save(entity, { state: batch.state, records: run.records });
  parts.onStored();
  if (job.signal.aborted) throw new Stopped();
}

async function listed({ job, seen }: Run, ids: AsyncIterable<readonly string[]>): Promise<void> {
  for await (const page of ids) {
    await job.check();
    for (const id of page) seen?.add(id);
  }
}

async function finish(
  { job, entity, replica, whole, seen }: Run,
  row: ReplicaRow,
  records: number,
  removed: number,
): Promise<void> {
  const { claim, parts, progress } = job;
  const now = parts.now();
  // What was read from the middle on does not tell whether the rest is still this account's.
  const renew = row.renew && !seen;
  const before = progress.of(entity);
  progress.set(entity, { status: 'done', progress: 1, removed: before.removed + removed, error: null });
  if (removed > 0) parts.metrics.replicated({ type: claim.row.type, entity }, { removed });
  await job.save(entity, {
    ...{ status: 'ready', error: null, syncedAt: now, records, renew },
    ...(seen && { sweptAt: now }),
    ...(renew && !whole && typeof replica.sweep !== 'object' && { state: undefined }),
  });
}

/** What a replica is read with: the vendor, and what has been stored of it. */
function sourceFor(job: Job, entity: string, state: Json | undefined): Source {
  const { calls, claim, parts, replication, signal } = job;
  const { store, now, textOf } = parts;
  const collection = job.collection(entity);
  const { replicationConfig, settings } = claim.row;
  return {
    ...{ state, settings, now, signal },
    config: replicationConfig ?? {},
    execute: (...asked) => unlessStopped(() => calls.execute(...asked), signal),
    call: (...asked) => unlessStopped(() => calls.call(...asked), signal),
    following: calls.following,
    followingCall: calls.followingCall,
    async stored(ids) {
      const found = await store.get(collection, ids);
      return new Map(found.map(({ id, record }) => [id, record]));
    },
    storedIds: () => store.ids(collection),
    storedWith: (fields) => idsWith(parts, collection, replication.entities[entity]!.key ?? ['id'], fields),
    idOf: (record) => store.idOf(collection.type, entity, record),
    shared: job.shared,
    textOf: (...file) => unlessStopped(() => textOf(...file), signal),
  };
}

/** So many records are looked up, or removed, at once. */
const handful = 1000;

async function* idsWith(
  { store }: JobParts,
  collection: Collection,
  key: readonly string[],
  expected: Readonly<Record<string, Expected>>,
): AsyncGenerator<string> {
  const conditions = Object.entries(expected).map(([field, value]) =>
    'startsWith' in value
      ? { like: { [field]: `${value.startsWith.replace(/[\\%_]/g, '\\$&')}%` } }
      : { in: { [field]: value } },
  );
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const params = { query: { filter: { and: conditions } }, fields: key, limit: handful };
    const { data, meta } = await store.search({
      ...collection,
      params: { ...params, ...(cursor !== undefined && { cursor }) },
    });
    for (const record of data) yield store.idOf(collection.type, collection.entity, record);
    cursor = meta.cursor;
  }
}

/** A call that is waited for no longer than the job lasts. */
async function unlessStopped<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Stopped();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Stopped());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([call(), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Longer waits give the job back, and with it the place that it takes. */
const longestWaitMs = 3_600_000;
const firstWaitMs = 1_000;
const longestGuessMs = 60_000;
/** So many refusals in a row without any progress are a failure. */
const mostRefusals = 20;

/** Does a part of a job, and does it again after a wait where the vendor refuses for the sake of a limit. */
async function patiently(job: Job, work: () => Promise<void>): Promise<void> {
  const { parts, progress, signal } = job;
  const done = () => progress.entities.reduce((sum, { read, removed }) => sum + read + removed, 0);
  for (let refusals = 0, before = done(); ; ) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new Stopped();
      if (!isLimit(error)) throw error;
      refusals = done() > before ? 1 : refusals + 1;
      before = done();
      if (refusals > mostRefusals) throw error;
      const waitMs = error.retryAfterMs ?? Math.min(firstWaitMs * 2 ** (refusals - 1), longestGuessMs);
      if (waitMs > longestWaitMs) throw new Deferred(error, waitMs);
      await parts.pause(waitMs, signal);
    }
  }
}

/** Waits for so long, or until it is to be stopped. */
export async function paused(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw new Stopped();
  });
}

/** Removes the records of an entity that are not to be kept; all of them when nothing is said of that. */
export async function emptied(job: Job, entity: string, kept?: ReadonlySet<string>): Promise<number> {
  const { store } = job.parts;
  const collection = job.collection(entity);
  let removed = 0;
  let waiting: string[] = [];
  const flush = async () => {
    await job.check();
    removed += await store.remove(collection, waiting);
    waiting = [];
  };
  // A type's older release may have had entities that the store no longer knows.
  if (!store.entities.some((one) => one.type === collection.type && one.entity === entity)) return 0;
  for await (const id of store.ids(collection)) {
    if (kept?.has(id)) continue;
    waiting.push(id);
    if (waiting.length >= handful) await flush();
  }
  if (waiting.length > 0) await flush();
  return removed;
}
