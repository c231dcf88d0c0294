import type { Migration } from './types.js';

/** The user that a client is bound to, as JSON; null if none, as for existing clients. */
export const boundClients: Migration = {
  version: 14,
  name: 'bound-clients',
  async up({ alterTable, text }) {
    await alterTable('clients').addColumn('as_user', text).execute();
  },
};
