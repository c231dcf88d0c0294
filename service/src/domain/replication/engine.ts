import { runJob } from './job.js';
import { openScheduler } from './scheduler.js';
import type { JobDependencies } from './types.js';

/** What the engine works with. */
export interface EngineDependencies extends Omit<JobDependencies, 'pause'> {
  /** Whether this process carries out jobs; another may, on the same data. */
  readonly replicates: boolean;
}

/** Keeps the replicas of all connectors up to date, beside other processes that do so with the same data. */
export interface Engine {
  /** Looks for work at once, rather than in a moment. */
  wake(): void;
  /** Resolves when this process writes nothing more of what a connector was before it was changed. */
  stopConnector(connectorId: string): Promise<void>;
  /** Removes the records of connectors that there are no more, once nothing is written for them. */
  removeOrphans(): Promise<void>;
  /** Stores what is under way, gives back the jobs and stops. */
  close(): Promise<void>;
}

/** Starts the engine. */
export function openEngine({ replicates, ...dependencies }: EngineDependencies): Engine {
  const { state, store, instances, metrics, now, report } = dependencies;
  /** What was written while the connector was deleted would else stay. */
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
    dependencies.definitions.replicatedTypes().then(scheduler.start, (error) => report(error, 'replication'));
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
