import { type Layout, quoteIdentifier } from '../../schema.js';
import type { ConnectionPool } from './connection.js';

/** So many new records at least are worth looking at. */
const minNewRecords = 1000;
/** So many times as many records make another distribution of them. */
const growthFactor = 4;

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
  async recordAdded({ table }: Layout, count: number): Promise<void> {
    if (count === 0) return;
    const state = this.#tables.get(table) ?? { known: await this.#estimatedRecords(table), fresh: 0 };
    this.#tables.set(table, state);
    state.fresh += count;
    if (state.fresh < Math.max(minNewRecords, (growthFactor - 1) * state.known)) return;
    await this.#pool.writeTransaction((query) => query(`analyze ${quoteIdentifier(table)}`));
    // Postgres knows nothing of a table whose rows lie on other nodes.
    state.known = Math.max(await this.#estimatedRecords(table), state.known + state.fresh);
    state.fresh = 0;
  }

  /** How many records Postgres takes a table to have. */
  async #estimatedRecords(table: string): Promise<number> {
    const rows = await this.#pool.readTransaction((query) =>
      query<{ records: number }>('select reltuples::float8 as records from pg_class where oid = $1::regclass', [
        quoteIdentifier(table),
      ]),
    );
    return Math.max(0, rows[0]!.records);
  }
}
