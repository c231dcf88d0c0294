import { createHash } from 'node:crypto';
import type { AuditEntry } from './types.js';

/** What stands before the first entry. */
export const beginning = '0'.repeat(64);

/** The fields that a digest covers, in this order for ever: another would make all that was written look altered. */
const covered = [
  'organization_id',
  'seq',
  'at',
  'event',
  'workspace_id',
  'connector_id',
  'connector_type',
  'client_id',
  'via',
  'entity',
  'action',
  'effect',
  'params_digest',
  'intent',
  'outcome',
  'begun_as',
  'duration_ms',
  'request_id',
  'previous',
] as const satisfies ReadonlyArray<keyof AuditEntry>;

/** Fields that entries have not always had: left out where there is nothing in them, as it was before. */
const laterOf = ({ address }: Omit<AuditEntry, 'digest'>): string[] => (address === null ? [] : [address]);

/** The columns of an entry, as they are stored. */
export const auditColumns = [...covered, 'address', 'digest'] as const;

/** The digest of an entry together with all before it: SHA-256, in hexadecimal. */
export const entryDigest = (entry: Omit<AuditEntry, 'digest'>): string =>
  createHash('sha256')
    .update(JSON.stringify([...covered.map((name) => entry[name]), ...laterOf(entry)]))
    .digest('hex');

/** Says what is wrong with an entry that follows another, if anything is. */
export function faultOf(entry: AuditEntry, before: Pick<AuditEntry, 'seq' | 'digest'>): string | undefined {
  if (entry.seq !== before.seq + 1) return 'is missing';
  if (entry.previous !== before.digest) return 'does not follow from the entry before it';
  return entryDigest(entry) === entry.digest ? undefined : 'has been altered';
}
