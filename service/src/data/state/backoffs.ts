import { clockToleranceMs, type Database, fromNow } from './database.js';

/** Pauses syncs for a vendor or credential after failures. Pauses are shared by all processes that use the database. */
export interface Backoffs {
  /**
   * Whether work under all of these names may start. After a pause, only one caller may start, and the next pause is
   * longer.
   */
  enter(names: readonly string[]): Promise<Entry>;
  /** Records a failure. The name is paused once this many different sources have failed since the last success. */
  fail(name: string, source: string, maxSources: number): Promise<void>;
  /** Pauses a name for this many milliseconds; an existing pause that ends later is kept. */
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
const maxLeftMs = rememberedMs + clockToleranceMs;
const pauseAfter = (failures: number) => Math.min(maxPauseMs, basePauseMs * 2 ** Math.min(failures, 10));

/** Opens the pauses stored in the database. */
export function openBackoffs(database: Database): Backoffs {
  const { query, now } = database;
  const named = (names: readonly string[]) =>
    query.selectFrom('vendor_limits').selectAll().where('name', 'in', database.listOf(names));
  const greatest = database.engine === 'postgres' ? 'greatest' : 'max';
  return {
    async enter(names) {
      const rows = await named(names)
        .select(({ eb }) => eb('paused_until', '-', now).as('left_ms'))
        .where((row) => row.or([row('failures', '>', 0), row('failed_by', '!=', '')]))
        .execute();
      const failing = rows.length > 0;
      // No pause is longer than a day: what seems longer was set by a clock that has been set back since.
      const waitMs = Math.max(0, ...rows.map(({ left_ms }) => (left_ms > maxLeftMs ? 0 : Number(left_ms))));
      if (waitMs > 0) return { waitMs, failing };
      for (const { name, failures } of rows) {
        if (failures === 0) continue;
        const next = pauseAfter(failures);
        const { numUpdatedRows } = await query
          .updateTable('vendor_limits')
          .set((eb) => ({ failures: eb('failures', '+', 1), paused_until: fromNow(database, next) }))
          .where('name', '=', name)
          .where(({ eb, or }) =>
            or([eb('paused_until', '<=', now), eb('paused_until', '>', fromNow(database, maxLeftMs))]),
          )
          // A success since the read stays in effect.
          .where('failures', '>', 0)
          .executeTakeFirstOrThrow();
        if (Number(numUpdatedRows) === 0) return { waitMs: next, failing };
      }
      return { waitMs: 0, failing };
    },
    fail: (name, source, maxSources) =>
      database.transaction(async () => {
        // Locks the entry, creating it if missing, so that no concurrent change is lost.
        const { failed_by, failures } = await query
          .insertInto('vendor_limits')
          .values({ name })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
          .returning(['failed_by', 'failures'])
          .executeTakeFirstOrThrow();
        // The attempt after a pause has already started the next pause.
        if (failures > 0) return;
        const sources = new Set([...failed_by.split(' '), source].filter(Boolean));
        const isPaused = sources.size >= maxSources;
        await query
          .updateTable('vendor_limits')
          .set({
            failed_by: [...sources].join(' '),
            failures: Number(isPaused),
            paused_until: isPaused ? fromNow(database, basePauseMs) : now,
          })
          .where('name', '=', name)
          .execute();
      }),
    async pause(name, ms) {
      await query
        .insertInto('vendor_limits')
        .values({ name, failures: 1, paused_until: fromNow(database, ms) })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet(({ fn, ref }) => ({
            failures: fn(greatest, [ref('vendor_limits.failures'), ref('excluded.failures')]),
            paused_until: fn(greatest, [ref('vendor_limits.paused_until'), ref('excluded.paused_until')]),
          })),
        )
        .execute();
    },
    async succeed(names) {
      const changes = { failed_by: '', failures: 0, paused_until: 0 };
      await query.updateTable('vendor_limits').set(changes).where('name', 'in', database.listOf(names)).execute();
    },
    async sweep() {
      const [before, after] = [fromNow(database, -rememberedMs), fromNow(database, maxLeftMs)];
      await query
        .deleteFrom('vendor_limits')
        .where(({ eb, or }) => or([eb('paused_until', '<', before), eb('paused_until', '>', after)]))
        .execute();
    },
  };
}
