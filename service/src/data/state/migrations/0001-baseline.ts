import { sql } from 'kysely';
import {
  cascade,
  isConnector,
  isOfConnector,
  isOrganization,
  type Migration,
  ownedBy,
  primaryKey,
  required,
  restrictRows,
  type Schema,
} from './types.js';

/** All tables of the first release. */
export const baseline: Migration = {
  version: 1,
  name: 'baseline',
  async up(schema) {
    await createAccounts(schema);
    await createConnectors(schema);
    await createProcesses(schema);
    await createReplication(schema);
    await createAudit(schema);
    await createPlans(schema);
    await createSetups(schema);
    await createConsole(schema);
    await createOAuth(schema);
    await createWebhooks(schema);
    await secureRows(schema);
  },
};

/** Organizations, their workspaces, and the clients of programs. */
async function createAccounts({ createTable, bytes, integer, text }: Schema): Promise<void> {
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
    .addColumn('scopes', text)
    .addColumn('previous_secret_hash', bytes)
    .addColumn('previous_secret_until', integer)
    .addColumn('as_user', text)
    .execute();
  await createTable('client_organizations')
    .addColumn('client_id', text, ownedBy('clients.id'))
    .addColumn('position', integer, required)
    .addColumn('organization_id', text, ownedBy('organizations.id'))
    .addPrimaryKeyConstraint('client_organizations_pkey', ['client_id', 'position'])
    .addUniqueConstraint('client_organizations_client_id_organization_id_key', ['client_id', 'organization_id'])
    .execute();
}

/** Connectors, keys, sealed credentials, policies and the ledger of writes. */
async function createConnectors({ createTable, createIndex, bytes, integer, text }: Schema): Promise<void> {
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
    .addColumn('sync_at', integer, (column) => required(column).defaultTo(0))
    .addColumn('account', text)
    .addColumn('health', text)
    .addUniqueConstraint('connectors_workspace_id_name_key', ['workspace_id', 'name'])
    .addForeignKeyConstraint('connectors_organization_id_workspace_id_fkey', ...ofWorkspace)
    .execute();
  await createIndex('connectors_by_organization')
    .on('connectors')
    .columns(['organization_id', 'created_at', 'id'])
    .execute();
  await createIndex('connectors_by_workspace').on('connectors').columns(['workspace_id', 'created_at', 'id']).execute();
  await createIndex('connectors_by_sync').on('connectors').column('sync_at').execute();
  await createTable('keys')
    .addColumn('id', text, primaryKey)
    .addColumn('sealed', bytes, required)
    .addColumn('organization_id', text)
    .addColumn('wrapped_by', text)
    .addColumn('created_at', text)
    .addColumn('retired', integer, (column) => required(column).defaultTo(0))
    .execute();
  await createIndex('keys_by_organization')
    .unique()
    .on('keys')
    .column('organization_id')
    .where(sql.ref('retired'), '=', 0)
    .execute();
  await createIndex('keys_by_wrapping').on('keys').column('wrapped_by').execute();
  await createTable('credentials')
    .addColumn('connector_id', text, ownedBy('connectors.id'))
    .addColumn('field', text, required)
    .addColumn('key_id', text, (column) => required(column).references('keys.id'))
    .addColumn('sealed', bytes, required)
    .addPrimaryKeyConstraint('credentials_pkey', ['connector_id', 'field'])
    .execute();
  await createIndex('credentials_by_key').on('credentials').column('key_id').execute();
  await createTable('policies', { rowid: true })
    .addColumn('workspace_id', text, ownedBy('workspaces.id'))
    .addColumn('connector_id', text, (column) => column.references('connectors.id').onDelete('cascade'))
    .addColumn('read_only', integer, required)
    .addColumn('allow', text)
    .addColumn('updated_at', text, required)
    .addColumn('approval', text)
    .addColumn('approval_by', text)
    .addUniqueConstraint('policies_workspace_id_connector_id_key', ['workspace_id', 'connector_id'])
    .execute();
  await createIndex('policy_of_workspace')
    .unique()
    .on('policies')
    .column('workspace_id')
    .where(sql.ref('connector_id'), 'is', null)
    .execute();
  await createTable('ledger', { rowid: true })
    .addColumn('id', text, primaryKey)
    .addColumn('connector_id', text, ownedBy('connectors.id'))
    .addColumn('process_id', text, required)
    .addColumn('begun_at', integer, required)
    .addColumn('done', integer, (column) => required(column).defaultTo(0))
    .addColumn('key_id', text, (column) => required(column).references('keys.id'))
    .addColumn('sealed', bytes, required)
    .execute();
  await createIndex('ledger_by_connector').on('ledger').column('connector_id').execute();
  await createIndex('ledger_by_time').on('ledger').column('begun_at').execute();
  await createIndex('ledger_by_key').on('ledger').column('key_id').execute();
}

