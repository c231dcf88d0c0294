import { isOrganization, secureRows } from './0011-row-security.js';
import { type Migration, ownedBy, primaryKey, required } from './types.js';

/** Connect sessions, accounts and health of connectors, and webhooks with their outbox. */
export const connect: Migration = {
  version: 13,
  name: 'connect',
  async up({ alterTable, createTable, createIndex, inPostgres, bytes, integer, text }) {
    await createTable('connect_clients')
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('origins', text, required)
      .addColumn('key_id', text, (column) => column.references('keys.id'))
      .addColumn('sealed', bytes)
      .addPrimaryKeyConstraint('connect_clients_pkey', ['organization_id', 'client_id'])
      .execute();
    await createIndex('connect_clients_by_key').on('connect_clients').column('key_id').execute();
    await alterTable('setups').addColumn('connect', text).execute();
    await alterTable('connectors').addColumn('account', text).execute();
    await alterTable('connectors').addColumn('health', text).execute();
    await createTable('webhooks', { rowid: true })
      .addColumn('id', text, primaryKey)
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('workspace_id', text, (column) => column.references('workspaces.id').onDelete('cascade'))
      .addColumn('url', text, required)
      .addColumn('events', text)
      .addColumn('disabled', text)
      .addColumn('failing_since', integer)
      .addColumn('created_at', integer, required)
      .addColumn('key_id', text, (column) => column.notNull().references('keys.id'))
      .addColumn('sealed', bytes, required)
      .execute();
    await createIndex('webhooks_by_organization').on('webhooks').columns(['organization_id', 'created_at']).execute();
    await createIndex('webhooks_by_key').on('webhooks').column('key_id').execute();
    await createTable('webhook_deliveries', { rowid: true })
      .addColumn('id', text, primaryKey)
      .addColumn('webhook_id', text, ownedBy('webhooks.id'))
      .addColumn('organization_id', text, required)
      .addColumn('connector_id', text, required)
      .addColumn('seq', integer, required)
      .addColumn('event', text, required)
      .addColumn('payload', text, required)
      .addColumn('status', text, required)
      .addColumn('attempts', integer, required)
      .addColumn('first_attempt_at', integer)
      .addColumn('not_before', integer, required)
      .addColumn('owner', text)
      .addColumn('created_at', integer, required)
      .addColumn('finished_at', integer)
      .addColumn('response_status', integer)
      .addColumn('error', text)
      .execute();
    await createIndex('webhook_deliveries_in_order')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'connector_id', 'status', 'seq'])
      .execute();
    await createIndex('webhook_deliveries_due').on('webhook_deliveries').columns(['status', 'not_before']).execute();
    await createIndex('webhook_deliveries_by_time')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'created_at', 'id'])
      .execute();
    for (const table of ['connect_clients', 'webhooks', 'webhook_deliveries']) {
      await secureRows(inPostgres, table, isOrganization('organization_id'));
    }
  },
};
