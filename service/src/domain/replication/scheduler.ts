import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Replication } from 'agent-connectors/replication';
import type { Backoffs } from '../../data/state/backoffs.js';
import { jobLeaseMs } from '../../data/state/jobs.js';
import type { Claim, JobEnd, Jobs } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { JobStoppedError } from './faults.js';

/** The outcome of a job, and what it indicates about the vendor. */
export interface JobOutcome {
  readonly end: JobEnd;
  /** Whether the vendor responded normally; undefined if it was not called or was not at fault. */
  readonly vendor?: 'ok' | 'failed' | undefined;
  /** How long the vendor wants no requests with this credential, in milliseconds. */
  readonly pauseMs?: number | undefined;
}

/** Runs a job; undefined if it no longer belongs to this process. */
export type RunJob = (
  claim: Claim,
  signal: AbortSignal,
  /** Waits; meanwhile, another job may use this job's slot. */
  pause: (ms: number) => Promise<void>,
) => Promise<JobOutcome | undefined>;

/** Dependencies of the scheduler. */
export interface SchedulerOptions {
  readonly jobs: Jobs;
  readonly backoffs: Backoffs;
  /** Identifies a credential at a vendor. */
  readonly credentialOf: (row: ConnectorRow) => Promise<string>;
  readonly now: () => number;
  readonly run: RunJob;
  /** Called for jobs that have ended or no longer belong to this process. */
  readonly onEnd: (claim: Claim, end: JobEnd | undefined) => Promise<void> | void;
  readonly report: (error: unknown, id: string) => void;
  /** Calls a function repeatedly without keeping the process alive; the returned function stops it. */
  readonly every?: (ms: number, work: () => void) => () => void;
}

