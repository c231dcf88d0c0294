import type { CommonOptions } from 'agent-connectors';
import {
  type Batch,
  type Failure,
  type Json,
  type Replication,
  replicationCalls,
  type Source,
} from 'agent-connectors/replication';
import type { WriteCounts } from '../../data/records/index.js';
import { textsOf } from '../../data/records/passages/split-passages.js';
import { maxDeferralMs } from '../../data/state/jobs.js';
import { configHashOf, maxMessageLength } from '../../data/state/replicas.js';
import type { Claim, EntityProgress, JobEnd } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definition, replicatedEntities } from '../connectors/definitions.js';
import { withHolding } from '../limits/memory.js';
import { openReplica, removeRecords, replicateEntity } from './entity.js';
import {
  type EntityFault,
  faultOf,
  isFailure,
  isRateLimit,
  isUnforeseen,
  isVendorFault,
  JobDeferredError,
  JobStoppedError,
  needsReauthorization,
} from './faults.js';
import { idsWith } from './refresh.js';
import { intervalOf, type JobOutcome, nextSyncAt, openScheduler, retryLater } from './scheduler.js';
import type { Job, JobDependencies, Progress, Reading, ReadingDependencies } from './types.js';

/** Runs a job until it is done, must be released, or no longer belongs to this process. */
async function runJob(
  claim: Claim,
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<JobOutcome | undefined> {
  let interval = intervalOf(claim.row, undefined);
  const next = () => nextSyncAt(claim.row, interval, dependencies.now());
  try {
    interval = intervalOf(claim.row, dependencies.definitions.of(claim.row.type).replication);
    const job = await prepareJob(claim, dependencies, signal);
    if (!job) return { end: { status: 'cancelled', error: 'Nothing to sync.', nextSyncAt: next() } };
    await removeUnconfigured(job);
    const outcome = await withHolding(dependencies.memory, claim.row.organizationId, () => replicateAll(job));
    return { end: jobEnd(job, outcome, next()), vendor: outcome.vendor };
  } catch (error) {
    if (error instanceof JobStoppedError || signal.aborted) {
      return { end: { status: 'queued', error: null, nextAttemptAt: 0, failed: false } };
    }
    if (error instanceof JobDeferredError) {
      const { message, waitMs: pauseMs } = error;
      return {
        end: { status: 'queued', error: message, nextAttemptAt: dependencies.now() + pauseMs, failed: false },
        pauseMs,
      };
    }
    dependencies.report(error, claim.job.id);
    const failure = { error: faultOf(error).message, needsReauthorization: needsReauthorization(error) };
    return { end: retryLater(claim, dependencies.now(), { ...failure, nextSyncAt: next() }) };
  }
}

async function prepareJob(claim: Claim, dependencies: JobDependencies, signal: AbortSignal): Promise<Job | undefined> {
  const { row, job } = claim;
  const definition = dependencies.definitions.of(row.type);
  const { replication } = definition;
  const plan = replication && { entities: replicatedEntities(row, definition), configHash: configHashOf(row) };
  if (!plan || plan.entities.length === 0) return undefined;
  const entities = plan.entities.filter((entity) => job.requestedEntities?.includes(entity) ?? true);
  const progress = new JobProgress(entities, job.entities);
  const check = async () => {
    if (signal.aborted || !(await dependencies.state.jobs.renewLease(claim))) throw new JobStoppedError();
  };
  return {
    ...(await openReading(row, { definition, replication }, dependencies, { signal })),
    claim,
    dependencies,
    plan,
    progress,
    requireClaim: check,
    async save(entity, changes) {
      const stillClaimed = await dependencies.state.jobs.checkpoint(claim, progress.entities, { entity, changes });
      if (!stillClaimed) throw new JobStoppedError();
    },
    withBackoff: (work) => withBackoff({ dependencies, progress, signal }, work),
  };
}

/** Opens a connector for reading until `signal` is aborted. Each call fails after `timeoutMs`, if set. */
export async function openReading(
  row: ConnectorRow,
  { definition, replication }: { readonly definition: Definition; readonly replication: Replication },
  dependencies: ReadingDependencies,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<Reading> {
  const { manifest } = definition;
  const options = {
    ...(await dependencies.instances.optionsOf(row)),
    ...row.settings,
    ...(timeoutMs !== undefined && { timeoutMs }),
  } as CommonOptions;
  const reading: Reading = {
    row,
    dependencies,
    replication,
    signal,
    shared: new Map(),
    calls: replicationCalls(manifest, replication, options),
    source: (entity, state, ended) => sourceFor(reading, entity, state, ended),
    collection: (entity) => ({ connectorId: row.id, type: row.type, entity }),
    texts: (entity) => {
      const { semantic = {}, about } = manifest.entities[entity]?.search ?? {};
      return textsOf(replication.entities[entity]!, Object.keys(semantic), about?.of === undefined ? about : undefined);
    },
  };
  return reading;
}

/** The source of a replica: the vendor, and what is already stored. */
function sourceFor(
  { calls, collection: collectionOf, row, dependencies, replication, shared, ...reading }: Reading,
  entity: string,
  state: Json | undefined,
  ended?: AbortSignal,
): Source {
  const signal = ended ? AbortSignal.any([reading.signal, ended]) : reading.signal;
  const { store, now, textOf } = dependencies;
  const collection = collectionOf(entity);
  const { replicationConfig, settings } = row;
  return {
    state,
    settings,
    now,
    shared,
    signal,
    config: replicationConfig ?? {},
    execute: (...args) => unlessStopped(() => calls.execute(...args), signal),
    call: (...args) => unlessStopped(() => calls.call(...args), signal),
    following: calls.following,
    followingCall: calls.followingCall,
    async stored(ids) {
      const found = await store.get(collection, ids);
      return new Map(found.map(({ id, record }) => [id, record]));
    },
    storedIds: () => store.ids(collection),
    storedWith: (fields) => idsWith(dependencies, collection, replication.entities[entity]!.key ?? ['id'], fields),
    idOf: (record) => store.idOf(collection.type, entity, record),
    textOf: (file) => unlessStopped(() => textOf(file, row.organizationId), signal),
  };
}

/** Makes a call that is abandoned when the job stops. */
async function unlessStopped<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new JobStoppedError();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new JobStoppedError());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([call(), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Longest delay that a job waits out; for longer ones, it is released along with its slot. */
const maxWaitMs = 3_600_000;
const baseBackoffMs = 1_000;
const maxBackoffMs = 60_000;
/** Number of consecutive rate limits without progress that is treated as a failure. */
const maxRateLimits = 20;

/** Runs part of a job and retries it after a delay if the vendor rate-limits it. */
async function withBackoff(
  { dependencies, progress, signal }: Pick<Job, 'dependencies' | 'progress' | 'signal'>,
  work: () => Promise<void>,
): Promise<void> {
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
      if (waitMs > maxWaitMs) throw new JobDeferredError(error, Math.min(waitMs, maxDeferralMs));
      await dependencies.pause(waitMs);
    }
  }
}

/** Deletes replicated entities that the configuration no longer includes. */
async function removeUnconfigured(job: Job): Promise<void> {
  const { claim, dependencies, plan } = job;
  for (const { entity } of await dependencies.state.replicas.list(claim.row.id)) {
    if (plan.entities.includes(entity)) continue;
    await removeRecords(job, entity);
    await job.save(entity, null);
  }
}

/** Combined outcome of all entities: which failed and whether a retry is worthwhile. */
interface ReplicationOutcome {
  readonly failed: readonly string[];
  readonly isTransient: boolean;
  readonly needsReauthorization: boolean;
  readonly vendor: JobOutcome['vendor'];
}

async function replicateAll(job: Job): Promise<ReplicationOutcome> {
  const failed: string[] = [];
  let isTransient = false;
  let isUnauthorized = false;
  let vendor: JobOutcome['vendor'];
  let silence: EntityFault | undefined;
  // Failed entities go last so that one that gets no response does not delay the others on every attempt.
  const entities = job.progress.entities.sort(
    (one, other) => Number(one.error !== null) - Number(other.error !== null),
  );
  for (const { entity, status } of entities) {
    if (status === 'done') continue;
    // An unresponsive vendor must not occupy a slot until every entity has timed out.
    if (silence) {
      failed.push(entity);
      await openReplica(job, entity);
      await saveFault(job, entity, silence);
      continue;
    }
    try {
      await replicateEntity(job, entity);
      vendor = 'ok';
    } catch (error) {
      if (error instanceof JobDeferredError) await saveFault(job, entity, faultOf(error.cause));
      if (error instanceof JobStoppedError || error instanceof JobDeferredError || job.signal.aborted) throw error;
      if (isUnforeseen(error)) job.dependencies.report(error, job.claim.job.id);
      const fault = faultOf(error);
      failed.push(entity);
      isTransient ||= fault.isTransient;
      isUnauthorized ||= needsReauthorization(error);
      if (isVendorFault(error)) {
        vendor ??= 'failed';
        if (vendor === 'failed' && error.code !== 'vendor_error') silence = fault;
      }
      await saveFault(job, entity, fault);
    }
  }
  return { failed, isTransient, needsReauthorization: isUnauthorized, vendor };
}

/** Records why an entity was not read. Its replica counts as failed once the job does, not while it is being retried. */
async function saveFault(job: Job, entity: string, { message, reason }: EntityFault): Promise<void> {
  job.progress.set(entity, { status: 'failed', error: message });
  await job.save(entity, { error: message, errorReason: reason });
}

function jobEnd({ claim, dependencies }: Job, outcome: ReplicationOutcome, nextSyncAt: number): JobEnd {
  const { failed, isTransient, needsReauthorization } = outcome;
  if (failed.length === 0) return { status: 'done', error: null, nextSyncAt };
  const message = `Some entities could not be replicated: ${failed.join(', ')}.`;
  const failure = { error: message, nextSyncAt, needsReauthorization };
  return isTransient ? retryLater(claim, dependencies.now(), failure) : { status: 'failed', ...failure };
}

/** Maximum number of failed records listed. */
const maxNamedFailures = 20;

const initialProgress = (entity: string): EntityProgress => ({
  entity,
  status: 'waiting',
  progress: null,
  failures: [],
  error: null,
  read: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  failed: 0,
  unread: [],
});

class JobProgress implements Progress {
  readonly #entities: Map<string, EntityProgress>;

  /** Continues from an earlier attempt; finished entities are not repeated. */
  constructor(entities: readonly string[], before: readonly EntityProgress[]) {
    const known = new Map(before.map((one) => [one.entity, one]));
    this.#entities = new Map(entities.map((entity) => [entity, known.get(entity) ?? initialProgress(entity)]));
  }

  get entities(): EntityProgress[] {
    return [...this.#entities.values()];
  }

  of(entity: string): EntityProgress {
    return this.#entities.get(entity) ?? initialProgress(entity);
  }

  set(entity: string, changes: Partial<EntityProgress>): void {
    this.#entities.set(entity, { ...this.of(entity), ...changes });
  }

  add(
    entity: string,
    { records = [], failed = [], progress, total }: Batch,
    written: WriteCounts,
    removed: number,
  ): void {
    const before = this.of(entity);
    const failures = failed.filter(isFailure);
    this.set(entity, {
      progress: progress ?? null,
      total: total ?? before.total ?? null,
      read: before.read + records.length,
      inserted: before.inserted + written.inserted,
      updated: before.updated + written.updated,
      unchanged: before.unchanged + written.unchanged,
      removed: before.removed + removed,
      failed: before.failed + failures.length,
      failures: [...before.failures, ...failures.map(truncateMessage)].slice(0, maxNamedFailures),
      unread: countUnread(before.unread ?? [], failed),
    });
  }
}

type UnreadCounts = NonNullable<EntityProgress['unread']>;

/** Adds files without all of their text to the counts by cause. */
function countUnread(before: UnreadCounts, failed: readonly Failure[]): UnreadCounts {
  const counts = new Map(before.map((one) => [`${one.state} ${one.cause}`, one]));
  for (const { state, cause } of failed) {
    if (state === undefined || cause === 'private') continue;
    const key = `${state} ${cause}`;
    counts.set(key, { state, cause, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

const truncateMessage = ({ id, message }: Failure) => ({ id, message: message.slice(0, maxMessageLength) });

/** Dependencies of the engine. */
export interface EngineDependencies extends Omit<JobDependencies, 'pause'> {
  /** Whether this process runs jobs; another process that uses the same data may run them. */
  readonly replicates: boolean;
}

/** Keeps the replicas of all connectors up to date, together with other processes that use the same data. */
export interface ReplicationEngine {
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Resolves once this process no longer writes data read with the connector's previous configuration. */
  stopConnector(connectorId: string): Promise<void>;
  /** Deletes the records of deleted connectors once no more writes are in progress for them. */
  removeOrphans(): Promise<void>;
  /** Stores progress, releases the jobs and stops. */
  close(): Promise<void>;
}

/** Starts the engine. */
export function openEngine({ replicates, ...dependencies }: EngineDependencies): ReplicationEngine {
  const { state, store, instances, metrics, now, report } = dependencies;
  /** Removes records written while the connector was being deleted, which would otherwise remain. */
  const removeIfDeleted = async (connectorId: string) => {
    if (!(await state.connectors.existing([connectorId])).has(connectorId)) await store.removeConnector(connectorId);
  };
  const scheduler = openScheduler({
    jobs: state.jobs,
    backoffs: state.backoffs,
    credentialOf: instances.credentialKeyOf,
    now,
    run: (claim, signal, pause) => runJob(claim, { ...dependencies, pause }, signal),
    onEnd(claim, end) {
      if (!end) return removeIfDeleted(claim.row.id);
      if (end.status !== 'queued') metrics.job({ type: claim.row.type, outcome: end.status });
    },
    report,
  });
  if (replicates) {
    scheduler.start(dependencies.definitions.replicatedTypes);
  }
  return {
    wake: scheduler.wake,
    async removeOrphans() {
      const known = await state.connectors.existing(scheduler.running());
      await scheduler.stop((id) => !known.has(id));
      const stored = await store.connectors();
      const existing = await state.connectors.existing(stored);
      for (const id of stored) if (!existing.has(id)) await store.removeConnector(id);
    },
    async stopConnector(connectorId) {
      await scheduler.stop((id) => id === connectorId);
      scheduler.wake();
    },
    close: scheduler.close,
  };
}
