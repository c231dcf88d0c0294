import { sql } from 'kysely';
import { type Migration, primaryKey, required } from './types.js';

/**
 * Data keys wrapped by the master key, the keys that processes can rotate to, and where each audit log becomes keyed.
 */
export const dataKeys: Migration = {
  version: 9,
  name: 'data-keys',
  async up({ alterTable, createTable, createIndex, integer, text }) {
    const keys = () => alterTable('keys');
    await keys().addColumn('organization_id', text).execute();
    await keys().addColumn('wrapped_by', text).execute();
    await keys().addColumn('created_at', text).execute();
    await keys()
      .addColumn('retired', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await createIndex('keys_by_organization')
      .unique()
      .on('keys')
      .column('organization_id')
      .where(sql.ref('retired'), '=', 0)
      .execute();
    await createIndex('keys_by_wrapping').on('keys').column('wrapped_by').execute();
    await alterTable('processes')
      .addColumn('reloads', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await createTable('audit_checkpoints')
      .addColumn('organization_id', text, primaryKey)
      .addColumn('unkeyed_seq', integer, required)
      .addColumn('unkeyed_digest', text, required)
      .addColumn('removed_seq', integer, required)
      .addColumn('removed_digest', text, required)
      .addColumn('mac', text, required)
      .execute();
  },
};
