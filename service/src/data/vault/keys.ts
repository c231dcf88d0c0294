import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Database } from '../state/database.js';

/** What keys are derived for. */
type Purpose = 'vault' | 'tokens' | 'audit' | 'cursors';

/** One key of the ring; what is sealed with it carries its id, which tells nothing about it. */
export interface Key {
  readonly id: string;
  /** A key of its own for one purpose, so that no two uses share one. */
  readonly derive: (purpose: Purpose) => KeyObject;
}

/** The keys of the service: the newest seals, each opens what it sealed. */
export interface KeyRing {
  readonly newest: Key;
  readonly all: readonly Key[];
  find(id: string): Key | undefined;
}

const keyBytes = 32;

/** A new key, as text that `keyRing` reads. */
export const randomKey = (): string => randomBytes(keyBytes).toString('base64');

/** Makes a ring of keys written in base64 or hex, the newest first. */
export function keyRing(texts: readonly string[], source = 'The key'): KeyRing {
  const all = texts.map((text) => keyOf(text, source));
  const [newest] = all;
  if (!newest) throw new Error(`${source} is missing.`);
  return { newest, all, find: (id) => all.find((key) => key.id === id) };
}

function keyOf(text: string, source: string): Key {
  const bytes = bytesOf(text.trim());
  if (bytes?.length !== keyBytes) {
    // Never what was given: a key that is almost right is still a secret.
    throw new Error(`${source} must be ${keyBytes} random bytes, written in base64 or hex (openssl rand -base64 32).`);
  }
  const root = createSecretKey(bytes);
  const derived = new Map<string, KeyObject>();
  const derive = (purpose: string) => {
    const key = derived.get(purpose) ?? createSecretKey(new Uint8Array(expand(root, purpose, keyBytes)));
    derived.set(purpose, key);
    return key;
  };
  return { id: Buffer.from(expand(root, 'id', 8)).toString('hex'), derive };
}

const expand = (root: KeyObject, purpose: string, length: number) =>
  hkdfSync('sha256', root, '', `agent-connectors ${purpose}`, length);

function bytesOf(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** A value that only a holder of the key can read. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, in this order. */
  readonly bytes: Uint8Array;
}

/** Where a value belongs: sealed for one place, it opens at no other. */
export interface SealContext {
  /** Id of the connector, or of what else the value is a part of. */
  readonly owner: string;
  readonly field: string;
}

/** Seals and opens values with the keys of a ring. */
export interface Cipher {
  seal(context: SealContext, text: string): Sealed;
  open(context: SealContext, sealed: Sealed): string;
}

/** Thrown for what cannot be opened; it says why and holds nothing of the value. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a random nonce for each value, bound to the key, the owner and the field. */
export function createCipher(keys: KeyRing): Cipher {
  return {
    seal(context, text) {
      const key = keys.newest;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key.derive('vault'), nonce, { authTagLength: tagBytes });
      cipher.setAAD(additionalData(key, context));
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { keyId: key.id, bytes };
    },
    open(context, { keyId, bytes }) {
      const key = keys.find(keyId);
      if (!key) throw new VaultError(`A value is sealed with the key ${keyId}, which is not among the keys given.`);
      if (bytes.length < nonceBytes + tagBytes) throw damagedError(context);
      const decipher = createDecipheriv(algorithm, key.derive('vault'), bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(additionalData(key, context));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        throw damagedError(context);
      }
    },
  };
}

// JSON, since no two places read the same in it, whatever the names hold.
const additionalData = (key: Key, { owner, field }: SealContext) => Buffer.from(JSON.stringify([key.id, owner, field]));

const damagedError = ({ owner, field }: SealContext) =>
  new VaultError(`The sealed ${field} of ${owner} was altered, or was sealed for another place.`);

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
