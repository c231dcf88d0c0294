import type { Migration } from './types.js';

/** Remote address of a request; earlier entries have none. */
export const auditAddress: Migration = {
  version: 6,
  name: 'audit-address',
  async up({ alterTable, text }) {
    await alterTable('audit').addColumn('address', text).execute();
  },
};
