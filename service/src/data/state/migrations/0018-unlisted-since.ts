import type { Migration } from './types.js';

/** Remembers since when the vendor's lists have lacked records, if only a later list can show that they are gone. */
export const unlistedSince: Migration = {
  version: 18,
  name: 'unlisted since',
  async up({ alterTable, text }) {
    await alterTable('replicas').addColumn('unlisted_since', text).execute();
  },
};
