import type { Migration } from './types.js';

/** Where a request came from; entries of before have none. */
export const auditAddress: Migration = {
  version: 6,
  name: 'audit-address',
  async up({ alterTable, text }) {
    await alterTable('audit').addColumn('address', text).execute();
  },
};
