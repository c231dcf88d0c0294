import { createCipher, type Place, type Sealed, VaultError } from '../vault/cipher.js';
import type { KeyRing } from '../vault/keys.js';
import type { Database } from './database.js';

/** A sealed value as the columns of a row hold it. */
export interface SealedColumns {
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

/** The cipher of one database, which keeps account of the keys that its values are sealed with. */
export interface Sealing {
  /** To be called in the transaction that stores what comes back. */
  seal(place: Place, text: string): Promise<Sealed>;
  open(place: Place, columns: SealedColumns): string;
}

const checkOf = (keyId: string): Place => ({ owner: 'keys', field: keyId });
const checkText = 'agent-connectors';

// A key that no value needs any more, or never did, is not asked for.
const inUse = `SELECT id, sealed FROM keys
  WHERE EXISTS (SELECT 1 FROM credentials WHERE key_id = keys.id)
     OR EXISTS (SELECT 1 FROM ledger WHERE key_id = keys.id)
     OR EXISTS (SELECT 1 FROM setups WHERE key_id = keys.id)`;

/** Lends the cipher to a database, once every key that its values need has proved to be there. */
export async function openSealing(database: Database, keys: KeyRing): Promise<Sealing> {
  const cipher = createCipher(keys);
  const remember = async () => {
    const { id } = keys.newest;
    if (await database.get('SELECT 1 FROM keys WHERE id = ?', id)) return;
    const check = cipher.seal(checkOf(id), checkText);
    await database.run('INSERT INTO keys (id, sealed) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, check.bytes);
  };
  for (const { id, sealed } of await database.all<{ id: string; sealed: Uint8Array }>(inUse)) {
    if (!keys.find(id)) throw wrongKey(id, keys);
    cipher.open(checkOf(id), { keyId: id, bytes: sealed });
  }
  return {
    async seal(place, text) {
      // Not at the start: a wrong key that has sealed nothing must not be asked for ever after.
      await remember();
      return cipher.seal(place, text);
    },
    open: (place, { key_id, sealed }) => cipher.open(place, { keyId: key_id, bytes: sealed }),
  };
}

const wrongKey = (id: string, { all }: KeyRing) =>
  new VaultError(
    `This is the wrong key: the database is sealed with the key ${id}, and what was given is ` +
      `${all.map((key) => key.id).join(', ')}. Give the key that it was made with, as AGENT_CONNECTORS_KEY ` +
      'or, to rotate to another, as AGENT_CONNECTORS_KEY_PREVIOUS.',
  );