/** What processes tell each other: which of them run, their leases, and limits that they share. */
async function createProcesses({ createTable, inPostgres, integer, text }: Schema): Promise<void> {
  await createTable('processes')
    .addColumn('id', text, primaryKey)
    .addColumn('key_id', text, required)
    .addColumn('seen_at', integer, required)
    .addColumn('reloads', integer, (column) => required(column).defaultTo(0))
    .execute();
  await createTable('leases')
    .addColumn('name', text, primaryKey)
    .addColumn('holder', text, required)
    .addColumn('expires_at', integer, required)
    .execute();
  await createTable('rate_limits')
    .addColumn('name', text, primaryKey)
    .addColumn('full_at', integer, required)
    .addColumn('granted', integer, required)
    .execute();
  await createTable('vendor_limits')
    .addColumn('name', text, primaryKey)
    .addColumn('failed_by', text, (column) => required(column).defaultTo(''))
    .addColumn('failures', integer, (column) => required(column).defaultTo(0))
    .addColumn('paused_until', integer, (column) => required(column).defaultTo(0))
    .addColumn('sent', text, (column) => required(column).defaultTo(''))
    .addColumn('granted', integer, (column) => required(column).defaultTo(0))
    .execute();
  // Unlogged: they may be lost in a crash, and statements do not wait for the disk.
  await inPostgres('alter table rate_limits set unlogged');
  await inPostgres('alter table vendor_limits set unlogged');
}

/** Sync state per entity, records written through the service, and jobs. */
async function createReplication({ createTable, createIndex, integer, text }: Schema): Promise<void> {
  await createTable('replicas')
    .addColumn('connector_id', text, ownedBy('connectors.id'))
    .addColumn('entity', text, required)
    .addColumn('status', text, required)
    .addColumn('config_hash', text, required)
    .addColumn('state', text)
    .addColumn('records', integer, required)
    .addColumn('synced_at', integer)
    .addColumn('swept_at', integer)
    .addColumn('renew', integer, (column) => required(column).defaultTo(0))
    .addColumn('error', text)
    .addColumn('started_at', integer)
    .addPrimaryKeyConstraint('replicas_pkey', ['connector_id', 'entity'])
    .execute();
  await createTable('written_records')
    .addColumn('connector_id', text, ownedBy('connectors.id'))
    .addColumn('entity', text, required)
    .addColumn('record_id', text, required)
    .addColumn('write_id', text, required)
    .addPrimaryKeyConstraint('written_records_pkey', ['connector_id', 'entity', 'record_id'])
    .execute();
  await createTable('jobs')
    .addColumn('id', text, primaryKey)
    .addColumn('organization_id', text, required)
    .addColumn('connector_id', text, ownedBy('connectors.id'))
    .addColumn('reason', text, required)
    .addColumn('requested_entities', text)
    .addColumn('status', text, required)
    .addColumn('owner', text)
    .addColumn('lease_until', integer)
    .addColumn('next_attempt_at', integer, required)
    .addColumn('attempts', integer, (column) => required(column).defaultTo(0))
    .addColumn('repeats', integer, (column) => required(column).defaultTo(0))
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
  await createIndex('open_jobs_by_organization')
    .on('jobs')
    .columns(['organization_id', 'created_at'])
    .where(sql.ref('status'), 'in', ['queued', 'running'])
    .execute();
  await createIndex('running_jobs')
    .on('jobs')
    .column('organization_id')
    .where(sql.ref('status'), '=', 'running')
    .execute();
  await createIndex('jobs_by_connector').on('jobs').columns(['connector_id', 'created_at', 'id']).execute();
}

