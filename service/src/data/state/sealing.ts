import {
  createCipher,
  type KeyRing,
  keyRing,
  randomKey,
  type SealContext,
  type Sealed,
  VaultError,
} from '../vault/keys.js';
import { acrossOrganizations, type Database } from './database.js';

/** A sealed value as stored in columns. */
export interface SealedColumns {
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** Context of an organization's value. A value sealed in one context cannot be opened in another. */
export type TenantContext = SealContext & { readonly organization: string };

/** A database's cipher; tracks the keys in use. */
export interface Sealing {
  /** Call in the transaction that stores the result. */
  seal(context: TenantContext, text: string): Promise<Sealed>;
  /** Seals any number of an organization's values; get it in the transaction that stores them. */
  sealer(organization: string): Promise<(context: TenantContext, text: string) => Sealed>;
  open(context: TenantContext, columns: SealedColumns): Promise<string>;
  /** The audit log key, which is independent of the master key. Call in a transaction. */
  auditKey(): Promise<KeyRing>;
  /** Records, in the transaction, that the newest master key is in use. */
  registerMaster(): Promise<void>;
}

const checkContext = (keyId: string): SealContext => ({ owner: 'keys', field: keyId });

const checkText = 'agent-connectors';

/** How long processes look for a key announced by a rotation, in milliseconds. */
const announcedMs = 10 * 60_000;

const selectMasters = ({ query }: Database) => query.selectFrom('keys').where('keys.wrapped_by', 'is', null);

/** The master keys with which data keys are sealed. */
export const usedMasters = (database: Database) =>
  selectMasters(database).where(({ exists, selectFrom }) =>
    exists(selectFrom('keys as wrapped').select('wrapped.id').whereRef('wrapped.wrapped_by', '=', 'keys.id')),
  );

/** Rejects keys that do not decrypt the data; keys that no value needs are not required. */
export async function checkKeys(database: Database, keys: KeyRing): Promise<void> {
  const cipher = createCipher(keys);
  for (const { id, sealed } of await acrossOrganizations(() => usedMasters(database).selectAll('keys').execute())) {
    if (!keys.find(id)) throw wrongKeyError(id, keys);
    cipher.open(checkContext(id), { keyId: id, bytes: sealed });
  }
}

/** Whether a master key that is in use or was announced by a rotation is missing from `keys`. */
export async function lacksMaster(database: Database, keys: KeyRing, now: number): Promise<boolean> {
  const recently = new Date(now - announcedMs).toISOString();
  const announced = selectMasters(database).select('id').where('created_at', '>', recently);
  const needed = usedMasters(database).select('keys.id').union(announced);
  return (await acrossOrganizations(() => needed.execute())).some(({ id }) => !keys.find(id));
}

/** Reloads the keys, if possible, and uses them if they decrypt the data. */
export const reloadKeys = async (database: Database, keys: KeyRing): Promise<void> =>
  keys.reload?.((next) => checkKeys(database, next));

/** Opens a database's cipher after verifying that all needed keys are present. */
export async function openSealing(database: Database, keys: KeyRing, now: () => number): Promise<Sealing> {
  await checkKeys(database, keys);
  const { query } = database;
  const master = createCipher(keys);
  const registerMaster = async () => {
    const used = await acrossOrganizations(() => usedMasters(database).select('keys.id').execute());
    // If none of these keys is known, the master key has been rotated since the last reload.
    if (used.length > 0 && !used.some(({ id }) => keys.find(id))) await requireMaster(used[0]!.id);
    const { id } = keys.newest;
    const { bytes: sealed } = master.seal(checkContext(id), checkText);
    await query
      .insertInto('keys')
      .values({ id, sealed, created_at: new Date(now()).toISOString() })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  };
  const requireMaster = async (id: string) => {
    if (!keys.find(id)) await reloadKeys(database, keys);
    if (!keys.find(id)) throw wrongKeyError(id, keys);
  };
  const dataKeys = openDataKeys(database, { keys, now, registerMaster, requireMaster });
  const sealer: Sealing['sealer'] = async (organization) => createCipher(await dataKeys.current(organization)).seal;
  return {
    seal: async (context, text) => (await sealer(context.organization))(context, text),
    sealer,
    async open({ organization, owner, field }, { key_id: keyId, sealed: bytes }) {
      const ring = await dataKeys.find(keyId, organization);
      return createCipher(ring).open({ organization, owner, field }, { keyId, bytes });
    },
    auditKey: () => dataKeys.current(null),
    registerMaster,
  };
}

const wrongKeyError = (id: string, { all }: KeyRing) =>
  new VaultError(
    `This is the wrong key: the database is encrypted with key ${id}, but the provided key is ` +
      `${all.map((key) => key.id).join(', ')}. Pass the original key as AGENT_CONNECTORS_KEY ` +
      'or, to rotate to a new key, as AGENT_CONNECTORS_KEY_PREVIOUS.',
  );

/**
 * Random keys, one per organization and one for the audit log, stored sealed with the master key.
 *
 * Changing the master key therefore only requires re-encrypting these keys.
 */
interface DataKeys {
  /** An organization's current key, or the audit log's if null; call in the transaction that uses it. */
  current(organizationId: string | null): Promise<KeyRing>;
  /** The key that sealed an organization's value. */
  find(id: string, organizationId: string): Promise<KeyRing>;
}

/** A data key row. */
interface DataKeyRow {
  readonly id: string;
  readonly sealed: Uint8Array;
  readonly organization_id: string | null;
  readonly wrapped_by: string | null;
}

/** Maximum number of decrypted keys in memory. */
const maxCached = 1000;

/** Seal context for a data key: a key copied to another organization cannot be opened. */
export const wrapContext = ({ id, organization_id }: Pick<DataKeyRow, 'id' | 'organization_id'>): SealContext =>
  organization_id === null
    ? { owner: 'audit', field: id }
    : { organization: organization_id, owner: 'keys', field: id };

/** How data keys are created and opened. */
interface DataKeyOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Records, in the transaction, that the newest master key is in use. */
  registerMaster(): Promise<void>;
  /** Reloads the master keys if one is missing. */
  requireMaster(id: string): Promise<void>;
}

/** Data keys in the database. */
function openDataKeys(database: Database, options: DataKeyOptions): DataKeys {
  const { query } = database;
  const { keys, now, registerMaster, requireMaster } = options;
  const master = createCipher(keys);
  const cache = new Map<string, { readonly organizationId: string | null; readonly ring: KeyRing }>();
  const remember = (id: string, organizationId: string | null, ring: KeyRing): KeyRing => {
    // Reinserted to mark it as the most recently used.
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
    if (ring.newest.id !== id) throw new VaultError(`The data key ${id} does not match the expected key.`);
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
      return create(organizationId);
    },
    async find(id, organizationId) {
      const known = cached(id, organizationId);
      if (known) return known;
      const row = await selectRows.where('id', '=', id).executeTakeFirst();
      if (row?.organization_id === organizationId) return unwrap(row);
      throw new VaultError(`A value is encrypted with key ${id}, which does not belong to its organization.`);
    },
  };
}
