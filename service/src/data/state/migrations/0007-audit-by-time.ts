import type { Migration } from './types.js';

/** Index for finding a point in time in the audit log without scanning it. */
export const auditByTime: Migration = {
  version: 7,
  name: 'audit-by-time',
  async up({ createIndex }) {
    await createIndex('audit_by_time').on('audit').columns(['organization_id', 'at', 'seq']).execute();
  },
};
