import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database.js';
import { auditColumns, type Chain, type Head } from './chain.js';
import type { AuditEntry, AuditVerdict } from './types.js';

/** Entries verified before yielding to other work. */
const pageSize = 200;

export const entriesOf = ({ query }: Database, organizationId: string) =>
  query.selectFrom('audit').select(auditColumns).where('organization_id', '=', organizationId);

/** Checks beyond the chain itself. */
export interface VerifyOptions {
  /** An entry recorded elsewhere. */
  readonly head?: AuditVerdict['head'] | undefined;
  /** The last entry to check; all if undefined. */
  readonly to?: number | undefined;
}

/** Verifies an organization's log, yielding to other work. */
export async function verifyChain(
  database: Database,
  chain: Chain,
  organizationId: string,
  options: VerifyOptions = {},
): Promise<AuditVerdict> {
  for (;;) {
    const start = await chain.loadRemoved(organizationId);
    const verdict = await verifyFrom(database, chain, organizationId, start, options);
    const now = verdict.broken ? await chain.loadRemoved(organizationId) : start;
    // Entries pruned by age in the meantime would look missing, so verify again.
    if (now?.seq === start?.seq) return verdict;
  }
}

async function verifyFrom(
  database: Database,
  chain: Chain,
  organizationId: string,
  removed: Head | undefined,
  { head, to = Number.MAX_SAFE_INTEGER }: VerifyOptions,
): Promise<AuditVerdict> {
  if (!removed) {
    const broken = { seq: 1, reason: 'precedes a checkpoint that has been altered' };
    return { organization_id: organizationId, entries: 0, first: null, head: null, broken };
  }
  let before: Head = removed;
  const verdict = (reason?: string, seq = before.seq + 1): AuditVerdict => ({
    organization_id: organizationId,
    entries: before.seq - removed.seq,
    first: before.seq === removed.seq ? null : removed.seq + 1,
    head: before.seq === 0 ? null : before,
    broken: reason === undefined ? null : { seq, reason },
  });
  const entries = entriesOf(database, organizationId).orderBy('seq');
  if (differs(removed, head)) return verdict('does not match the recorded digest', removed.seq);
  const returned = await entries.where('seq', '<=', removed.seq).limit(1).executeTakeFirst();
  if (returned) return verdict('was previously removed but is present again', returned.seq);
  for (;;) {
    const page = await entries.where('seq', '>', before.seq).where('seq', '<=', to).limit(pageSize).execute();
    for (const entry of page) {
      if (entry.seq !== before.seq + 1) return verdict('is missing');
      if (entry.previous !== before.digest) return verdict('does not follow from the previous entry');
      if (entry.digest !== (await chain.digestOf(entry))) return verdict('has been altered');
      if (differs(entry, head)) return verdict('does not match the recorded digest');
      before = { seq: entry.seq, digest: entry.digest };
    }
    if (page.length < pageSize) break;
    await nextTurn();
  }
  return verdict(before.seq < Math.min(to, head?.seq ?? 0) ? 'is missing' : undefined);
}

/** Whether an entry differs from the one recorded with the same sequence number. */
const differs = ({ seq, digest }: Head | AuditEntry, noted: Head | null | undefined): boolean =>
  noted?.seq === seq && noted.digest !== digest;
