import type { Migration } from './types.js';

/** When the run in progress started, so that a resumed one does not count as more recent than it is. */
export const replicaRuns: Migration = {
  version: 18,
  name: 'replica-runs',
  async up({ alterTable, integer }) {
    await alterTable('replicas').addColumn('started_at', integer).execute();
  },
};
