import { type Migration, primaryKey, required } from './types.js';

/** Rate limits that processes share: when each bucket is full again, in microseconds since 1970. */
export const rateLimits: Migration = {
  version: 16,
  name: 'rate-limits',
  async up({ createTable, inPostgres, integer, text }) {
    await createTable('rate_limits')
      .addColumn('name', text, primaryKey)
      .addColumn('full_at', integer, required)
      .addColumn('granted', integer, required)
      .execute();
    // A crash may forget them: no statement waits for the disk.
    await inPostgres('alter table rate_limits set unlogged');
  },
};
