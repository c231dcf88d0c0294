import { type Database, fromNow } from './database.js';

/** Pauses syncs for a vendor or credential after failures. Pauses are shared by all processes that use the database. */
export interface Backoffs {
  /**
   * Whether work under all of these names may start. After a pause, only one caller may start, and the next pause is
   * longer.
   */
  enter(names: readonly string[]): Promise<Entry>;
  /** Records a failure. The name is paused once this many different sources have failed since the last success. */
  fail(name: string, source: string, maxSources: number): Promise<void>;
  /** Pauses a name for this many milliseconds. */
  pause(name: string, ms: number): Promise<void>;
  /** Clears the failures of these names. */
  succeed(names: readonly string[]): Promise<void>;
  /** Deletes entries, including those of `VendorLimits`, without failures, pauses or requests in the last day. */
  sweep(): Promise<void>;
}

/** State of the names under which work is about to start. */
export interface Entry {
  /** Milliseconds until it may start; 0 if it may start now. */
  readonly waitMs: number;
  /** Whether there were failures that a success must clear. */
  readonly failing: boolean;
}

const basePauseMs = 30_000;
const maxPauseMs = 600_000;
const rememberedMs = 24 * 3_600_000;
const pauseAfter = (failures: number) => Math.min(maxPauseMs, basePauseMs * 2 ** Math.min(failures, 10));

/** Opens the pauses stored in the database. */
export function openBackoffs(database: Database): Backoffs {
  const { query, now } = database;
  const named = (names: readonly string[]) =>
    query.selectFrom('vendor_limits').selectAll().where('name', 'in', database.listOf(names));
  const note = (name: string, values: { failed_by?: string; failures: number; paused_until: number | typeof now }) =>
    query
      .insertInto('vendor_limits')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
  return {
    async enter(names) {
      const rows = await named(names)
        .select(({ eb }) => eb('paused_until', '-', now).as('left_ms'))
        .where((row) => row.or([row('failures', '>', 0), row('failed_by', '!=', '')]))
        .execute();
      const failing = rows.length > 0;
      const waitMs = Math.max(0, ...rows.map(({ left_ms }) => Number(left_ms)));
      if (waitMs > 0) return { waitMs, failing };
      for (const { name, failures } of rows) {
        if (failures === 0) continue;
        const next = pauseAfter(failures);
        const { numUpdatedRows } = await query
          .updateTable('vendor_limits')
          .set({ failures: failures + 1, paused_until: fromNow(database, next) })
          .where('name', '=', name)
          .where('paused_until', '<=', now)
          .executeTakeFirstOrThrow();
        if (Number(numUpdatedRows) === 0) return { waitMs: next, failing };
      }
      return { waitMs: 0, failing };
    },
    async fail(name, source, maxSources) {
      const row = await named([name]).executeTakeFirst();
      // The attempt after a pause has already started the next pause.
      if (row && row.failures > 0) return;
      const sources = new Set([...(row?.failed_by.split(' ') ?? []), source].filter(Boolean));
      const isPaused = sources.size >= maxSources;
      await note(name, {
        failed_by: [...sources].join(' '),
        failures: Number(isPaused),
        paused_until: isPaused ? fromNow(database, basePauseMs) : now,
      });
    },
    async pause(name, ms) {
      await note(name, { failures: 1, paused_until: fromNow(database, ms) });
    },
    async succeed(names) {
      const changes = { failed_by: '', failures: 0, paused_until: 0 };
      await query.updateTable('vendor_limits').set(changes).where('name', 'in', database.listOf(names)).execute();
    },
    async sweep() {
      await query.deleteFrom('vendor_limits').where('paused_until', '<', fromNow(database, -rememberedMs)).execute();
    },
  };
}
