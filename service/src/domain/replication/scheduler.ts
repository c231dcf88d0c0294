import { createHash } from 'node:crypto';
import type { Replication } from 'agent-connectors/replication';
import type { Backoffs } from '../../data/state/backoffs.js';
import { jobLeaseMs } from '../../data/state/jobs.js';
import type { Claim, JobEnd, Jobs } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { abortableDelay } from './entity.js';

/** What came of a job, and what it says of its vendor. */
export interface JobOutcome {
  readonly end: JobEnd;
  /** Whether the vendor answered as it should; undefined where it was not asked, or where the fault was not its own. */
  readonly vendor?: 'ok' | 'failed' | undefined;
  /** Milliseconds for which the vendor wants no requests with this credential. */
  readonly pauseMs?: number | undefined;
}

/** Carries out a job; nothing where it is no longer this process's. */
export type RunJob = (
  claim: Claim,
  signal: AbortSignal,
  /** Waits, while another job may go on in the place of this one. */
  pause: (ms: number) => Promise<void>,
) => Promise<JobOutcome | undefined>;

/** What the scheduler works with. */
export interface SchedulerOptions {
  readonly jobs: Jobs;
  readonly backoffs: Backoffs;
  /** Tells credentials at vendors apart. */
  readonly credentialOf: (row: ConnectorRow) => Promise<string>;
  readonly now: () => number;
  readonly run: RunJob;
  /** Told of jobs that were ended, and of those that were not this process's any more. */
  readonly onEnd: (claim: Claim, end: JobEnd | undefined) => Promise<void> | void;
  readonly report: (error: unknown, id: string) => void;
  /** Calls something again and again, without keeping the process alive; the result ends that. */
  readonly every?: (ms: number, work: () => void) => () => void;
}

/** Chooses which jobs this process runs, beside the schedulers of other processes on the same state. */
export interface Scheduler {
  /** Looks for jobs of these connector types from now on. */
  start(types: readonly string[]): void;
  /** Looks for work at once, rather than in a moment. */
  wake(): void;
  /** Connectors whose jobs run here. */
  running(): string[];
  /** Stops the jobs of these connectors, and waits until they write nothing more. */
  stop(matches: (connectorId: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface RunningJob {
  readonly claim: Claim;
  /** Waits for its vendor, while another job may go on in its place. */
  paused: boolean;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** So many connectors are replicated at the same time. */
const maxConcurrentJobs = 4;
/** So many of these may be one organization's, so that another never waits for it. */
const maxJobsOfOrganization = maxConcurrentJobs - 1;
const pollIntervalMs = 1_000;
/** So many jobs are made at once. */
const maxPlannedJobs = 100;
/** A vendor is failing when syncs of so many organizations failed: one alone cannot hold up the others. */
const organizationsOfOutage = 3;

const unreferencedInterval = (ms: number, work: () => void) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};

/** Opens a scheduler, which does nothing before it is started. */
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

  const logErrors = (work: Promise<void>): Promise<void> => work.catch((error) => report(error, 'replication'));
  /** Runs a job, unless its credential or its vendor fails: then one job at a time finds out whether that is over. */
  const unlessPaused = async (claim: Claim, work: () => Promise<JobOutcome | undefined>) => {
    const { id, organizationId, type } = claim.row;
    const credential = `credential ${await credentialOf(claim.row)}`;
    const vendor = `vendor ${type}`;
    const { waitMs, failing } = await backoffs.enter([credential, vendor]);
    if (waitMs > 0) return postpone(claim, now(), waitMs);
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
  /** The slots that are taken, and the organizations that may take no more of them. */
  const occupancy = () => {
    const counts = new Map<string, number>();
    for (const { claim, paused } of running) {
      const { organizationId } = claim.row;
      if (!paused) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
    }
    // Jobs that go on after a pause may be more than that, and still take no place from others.
    const taken = [...counts.values()].reduce((sum, count) => sum + Math.min(count, maxJobsOfOrganization), 0);
    return { taken, full: [...counts].flatMap(([id, count]) => (count >= maxJobsOfOrganization ? id : [])) };
  };
  const claimJobs = async (): Promise<void> => {
    while (pollRequested && !closed && types) {
      pollRequested = false;
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
  /** Looks once more where somebody looks already, so that there are never more jobs than there may be. */
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
    // What has been taken up and has not begun.
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

/** How often a job is tried in all where failures may pass. */
const maxAttempts = 5;
const baseDelayMs = 30_000;

type Failure = Omit<Extract<JobEnd, { readonly nextSyncAt: number }>, 'status'>;

/** Another try after a wait, each longer than the one before; after the last the job has failed. */
export function retryLater({ job, row }: Claim, now: number, failure: Failure, atLeastMs = 0): JobEnd {
  if (job.attempts + 1 >= maxAttempts) return { status: 'failed', ...failure };
  const waitMs = Math.max(baseDelayMs * 2 ** job.attempts, atLeastMs);
  const notBefore = now + Math.round(waitMs * (1 + spread * phaseOf(row)));
  return { status: 'queued', error: failure.error, notBefore, failed: true };
}

/** Counts a pause of the vendor as a failed attempt, for which nothing was sent. */
const postpone = (claim: Claim, now: number, waitMs: number): JobEnd =>
  retryLater(claim, now, { error: pausedMessage, nextSyncAt: now + waitMs }, waitMs);

const pausedMessage = 'The vendor is not responding or is rate limiting this credential. The sync will be retried.';

/** Part of an interval by which connectors differ, so that those that were once due together drift apart. */
const spread = 0.1;

/** From 0 to 1, always the same for one connector. */
const phaseOf = ({ id }: Pick<ConnectorRow, 'id'>): number =>
  createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32;

/** When the next sync of a connector is due: up to a tenth earlier than the interval says. */
export const nextSyncAt = (row: Pick<ConnectorRow, 'id'>, intervalMs: number, now: number): number =>
  now + Math.round(intervalMs * (1 - spread * phaseOf(row)));

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `replication_config.interval` where it is left out. */
export const defaultInterval = (replication: Replication | undefined): string => replication?.interval ?? '1h';

/** How long after a run the next begins, in milliseconds. */
export function intervalOf(
  { replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>,
  replication: Replication | undefined,
): number {
  const interval = String(replicationConfig?.interval ?? defaultInterval(replication));
  const [, count, unit] = /^(\d+)([mhd])$/.exec(interval) ?? [];
  return Number(count ?? 1) * (unitMs[unit ?? 'h'] ?? 3_600_000);
}
