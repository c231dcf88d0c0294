import type { Migration } from './types.js';

/**
 * Columns whose change raises the revision, by table; null for all columns. Not among them are columns that change
 * often and do not affect what a caller may do: when a connector is synced, and the state of a grant's tokens.
 */
const watchedColumns: Readonly<Record<string, readonly string[] | null>> = {
  organizations: null,
  workspaces: null,
  clients: null,
  client_organizations: null,
  policies: null,
  connectors: [
    'id',
    'organization_id',
    'workspace_id',
    'name',
    'type',
    'replication_config',
    'settings',
    'created_at',
    'updated_at',
    'account',
    'health',
  ],
  oauth_grants: [
    'id',
    'organization_id',
    'workspace_id',
    'client_id',
    'app_id',
    'app_name',
    'redirect_uri',
    'resource',
    'scopes',
    'connectors',
    'challenge',
    'created_at',
  ],
};

/** Tables in which a new row, too, changes what others may do. */
const watchedInserts = ['client_organizations', 'policies'];

const statement = `insert into access_revision (id, value) values (1, 1)
  on conflict (id) do update set value = access_revision.value + 1`;

/**
 * A number that every change of the rows behind access raises in the same transaction, so processes notice when their
 * cached rows are outdated. Triggers, so no change can omit it, not even one from an older release or from psql.
 */
export const accessRevision: Migration = {
  version: 4,
  name: 'access revision',
  async up({ createTable, inPostgres, inSqlite, integer }) {
    await createTable('access_revision')
      .addColumn('id', integer, (column) => column.primaryKey())
      .addColumn('value', integer, (column) => column.notNull())
      .execute();
    // Once per transaction, and only when it commits: concurrent changes wait for each other's commit at most, and
    // since all their other locks are held by then, never for each other.
    await inPostgres(`create function raise_access_revision() returns trigger language plpgsql as $$
      begin
        if current_setting('agent_connectors.raised_in', true) is distinct from txid_current()::text then
          execute format('${statement.replace('into access_revision', 'into %I.access_revision')}', tg_table_schema);
          perform set_config('agent_connectors.raised_in', txid_current()::text, true);
        end if;
        return null;
      end $$`);
    for (const [table, columns] of Object.entries(watchedColumns)) {
      const updates = columns ? `update of ${columns.join(', ')}` : 'update';
      for (const event of [updates, 'delete', ...(watchedInserts.includes(table) ? ['insert'] : [])]) {
        const name = `${table}_${event.split(' ')[0]}_raises_revision`;
        await inSqlite(`create trigger ${name} after ${event} on ${table} begin ${statement}; end`);
        await inPostgres(`create constraint trigger ${name} after ${event} on ${table}
          deferrable initially deferred for each row execute function raise_access_revision()`);
      }
    }
  },
};
