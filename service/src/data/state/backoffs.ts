import { type Database, fromNow } from './database.js';

/** How long syncs leave a vendor or a credential alone after failures; all processes on the database share it. */
export interface Backoffs {
  /** Whether work under all of these names may begin. Of those who ask after a pause one may, and the next pause is longer. */
  enter(names: readonly string[]): Promise<Entry>;
  /** Notes a failure. The name is paused when so many different sources have failed since the last success. */
  fail(name: string, source: string, maxSources: number): Promise<void>;
  /** Pauses a name for so many milliseconds. */
  pause(name: string, ms: number): Promise<void>;
  /** Forgets the failures of these names. */
  succeed(names: readonly string[]): Promise<void>;
  /** Forgets what is old. */
  sweep(): Promise<void>;
}

/** What is known under the names that somebody begins work under. */
export interface Entry {
  /** Milliseconds until it may begin; 0 where it may now. */
  readonly waitMs: number;
  /** Whether there were failures, which a success has to end. */
  readonly failing: boolean;
}

const basePauseMs = 30_000;
const maxPauseMs = 600_000;
const rememberedMs = 24 * 3_600_000;
const pauseAfter = (failures: number) => Math.min(maxPauseMs, basePauseMs * 2 ** Math.min(failures, 10));

/** Opens the pauses in the database. */
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
      // Whoever tried after a pause has begun the next one already.
      if (row && row.failures > 0) return;
      const sources = new Set([...(row?.failed_by.split(' ') ?? []), source].filter(Boolean));
      const isPaused = sources.size >= maxSources;
      await note(name, {
        failed_by: [...sources].join(' '),
        failures: Number(isPaused),
        paused_until: isPaused ? fromNow(database, basePauseMs) : 0,
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
