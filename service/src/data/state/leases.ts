import { setTimeout as wait } from 'node:timers/promises';
import { type Database, randomText } from './database.js';

/** Makes processes that share a database take turns. */
export interface Leases {
  withLease<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Gives back what this process holds, so that nobody waits for it. */
  releaseAll(): Promise<void>;
}

/** How long a holder that died is waited for, in milliseconds. */
const leaseMs = 15_000;
const initialPauseMs = 5;
const maxPauseMs = 200;

/** The leases in the database: rows that name their holder and run out unless renewed. */
export function openLeases(database: Database): Leases {
  const queues = new Map<string, Promise<unknown>>();
  const holders = new Map<string, string>();

  const acquire = async (name: string, holder: string): Promise<boolean> => {
    const changed = await database.run(
      `INSERT INTO leases (connector_id, holder, expires_at) VALUES (?1, ?2, :now + ${leaseMs})
       ON CONFLICT (connector_id) DO UPDATE SET holder = ?2, expires_at = :now + ${leaseMs}
         WHERE leases.expires_at <= :now`,
      name,
      holder,
    );
    return changed > 0;
  };
  const renewal = `UPDATE leases SET expires_at = :now + ${leaseMs} WHERE connector_id = ? AND holder = ?`;
  const release = async (name: string, holder: string): Promise<void> => {
    holders.delete(name);
    if (!database.closed) await database.run('DELETE FROM leases WHERE connector_id = ? AND holder = ?', name, holder);
  };

  const runWithLease = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const holder = randomText(22);
    for (let pause = initialPauseMs; !(await acquire(name, holder)); pause = Math.min(pause * 2, maxPauseMs)) {
      await wait(pause / 2 + Math.random() * pause);
    }
    holders.set(name, holder);
    const timer = setInterval(() => void ignoreErrors(database.run(renewal, name, holder)), leaseMs / 5);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      // What the work brought counts more than the row, which runs out by itself.
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
    async releaseAll() {
      await Promise.all([...holders].map(([name, holder]) => ignoreErrors(release(name, holder))));
    },
  };
}

// Where the database is closed or busy for long, the lease runs out, as if its holder had died.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
