import { type Migration, ownedBy, primaryKey, required } from './types.js';

/** Console sessions and sign-in links, both stored only as digests. */
export const consoleSessions: Migration = {
  version: 5,
  name: 'console',
  async up({ createTable, bytes, integer, text }) {
    await createTable('console_sessions')
      .addColumn('digest', bytes, primaryKey)
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('expires_at', integer, required)
      .execute();
    await createTable('console_links')
      .addColumn('digest', bytes, primaryKey)
      .addColumn('client_id', text, ownedBy('clients.id'))
      .addColumn('expires_at', integer, required)
      .execute();
  },
};
