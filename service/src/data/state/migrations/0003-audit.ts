import { sql } from 'kysely';
import { type Migration, ownedBy, required } from './types.js';

/** The audit log and policies. Entries outlive what they describe, so they have no foreign keys. */
export const audit: Migration = {
  version: 3,
  name: 'audit',
  async up({ createTable, createIndex, integer, text }) {
    await createTable('audit')
      .addColumn('organization_id', text, required)
      .addColumn('seq', integer, required)
      .addColumn('at', text, required)
      .addColumn('event', text, required)
      .addColumn('workspace_id', text)
      .addColumn('connector_id', text)
      .addColumn('connector_type', text)
      .addColumn('client_id', text)
      .addColumn('via', text, required)
      .addColumn('entity', text)
      .addColumn('action', text)
      .addColumn('effect', text)
      .addColumn('params_digest', text)
      .addColumn('intent', text)
      .addColumn('outcome', text, required)
      .addColumn('begun_as', integer)
      .addColumn('duration_ms', integer)
      .addColumn('request_id', text)
      .addColumn('previous', text, required)
      .addColumn('digest', text, required)
      .addPrimaryKeyConstraint('audit_pkey', ['organization_id', 'seq'])
      .execute();
    await createIndex('audit_by_connector').on('audit').columns(['organization_id', 'connector_id', 'seq']).execute();
    await createTable('policies', { rowid: true })
      .addColumn('workspace_id', text, ownedBy('workspaces.id'))
      .addColumn('connector_id', text, (column) => column.references('connectors.id').onDelete('cascade'))
      .addColumn('read_only', integer, required)
      .addColumn('allow', text)
      .addColumn('updated_at', text, required)
      .addUniqueConstraint('policies_workspace_id_connector_id_key', ['workspace_id', 'connector_id'])
      .execute();
    await createIndex('policy_of_workspace')
      .unique()
      .on('policies')
      .column('workspace_id')
      .where(sql.ref('connector_id'), 'is', null)
      .execute();
  },
};
