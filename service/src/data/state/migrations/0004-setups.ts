import { cascade, type Migration, ownedBy, primaryKey, required } from './types.js';

/** Setups: links that let a user connect an account, valid for 30 minutes. */
export const setups: Migration = {
  version: 4,
  name: 'setups',
  async up({ createTable, createIndex, bytes, integer, text }) {
    await createTable('setups', { rowid: true })
      .addColumn('id', text, primaryKey)
      .addColumn('token_hash', bytes, (column) => column.notNull().unique())
      .addColumn('organization_id', text, required)
      .addColumn('workspace_id', text, required)
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('name', text, required)
      .addColumn('type', text)
      .addColumn('status', text, required)
      .addColumn('connector_id', text)
      .addColumn('error', text)
      .addColumn('tries', integer, (column) => column.notNull().defaultTo(0))
      .addColumn('expires_at', integer, required)
      .addColumn('state_hash', bytes, (column) => column.unique())
      .addColumn('browser_hash', bytes)
      .addColumn('asked_until', integer)
      .addColumn('key_id', text, (column) => column.references('keys.id'))
      .addColumn('sealed', bytes)
      .addForeignKeyConstraint(
        'setups_organization_id_workspace_id_fkey',
        ['organization_id', 'workspace_id'],
        'workspaces',
        ['organization_id', 'id'],
        cascade,
      )
      .execute();
    await createIndex('setups_by_name').on('setups').columns(['workspace_id', 'name']).execute();
    await createIndex('setups_by_client').on('setups').column('client_id').execute();
    await createIndex('setups_by_expiry').on('setups').column('expires_at').execute();
    await createIndex('setups_by_key').on('setups').column('key_id').where('key_id', 'is not', null).execute();
  },
};
