import type { Database } from '../database.js';
import { type Chain, lockOf } from './chain.js';
import { verifyChain } from './verify.js';

/** Entries deleted per batch. */
const batchSize = 1000;

/**
 * Deletes an organization's entries up to a sequence number and returns how many.
 *
 * Each is verified first; otherwise, tampering by someone with database access could be pruned away unnoticed.
 */
export async function pruneLog(
  database: Database,
  chain: Chain,
  organizationId: string,
  upTo: number,
): Promise<number> {
  const { query } = database;
  let removed = 0;
  const require = async (to: number) => {
    const verdict = await verifyChain(database, chain, organizationId, { to });
    if (!verdict.broken) return verdict.head!;
    const { seq, reason } = verdict.broken;
    throw new Error(`The audit log for ${organizationId} was not pruned: entry ${seq} ${reason}.`);
  };
  for (;;) {
    const start = (await chain.loadRemoved(organizationId))?.seq ?? 0;
    if (start >= upTo) return removed;
    const end = await require(Math.min(start + batchSize, upTo));
    removed += await database.transaction(async () => {
      await database.lock(lockOf(organizationId));
      // Another process may have got there first.
      if ((await chain.loadRemoved(organizationId))?.seq !== start) return 0;
      await chain.saveRemoved(organizationId, end);
      const older = query.deleteFrom('audit').where('organization_id', '=', organizationId).where('seq', '<=', end.seq);
      return Number((await older.executeTakeFirstOrThrow()).numDeletedRows);
    });
  }
}
