import { createCipher, type KeyRing, type SealContext, type Sealed, VaultError } from '../vault/keys.js';
import { acrossOrganizations } from './access.js';
import { openDataKeys } from './data-keys.js';
import type { Database } from './database.js';

/** A sealed value as the columns of a row hold it. */
export interface SealedColumns {
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** Where a value of an organization belongs: sealed for one place, it opens at no other. */
export type TenantContext = SealContext & { readonly organization: string };

/** The cipher of one database, which keeps account of the keys that its values are sealed with. */
export interface Sealing {
  /** To be called in the transaction that stores what comes back. */
  seal(context: TenantContext, text: string): Promise<Sealed>;
  open(context: TenantContext, columns: SealedColumns): Promise<string>;
  /** The key of the audit log, which no new master key changes. To be called in a transaction. */
  auditKey(): Promise<KeyRing>;
  /** Notes in the transaction that the newest master key is in use. */
  registerMaster(): Promise<void>;
}

const checkContext = (keyId: string): SealContext => ({ owner: 'keys', field: keyId });

const checkText = 'agent-connectors';

/** How long processes look for a key that a rotation has announced, in milliseconds. */
const announcedMs = 10 * 60_000;

const selectMasters = ({ query }: Database) => query.selectFrom('keys').where('keys.wrapped_by', 'is', null);

/** Whether a value, or a data key, is sealed with the master key of this row. */
export const usedMasters = (database: Database) =>
  selectMasters(database).where(({ or, exists, selectFrom }) =>
    or([
      exists(selectFrom('keys as wrapped').select('wrapped.id').whereRef('wrapped.wrapped_by', '=', 'keys.id')),
      exists(selectFrom('credentials').select('field').whereRef('credentials.key_id', '=', 'keys.id')),
      exists(selectFrom('ledger').select('ledger.id').whereRef('ledger.key_id', '=', 'keys.id')),
      exists(selectFrom('setups').select('setups.id').whereRef('setups.key_id', '=', 'keys.id')),
      exists(selectFrom('plans').select('plans.id').whereRef('plans.key_id', '=', 'keys.id')),
    ]),
  );

/** Refuses keys that do not open what is there; a key that no value needs any more, or never did, is not asked for. */
export async function checkKeys(database: Database, keys: KeyRing): Promise<void> {
  const cipher = createCipher(keys);
  for (const { id, sealed } of await acrossOrganizations(() => usedMasters(database).selectAll('keys').execute())) {
    if (!keys.find(id)) throw wrongKeyError(id, keys);
    cipher.open(checkContext(id), { keyId: id, bytes: sealed });
  }
}

/** Whether a master key is in use, or a rotation is about to use it, that is not among these. */
export async function lacksMaster(database: Database, keys: KeyRing, now: number): Promise<boolean> {
  const recently = new Date(now - announcedMs).toISOString();
  const announced = selectMasters(database).select('id').where('created_at', '>', recently);
  const needed = usedMasters(database).select('keys.id').union(announced);
  return (await acrossOrganizations(() => needed.execute())).some(({ id }) => !keys.find(id));
}

/** Has the keys read again, where that can be done, and takes them if they open what is there. */
export const reloadKeys = async (database: Database, keys: KeyRing): Promise<void> =>
  keys.reload?.((next) => checkKeys(database, next));

/** Lends the cipher to a database, once every key that its values need has proved to be there. */
export async function openSealing(database: Database, keys: KeyRing, now: () => number): Promise<Sealing> {
  await checkKeys(database, keys);
  const { query } = database;
  const master = createCipher(keys);
  const registerMaster = async () => {
    const used = await acrossOrganizations(() => usedMasters(database).select('keys.id').execute());
    // None of them is known: the key was rotated while this process was not looking.
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
  return {
    async seal(context, text) {
      return createCipher(await dataKeys.current(context.organization)).seal(context, text);
    },
    async open({ organization, owner, field }, { key_id: keyId, sealed: bytes }) {
      const ring = keys.find(keyId) ? undefined : await dataKeys.find(keyId, organization);
      if (ring) return createCipher(ring).open({ organization, owner, field }, { keyId, bytes });
      // Releases before data keys sealed with the master key itself, and not for an organization.
      await requireMaster(keyId);
      return master.open({ owner, field }, { keyId, bytes });
    },
    auditKey: () => dataKeys.current(null),
    registerMaster,
  };
}

const wrongKeyError = (id: string, { all }: KeyRing) =>
  new VaultError(
    `This is the wrong key: the database is sealed with the key ${id}, and what was given is ` +
      `${all.map((key) => key.id).join(', ')}. Give the key that it was made with, as AGENT_CONNECTORS_KEY ` +
      'or, to rotate to another, as AGENT_CONNECTORS_KEY_PREVIOUS.',
  );
