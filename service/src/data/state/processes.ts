import { type Database, randomText } from './database.js';

/** The processes that have the database open, each of which says from time to time that it lives. */
export interface Processes {
  /** Id of this one: another at each start. */
  readonly own: string;
  alive(id: string): Promise<boolean>;
  leave(): Promise<void>;
}

/** How long a process may be silent before it counts as dead, in milliseconds. */
export const silenceMs = 15_000;

/** Enters this process among those that have the database open. */
export async function joinProcesses(database: Database, keyId: string): Promise<Processes> {
  const own = randomText(22);
  const beat = () =>
    database.run(
      'INSERT INTO processes (id, key_id, seen_at) VALUES (?, ?, :now) ON CONFLICT (id) DO UPDATE SET seen_at = :now',
      own,
      keyId,
    );
  await database.transaction(async () => {
    await database.run(`DELETE FROM processes WHERE seen_at < :now - ${silenceMs}`);
    await beat();
  });
  const timer = setInterval(() => void attempted(beat()), silenceMs / 3);
  timer.unref();
  return {
    own,
    async alive(id) {
      if (id === own) return true;
      const seen = `SELECT 1 FROM processes WHERE id = ? AND seen_at >= :now - ${silenceMs}`;
      return (await database.get(seen, id)) !== undefined;
    },
    async leave() {
      clearInterval(timer);
      await attempted(database.run('DELETE FROM processes WHERE id = ?', own));
    },
  };
}

/** Processes that live and seal with another key than this. */
export async function sealingWithOther(database: Database, keyId: string): Promise<number> {
  const others = `SELECT count(*) AS count FROM processes WHERE key_id <> ? AND seen_at >= :now - ${silenceMs}`;
  return (await database.get<{ count: number }>(others, keyId))!.count;
}

// A beat that the database refuses is no reason to end the process: the next may get through.
const attempted = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
