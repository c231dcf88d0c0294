import { type Database, randomText } from './database.js';

/** The processes that have the database open, each of which says from time to time that it lives. */
export interface Processes {
  /** Id of this one: another at each start. */
  readonly ownId: string;
  isAlive(id: string): Promise<boolean>;
  leave(): Promise<void>;
}

/** How long a process may be silent before it counts as dead, in milliseconds. */
export const processTimeoutMs = 15_000;

/** Enters this process among those that have the database open. */
export async function joinProcesses(database: Database, keyId: string): Promise<Processes> {
  const ownId = randomText(22);
  const heartbeat = () =>
    database.run(
      'INSERT INTO processes (id, key_id, seen_at) VALUES (?, ?, :now) ON CONFLICT (id) DO UPDATE SET seen_at = :now',
      ownId,
      keyId,
    );
  await database.transaction(async () => {
    await database.run(`DELETE FROM processes WHERE seen_at < :now - ${processTimeoutMs}`);
    await heartbeat();
  });
  const timer = setInterval(() => void ignoreErrors(heartbeat()), processTimeoutMs / 3);
  timer.unref();
  return {
    ownId,
    async isAlive(id) {
      if (id === ownId) return true;
      const aliveQuery = `SELECT 1 FROM processes WHERE id = ? AND seen_at >= :now - ${processTimeoutMs}`;
      return (await database.get(aliveQuery, id)) !== undefined;
    },
    async leave() {
      clearInterval(timer);
      await ignoreErrors(database.run('DELETE FROM processes WHERE id = ?', ownId));
    },
  };
}

/** Processes that live and seal with another key than this. */
export async function countOtherKeyProcesses(database: Database, keyId: string): Promise<number> {
  const others = `SELECT count(*) AS count FROM processes WHERE key_id <> ? AND seen_at >= :now - ${processTimeoutMs}`;
  return (await database.get<{ count: number }>(others, keyId))!.count;
}

// A beat that the database refuses is no reason to end the process: the next may get through.
const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
