import { type Layout, quoted } from '../../schema.js';
import type { ConnectionPool } from './connection.js';

/** So many new records at least are worth looking at. */
const fewest = 1000;
/** So many times as many records make another distribution of them. */
const growth = 4;

/**
 * Keeps what Postgres knows of the distribution of values in step with a table that is being filled. It does so by
 * itself, but a minute later: without it every plan is made for a table of few records.
 */
export class Statistics {
  readonly #pool: ConnectionPool;
  readonly #tables = new Map<string, { known: number; fresh: number }>();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Notes records that have been added, and gathers what has changed by them. */
  async added({ table }: Layout, count: number): Promise<void> {
    if (count === 0) return;
    const state = this.#tables.get(table) ?? { known: await this.#known(table), fresh: 0 };
    this.#tables.set(table, state);
    state.fresh += count;
    if (state.fresh < Math.max(fewest, (growth - 1) * state.known)) return;
    await this.#pool.writing((query) => query(`analyze ${quoted(table)}`));
    state.known = await this.#known(table);
    state.fresh = 0;
  }

  /** How many records Postgres takes a table to have. */
  async #known(table: string): Promise<number> {
    const rows = await this.#pool.reading((query) =>
      query<{ records: number }>('select reltuples::float8 as records from pg_class where oid = $1::regclass', [
        quoted(table),
      ]),
    );
    return Math.max(0, rows[0]!.records);
  }
}
