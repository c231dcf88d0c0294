import type { Missing } from './result.js';

/** Content that the document's author has hidden: counted and left out, or marked if it is indexed. */
export class HiddenContent {
  readonly isIndexed: boolean;
  readonly #counts = new Map<string, number>();

  constructor(isIndexed = false) {
    this.isIndexed = isIndexed;
  }

  /** Notes content of a kind, named in the plural, and whether it is left out. */
  leaveOut(kind: string): boolean {
    if (!this.isIndexed) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    return !this.isIndexed;
  }

  /** What was left out. */
  get missing(): Missing | undefined {
    if (this.#counts.size === 0) return undefined;
    const counts = [...this.#counts].map(([kind, count]) => `${kind} (${count})`);
    return { cause: 'hidden', permanent: true, detail: `Hidden content is not indexed: ${counts.join(', ')}.` };
  }
}
