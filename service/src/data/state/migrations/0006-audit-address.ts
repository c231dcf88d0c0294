import type { Migration } from './types.js';

/** Where a request came from; entries of before have none. */
export const auditAddress: Migration = {
  version: 6,
  name: 'audit-address',
  sql: 'ALTER TABLE audit ADD COLUMN address TEXT;',
};