/** The audit log. Entries outlive what they describe, so they have no foreign keys. */
async function createAudit({ createTable, createIndex, integer, text }: Schema): Promise<void> {
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
    .addColumn('address', text)
    .addColumn('subject', text)
    .addColumn('previous', text, required)
    .addColumn('digest', text, required)
    .addPrimaryKeyConstraint('audit_pkey', ['organization_id', 'seq'])
    .execute();
  await createIndex('audit_by_connector').on('audit').columns(['organization_id', 'connector_id', 'seq']).execute();
  await createIndex('audit_by_time').on('audit').columns(['organization_id', 'at', 'seq']).execute();
  await createTable('audit_checkpoints')
    .addColumn('organization_id', text, primaryKey)
    .addColumn('removed_seq', integer, required)
    .addColumn('removed_digest', text, required)
    .addColumn('mac', text, required)
    .execute();
}

/** Plans awaiting approval. */
async function createPlans({ createTable, createIndex, bytes, integer, text }: Schema): Promise<void> {
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
    .addColumn('key_id', text, (column) => required(column).references('keys.id'))
    .addColumn('sealed', bytes, required)
    .addForeignKeyConstraint('plans_organization_id_workspace_id_fkey', ...ofWorkspace)
    .execute();
  await createIndex('plans_by_organization').on('plans').columns(['organization_id', 'requested_at', 'id']).execute();
  await createIndex('plans_by_connector').on('plans').columns(['connector_id', 'requested_by']).execute();
  await createIndex('plans_by_workspace').on('plans').columns(['workspace_id', 'requested_at', 'id']).execute();
  await createIndex('plans_by_expiry').on('plans').column('expires_at').execute();
  await createIndex('plans_by_key').on('plans').column('key_id').execute();
}

/** Setups: links that let a user connect an account, valid for 30 minutes; also who can create connect sessions. */
async function createSetups({ createTable, createIndex, bytes, integer, text }: Schema): Promise<void> {
  await createTable('setups', { rowid: true })
    .addColumn('id', text, primaryKey)
    .addColumn('token_hash', bytes, (column) => required(column).unique())
    .addColumn('organization_id', text, required)
    .addColumn('workspace_id', text, required)
    .addColumn('client_id', text, ownedBy('clients.id'))
    .addColumn('name', text, required)
    .addColumn('type', text)
    .addColumn('status', text, required)
    .addColumn('connector_id', text)
    .addColumn('error', text)
    .addColumn('tries', integer, (column) => required(column).defaultTo(0))
    .addColumn('expires_at', integer, required)
    .addColumn('state_hash', bytes, (column) => column.unique())
    .addColumn('browser_hash', bytes)
    .addColumn('asked_until', integer)
    .addColumn('key_id', text, (column) => column.references('keys.id'))
    .addColumn('sealed', bytes)
    .addColumn('connect', text)
    .addForeignKeyConstraint('setups_organization_id_workspace_id_fkey', ...ofWorkspace)
    .execute();
  await createIndex('setups_by_name').on('setups').columns(['workspace_id', 'name']).execute();
  await createIndex('setups_by_client').on('setups').column('client_id').execute();
  await createIndex('setups_by_expiry').on('setups').column('expires_at').execute();
  await createIndex('setups_by_key').on('setups').column('key_id').where('key_id', 'is not', null).execute();
  await createTable('connect_clients')
    .addColumn('organization_id', text, ownedBy('organizations.id'))
    .addColumn('client_id', text, ownedBy('clients.id'))
    .addColumn('origins', text, required)
    .addColumn('key_id', text, (column) => column.references('keys.id'))
    .addColumn('sealed', bytes)
    .addPrimaryKeyConstraint('connect_clients_pkey', ['organization_id', 'client_id'])
    .execute();
  await createIndex('connect_clients_by_key').on('connect_clients').column('key_id').execute();
}

/** Console sessions and sign-in links, both stored only as digests. */
async function createConsole({ createTable, bytes, integer, text }: Schema): Promise<void> {
  for (const name of ['console_sessions', 'console_links']) {
    await createTable(name)
      .addColumn('digest', bytes, primaryKey)
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('expires_at', integer, required)
      .execute();
  }
}

