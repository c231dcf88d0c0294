import type { Embedder } from '../../search/embedding/types.js';
import type { Driver } from '../drivers/driver.js';
import type { Layout } from '../schema.js';
import type { PassageCount } from './types.js';

/** The passages of a field, and the embedder whose vectors answer for them. */
export interface Serving extends PassageCount {
  /** None where no embedder has been given any of the passages. */
  readonly embedder: Embedder | undefined;
}

/** What other processes change is seen after so many milliseconds. */
const lasting = 5000;

/** Knows which embedder's vectors answer for a field. */
export class ServingEmbedders {
  readonly #driver: Driver;
  readonly #embedders: readonly Embedder[];
  /** Fields of which the current embedder has been given every passage, and since when that is known. */
  readonly #known = new Map<string, { readonly serving: Serving; readonly since: number }>();

  constructor(driver: Driver, embedders: readonly Embedder[]) {
    this.#driver = driver;
    this.#embedders = embedders;
  }

  /** The embedder that has been given most passages, the current one before others; nothing where there are no embedders. */
  async of(layout: Layout, connectorId: string, field: string): Promise<Serving | undefined> {
    const name = JSON.stringify([layout.table, connectorId, field]);
    const known = this.#known.get(name);
    if (known && performance.now() - known.since < lasting) return known.serving;
    this.#known.delete(name);
    let best: Serving | undefined;
    for (const embedder of this.#embedders) {
      const count = await this.#driver.passages.count(layout, connectorId, field, embedder.id);
      if (!best || count.embedded > best.embedded) {
        best = { ...count, embedder: count.embedded > 0 ? embedder : undefined };
      }
      if (count.embedded < count.passages) continue;
      if (count.passages > 0 && embedder === this.#embedders[0]) {
        this.#known.set(name, { serving: best, since: performance.now() });
      }
      break;
    }
    return best;
  }

  /** To be told of every change of passages or vectors. */
  forget(): void {
    this.#known.clear();
  }
}
