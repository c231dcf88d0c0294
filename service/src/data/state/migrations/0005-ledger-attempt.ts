import { type Migration, required } from './types.js';

/** The request that executes a write, so that only that request can change its row in the ledger. */
export const ledgerAttempt: Migration = {
  version: 5,
  name: 'ledger attempt',
  async up({ alterTable, text }) {
    await alterTable('ledger')
      .addColumn('attempt', text, (column) => required(column).defaultTo(''))
      .execute();
  },
};
