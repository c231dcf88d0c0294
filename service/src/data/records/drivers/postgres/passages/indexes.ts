import { setTimeout as wait } from 'node:timers/promises';
import { quoteIdentifier } from '../../../schema.js';
import type { ConnectionPool, Query } from '../connection.js';
import { maxIndexedDimensions, type VectorLocation, vectorIndexName } from './vectors.js';

/** So many passages are compared one by one; with more, an index is faster by far. */
export const maxExactComparisons = 20_000;

/** Any number will do, as long as every process takes the same. */
const indexLockId = 711_400_173;
/** With less the graph is built on disk, which takes many times as long. */
const buildMemory = '256MB';
const cancelIntervalMs = 50;

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
  /** The index that this process and no other builds. */
  #ownIndex: string | undefined;
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
    this.#building = this.#pool
      .writeTransaction((query) => this.#buildLocked(query, location, name))
      .catch(() => undefined)
      .finally(() => {
        this.#ownIndex = undefined;
        this.#building = undefined;
      });
  }

  /** Ends what is under way: it would keep the process for minutes, and is begun again by the next. */
  async close(): Promise<void> {
    this.#closed = true;
    // Again and again: a cancellation that comes between two statements has no effect.
    while (this.#building) {
      const name = this.#ownIndex;
      if (name !== undefined)
        await this.#pool.readTransaction((query) =>
          query(`select pg_cancel_backend(pid) ${runningBuilds}`, [create(name)]),
        );
      await Promise.race([this.#building, wait(cancelIntervalMs)]);
    }
  }

  /** Builds on another connection; this one holds the lock until then. */
  async #buildLocked(query: Query, location: VectorLocation, name: string): Promise<void> {
    await query('set local idle_in_transaction_session_timeout = 0');
    // Without parameters: with them the statement keeps a snapshot until the next one, and the build would wait for it.
    const [row] = await query<{ free: boolean }>(`select pg_try_advisory_xact_lock(${indexLockId}) as free`);
    if (!row!.free) return;
    await this.#pool.withConnection!(async (build, ownsSession) => {
      // A process that was killed leaves its build behind, which goes on.
      if ((await build(`select 1 ${runningBuilds}`, [create(name)])).length > 0) return;
      this.#ownIndex = name;
      if (ownsSession) await build(`set maintenance_work_mem = '${buildMemory}'`);
      try {
        // One that was interrupted stays behind, of no use.
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

/** Statements under way that begin with `$1`. */
const runningBuilds = `from pg_stat_activity
  where datname = current_database() and state = 'active' and starts_with(query, $1)`;
