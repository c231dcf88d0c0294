import { setTimeout as wait } from 'node:timers/promises';
import { quoteIdentifier } from '../../../schema.js';
import type { ConnectionPool, Query } from '../connection.js';
import { maxIndexedDimensions, type VectorLocation, vectorIndexName } from './vectors.js';

/** Up to this many passages are compared exactly; above that, an index is much faster. */
export const maxExactComparisons = 20_000;

/** Arbitrary, but the same in every process. */
const indexLockId = 711_400_173;
/** With less memory, the graph is built on disk, which is many times slower. */
const buildMemory = '256MB';
const cancelIntervalMs = 50;

/** Whether an embedder's vectors have a complete index. */
export async function isIndexed(query: Query, location: VectorLocation): Promise<boolean> {
  const [row] = await query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [quoteIdentifier(vectorIndexName(location))],
  );
  return row?.valid ?? false;
}

/** Builds vector indexes in the background. */
export class VectorIndexes {
  readonly #pool: ConnectionPool;
  /** Builds started so far, including failed ones, which would otherwise be retried on every search. */
  readonly #requested = new Set<string>();
  #building: Promise<void> | undefined;
  /** The index that this process is building. */
  #ownIndex: string | undefined;
  #closed = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Schedules an index build; without spare connections, vectors are compared exactly instead. */
  requestIndex(location: VectorLocation): void {
    const name = vectorIndexName(location);
    if (!this.#pool.withConnection || this.#closed || this.#building || this.#requested.has(name)) return;
    if (location.dimensions > maxIndexedDimensions) return;
    this.#requested.add(name);
    this.#building = this.#pool
      .writeTransaction((query) => this.#buildLocked(query, location, name))
      .catch(() => undefined)
      .finally(() => {
        this.#ownIndex = undefined;
        this.#building = undefined;
      });
  }

  /** Cancels the running build, which could otherwise delay the shutdown by minutes; the next process restarts it. */
  async close(): Promise<void> {
    this.#closed = true;
    // Repeated, because a cancellation between two statements has no effect.
    while (this.#building) {
      const name = this.#ownIndex;
      if (name !== undefined)
        await this.#pool.readTransaction((query) =>
          query(`select pg_cancel_backend(pid) ${runningBuilds}`, [create(name)]),
        );
      await Promise.race([this.#building, wait(cancelIntervalMs)]);
    }
  }

  /** Builds on a second connection while this one holds the lock. */
  async #buildLocked(query: Query, location: VectorLocation, name: string): Promise<void> {
    await query('set local idle_in_transaction_session_timeout = 0');
    // No bind parameters: a prepared statement would hold a snapshot that the index build waits for.
    const [row] = await query<{ free: boolean }>(`select pg_try_advisory_xact_lock(${indexLockId}) as free`);
    if (!row!.free) return;
    await this.#pool.withConnection!(async (build, ownsSession) => {
      // The build of a killed process keeps running.
      if ((await build(`select 1 ${runningBuilds}`, [create(name)])).length > 0) return;
      this.#ownIndex = name;
      if (ownsSession) await build(`set maintenance_work_mem = '${buildMemory}'`);
      try {
        // An interrupted build leaves an unusable index behind.
        if (!(await isIndexed(build, location)))
          await build(`drop index concurrently if exists ${quoteIdentifier(name)}`);
        if (this.#closed) return;
        await build(`${create(name)} on ${quoteIdentifier(location.table)}
          using hnsw (vector halfvec_cosine_ops) where embedder = ${location.embedder}`);
      } finally {
        if (ownsSession) await build('reset maintenance_work_mem');
      }
    });
  }
}

const create = (name: string): string => `create index concurrently if not exists ${quoteIdentifier(name)}`;

/** Running statements that start with `$1`. */
const runningBuilds = `from pg_stat_activity
  where datname = current_database() and state = 'active' and starts_with(query, $1)`;
