import { type Migration, primaryKey, required } from './types.js';

/** Rate limits shared by processes: when each bucket will be full, in microseconds since 1970. */
export const rateLimits: Migration = {
  version: 16,
  name: 'rate-limits',
  async up({ createTable, inPostgres, integer, text }) {
    await createTable('rate_limits')
      .addColumn('name', text, primaryKey)
      .addColumn('full_at', integer, required)
      .addColumn('granted', integer, required)
      .execute();
    // Unlogged: it may be lost in a crash, and statements do not wait for the disk.
    await inPostgres('alter table rate_limits set unlogged');
  },
};
