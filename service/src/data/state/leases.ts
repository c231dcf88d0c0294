import { setTimeout as wait } from 'node:timers/promises';
import { type Database, fromNow, randomText } from './database.js';

/** Mutual exclusion between processes that share a database. */
export interface Leases {
  withLease<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Claims this name unless a process claimed it in the last `ms` milliseconds; returns whether it was claimed. */
  claim(name: string, ms: number): Promise<boolean>;
  /** Releases all leases of this process, so that others need not wait. */
  releaseAll(): Promise<void>;
}

/** How long a dead holder blocks others, in milliseconds. */
const leaseMs = 15_000;
const initialPauseMs = 5;
const maxPauseMs = 200;

/** Leases in the database: rows that identify their holder and expire unless renewed. */
export function openLeases(database: Database): Leases {
  const queues = new Map<string, Promise<unknown>>();
  const holders = new Map<string, string>();

  const { query, now } = database;
  const acquire = async (name: string, holder: string, ms = leaseMs): Promise<boolean> => {
    const end = fromNow(database, ms);
    const { numInsertedOrUpdatedRows } = await query
      .insertInto('leases')
      .values({ connector_id: name, holder, expires_at: end })
      .onConflict((conflict) =>
        conflict.column('connector_id').doUpdateSet({ holder, expires_at: end }).where('leases.expires_at', '<=', now),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  };
  const renew = (name: string, holder: string) =>
    query
      .updateTable('leases')
      .set({ expires_at: fromNow(database, leaseMs) })
      .where('connector_id', '=', name)
      .where('holder', '=', holder)
      .execute();
  const release = async (name: string, holder: string): Promise<void> => {
    holders.delete(name);
    if (database.closed) return;
    await query.deleteFrom('leases').where('connector_id', '=', name).where('holder', '=', holder).execute();
  };

  const runWithLease = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const holder = randomText(22);
    for (let pause = initialPauseMs; !(await acquire(name, holder)); pause = Math.min(pause * 2, maxPauseMs)) {
      await wait(pause / 2 + Math.random() * pause);
    }
    holders.set(name, holder);
    const timer = setInterval(() => void ignoreErrors(renew(name, holder)), leaseMs / 5);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      // A failed release must not mask the result of the work; the row expires anyway.
      await ignoreErrors(release(name, holder));
    }
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
    claim: (name, ms) => acquire(name, randomText(22), ms),
    async releaseAll() {
      await Promise.all([...holders].map(([name, holder]) => ignoreErrors(release(name, holder))));
    },
  };
}

// If the database is closed or busy for a long time, the lease expires as if its holder had died.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
