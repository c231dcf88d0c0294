import {
  type CipherKey,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** What keys are derived for. */
type Purpose =
  | 'vault'
  | 'tokens'
  | 'audit'
  | 'checkpoints'
  | 'cursors'
  | 'handles'
  | 'refresh tokens'
  | 'vendor limits';

/** A key of the ring; sealed values carry its id, which reveals nothing about it. */
export interface Key {
  readonly id: string;
  /** Derives a separate key per purpose. */
  readonly derive: (purpose: Purpose) => KeyObject;
}

/** The service's keys: one encrypts and signs, all decrypt and verify. */
export interface KeyRing {
  /**
   * The key that encrypts and signs: the first one, unless another process that shares the data does not have it yet.
   */
  readonly newest: Key;
  /** In the given order, newest first. */
  readonly all: readonly Key[];
  find(id: string): Key | undefined;
  /** Selects the key that encrypts and signs. */
  use(key: Key): void;
  /** Reloads the keys from their source if `check` accepts them; undefined if they cannot change. */
  readonly reload?: ((check: (next: KeyRing) => Promise<void>) => Promise<void>) | undefined;
}

const keyBytes = 32;

/** A new key in the format that `keyRing` parses. */
export const randomKey = (): string => randomBytes(keyBytes).toString('base64');

/** Creates a key ring from keys in base64 or hex, newest first; `read` reloads them. */
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
    // Never quote the input: a mistyped key is still a secret.
    throw new Error(
      `${source} must be ${keyBytes} random bytes in base64 or hex, as printed by openssl rand -base64 32.`,
    );
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

/** An encrypted value. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, in this order. */
  readonly bytes: Uint8Array;
}

/** The context a value is sealed for; the value cannot be opened in any other. */
export interface SealContext {
  /** The organization that the value belongs to, if any. */
  readonly organization?: string | undefined;
  /** Id of the connector or other object that the value is part of. */
  readonly owner: string;
  readonly field: string;
}

/** Seals and opens values with the keys of a ring. */
export interface Cipher {
  seal(context: SealContext, text: string): Sealed;
  open(context: SealContext, sealed: Sealed): string;
}

/** Thrown if a value cannot be opened. The message gives the reason but no part of the value. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const authTagLength = 16;

/** Seals a text with AES-256-GCM for a context: a random nonce, the ciphertext and the tag, in this order. */
export function sealText(key: CipherKey, context: Uint8Array, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength });
  cipher.setAAD(context);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Opens a sealed text; undefined if it was altered, or sealed with another key or for another context. */
export function openText(key: CipherKey, context: Uint8Array, bytes: Uint8Array): string | undefined {
  if (bytes.length < nonceBytes + authTagLength) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength });
  decipher.setAAD(context);
  decipher.setAuthTag(bytes.subarray(-authTagLength));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -authTagLength));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** AES-256-GCM with a random nonce per value, bound to the key, organization, owner and field. */
export function createCipher(keys: KeyRing): Cipher {
  return {
    seal(context, text) {
      const key = keys.newest;
      return { keyId: key.id, bytes: sealText(key.derive('vault'), additionalData(key, context), text) };
    },
    open(context, { keyId, bytes }) {
      const key = keys.find(keyId);
      if (!key) throw new VaultError(`A value is encrypted with key ${keyId}, which was not provided.`);
      const text = openText(key.derive('vault'), additionalData(key, context), bytes);
      if (text === undefined) throw damagedError(context);
      return text;
    },
  };
}

// JSON is unambiguous: no two contexts serialize to the same text, whatever the names contain.
const additionalData = ({ id }: Key, { organization, owner, field }: SealContext) =>
  Buffer.from(JSON.stringify(organization === undefined ? [id, owner, field] : [id, organization, owner, field]));

const damagedError = ({ owner, field }: SealContext) =>
  new VaultError(`The sealed ${field} of ${owner} was altered or belongs to another record.`);
