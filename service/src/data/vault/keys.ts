import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

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
