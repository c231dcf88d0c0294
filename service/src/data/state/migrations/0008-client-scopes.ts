import type { Migration } from './types.js';

/** A client's scopes as a JSON array; null means all, as for existing clients. */
export const clientScopes: Migration = {
  version: 8,
  name: 'client-scopes',
  async up({ alterTable, text }) {
    await alterTable('clients').addColumn('scopes', text).execute();
  },
};
