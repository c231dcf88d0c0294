import { type Migration, ownedBy, primaryKey, required, restrictRows } from './types.js';

/**
 * What a waiting call compares before each attempt: whether the connector still has the credentials and its client
 * the tokens that the call started with. Sessions that end and tokens that are revoked raise the access revision.
 */
export const endedAccess: Migration = {
  version: 7,
  name: 'ended access',
  async up(schema) {
    const { alterTable, createIndex, createTable, inPostgres, inSqlite, integer, text } = schema;
    await alterTable('connectors')
      .addColumn('credentials_version', integer, (column) => required(column).defaultTo(0))
      .execute();
    await alterTable('clients')
      .addColumn('token_generation', integer, (column) => required(column).defaultTo(0))
      .execute();
    await createTable('access_tokens')
      .addColumn('id', text, primaryKey)
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('organization_id', text, required)
      .addColumn('workspace_id', text)
      .addColumn('created_at', integer, required)
      .addColumn('expires_at', integer, required)
      .addColumn('used_at', integer)
      .addColumn('revoked_at', integer)
      .execute();
    await restrictRows(schema, 'access_tokens', 'false');
    await createIndex('access_tokens_client').on('access_tokens').column('client_id').execute();
    await createIndex('access_tokens_expiry').on('access_tokens').column('expires_at').execute();
    const raise = `insert into access_revision (id, value) values (1, 1)
      on conflict (id) do update set value = access_revision.value + 1`;
    for (const [table, event] of [
      ['console_sessions', 'delete'],
      ['console_sessions', 'update'],
      ['access_tokens', 'update of revoked_at'],
    ] as const) {
      const name = `${table}_${event.split(' ')[0]}_raises_revision`;
      await inSqlite(`create trigger ${name} after ${event} on ${table} begin ${raise}; end`);
      await inPostgres(`create constraint trigger ${name} after ${event} on ${table}
        deferrable initially deferred for each row execute function raise_access_revision()`);
    }
  },
};
