import { cascade, type Migration, ownedBy, primaryKey, required } from './types.js';

/** Accounts, connectors, sealed credentials, leases and the ledger of writes. */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  async up({ createTable, createIndex, bytes, integer, text }) {
    await createTable('organizations')
      .addColumn('id', text, primaryKey)
      .addColumn('name', text, required)
      .addColumn('created_at', text, required)
      .execute();
    await createTable('workspaces')
      .addColumn('id', text, primaryKey)
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('name', text, required)
      .addColumn('created_at', text, required)
      .addUniqueConstraint('workspaces_organization_id_name_key', ['organization_id', 'name'])
      .addUniqueConstraint('workspaces_organization_id_id_key', ['organization_id', 'id'])
      .execute();
    await createTable('clients')
      .addColumn('id', text, primaryKey)
      .addColumn('name', text, required)
      .addColumn('secret_hash', bytes, required)
      .addColumn('created_at', text, required)
      .execute();
    await createTable('client_organizations')
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('position', integer, required)
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addPrimaryKeyConstraint('client_organizations_pkey', ['client_id', 'position'])
      .addUniqueConstraint('client_organizations_client_id_organization_id_key', ['client_id', 'organization_id'])
      .execute();
    await createTable('connectors')
      .addColumn('id', text, primaryKey)
      .addColumn('organization_id', text, required)
      .addColumn('workspace_id', text, required)
      .addColumn('name', text, required)
      .addColumn('type', text, required)
      .addColumn('replication_config', text)
      .addColumn('settings', text, required)
      .addColumn('created_at', text, required)
      .addColumn('updated_at', text, required)
      .addUniqueConstraint('connectors_workspace_id_name_key', ['workspace_id', 'name'])
      .addForeignKeyConstraint(
        'connectors_organization_id_workspace_id_fkey',
        ['organization_id', 'workspace_id'],
        'workspaces',
        ['organization_id', 'id'],
        cascade,
      )
      .execute();
    await createIndex('connectors_by_organization')
      .on('connectors')
      .columns(['organization_id', 'created_at', 'id'])
      .execute();
    await createIndex('connectors_by_workspace')
      .on('connectors')
      .columns(['workspace_id', 'created_at', 'id'])
      .execute();
    await createTable('keys').addColumn('id', text, primaryKey).addColumn('sealed', bytes, required).execute();
    await createTable('credentials')
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('field', text, required)
      .addColumn('key_id', text, (column) => column.notNull().references('keys.id'))
      .addColumn('sealed', bytes, required)
      .addPrimaryKeyConstraint('credentials_pkey', ['connector_id', 'field'])
      .execute();
    await createIndex('credentials_by_key').on('credentials').column('key_id').execute();
    await createTable('processes')
      .addColumn('id', text, primaryKey)
      .addColumn('key_id', text, required)
      .addColumn('seen_at', integer, required)
      .execute();
    await createTable('leases')
      .addColumn('connector_id', text, primaryKey)
      .addColumn('holder', text, required)
      .addColumn('expires_at', integer, required)
      .execute();
    await createTable('ledger', { rowid: true })
      .addColumn('id', text, primaryKey)
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('process_id', text, required)
      .addColumn('begun_at', integer, required)
      .addColumn('done', integer, (column) => column.notNull().defaultTo(0))
      .addColumn('key_id', text, (column) => column.notNull().references('keys.id'))
      .addColumn('sealed', bytes, required)
      .execute();
    await createIndex('ledger_by_connector').on('ledger').column('connector_id').execute();
    await createIndex('ledger_by_time').on('ledger').column('begun_at').execute();
    await createIndex('ledger_by_key').on('ledger').column('key_id').execute();
  },
};
