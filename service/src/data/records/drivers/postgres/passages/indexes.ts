import { quoteIdentifier } from '../../../schema.js';
import type { ConnectionPool, Query } from '../connection.js';
import { maxIndexedDimensions, type VectorLocation, vectorIndexName } from './vectors.js';

/** So many passages are compared one by one; with more, an index is faster by far. */
export const maxExactComparisons = 20_000;

/** Any number will do, as long as every process takes the same. */
const indexLockId = 711_400_173;
/** With less the graph is built on disk, which takes many times as long. */
const buildMemory = '256MB';

/** Whether the vectors of an embedder have an index that is complete. */
export async function isIndexed(query: Query, location: VectorLocation): Promise<boolean> {
  const [row] = await query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [quoteIdentifier(vectorIndexName(location))],
  );
  return row?.valid ?? false;
}

/** Makes indexes of vectors in the background, while all goes on. */
export class VectorIndexes {
  readonly #pool: ConnectionPool;
  /** What has been begun, whatever came of it: one that fails would fail again at every search. */
  readonly #requested = new Set<string>();
  #building: Promise<void> | undefined;
  /** The server's process that is at it. */
  #backendPid: number | undefined;
  #closed = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Sees to it that there will be an index; without connections to spare all is compared one by one. */
  requestIndex(location: VectorLocation): void {
    const name = vectorIndexName(location);
    if (!this.#pool.withConnection || this.#closed || this.#building || this.#requested.has(name)) return;
    if (location.dimensions > maxIndexedDimensions) return;
    this.#requested.add(name);
    this.#backendPid = undefined;
    this.#building = this.#pool
      .withConnection((query) =>
        build(query, location, name, (worker) => {
          this.#backendPid = worker;
          return this.#closed;
        }),
      )
      .catch(() => undefined)
      .finally(() => {
        this.#building = undefined;
      });
  }

  /** Ends what is under way: it would keep the process for minutes, and is begun again by the next. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#backendPid;
    if (this.#building && worker)
      await this.#pool.readTransaction((query) => query('select pg_cancel_backend($1)', [worker]));
    await this.#building;
  }
}

async function build(
  query: Query,
  location: VectorLocation,
  name: string,
  onStart: (worker: number) => boolean,
): Promise<void> {
  const [row] = await query<{ free: boolean; worker: number }>(
    'select pg_try_advisory_lock($1) as free, pg_backend_pid() as worker',
    [indexLockId],
  );
  if (!row!.free) return;
  try {
    await query(`set maintenance_work_mem = '${buildMemory}'`);
    // One that was interrupted stays behind, of no use.
    if (!(await isIndexed(query, location))) await query(`drop index concurrently if exists ${quoteIdentifier(name)}`);
    if (onStart(row!.worker)) return;
    await query(`create index concurrently if not exists ${quoteIdentifier(name)} on ${quoteIdentifier(location.table)}
      using hnsw (vector halfvec_cosine_ops) where embedder = ${location.embedder}`);
  } finally {
    await query('reset maintenance_work_mem');
    await query('select pg_advisory_unlock($1)', [indexLockId]);
  }
}
