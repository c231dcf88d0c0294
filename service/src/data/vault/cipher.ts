import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Key, KeyRing } from './keys.js';

/** A value that only a holder of the key can read. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag, in this order. */
  readonly bytes: Uint8Array;
}

/** Where a value belongs: sealed for one place, it opens at no other. */
export interface Place {
  /** Id of the connector, or of what else the value is a part of. */
  readonly owner: string;
  readonly field: string;
}

/** Seals and opens values with the keys of a ring. */
export interface Cipher {
  seal(place: Place, text: string): Sealed;
  open(place: Place, sealed: Sealed): string;
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
    seal(place, text) {
      const key = keys.newest;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key.derive('vault'), nonce, { authTagLength: tagBytes });
      cipher.setAAD(boundTo(key, place));
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { keyId: key.id, bytes };
    },
    open(place, { keyId, bytes }) {
      const key = keys.find(keyId);
      if (!key) throw new VaultError(`A value is sealed with the key ${keyId}, which is not among the keys given.`);
      if (bytes.length < nonceBytes + tagBytes) throw damaged(place);
      const decipher = createDecipheriv(algorithm, key.derive('vault'), bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(boundTo(key, place));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        throw damaged(place);
      }
    },
  };
}

// JSON, since no two places read the same in it, whatever the names hold.
const boundTo = (key: Key, { owner, field }: Place) => Buffer.from(JSON.stringify([key.id, owner, field]));

const damaged = ({ owner, field }: Place) =>
  new VaultError(`The sealed ${field} of ${owner} was altered, or was sealed for another place.`);
