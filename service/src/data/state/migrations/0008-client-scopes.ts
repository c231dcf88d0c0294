import type { Migration } from './types.js';

/** Scopes of a client as a JSON list; null means all, as for existing clients. */
export const clientScopes: Migration = {
  version: 8,
  name: 'client-scopes',
  async up({ alterTable, text }) {
    await alterTable('clients').addColumn('scopes', text).execute();
  },
};
