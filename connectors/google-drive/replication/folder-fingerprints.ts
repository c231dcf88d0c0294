import type { Item } from './items.js';

const hashLength = 7;

/** A short (36-bit) hash of a string. */
function hash(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x2c1b3c6d);
    low = Math.imul(low ^ unit, 0x297a2d39);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  return ((high >>> 0) * 16 + ((low >>> 0) % 16)).toString(36).padStart(hashLength, '0').slice(-hashLength);
}

/**
 * Folder fingerprints, fourteen characters each, that cover each folder's name and location.
 *
 * A changed fingerprint means that everything below the folder has a new path.
 */
export class FolderFingerprints {
  readonly #folders = new Map<string, string>();

  constructor(text: string) {
    for (let at = 0; at < text.length; at += 2 * hashLength) {
      this.#folders.set(text.slice(at, at + hashLength), text.slice(at + hashLength, at + 2 * hashLength));
    }
  }

  has(id: string): boolean {
    return this.#folders.has(hash(id));
  }

  isUnchanged(folder: Item): boolean {
    return this.#folders.get(hash(folder.id)) === this.#locationHash(folder);
  }

  add(folder: Item): void {
    this.#folders.set(hash(folder.id), this.#locationHash(folder));
  }

  remove(id: string): void {
    this.#folders.delete(hash(id));
  }

  clear(): void {
    this.#folders.clear();
  }

  toString(): string {
    return [...this.#folders].flat().join('');
  }

  #locationHash({ name, parents }: Item): string {
    return hash(`${parents?.[0] ?? ''}/${name}`);
  }
}
