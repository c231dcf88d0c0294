import { runJob } from './job.js';
import { openScheduler } from './scheduler.js';
import type { JobDependencies } from './types.js';

/** Dependencies of the engine. */
export interface EngineDependencies extends Omit<JobDependencies, 'pause'> {
  /** Whether this process runs jobs; another process that uses the same data may run them. */
  readonly replicates: boolean;
}

/** Keeps the replicas of all connectors up to date, together with other processes that use the same data. */
export interface Engine {
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
export function openEngine({ replicates, ...dependencies }: EngineDependencies): Engine {
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
