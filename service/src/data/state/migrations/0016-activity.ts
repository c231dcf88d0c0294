import { isOrganization, type Migration, ownedBy, required, restrictRows } from './types.js';

/**
 * Calls and synced records by hour, so that charts need neither the audit log nor the jobs, of which few are kept. Hours
 * are `YYYY-MM-DDTHH` in UTC. Rows outlive their connector until they are old.
 */
export const activity: Migration = {
  version: 16,
  name: 'activity',
  async up(schema) {
    const { createTable, integer, text } = schema;
    await createTable('call_hours')
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('connector_id', text, required)
      .addColumn('hour', text, required)
      // The least duration of the histogram's bucket, in milliseconds.
      .addColumn('duration_ms', integer, required)
      .addColumn('calls', integer, required)
      .addColumn('errors', integer, required)
      .addPrimaryKeyConstraint('call_hours_pkey', ['organization_id', 'connector_id', 'hour', 'duration_ms'])
      .execute();
    // Without an entity, a row counts the syncs themselves.
    const syncs = createTable('sync_hours')
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('connector_id', text, required)
      .addColumn('entity', text, required)
      .addColumn('hour', text, required);
    await ['syncs', 'failed_syncs', 'read', 'changed', 'failed', 'records']
      .reduce((table, column) => table.addColumn(column, integer, required), syncs)
      .addPrimaryKeyConstraint('sync_hours_pkey', ['organization_id', 'connector_id', 'hour', 'entity'])
      .execute();
    // The last entry of an organization's audit log that `call_hours` contains.
    await createTable('counted_calls')
      .addColumn('organization_id', text, (column) => ownedBy('organizations.id')(column).primaryKey())
      .addColumn('seq', integer, required)
      .execute();
    for (const table of ['call_hours', 'sync_hours', 'counted_calls']) {
      await restrictRows(schema, table, isOrganization('organization_id'));
    }
  },
};
