import { isOfConnector, secureRows } from './0011-row-security.js';
import { type Migration, ownedBy, required } from './types.js';

/** Records written through the service, until a later sync has read them. */
export const writtenRecords: Migration = {
  version: 15,
  name: 'written-records',
  async up({ createTable, inPostgres, text }) {
    await createTable('written_records')
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('entity', text, required)
      .addColumn('record_id', text, required)
      .addColumn('write_id', text, required)
      .addPrimaryKeyConstraint('written_records_pkey', ['connector_id', 'entity', 'record_id'])
      .execute();
    await secureRows(inPostgres, 'written_records', isOfConnector('written_records'));
  },
};
