import { cascade, isOfConnector, type Migration, required, restrictRows } from './types.js';

/** Remembers what a replica lacks: records, fields, and why its last sync failed. */
export const replicaGaps: Migration = {
  version: 2,
  name: 'gaps of replicas',
  async up(schema) {
    const { alterTable, createTable, text } = schema;
    await alterTable('replicas').addColumn('error_reason', text).execute();
    await alterTable('replicas').addColumn('unread', text).execute();
    await alterTable('replicas').addColumn('fields', text).execute();
    await createTable('unread_records')
      .addColumn('connector_id', text, required)
      .addColumn('entity', text, required)
      .addColumn('record_id', text, required)
      .addColumn('field', text)
      .addColumn('message', text, required)
      .addPrimaryKeyConstraint('unread_records_pkey', ['connector_id', 'entity', 'record_id'])
      .addForeignKeyConstraint(
        'unread_records_connector_id_entity_fkey',
        ['connector_id', 'entity'],
        'replicas',
        ['connector_id', 'entity'],
        cascade,
      )
      .execute();
    await restrictRows(schema, 'unread_records', isOfConnector('unread_records'));
  },
};
