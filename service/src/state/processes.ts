import type { Database } from './database.js';
import { randomText } from './identifiers.js';

/** The processes that have the database open, each of which says from time to time that it lives. */
export interface Processes {
  /** Id of this one: another at each start. */
  readonly own: string;
  alive(id: string): boolean;
  leave(): void;
}

/** How long a process may be silent before it counts as dead, in milliseconds. */
export const silenceMs = 15_000;

/** Enters this process among those that have the database open. */
export function joinProcesses(database: Database, keyId: string, now: () => number): Processes {
  const own = randomText(22);
  const beat = () => {
    database.run(
      'INSERT INTO processes (id, key_id, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET seen_at = ?3',
      own,
      keyId,
      now(),
    );
  };
  database.transaction(() => {
    database.run('DELETE FROM processes WHERE seen_at < ?', now() - silenceMs);
    beat();
  });
  const timer = setInterval(() => attempt(beat), silenceMs / 3);
  timer.unref();
  return {
    own,
    alive: (id) =>
      id === own ||
      database.get('SELECT 1 FROM processes WHERE id = ? AND seen_at >= ?', id, now() - silenceMs) !== undefined,
    leave() {
      clearInterval(timer);
      attempt(() => {
        database.run('DELETE FROM processes WHERE id = ?', own);
      });
    },
  };
}

/** Processes that live and seal with another key than this. */
export const sealingWithOther = (database: Database, keyId: string, now: () => number): number =>
  database.get<{ count: number }>(
    'SELECT count(*) AS count FROM processes WHERE key_id <> ? AND seen_at >= ?',
    keyId,
    now() - silenceMs,
  )!.count;

/** A beat that the database refuses is no reason to end the process: the next may get through. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Others then take this process for dead, which is what the silence means to them anyway.
  }
}
