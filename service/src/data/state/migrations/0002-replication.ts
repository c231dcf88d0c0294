import { sql } from 'kysely';
import { type Migration, ownedBy, primaryKey, required } from './types.js';

/** Replication schedules, sync state per entity, and jobs. */
export const replication: Migration = {
  version: 2,
  name: 'replication',
  async up({ createTable, createIndex, alterTable, integer, text }) {
    await alterTable('connectors')
      .addColumn('sync_at', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await createIndex('connectors_by_sync').on('connectors').column('sync_at').execute();
    await createTable('replicas')
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('entity', text, required)
      .addColumn('status', text, required)
      .addColumn('config_hash', text, required)
      .addColumn('state', text)
      .addColumn('records', integer, required)
      .addColumn('synced_at', integer)
      .addColumn('swept_at', integer)
      .addColumn('renew', integer, (column) => column.notNull().defaultTo(0))
      .addColumn('error', text)
      .addPrimaryKeyConstraint('replicas_pkey', ['connector_id', 'entity'])
      .execute();
    await createTable('jobs')
      .addColumn('id', text, primaryKey)
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('requested', text, required)
      .addColumn('wanted', text)
      .addColumn('status', text, required)
      .addColumn('owner', text)
      .addColumn('lease_until', integer)
      .addColumn('not_before', integer, required)
      .addColumn('attempts', integer, (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', integer, required)
      .addColumn('started_at', integer)
      .addColumn('finished_at', integer)
      .addColumn('entities', text, required)
      .addColumn('error', text)
      .execute();
    await createIndex('open_job')
      .unique()
      .on('jobs')
      .column('connector_id')
      .where(sql.ref('status'), 'in', ['queued', 'running'])
      .execute();
    await createIndex('open_jobs')
      .on('jobs')
      .column('created_at')
      .where(sql.ref('status'), 'in', ['queued', 'running'])
      .execute();
    await createIndex('jobs_by_connector').on('jobs').columns(['connector_id', 'created_at', 'id']).execute();
  },
};
