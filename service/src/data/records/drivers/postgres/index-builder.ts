import { setTimeout as wait } from 'node:timers/promises';
import { quoteIdentifier } from '../../schema.js';
import type { ConnectionPool, RunStatement } from './connection.js';

/** With less memory, a vector index is built on disk, which takes many times as long. */
const buildMemory = '256MB';
const cancelIntervalMs = 50;

/** Whether an index is complete; an interrupted build leaves an unusable one behind. */
export async function isBuilt(query: RunStatement, name: string): Promise<boolean> {
  const [row] = await query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [quoteIdentifier(name)],
  );
  return row?.valid ?? false;
}

/** Builds indexes while their tables stay in use, one at a time across all processes. */
export class IndexBuilder {
  readonly #pool: ConnectionPool;
  readonly #lockId: number;
  #running: Promise<unknown> | undefined;
  /** The index that this process is building. */
  #ownIndex: string | undefined;
  #closed = false;

  /** Builders with the same lock take turns, even across processes. Needs spare connections. */
  constructor(pool: ConnectionPool, lockId: number) {
    this.#pool = pool;
    this.#lockId = lockId;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Builds an index, such as `on t (a)`, unless it already exists; false if another process is building one. One call
   * at a time.
   */
  async build(name: string, definition: string): Promise<boolean> {
    const running = this.#pool.writeTransaction((query) => this.#buildLocked(query, name, definition));
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#ownIndex = undefined;
      this.#running = undefined;
    }
  }

  /** Cancels the running build, which could delay the shutdown by minutes; the next process restarts it. */
  async close(): Promise<void> {
    this.#closed = true;
    // Repeated, because a cancellation between two statements has no effect.
    while (this.#running) {
      const name = this.#ownIndex;
      if (name !== undefined)
        await this.#pool.readTransaction((query) =>
          query(`select pg_cancel_backend(pid) ${runningBuilds}`, [create(name)]),
        );
      await Promise.race([this.#running, wait(cancelIntervalMs)]);
    }
  }

  /** Builds on a second connection while this one holds the lock. */
  async #buildLocked(query: RunStatement, name: string, definition: string): Promise<boolean> {
    await query('set local idle_in_transaction_session_timeout = 0');
    // No bind parameters: a prepared statement would hold a snapshot that the index build waits for. The query does not
    // wait for the lock either, as that would hold a snapshot too.
    const [row] = await query<{ free: boolean }>(`select pg_try_advisory_xact_lock(${this.#lockId}) as free`);
    if (!row!.free) return false;
    await this.#pool.withConnection!(async (build, ownsSession) => {
      // If a process is killed, its build keeps running.
      if ((await build(`select 1 ${runningBuilds}`, [create(name)])).length > 0) return;
      if (await isBuilt(build, name)) return;
      this.#ownIndex = name;
      if (ownsSession) await build(`set maintenance_work_mem = '${buildMemory}'`);
      try {
        await build(`drop index concurrently if exists ${quoteIdentifier(name)}`);
        if (this.#closed) return;
        await build(`${create(name)} ${definition}`);
      } catch (error) {
        // Writes would have to maintain the unusable index.
        if (!this.#closed)
          await build(`drop index concurrently if exists ${quoteIdentifier(name)}`).catch(() => undefined);
        throw error;
      } finally {
        if (ownsSession) await build('reset maintenance_work_mem');
      }
    });
    return true;
  }
}

const create = (name: string): string => `create index concurrently if not exists ${quoteIdentifier(name)}`;

/** Running statements that start with `$1`. */
const runningBuilds = `from pg_stat_activity
  where datname = current_database() and state = 'active' and starts_with(query, $1)`;
