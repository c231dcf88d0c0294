import { jobLeaseMs } from '../../data/state/jobs.js';
import type { Claim } from '../../data/state/replication-types.js';
import { abortableDelay } from './entity.js';
import { runJob } from './job.js';
import type { JobDependencies } from './types.js';

/** Dependencies of the engine. */
export interface EngineDependencies extends Omit<JobDependencies, 'pause'> {
  /** Whether this process runs jobs; another process on the same data may. */
  readonly replicates: boolean;
}

/** Keeps the replicas of all connectors up to date, together with other processes on the same data. */
export interface Engine {
  /** Looks for work now instead of at the next poll. */
  wake(): void;
  /** Resolves once this process no longer writes data of the connector's previous configuration. */
  stopConnector(connectorId: string): Promise<void>;
  /** Deletes the records of deleted connectors, once nothing writes for them. */
  removeOrphans(): Promise<void>;
  /** Stores progress, releases the jobs and stops. */
  close(): Promise<void>;
}

interface RunningJob {
  readonly claim: Claim;
  /** Waiting for its vendor, while another job may use its slot. */
  paused: boolean;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Maximum concurrent jobs. */
const maxConcurrentJobs = 4;
/** Maximum concurrent jobs per organization, so that others never wait for it. */
const maxJobsOfOrganization = maxConcurrentJobs - 1;
const pollIntervalMs = 1_000;
/** Jobs created per poll. */
const maxPlannedJobs = 100;

export function openEngine({ replicates, ...dependencies }: EngineDependencies): Engine {
  const { state, store, metrics, report } = dependencies;
  const running = new Set<RunningJob>();
  let types: readonly string[] | undefined;
  let pollRequested = false;
  let polling: Promise<void> | undefined;
  let closed = false;

  const runClaim = async (entry: Omit<RunningJob, 'done'>): Promise<void> => {
    const { claim, stop } = entry;
    const { signal } = stop;
    const renewLease = async () => {
      if (!(await state.jobs.renewLease(claim))) stop.abort();
    };
    const heartbeat = setInterval(() => void logErrors(renewLease()), jobLeaseMs / 5);
    heartbeat.unref();
    const pause = async (ms: number) => {
      entry.paused = true;
      wake();
      await abortableDelay(ms, signal).finally(() => {
        entry.paused = false;
      });
    };
    try {
      const end = await runJob(claim, { ...dependencies, pause }, signal);
      const ended = end !== undefined && (await state.jobs.end(claim, end));
      if (ended && end.status !== 'queued') metrics.job({ type: claim.row.type, outcome: end.status });
      if (!ended) await removeIfDeleted(claim.row.id);
    } finally {
      clearInterval(heartbeat);
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
  /** The number of used slots, and the organizations at their limit. */
  const occupancy = () => {
    const jobs = new Map<string, number>();
    for (const { claim, paused } of running) {
      const { organizationId } = claim.row;
      if (!paused) jobs.set(organizationId, (jobs.get(organizationId) ?? 0) + 1);
    }
    // Jobs that resume after a pause may exceed the limit, but take no slot from others.
    const taken = [...jobs.values()].reduce((sum, count) => sum + Math.min(count, maxJobsOfOrganization), 0);
    return { taken, full: [...jobs].flatMap(([id, count]) => (count >= maxJobsOfOrganization ? id : [])) };
  };
  const claimJobs = async (): Promise<void> => {
    while (pollRequested && !closed && types) {
      pollRequested = false;
      await state.jobs.plan(types, maxPlannedJobs);
      while (!closed) {
        const { taken, full } = occupancy();
        if (taken >= maxConcurrentJobs) break;
        const claim = await state.jobs.claim(types, full);
        if (!claim) break;
        startJob(claim);
      }
    }
  };
  /** Polls again if a poll is already running, so that job limits are never exceeded. */
  const poll = (): Promise<void> => {
    pollRequested = true;
    polling ??= logErrors(claimJobs()).finally(() => {
      polling = undefined;
      if (pollRequested && !closed && types) wake();
    });
    return polling;
  };
  const logErrors = (work: Promise<void>): Promise<void> => work.catch((error) => report(error, 'replication'));
  /** Deletes what was written while the connector was being deleted. */
  const removeIfDeleted = async (connectorId: string) => {
    if (!(await state.connectors.existing([connectorId])).has(connectorId)) await store.removeConnector(connectorId);
  };
  const stopJobs = async (matches: (running: RunningJob) => boolean) => {
    // Jobs claimed but not started yet.
    await polling;
    const matching = [...running].filter(matches);
    for (const { stop } of matching) stop.abort();
    await Promise.all(matching.map(({ done }) => done));
  };
  const wake = () => {
    if (!closed) setImmediate(() => void poll());
  };
  const removeOrphans = async () => {
    const known = await state.connectors.existing([...running].map(({ claim }) => claim.row.id));
    await stopJobs(({ claim }) => !known.has(claim.row.id));
    const stored = await store.connectors();
    const existing = await state.connectors.existing(stored);
    for (const id of stored) if (!existing.has(id)) await store.removeConnector(id);
  };

  let timer: NodeJS.Timeout | undefined;
  if (replicates) {
    timer = setInterval(() => void poll(), pollIntervalMs);
    timer.unref();
    dependencies.definitions.replicatedTypes().then(
      (names) => {
        types = names;
        wake();
      },
      (error) => report(error, 'replication'),
    );
  }
  return {
    wake,
    removeOrphans,
    async stopConnector(connectorId) {
      await stopJobs(({ claim }) => claim.row.id === connectorId);
      wake();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await stopJobs(() => true);
    },
  };
}
