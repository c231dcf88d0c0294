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
const keysInUse = `SELECT id, sealed FROM keys
  WHERE EXISTS (SELECT 1 FROM credentials WHERE key_id = keys.id)
     OR EXISTS (SELECT 1 FROM ledger WHERE key_id = keys.id)
     OR EXISTS (SELECT 1 FROM setups WHERE key_id = keys.id)`;

/** Lends the cipher to a database, once every key that its values need has proved to be there. */
export async function openSealing(database: Database, keys: KeyRing): Promise<Sealing> {
  const cipher = createCipher(keys);
  const registerKey = async () => {
    const { id } = keys.newest;
    if (await database.get('SELECT 1 FROM keys WHERE id = ?', id)) return;
    const check = cipher.seal(checkContext(id), checkText);
    await database.run('INSERT INTO keys (id, sealed) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, check.bytes);
  };
  for (const { id, sealed } of await database.all<{ id: string; sealed: Uint8Array }>(keysInUse)) {
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
