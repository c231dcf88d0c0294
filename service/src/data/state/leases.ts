import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { clockToleranceMs, type Database, fromNow, randomText } from './database.js';

/** Mutual exclusion between processes that share a database. */
export interface Leases {
  /**
   * Runs `work` while no other process does so under the same name.
   *
   * A holder that is silent for 15 seconds loses its lease. Its work continues; if the work then fails, the error says
   * that another process took over, since that may be the reason.
   */
  withLease<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Claims this name unless a process claimed it in the last `ms` milliseconds; returns whether it was claimed. */
  claim(name: string, ms: number): Promise<boolean>;
  /** Releases all leases of this process, so that others need not wait. */
  releaseAll(): Promise<void>;
}

/** How long a lease lasts without being renewed, in milliseconds. */
const leaseMs = 10_000;
/**
 * How long an expired lease stays with its holder once another process wants it, in milliseconds.
 *
 * No holder can renew its lease while the database is away, so the first to reconnect must not take it at once.
 */
const graceMs = 5_000;
/** Appended to the holder's name during this time. */
const contested = '?';
const initialPauseMs = 5;
const maxPauseMs = 200;

/** Leases in the database: rows that identify their holder and expire unless renewed. */
export function openLeases(database: Database): Leases {
  const queues = new Map<string, Promise<unknown>>();
  const holders = new Map<string, string>();

  const { query, now } = database;
  /** Also true for leases that last too long: the clock that set their end was ahead, and has been set back since. */
  const hasExpired = (ms: number) =>
    sql<boolean>`(leases.expires_at <= ${now} or leases.expires_at > ${fromNow(database, ms + clockToleranceMs)})`;
  /** An expired lease is first marked as contested, and taken if its holder does not renew it. */
  const acquire = async (name: string, holder: string): Promise<boolean> => {
    const isContested = sql<boolean>`leases.holder like ${`%${contested}`}`;
    const either = <T>(taken: RawBuilder<T>, marked: RawBuilder<T>) =>
      sql<T>`case when ${isContested} then ${taken} else ${marked} end`;
    const row = await query
      .insertInto('leases')
      .values({ name, holder, expires_at: fromNow(database, leaseMs) })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({
            holder: either(sql<string>`${holder}`, sql<string>`leases.holder || ${contested}`),
            expires_at: either(fromNow(database, leaseMs), fromNow(database, graceMs)),
          })
          .where(hasExpired(leaseMs)),
      )
      .returning('holder')
      .executeTakeFirst();
    return row?.holder === holder;
  };
  const claim = async (name: string, ms: number): Promise<boolean> => {
    const values = { holder: randomText(22), expires_at: fromNow(database, ms) };
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('leases')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values).where(hasExpired(ms)))
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  };
  const ownNames = (holder: string) => [holder, holder + contested];
  const renew = (name: string, holder: string) =>
    query
      .updateTable('leases')
      .set({ holder, expires_at: fromNow(database, leaseMs) })
      .where('name', '=', name)
      .where('holder', 'in', ownNames(holder))
      .execute();
  /** Returns false if the lease was lost. */
  const release = async (name: string, holder: string): Promise<boolean> => {
    holders.delete(name);
    if (database.closed) return true;
    const own = query.deleteFrom('leases').where('name', '=', name).where('holder', 'in', ownNames(holder));
    return (await own.executeTakeFirstOrThrow()).numDeletedRows > 0n;
  };

  const runWithLease = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const holder = randomText(22);
    for (let pause = initialPauseMs; !(await acquire(name, holder)); pause = Math.min(pause * 2, maxPauseMs)) {
      await wait(pause / 2 + Math.random() * pause);
    }
    holders.set(name, holder);
    const timer = setInterval(() => void ignoreErrors(renew(name, holder)), leaseMs / 5);
    timer.unref();
    const [outcome] = await Promise.allSettled([work()]);
    clearInterval(timer);
    // A failed release must not mask the result of the work; the row expires anyway.
    const isOwn = await release(name, holder).catch(() => true);
    if (outcome.status === 'fulfilled') return outcome.value;
    if (isOwn) throw outcome.reason;
    throw new Error('Another process took over in the meantime. Try again.', { cause: outcome.reason });
  };

  return {
    withLease(name, work) {
      const before = queues.get(name) ?? Promise.resolve();
      const turn = before.then(() => runWithLease(name, work));
      const settled = turn.then(
        () => {},
        () => {},
      );
      queues.set(name, settled);
      void settled.then(() => queues.get(name) === settled && queues.delete(name));
      return turn;
    },
    claim,
    async releaseAll() {
      await Promise.all([...holders].map(([name, holder]) => ignoreErrors(release(name, holder))));
    },
  };
}

// If the database is closed or busy for a long time, the lease expires as if its holder had died.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