/** OAuth apps and the grants that users have given them. Codes and refresh tokens are stored as digests. */
async function createOAuth({ createTable, createIndex, bytes, integer, text }: Schema): Promise<void> {
  await createTable('oauth_apps', { rowid: true })
    .addColumn('id', text, primaryKey)
    .addColumn('secret_hash', bytes)
    .addColumn('metadata', text, required)
    .addColumn('network', text, required)
    .addColumn('created_at', integer, required)
    .addColumn('expires_at', integer, required)
    .execute();
  await createIndex('oauth_apps_by_network').on('oauth_apps').columns(['network', 'expires_at']).execute();
  await createIndex('oauth_apps_by_expiry').on('oauth_apps').column('expires_at').execute();
  await createTable('oauth_grants', { rowid: true })
    .addColumn('id', text, primaryKey)
    .addColumn('organization_id', text, required)
    .addColumn('workspace_id', text, required)
    .addColumn('client_id', text, ownedBy('clients.id'))
    .addColumn('app_id', text, required)
    .addColumn('app_name', text, required)
    .addColumn('redirect_uri', text, required)
    .addColumn('resource', text, required)
    .addColumn('scopes', text, required)
    .addColumn('connectors', text)
    .addColumn('challenge', text, required)
    .addColumn('code_hash', bytes, (column) => required(column).unique())
    .addColumn('code_until', integer, required)
    .addColumn('family_hash', bytes, (column) => column.unique())
    .addColumn('refresh_hash', bytes)
    .addColumn('previous_hash', bytes)
    .addColumn('rotated_at', integer)
    .addColumn('created_at', integer, required)
    .addColumn('used_at', integer)
    .addColumn('expires_at', integer, required)
    .addForeignKeyConstraint('oauth_grants_organization_id_workspace_id_fkey', ...ofWorkspace)
    .execute();
  await createIndex('oauth_grants_by_organization')
    .on('oauth_grants')
    .columns(['organization_id', 'created_at', 'id'])
    .execute();
  await createIndex('oauth_grants_by_workspace')
    .on('oauth_grants')
    .columns(['organization_id', 'workspace_id'])
    .execute();
  await createIndex('oauth_grants_by_client').on('oauth_grants').column('client_id').execute();
  await createIndex('oauth_grants_by_app').on('oauth_grants').column('app_id').execute();
  await createIndex('oauth_grants_by_expiry').on('oauth_grants').column('expires_at').execute();
}

/** Webhooks and their deliveries. */
async function createWebhooks({ createTable, createIndex, bytes, integer, text }: Schema): Promise<void> {
  await createTable('webhooks', { rowid: true })
    .addColumn('id', text, primaryKey)
    .addColumn('organization_id', text, ownedBy('organizations.id'))
    .addColumn('workspace_id', text, (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('url', text, required)
    .addColumn('events', text)
    .addColumn('disabled', text)
    .addColumn('failing_since', integer)
    .addColumn('created_at', integer, required)
    .addColumn('key_id', text, (column) => required(column).references('keys.id'))
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
    .addColumn('next_attempt_at', integer, required)
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
  await createIndex('webhook_deliveries_due').on('webhook_deliveries').columns(['status', 'next_attempt_at']).execute();
  await createIndex('webhook_deliveries_by_time')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'created_at', 'id'])
    .execute();
}

/** A reference to a workspace of the same organization. */
const ofWorkspace: [('organization_id' | 'workspace_id')[], string, string[], typeof cascade] = [
  ['organization_id', 'workspace_id'],
  'workspaces',
  ['organization_id', 'id'],
  cascade,
];

/** Rows visible to a statement without access to all organizations, by table; see `database.ts`. */
const visible: Readonly<Record<string, string>> = {
  organizations: isOrganization('id'),
  workspaces: isOrganization('organization_id'),
  connectors: `${isOrganization('organization_id')} or ${isConnector('id')}`,
  policies: `exists (
    select 1 from workspaces where workspaces.id = policies.workspace_id and ${isOrganization('workspaces.organization_id')})`,
  setups: isOrganization('organization_id'),
  plans: isOrganization('organization_id'),
  audit: isOrganization('organization_id'),
  audit_checkpoints: isOrganization('organization_id'),
  oauth_grants: isOrganization('organization_id'),
  connect_clients: isOrganization('organization_id'),
  webhooks: isOrganization('organization_id'),
  webhook_deliveries: isOrganization('organization_id'),
  credentials: isOfConnector('credentials'),
  ledger: isOfConnector('ledger'),
  replicas: isOfConnector('replicas'),
  written_records: isOfConnector('written_records'),
  jobs: isOfConnector('jobs'),
  // These do not belong to a single organization.
  clients: 'false',
  client_organizations: 'false',
  console_sessions: 'false',
  console_links: 'false',
  oauth_apps: 'false',
};

/** Restricts each statement in Postgres to the rows that it may access. */
async function secureRows(schema: Schema): Promise<void> {
  for (const [table, condition] of Object.entries(visible)) await restrictRows(schema, table, condition);
}
