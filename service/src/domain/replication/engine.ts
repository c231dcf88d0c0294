import { jobLeaseMs } from '../../data/state/jobs.js';
import type { Claim } from '../../data/state/replication-types.js';
import { paused } from './entity.js';
import { carryOut } from './job.js';
import type { JobParts } from './types.js';

/** What the engine works with. */
export interface EngineParts extends Omit<JobParts, 'pause'> {
  /** Whether this process carries out jobs; another may, on the same data. */
  readonly replicates: boolean;
}

/** Keeps the replicas of all connectors up to date, beside other processes that do so with the same data. */
export interface Engine {
  /** Looks for work at once, rather than in a moment. */
  wake(): void;
  /** Resolves when this process writes nothing more of what a connector was before it was changed. */
  changed(connectorId: string): Promise<void>;
  /** Removes the records of connectors that there are no more, once nothing is written for them. */
  forget(): Promise<void>;
  /** Stores what is under way, gives back the jobs and stops. */
  close(): Promise<void>;
}

interface Running {
  readonly claim: Claim;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** So many connectors are replicated at the same time. */
const mostAtOnce = 4;
const lookMs = 1_000;
/** So many jobs are made at once. */
const mostPlanned = 100;

/** Starts the engine. */
export function openEngine({ replicates, ...parts }: EngineParts): Engine {
  const { state, store, metrics, report } = parts;
  const running = new Set<Running>();
  let types: readonly string[] | undefined;
  let working = 0;
  let again = false;
  let looking: Promise<void> | undefined;
  let closed = false;

  const run = async (claim: Claim, stop: AbortController): Promise<void> => {
    const { signal } = stop;
    const held = async () => {
      if (!(await state.jobs.hold(claim))) stop.abort();
    };
    const beat = setInterval(() => void reported(held()), jobLeaseMs / 5);
    beat.unref();
    const pause = async (ms: number) => {
      working -= 1;
      wake();
      await paused(ms, signal).finally(() => {
        working += 1;
      });
    };
    try {
      const end = await carryOut(claim, { ...parts, pause }, signal);
      const ended = end !== undefined && (await state.jobs.end(claim, end));
      if (ended && end.status !== 'queued') metrics.job({ type: claim.row.type, outcome: end.status });
      if (!ended) await tidied(claim.row.id);
    } finally {
      clearInterval(beat);
    }
  };
  const begin = (claim: Claim) => {
    const stop = new AbortController();
    working += 1;
    const done = run(claim, stop)
      .catch((error) => report(error, claim.job.id))
      .finally(() => {
        working -= 1;
        running.delete(entry);
        wake();
      });
    const entry: Running = { claim, stop, done };
    running.add(entry);
  };
  const look = async (): Promise<void> => {
    while (again && !closed && types) {
      again = false;
      await state.jobs.plan(types, mostPlanned);
      while (!closed && working < mostAtOnce) {
        const claim = await state.jobs.claim(types);
        if (!claim) break;
        begin(claim);
      }
    }
  };
  /** Looks once more where somebody looks already, so that there are never more jobs than there may be. */
  const looked = (): Promise<void> => {
    again = true;
    looking ??= reported(look()).finally(() => {
      looking = undefined;
      if (again && !closed && types) wake();
    });
    return looking;
  };
  const reported = (work: Promise<void>): Promise<void> => work.catch((error) => report(error, 'replication'));
  /** What was written while the connector was deleted would else stay. */
  const tidied = async (connectorId: string) => {
    if (!(await state.connectors.existing([connectorId])).has(connectorId)) await store.removeConnector(connectorId);
  };
  const stopped = async (these: (running: Running) => boolean) => {
    // What has been taken up and has not begun.
    await looking;
    const chosen = [...running].filter(these);
    for (const { stop } of chosen) stop.abort();
    await Promise.all(chosen.map(({ done }) => done));
  };
  const wake = () => {
    if (!closed) setImmediate(() => void looked());
  };
  const forget = async () => {
    const known = await state.connectors.existing([...running].map(({ claim }) => claim.row.id));
    await stopped(({ claim }) => !known.has(claim.row.id));
    const stored = await store.connectors();
    const existing = await state.connectors.existing(stored);
    for (const id of stored) if (!existing.has(id)) await store.removeConnector(id);
  };

  let timer: NodeJS.Timeout | undefined;
  if (replicates) {
    timer = setInterval(() => void looked(), lookMs);
    timer.unref();
    parts.definitions.replicated().then(
      (names) => {
        types = names;
        wake();
      },
      (error) => report(error, 'replication'),
    );
  }
  return {
    wake,
    forget,
    async changed(connectorId) {
      await stopped(({ claim }) => claim.row.id === connectorId);
      wake();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await stopped(() => true);
    },
  };
}
