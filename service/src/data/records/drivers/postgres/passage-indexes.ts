import { quoteIdentifier } from '../../schema.js';
import type { ConnectionPool, RunStatement } from './connection.js';
import { IndexBuilder, isBuilt } from './index-builder.js';
import { maxIndexedDimensions, type VectorLocation, vectorIndexName } from './vectors.js';

/** Up to this many passages are compared exactly; above that, an index is much faster. */
export const maxExactComparisons = 20_000;

/** Arbitrary, but the same in every process. */
const indexLockId = 711_400_173;

/** Whether an embedder's vectors have a complete index. */
export const isIndexed = (query: RunStatement, location: VectorLocation): Promise<boolean> =>
  isBuilt(query, vectorIndexName(location));

/** Builds vector indexes in the background. */
export class VectorIndexes {
  readonly #builder: IndexBuilder | undefined;
  /** Builds started so far, including failed ones, which would otherwise fail again on every search. */
  readonly #requested = new Set<string>();
  #isBuilding = false;

  constructor(pool: ConnectionPool) {
    this.#builder = pool.withConnection && new IndexBuilder(pool, indexLockId);
  }

  /** Schedules an index build; if there are no spare connections, vectors are compared exactly instead. */
  requestIndex(location: VectorLocation): void {
    const name = vectorIndexName(location);
    if (!this.#builder || this.#builder.isClosed || this.#isBuilding || this.#requested.has(name)) return;
    if (location.dimensions > maxIndexedDimensions) return;
    this.#requested.add(name);
    this.#isBuilding = true;
    const definition = `on ${quoteIdentifier(location.table)} using hnsw (vector halfvec_cosine_ops) where embedder = ${location.embedder}`;
    const done = () => {
      this.#isBuilding = false;
    };
    this.#builder.build(name, definition).then(done, done);
  }

  close(): Promise<void> {
    return this.#builder?.close() ?? Promise.resolve();
  }
}
