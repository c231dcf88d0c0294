import { sql } from 'kysely';
import { type Migration, required } from './types.js';

/** Records written through the service are read back after the response, by any process. */
export const writtenRecords: Migration = {
  version: 3,
  name: 'written records',
  async up({ alterTable, createIndex, text }) {
    await alterTable('written_records')
      .addColumn('status', text, (column) => required(column).defaultTo('stored'))
      .execute();
    await alterTable('written_records')
      .addColumn('process_id', text, (column) => required(column).defaultTo(''))
      .execute();
    await createIndex('written_records_unstored')
      .on('written_records')
      .column('connector_id')
      .where(sql.ref('status'), '<>', 'stored')
      .execute();
  },
};
