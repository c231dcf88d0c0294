import type { Migration } from './types.js';

/** Remembers that most records of a replica were missing from the vendor's last list, until a second list agrees. */
export const unlistedRecords: Migration = {
  version: 10,
  name: 'unlisted records',
  async up({ alterTable, integer }) {
    await alterTable('replicas').addColumn('unlisted', integer).execute();
  },
};
