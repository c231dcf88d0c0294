import type { Migration } from './types.js';

/** What a client may do, as a JSON list; null is everything, as for every client made before. */
export const clientScopes: Migration = {
  version: 8,
  name: 'client-scopes',
  async up({ alterTable, text }) {
    await alterTable('clients').addColumn('scopes', text).execute();
  },
};
