import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/** What keys are derived for. */
type Purpose = 'vault' | 'tokens' | 'audit' | 'checkpoints' | 'cursors' | 'refresh tokens' | 'vendor limits';

/** One key of the ring; what is sealed with it carries its id, which tells nothing about it. */
export interface Key {
  readonly id: string;
  /** A key of its own for one purpose, so that no two uses share one. */
  readonly derive: (purpose: Purpose) => KeyObject;
}

/** The keys of the service: one seals and signs, each opens what it sealed. */
export interface KeyRing {
  /** The one that seals and signs: the first, unless a process that shares the data does not have that one yet. */
  readonly newest: Key;
  /** In the order in which they were given, the newest first. */
  readonly all: readonly Key[];
  find(id: string): Key | undefined;
  /** Has one of them seal and sign. */
  use(key: Key): void;
  /** Reads the keys again where they came from, once `check` has let them pass; absent where they cannot change. */
  readonly reload?: ((check: (next: KeyRing) => Promise<void>) => Promise<void>) | undefined;
}

const keyBytes = 32;

/** A new key, as text that `keyRing` reads. */
export const randomKey = (): string => randomBytes(keyBytes).toString('base64');

/** Makes a ring of keys written in base64 or hex, the newest first; `read` reads them again. */
export function keyRing(
  texts: readonly string[],
  source = 'The key',
  read?: () => Promise<readonly string[]>,
): KeyRing {
  let all = keysOf(texts, source);
  let newest = all[0];
  let reading: Promise<readonly string[]> | undefined;
  return {
    get newest() {
      return newest;
    },
    get all() {
      return all;
    },
    find: (id) => all.find((key) => key.id === id),
    use(key) {
      newest = key;
    },
    reload:
      read &&
      (async (check) => {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        const texts = await reading;
        await check(keyRing(texts, source));
        all = keysOf(texts, source);
        newest = all.find(({ id }) => id === newest.id) ?? all[0];
      }),
  };
}

function keysOf(texts: readonly string[], source: string): readonly [Key, ...Key[]] {
  const [newest, ...others] = texts.map((text) => keyOf(text, source));
  if (!newest) throw new Error(`${source} is missing.`);
  return [newest, ...others];
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
  /** The organization that the value belongs to; absent for what belongs to none. */
  readonly organization?: string | undefined;
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

/** AES-256-GCM with a random nonce for each value, bound to the key, the organization, the owner and the field. */
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
      if (!key) throw new VaultError(`A value is sealed with the key ${keyId}, which was not provided.`);
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
const additionalData = ({ id }: Key, { organization, owner, field }: SealContext) =>
  Buffer.from(JSON.stringify(organization === undefined ? [id, owner, field] : [id, organization, owner, field]));

const damagedError = ({ owner, field }: SealContext) =>
  new VaultError(`The sealed ${field} of ${owner} was altered or belongs to another record.`);
