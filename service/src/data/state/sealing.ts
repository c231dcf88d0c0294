import { createCipher, type KeyRing, type SealContext, type Sealed, VaultError } from '../vault/keys.js';
import type { Database } from './database.js';

/** A sealed value as the columns of a row hold it. */
export interface SealedColumns {
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** The cipher of one database, which keeps account of the keys that its values are sealed with. */
export interface Sealing {
  /** To be called in the transaction that stores what comes back. */
  seal(context: SealContext, text: string): Promise<Sealed>;
  open(context: SealContext, columns: SealedColumns): string;
}

const checkContext = (keyId: string): SealContext => ({ owner: 'keys', field: keyId });

const checkText = 'agent-connectors';

// A key that no value needs any more, or never did, is not asked for.
const keysInUse = ({ query }: Database) =>
  query
    .selectFrom('keys')
    .selectAll()
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom('credentials').select('field').whereRef('credentials.key_id', '=', 'keys.id')),
        exists(selectFrom('ledger').select('ledger.id').whereRef('ledger.key_id', '=', 'keys.id')),
        exists(selectFrom('setups').select('setups.id').whereRef('setups.key_id', '=', 'keys.id')),
        exists(selectFrom('plans').select('plans.id').whereRef('plans.key_id', '=', 'keys.id')),
      ]),
    );

/** Lends the cipher to a database, once every key that its values need has proved to be there. */
export async function openSealing(database: Database, keys: KeyRing): Promise<Sealing> {
  const { query } = database;
  const cipher = createCipher(keys);
  const registerKey = async () => {
    const { id } = keys.newest;
    if (await query.selectFrom('keys').select('id').where('id', '=', id).executeTakeFirst()) return;
    const { bytes: sealed } = cipher.seal(checkContext(id), checkText);
    await query
      .insertInto('keys')
      .values({ id, sealed })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  };
  for (const { id, sealed } of await keysInUse(database).execute()) {
    if (!keys.find(id)) throw wrongKeyError(id, keys);
    cipher.open(checkContext(id), { keyId: id, bytes: sealed });
  }
  return {
    async seal(context, text) {
      // Not at the start: a wrong key that has sealed nothing must not be asked for ever after.
      await registerKey();
      return cipher.seal(context, text);
    },
    open: (context, { key_id, sealed }) => cipher.open(context, { keyId: key_id, bytes: sealed }),
  };
}

const wrongKeyError = (id: string, { all }: KeyRing) =>
  new VaultError(
    `This is the wrong key: the database is sealed with the key ${id}, and what was given is ` +
      `${all.map((key) => key.id).join(', ')}. Give the key that it was made with, as AGENT_CONNECTORS_KEY ` +
      'or, to rotate to another, as AGENT_CONNECTORS_KEY_PREVIOUS.',
  );