/** Chooses which jobs this process runs, alongside the schedulers of other processes that share the same state. */
export interface Scheduler {
  /** Starts looking for jobs of these connector types. */
  start(types: readonly string[]): void;
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Connectors whose jobs this process is running. */
  running(): string[];
  /** Stops the jobs of these connectors and waits until they have stopped writing. */
  stop(matches: (connectorId: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface RunningJob {
  readonly claim: Claim;
  /** Whether the job is waiting for its vendor; meanwhile, another job may use its slot. */
  paused: boolean;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Maximum number of connectors replicated concurrently. */
const maxConcurrentJobs = 4;
/** Maximum number of these connectors per organization, so that no organization can block the others. */
const maxJobsOfOrganization = maxConcurrentJobs - 1;
const pollIntervalMs = 1_000;
/** Jobs created per batch. */
const maxPlannedJobs = 100;
/**
 * A vendor is considered failing once syncs for this many organizations have failed, so a single organization cannot
 * block the others.
 */
const organizationsOfOutage = 3;

const unreferencedInterval = (ms: number, work: () => void) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};

/** Creates a scheduler, which does nothing until it is started. */
export function openScheduler({
  jobs,
  backoffs,
  credentialOf,
  now,
  run,
  onEnd,
  report,
  every = unreferencedInterval,
}: SchedulerOptions): Scheduler {
  const running = new Set<RunningJob>();
  let types: readonly string[] | undefined;
  let pollRequested = false;
  let polling: Promise<void> | undefined;
  let stopPolling = () => {};
  let closed = false;
  /** Time of the last search for jobs; the clock may have been set back before this process started, too. */
  let lastPollAt = Number.POSITIVE_INFINITY;

  const logErrors = (work: Promise<void>): Promise<void> => work.catch((error) => report(error, 'replication'));
  /**
   * Runs a job unless its credential or vendor is failing; in that case, one job at a time checks whether it has
   * recovered.
   */
  const unlessPaused = async (claim: Claim, work: () => Promise<JobOutcome | undefined>) => {
    const { id, organizationId, type } = claim.row;
    const credential = `credential ${await credentialOf(claim.row)}`;
    const vendor = `vendor ${type}`;
    const { waitMs, failing } = await backoffs.enter([credential, vendor]);
    if (waitMs > 0) return postpone(claim, now() + waitMs);
    const outcome = await work();
    if (outcome?.vendor === 'failed') {
      await backoffs.fail(credential, id, 1);
      await backoffs.fail(vendor, organizationId, organizationsOfOutage);
    }
    if (outcome?.vendor === 'ok' && failing) await backoffs.succeed([credential, vendor]);
    if (outcome?.pauseMs !== undefined) await backoffs.pause(credential, outcome.pauseMs);
    return outcome?.end;
  };
  const runClaim = async (entry: Omit<RunningJob, 'done'>): Promise<void> => {
    const { claim, stop } = entry;
    const renewLease = async () => {
      if (!(await jobs.renewLease(claim))) stop.abort();
    };
    const stopHeartbeat = every(jobLeaseMs / 5, () => void logErrors(renewLease()));
    const pause = async (ms: number) => {
      entry.paused = true;
      wake();
      await abortableDelay(ms, stop.signal).finally(() => {
        entry.paused = false;
      });
    };
    try {
      const end = await unlessPaused(claim, () => run(claim, stop.signal, pause));
      const ended = end !== undefined && (await jobs.end(claim, end));
      await onEnd(claim, ended ? end : undefined);
    } finally {
      stopHeartbeat();
    }
  };
  const startJob = (claim: Claim) => {
    const started = { claim, stop: new AbortController(), paused: false };
    const done = runClaim(started)
      .catch((error) => report(error, claim.job.id))
      .finally(() => {
        running.delete(entry);
        wake();
      });
    const entry: RunningJob = Object.assign(started, { done });
    running.add(entry);
  };
  /** The slots in use, and the organizations that have reached their limit. */
  const occupancy = () => {
    const counts = new Map<string, number>();
    for (const { claim, paused } of running) {
      const { organizationId } = claim.row;
      if (!paused) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
    }
    // Jobs that continue after a pause may exceed that limit without taking slots from others.
    const taken = [...counts.values()].reduce((sum, count) => sum + Math.min(count, maxJobsOfOrganization), 0);
    return { taken, full: [...counts].flatMap(([id, count]) => (count >= maxJobsOfOrganization ? id : [])) };
  };
  const claimJobs = async (): Promise<void> => {
    while (pollRequested && !closed && types) {
      pollRequested = false;
      const time = now();
      if (time < lastPollAt) await jobs.forgetFuture();
      lastPollAt = time;
      await jobs.plan(types, maxPlannedJobs);
      while (!closed) {
        const { taken, full } = occupancy();
        if (taken >= maxConcurrentJobs) break;
        const claim = await jobs.claim(types, full);
        if (!claim) break;
        startJob(claim);
      }
    }
  };
  /** If a search is already running, runs one more when it ends, so the number of jobs never exceeds the limit. */
  const poll = (): Promise<void> => {
    pollRequested = true;
    polling ??= logErrors(claimJobs()).finally(() => {
      polling = undefined;
      if (pollRequested && !closed && types) wake();
    });
    return polling;
  };
  const wake = () => {
    if (!closed) setImmediate(() => void poll());
  };
  const stop: Scheduler['stop'] = async (matches) => {
    // Jobs that have been claimed but not started.
    await polling;
    const matching = [...running].filter(({ claim }) => matches(claim.row.id));
    for (const { stop } of matching) stop.abort();
    await Promise.all(matching.map(({ done }) => done));
  };
  return {
    wake,
    stop,
    running: () => [...running].map(({ claim }) => claim.row.id),
    start(names) {
      if (closed) return;
      types = names;
      stopPolling = every(pollIntervalMs, () => void poll());
      wake();
    },
    async close() {
      closed = true;
      stopPolling();
      await stop(() => true);
    },
  };
}

/** Maximum attempts of a job with transient failures. */
const maxAttempts = 5;
const baseDelayMs = 30_000;

type Failure = Omit<Extract<JobEnd, { readonly nextSyncAt: number }>, 'status'>;

/** Schedules another attempt after an increasing delay; after the last attempt, the job fails. */
export function retryLater({ job, row }: Claim, now: number, failure: Failure): JobEnd {
  if (job.attempts + 1 >= maxAttempts) return { status: 'failed', ...failure };
  const waitMs = baseDelayMs * 2 ** job.attempts;
  const nextAttemptAt = now + Math.round(waitMs * (1 + spread * phaseOf(row)));
  return { status: 'queued', error: failure.error, nextAttemptAt, failed: true };
}

/** Leaves a job in the queue until a pause is over. It is not a failed attempt, because nothing was sent. */
const postpone = ({ row }: Claim, until: number): JobEnd => ({
  status: 'queued',
  error: pausedMessage,
  nextAttemptAt: until + Math.round(maxJitterMs * phaseOf(row)),
  failed: false,
});

/** Spreads jobs that wait for the same pause. */
const maxJitterMs = 3_000;

const pausedMessage = 'The vendor is not responding or is rate-limiting these credentials. The sync will be retried.';

/** Fraction of the interval by which sync times vary, so that connectors due at the same time drift apart. */
const spread = 0.1;

/** From 0 to 1, always the same for a given connector. */
const phaseOf = ({ id }: Pick<ConnectorRow, 'id'>): number =>
  createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32;

/** When a connector's next sync is due: up to a tenth of the interval early. */
export const nextSyncAt = (row: Pick<ConnectorRow, 'id'>, intervalMs: number, now: number): number =>
  now + Math.round(intervalMs * (1 - spread * phaseOf(row)));

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Default of `replication_config.interval`. */
export const defaultInterval = (replication: Replication | undefined): string => replication?.interval ?? '1h';

const intervalPattern = /^(\d+)([mhd])$/;

/** The interval that applies, such as `30m`. */
export function effectiveInterval(
  { replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>,
  replication: Replication | undefined,
): string {
  const interval = String(replicationConfig?.interval ?? defaultInterval(replication));
  return intervalPattern.test(interval) ? interval : '1h';
}

/** How long after a run the next one starts, in milliseconds. */
export function intervalOf(row: Pick<ConnectorRow, 'replicationConfig'>, replication: Replication | undefined): number {
  const [, count, unit] = intervalPattern.exec(effectiveInterval(row, replication))!;
  return Number(count) * unitMs[unit!]!;
}

/** Waits for `ms` or until aborted. */
async function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw new JobStoppedError();
  });
}
