import { type Migration, required } from './types.js';

/** Remembers what became of the texts of files, and why. */
export const unreadTexts: Migration = {
  version: 8,
  name: 'unread texts',
  async up({ alterTable, integer, text }) {
    await alterTable('unread_records').addColumn('state', text).execute();
    await alterTable('unread_records').addColumn('cause', text).execute();
    await alterTable('unread_records')
      .addColumn('permanent', integer, (column) => required(column).defaultTo(0))
      .execute();
  },
};
