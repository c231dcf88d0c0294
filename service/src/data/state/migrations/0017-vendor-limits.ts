import { sql } from 'kysely';
import { type Migration, primaryKey, required } from './types.js';

/**
 * Information about failing and rate-limiting vendors, shared by processes; also each job's organization, for fair
 * scheduling.
 */
export const vendorLimits: Migration = {
  version: 17,
  name: 'vendor-limits',
  async up({ alterTable, createTable, createIndex, inPostgres, integer, text }) {
    await createTable('vendor_limits')
      .addColumn('name', text, primaryKey)
      .addColumn('failed_by', text, (column) => required(column).defaultTo(''))
      .addColumn('failures', integer, (column) => required(column).defaultTo(0))
      .addColumn('paused_until', integer, (column) => required(column).defaultTo(0))
      .addColumn('sent', text, (column) => required(column).defaultTo(''))
      .addColumn('granted', integer, (column) => required(column).defaultTo(0))
      .execute();
    // Unlogged: they may be lost in a crash, and statements do not wait for the disk.
    await inPostgres('alter table vendor_limits set unlogged');
    // Jobs created before this migration are scheduled as if they belonged to one additional organization.
    await alterTable('jobs')
      .addColumn('organization_id', text, (column) => required(column).defaultTo(''))
      .execute();
    await createIndex('open_jobs_by_organization')
      .on('jobs')
      .columns(['organization_id', 'created_at'])
      .where(sql.ref('status'), 'in', ['queued', 'running'])
      .execute();
    await createIndex('running_jobs')
      .on('jobs')
      .column('organization_id')
      .where(sql.ref('status'), '=', 'running')
      .execute();
  },
};
