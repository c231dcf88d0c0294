import { type Layout, quoteIdentifier } from '../../schema.js';
import type { ConnectionPool } from './connection.js';

/** Statistics are refreshed after at least this many new records. */
const minNewRecords = 1000;
/** Growth by this factor triggers a refresh. */
const growthFactor = 4;

/**
 * Refreshes a growing table's planner statistics. Autovacuum also does this, but a minute later. Until then, plans
 * assume a nearly empty table.
 */
export class Statistics {
  readonly #pool: ConnectionPool;
  readonly #tables = new Map<string, { known: number; fresh: number }>();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Counts added records, and runs ANALYZE when enough have changed. */
  async recordAdded({ table }: Layout, count: number): Promise<void> {
    if (count === 0) return;
    const state = this.#tables.get(table) ?? { known: await this.#estimatedRecords(table), fresh: 0 };
    this.#tables.set(table, state);
    state.fresh += count;
    if (state.fresh < Math.max(minNewRecords, (growthFactor - 1) * state.known)) return;
    const added = state.fresh;
    state.fresh = 0;
    try {
      await this.#pool.writeTransaction((query) => query(`analyze ${quoteIdentifier(table)}`));
      // Postgres has no statistics for tables whose rows are on other nodes.
      state.known = Math.max(await this.#estimatedRecords(table), state.known + added);
    } catch {
      // The records are already committed. ANALYZE fails if a Citus worker is down; later records trigger another
      // attempt.
    }
  }

  /** Postgres's estimate of a table's row count. */
  async #estimatedRecords(table: string): Promise<number> {
    const rows = await this.#pool.readTransaction((query) =>
      query<{ records: number }>('select reltuples::float8 as records from pg_class where oid = $1::regclass', [
        quoteIdentifier(table),
      ]),
    );
    return Math.max(0, rows[0]!.records);
  }
}
