import { setTimeout as wait } from 'node:timers/promises';
import { type Database, randomText } from './database.js';

/** Makes processes that share a database take turns. */
export interface Leases {
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Gives back what this process holds, so that nobody waits for it. */
  leave(): Promise<void>;
}

/** How long a holder that died is waited for, in milliseconds. */
const leaseMs = 15_000;
const firstPauseMs = 5;
const longestPauseMs = 200;

/** The leases in the database: rows that name their holder and run out unless renewed. */
export function openLeases(database: Database): Leases {
  const lines = new Map<string, Promise<unknown>>();
  const held = new Map<string, string>();

  const take = async (name: string, holder: string): Promise<boolean> => {
    const taken = await database.run(
      `INSERT INTO leases (connector_id, holder, expires_at) VALUES (?1, ?2, :now + ${leaseMs})
       ON CONFLICT (connector_id) DO UPDATE SET holder = ?2, expires_at = :now + ${leaseMs}
         WHERE leases.expires_at <= :now`,
      name,
      holder,
    );
    return taken > 0;
  };
  const renewed = `UPDATE leases SET expires_at = :now + ${leaseMs} WHERE connector_id = ? AND holder = ?`;
  const give = async (name: string, holder: string): Promise<void> => {
    held.delete(name);
    if (!database.closed) await database.run('DELETE FROM leases WHERE connector_id = ? AND holder = ?', name, holder);
  };

  const holding = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const holder = randomText(22);
    for (let pause = firstPauseMs; !(await take(name, holder)); pause = Math.min(pause * 2, longestPauseMs)) {
      await wait(pause / 2 + Math.random() * pause);
    }
    held.set(name, holder);
    const timer = setInterval(() => void quietly(database.run(renewed, name, holder)), leaseMs / 5);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      // What the work brought counts more than the row, which runs out by itself.
      await quietly(give(name, holder));
    }
  };

  return {
    alone(name, work) {
      const before = lines.get(name) ?? Promise.resolve();
      const turn = before.then(() => holding(name, work));
      const settled = turn.then(
        () => {},
        () => {},
      );
      lines.set(name, settled);
      void settled.then(() => lines.get(name) === settled && lines.delete(name));
      return turn;
    },
    async leave() {
      await Promise.all([...held].map(([name, holder]) => quietly(give(name, holder))));
    },
  };
}

// Where the database is closed or busy for long, the lease runs out, as if its holder had died.
const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
