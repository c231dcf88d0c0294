import { cascade, type Migration, ownedBy, primaryKey, required } from './types.js';

/** Plans awaiting approval, policies that require it, subjects of audit entries, and replaced client secrets. */
export const plans: Migration = {
  version: 10,
  name: 'plans',
  async up({ alterTable, createTable, createIndex, bytes, integer, text }) {
    await createTable('plans', { rowid: true })
      .addColumn('id', text, primaryKey)
      .addColumn('organization_id', text, required)
      .addColumn('workspace_id', text, required)
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('entity', text, required)
      .addColumn('action', text, required)
      .addColumn('effect', text, required)
      .addColumn('params_digest', text, required)
      .addColumn('status', text, required)
      .addColumn('requested_by', text, required)
      .addColumn('requested_via', text, required)
      .addColumn('requested_at', integer, required)
      .addColumn('expires_at', integer, required)
      .addColumn('decision', text)
      .addColumn('decided_by', text)
      .addColumn('decided_at', integer)
      .addColumn('executed_at', integer)
      .addColumn('key_id', text, (column) => column.notNull().references('keys.id'))
      .addColumn('sealed', bytes, required)
      .addForeignKeyConstraint(
        'plans_organization_id_workspace_id_fkey',
        ['organization_id', 'workspace_id'],
        'workspaces',
        ['organization_id', 'id'],
        cascade,
      )
      .execute();
    await createIndex('plans_by_organization').on('plans').columns(['organization_id', 'requested_at', 'id']).execute();
    await createIndex('plans_by_connector').on('plans').columns(['connector_id', 'requested_by']).execute();
    await createIndex('plans_by_workspace').on('plans').columns(['workspace_id', 'requested_at', 'id']).execute();
    await createIndex('plans_by_expiry').on('plans').column('expires_at').execute();
    await createIndex('plans_by_key').on('plans').column('key_id').execute();
    await alterTable('policies').addColumn('approval', text).execute();
    await alterTable('policies').addColumn('approval_by', text).execute();
    await alterTable('audit').addColumn('subject', text).execute();
    await alterTable('clients').addColumn('previous_secret_hash', bytes).execute();
    await alterTable('clients').addColumn('previous_secret_until', integer).execute();
  },
};
