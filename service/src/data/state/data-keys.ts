import { createCipher, type KeyRing, keyRing, randomKey, type SealContext, VaultError } from '../vault/keys.js';
import type { Database } from './database.js';

/**
 * Random keys, one for each organization and one for the audit log, that are stored sealed with the master key.
 *
 * A new master key then needs nothing but these sealed anew.
 */
export interface DataKeys {
  /** The key that seals for an organization, or of the audit log for null; to be called in the transaction that uses it. */
  current(organizationId: string | null): Promise<KeyRing>;
  /** The key that has sealed a value of the organization; nothing where that is a master key. */
  find(id: string, organizationId: string): Promise<KeyRing | undefined>;
}

/** A data key as its row has it. */
export interface DataKeyRow {
  readonly id: string;
  readonly sealed: Uint8Array;
  readonly organization_id: string | null;
  readonly wrapped_by: string | null;
}

/** So many are kept open in memory. */
const maxCached = 1000;

/** Where a data key is sealed for: what is copied to another organization opens nothing there. */
export const wrapContext = ({ id, organization_id }: Pick<DataKeyRow, 'id' | 'organization_id'>): SealContext =>
  organization_id === null
    ? { owner: 'audit', field: id }
    : { organization: organization_id, owner: 'keys', field: id };

/** What data keys are made and opened with. */
interface DataKeyOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Notes in the transaction that the newest master key is in use. */
  registerMaster(): Promise<void>;
  /** Has the master keys read again where one is missing. */
  requireMaster(id: string): Promise<void>;
}

/** The data keys in the database. */
export function openDataKeys(database: Database, options: DataKeyOptions): DataKeys {
  const { query } = database;
  const { keys, now, registerMaster, requireMaster } = options;
  const master = createCipher(keys);
  const cache = new Map<string, { readonly organizationId: string | null; readonly ring: KeyRing }>();
  const remember = (id: string, organizationId: string | null, ring: KeyRing): KeyRing => {
    // Behind all others: the one that was used longest ago is forgotten first.
    cache.delete(id);
    cache.set(id, { organizationId, ring });
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!);
    return ring;
  };
  const cached = (id: string, organizationId: string | null): KeyRing | undefined => {
    const found = cache.get(id);
    return found?.organizationId === organizationId ? remember(id, organizationId, found.ring) : undefined;
  };
  const unwrap = async (row: DataKeyRow): Promise<KeyRing> => {
    const { id, sealed, organization_id, wrapped_by } = row;
    const known = cached(id, organization_id);
    if (known) return known;
    await requireMaster(wrapped_by!);
    const ring = keyRing([master.open(wrapContext(row), { keyId: wrapped_by!, bytes: sealed })], `The data key ${id}`);
    if (ring.newest.id !== id) throw new VaultError(`The data key ${id} is another one.`);
    return remember(id, organization_id, ring);
  };
  const selectRows = query.selectFrom('keys').select(['id', 'sealed', 'organization_id', 'wrapped_by']);
  const findCurrent = (organizationId: string | null) =>
    selectRows
      .where('wrapped_by', 'is not', null)
      .where((eb) =>
        organizationId === null ? eb('organization_id', 'is', null) : eb.and({ organization_id: organizationId }),
      )
      .where('retired', '=', 0)
      .executeTakeFirst();
  const create = async (organizationId: string | null): Promise<KeyRing> => {
    const text = randomKey();
    const ring = keyRing([text]);
    const key = { id: ring.newest.id, organization_id: organizationId };
    const { keyId, bytes } = master.seal(wrapContext(key), text);
    const created_at = new Date(now()).toISOString();
    await query
      .insertInto('keys')
      .values({ ...key, sealed: bytes, wrapped_by: keyId, created_at })
      .execute();
    return ring;
  };
  return {
    async current(organizationId) {
      const existing = await findCurrent(organizationId);
      if (existing) return unwrap(existing);
      await database.lock('keys');
      const meanwhile = await findCurrent(organizationId);
      if (meanwhile) return unwrap(meanwhile);
      await registerMaster();
      // The first of all, so that one that is taken out is missed.
      if (organizationId !== null && !(await findCurrent(null))) await create(null);
      return create(organizationId);
    },
    async find(id, organizationId) {
      const known = cached(id, organizationId);
      if (known) return known;
      const row = await selectRows.where('id', '=', id).executeTakeFirst();
      if (row?.wrapped_by === null) return undefined;
      if (row?.organization_id === organizationId) return unwrap(row);
      throw new VaultError(`A value is sealed with the key ${id}, which is not a key of its organization.`);
    },
  };
}
