import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

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
