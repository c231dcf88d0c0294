import { quoted } from '../../../schema.js';
import type { ConnectionPool, Query } from '../connection.js';
import { indexOf, longestIndexed, type VectorPlace } from './vectors.js';

/** So many passages are compared one by one; with more, an index is faster by far. */
export const comparedExactly = 20_000;

/** Any number will do, as long as every process takes the same. */
const indexing = 711_400_173;
/** With less the graph is built on disk, which takes many times as long. */
const memory = '256MB';

/** Whether the vectors of an embedder have an index that is complete. */
export async function isIndexed(query: Query, place: VectorPlace): Promise<boolean> {
  const [row] = await query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [quoted(indexOf(place))],
  );
  return row?.valid ?? false;
}

/** Makes indexes of vectors in the background, while all goes on. */
export class VectorIndexes {
  readonly #pool: ConnectionPool;
  /** What has been begun, whatever came of it: one that fails would fail again at every search. */
  readonly #begun = new Set<string>();
  #under: Promise<void> | undefined;
  /** The server's process that is at it. */
  #worker: number | undefined;
  #closed = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Sees to it that there will be an index; without connections to spare all is compared one by one. */
  want(place: VectorPlace): void {
    const name = indexOf(place);
    if (!this.#pool.alone || this.#closed || this.#under || this.#begun.has(name)) return;
    if (place.dimensions > longestIndexed) return;
    this.#begun.add(name);
    this.#worker = undefined;
    this.#under = this.#pool
      .alone((query) =>
        build(query, place, name, (worker) => {
          this.#worker = worker;
          return this.#closed;
        }),
      )
      .catch(() => undefined)
      .finally(() => {
        this.#under = undefined;
      });
  }

  /** Ends what is under way: it would keep the process for minutes, and is begun again by the next. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (this.#under && worker) await this.#pool.reading((query) => query('select pg_cancel_backend($1)', [worker]));
    await this.#under;
  }
}

async function build(
  query: Query,
  place: VectorPlace,
  name: string,
  begin: (worker: number) => boolean,
): Promise<void> {
  const [row] = await query<{ free: boolean; worker: number }>(
    'select pg_try_advisory_lock($1) as free, pg_backend_pid() as worker',
    [indexing],
  );
  if (!row!.free) return;
  try {
    await query(`set maintenance_work_mem = '${memory}'`);
    // One that was interrupted stays behind, of no use.
    if (!(await isIndexed(query, place))) await query(`drop index concurrently if exists ${quoted(name)}`);
    if (begin(row!.worker)) return;
    await query(`create index concurrently if not exists ${quoted(name)} on ${quoted(place.table)}
      using hnsw (vector halfvec_cosine_ops) where embedder = ${place.embedder}`);
  } finally {
    await query('reset maintenance_work_mem');
    await query('select pg_advisory_unlock($1)', [indexing]);
  }
}
