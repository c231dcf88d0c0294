import { cascade, type Migration, ownedBy, primaryKey, required } from './types.js';

/** OAuth apps and the grants that users have given them. Codes and refresh tokens are stored as digests. */
export const oauth: Migration = {
  version: 12,
  name: 'oauth',
  async up({ createTable, createIndex, inPostgres, bytes, integer, text }) {
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
      .addColumn('code_hash', bytes, (column) => column.notNull().unique())
      .addColumn('code_until', integer, required)
      .addColumn('family_hash', bytes, (column) => column.unique())
      .addColumn('refresh_hash', bytes)
      .addColumn('previous_hash', bytes)
      .addColumn('rotated_at', integer)
      .addColumn('created_at', integer, required)
      .addColumn('used_at', integer)
      .addColumn('expires_at', integer, required)
      .addForeignKeyConstraint(
        'oauth_grants_organization_id_workspace_id_fkey',
        ['organization_id', 'workspace_id'],
        'workspaces',
        ['organization_id', 'id'],
        cascade,
      )
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
    const scope = "current_setting('agent_connectors.scope', true) = 'all'";
    const own = "organization_id = current_setting('agent_connectors.organization', true)";
    // Apps do not belong to an organization.
    for (const [table, condition] of [
      ['oauth_apps', 'false'],
      ['oauth_grants', own],
    ]) {
      await inPostgres(`alter table ${table} enable row level security`);
      await inPostgres(`alter table ${table} force row level security`);
      await inPostgres(`create policy tenant on ${table} using (${scope} or ${condition})`);
    }
  },
};
