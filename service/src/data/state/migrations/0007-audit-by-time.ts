import type { Migration } from './types.js';

/** Finds where in the audit log a moment is, without reading the log up to there. */
export const auditByTime: Migration = {
  version: 7,
  name: 'audit-by-time',
  async up({ createIndex }) {
    await createIndex('audit_by_time').on('audit').columns(['organization_id', 'at', 'seq']).execute();
  },
};
