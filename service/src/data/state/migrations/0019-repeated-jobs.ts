import type { Migration } from './types.js';

/** Whether a job that is running must run again, because a sync was requested in the meantime. */
export const repeatedJobs: Migration = {
  version: 19,
  name: 'repeated-jobs',
  async up({ alterTable, integer }) {
    await alterTable('jobs')
      .addColumn('repeats', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
