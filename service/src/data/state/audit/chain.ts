import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
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
  'previous',
] as const satisfies ReadonlyArray<keyof AuditEntry>;

/**
 * Fields added later: omitted when empty, as in earlier releases.
 *
 * Their number identifies them: a single one is an address, and a subject always follows an address or null.
 */
const optionalFields = ({ address, subject }: Omit<AuditEntry, 'digest'>): (string | null)[] => {
  if (subject !== null) return [address, subject];
  return address === null ? [] : [address];
};

/** The stored columns of an entry. */
export const auditColumns = [...digestedFields, 'address', 'subject', 'digest'] as const;

const contentOf = (entry: Omit<AuditEntry, 'digest'>): string =>
  JSON.stringify([...digestedFields.map((name) => entry[name]), ...optionalFields(entry)]);

/** Unkeyed digest used by earlier releases: hex SHA-256. */
export const unkeyedDigest = (entry: Omit<AuditEntry, 'digest'>): string =>
  createHash('sha256').update(contentOf(entry)).digest('hex');

/** Where an organization's log starts, and where its keyed digests start. */
export interface Checkpoint {
  /** The last entry with an unkeyed digest, which anyone can compute. */
  readonly unkeyed: Head;
  /** The last entry deleted because of its age. */
  readonly removed: Head;
}

/** Computes the digests that chain entries. */
export interface Chain {
  /** Opens the key in its own transaction. */
  ready(): Promise<unknown>;
  /** Digest of an entry and all previous ones: HMAC-SHA-256 in hexadecimal. */
  digestOf(entry: Omit<AuditEntry, 'digest'>): Promise<string>;
  /** Undefined if the checkpoint was altered. */
  load(organizationId: string): Promise<Checkpoint | undefined>;
  save(organizationId: string, checkpoint: Checkpoint): Promise<void>;
}

/**
 * Opens the chain. Its key is encrypted with the master key.
 *
 * If entries predate the key, the end of each log is recorded with it; later unkeyed entries are invalid.
 */
export async function openChain(database: Database, sealing: Sealing): Promise<Chain> {
  const { query } = database;
  const dataKeys = query.selectFrom('keys').select('id').where('wrapped_by', 'is not', null).limit(1);
  const macOf = (key: Key, organizationId: string, { unkeyed, removed }: Checkpoint): string =>
    createHmac('sha256', key.derive('checkpoints'))
      .update(JSON.stringify([organizationId, unkeyed.seq, unkeyed.digest, removed.seq, removed.digest]))
      .digest('base64url');
  const store = async (key: Key, organizationId: string, checkpoint: Checkpoint) => {
    const { unkeyed, removed } = checkpoint;
    const row = {
      unkeyed_seq: unkeyed.seq,
      unkeyed_digest: unkeyed.digest,
      removed_seq: removed.seq,
      removed_digest: removed.digest,
      mac: macOf(key, organizationId, checkpoint),
    };
    const insert = query
      .insertInto('audit_checkpoints')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row));
    await withinOrganization(organizationId, () => insert.execute());
  };
  const openKey = () =>
    database.transaction(async () => {
      await database.lock('audit key');
      // The audit key is always the first data key: if it is missing while others exist, it was removed.
      const isFirst = !(await dataKeys.executeTakeFirst());
      const { newest: key } = await sealing.auditKey();
      if (isFirst)
        for (const [id, unkeyed] of await acrossOrganizations(() => headsOf(database)))
          await store(key, id, { unkeyed, removed: genesis });
      return key;
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
  // Created immediately if there are entries, otherwise along with the first entry, so that an unused key is never
  // required.
  const anyEntry = query.selectFrom('audit').select('seq').limit(1);
  if (await acrossOrganizations(() => anyEntry.executeTakeFirst())) await keyOf();
  return {
    ready: keyOf,
    async digestOf(entry) {
      return createHmac('sha256', (await keyOf()).derive('audit'))
        .update(contentOf(entry))
        .digest('hex');
    },
    async load(organizationId) {
      const stored = query.selectFrom('audit_checkpoints').selectAll().where('organization_id', '=', organizationId);
      const row = await withinOrganization(organizationId, () => stored.executeTakeFirst());
      if (!row) return { unkeyed: genesis, removed: genesis };
      const checkpoint = {
        unkeyed: { seq: row.unkeyed_seq, digest: row.unkeyed_digest },
        removed: { seq: row.removed_seq, digest: row.removed_digest },
      };
      return isEqual(row.mac, macOf(await keyOf(), organizationId, checkpoint)) ? checkpoint : undefined;
    },
    async save(organizationId, checkpoint) {
      await store(await keyOf(), organizationId, checkpoint);
    },
  };
}

const isEqual = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));

/** The newest entry in each log. */
async function headsOf({ query }: Database): Promise<Map<string, Head>> {
  const rows = await query
    .selectFrom('audit')
    .innerJoin(
      ({ selectFrom }) =>
        selectFrom('audit')
          .select(({ fn }) => ['organization_id as owner', fn.max('seq').as('last')])
          .groupBy('organization_id')
          .as('ends'),
      (join) => join.onRef('ends.owner', '=', 'audit.organization_id').onRef('ends.last', '=', 'audit.seq'),
    )
    .select(['organization_id', 'seq', 'digest'])
    .execute();
  return new Map(rows.map(({ organization_id, ...head }) => [organization_id, head]));
}
