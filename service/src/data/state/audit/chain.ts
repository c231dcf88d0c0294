import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Key } from '../../vault/keys.js';
import { acrossOrganizations, type Database, withinOrganization } from '../database.js';
import type { Sealing } from '../sealing.js';
import type { AuditEntry } from './types.js';

/** The part of an entry that the next one depends on. */
export type Head = Pick<AuditEntry, 'seq' | 'digest'>;

/** Stands in for the entry before the first one. */
export const genesis: Head = { seq: 0, digest: '0'.repeat(64) };

/** The name of the lock of an organization's log. */
export const lockOf = (organizationId: string): string => `audit ${organizationId}`;

/** Fields covered by the digest. The order must never change, or existing entries would look altered. */
const digestedFields = [
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
  'address',
  'subject',
  'previous',
] as const satisfies ReadonlyArray<keyof AuditEntry>;

/** The stored columns of an entry. */
export const auditColumns = [...digestedFields, 'digest'] as const;

const contentOf = (entry: Omit<AuditEntry, 'digest'>): string =>
  JSON.stringify(digestedFields.map((name) => entry[name]));

/** Computes the digests that chain entries. */
export interface Chain {
  /** Opens the key in its own transaction. */
  ready(): Promise<unknown>;
  /** Digest of an entry and all previous ones: HMAC-SHA-256 in hexadecimal. */
  digestOf(entry: Omit<AuditEntry, 'digest'>): Promise<string>;
  /** The last entry deleted because of its age; undefined if that record was altered. */
  loadRemoved(organizationId: string): Promise<Head | undefined>;
  saveRemoved(organizationId: string, removed: Head): Promise<void>;
}

/** Opens the chain. Its key is encrypted with the master key. */
export async function openChain(database: Database, sealing: Sealing): Promise<Chain> {
  const { query } = database;
  const macOf = (key: Key, organizationId: string, { seq, digest }: Head): string =>
    createHmac('sha256', key.derive('checkpoints'))
      .update(JSON.stringify([organizationId, seq, digest]))
      .digest('base64url');
  const openKey = () =>
    database.transaction(async () => {
      await database.lock('audit key');
      return (await sealing.auditKey()).newest;
    });
  let opened: Promise<Key> | undefined;
  // Created once and cached: if the row is removed, it must not be replaced by a new key, which would not match
  // existing entries.
  const keyOf = () => {
    opened ??= openKey().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  // Opened immediately if there are entries, otherwise created along with the first entry, so that an unused key is
  // never required.
  const anyEntry = query.selectFrom('audit').select('seq').limit(1);
  if (await acrossOrganizations(() => anyEntry.executeTakeFirst())) await keyOf();
  return {
    ready: keyOf,
    async digestOf(entry) {
      return createHmac('sha256', (await keyOf()).derive('audit'))
        .update(contentOf(entry))
        .digest('hex');
    },
    async loadRemoved(organizationId) {
      const stored = query.selectFrom('audit_checkpoints').selectAll().where('organization_id', '=', organizationId);
      const row = await withinOrganization(organizationId, () => stored.executeTakeFirst());
      if (!row) return genesis;
      const removed = { seq: row.removed_seq, digest: row.removed_digest };
      return isEqual(row.mac, macOf(await keyOf(), organizationId, removed)) ? removed : undefined;
    },
    async saveRemoved(organizationId, removed) {
      const { seq: removed_seq, digest: removed_digest } = removed;
      const row = { removed_seq, removed_digest, mac: macOf(await keyOf(), organizationId, removed) };
      const insert = query
        .insertInto('audit_checkpoints')
        .values({ organization_id: organizationId, ...row })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row));
      await withinOrganization(organizationId, () => insert.execute());
    },
  };
}

/** An organization's newest entry. */
export const headOf = ({ query }: Database, organizationId: string): Promise<Head | undefined> =>
  query
    .selectFrom('audit')
    .select(['seq', 'digest'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

const isEqual = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
