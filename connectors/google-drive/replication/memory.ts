import type { Item } from './items.js';

const length = 7;

/** A few letters that stand for a text: 36 bits of it, mixed. */
function mark(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x2c1b3c6d);
    low = Math.imul(low ^ unit, 0x297a2d39);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  return ((high >>> 0) * 16 + ((low >>> 0) % 16)).toString(36).padStart(length, '0').slice(-length);
}

/**
 * The folders that are kept, with their names and places, in fourteen letters each.
 *
 * A change of a folder matters where it is not as it is remembered: all below it has another path then.
 */
export class FolderMemory {
  readonly #folders = new Map<string, string>();

  constructor(text: string) {
    for (let at = 0; at < text.length; at += 2 * length) {
      this.#folders.set(text.slice(at, at + length), text.slice(at + length, at + 2 * length));
    }
  }

  has(id: string): boolean {
    return this.#folders.has(mark(id));
  }

  isAsBefore(folder: Item): boolean {
    return this.#folders.get(mark(folder.id)) === this.#placeOf(folder);
  }

  add(folder: Item): void {
    this.#folders.set(mark(folder.id), this.#placeOf(folder));
  }

  remove(id: string): void {
    this.#folders.delete(mark(id));
  }

  clear(): void {
    this.#folders.clear();
  }

  toString(): string {
    return [...this.#folders].flat().join('');
  }

  #placeOf({ name, parents }: Item): string {
    return mark(`${parents?.[0] ?? ''}/${name}`);
  }
}
