import { closeSync, openSync } from 'node:fs';
import { loadSqlite, type SqliteConnection } from './sqlite.js';

/** The paths of a database and its copy. */
export interface Copy {
  readonly from: string;
  readonly to: string;
}

/** Pages copied before yielding to other work. */
const pagesPerStep = 1000;

/** Copies several databases from a common snapshot, even while they are being written to. */
export async function copySnapshot(copies: readonly Copy[]): Promise<void> {
  const sqlite = loadSqlite();
  const opened: SqliteConnection[] = [];
  const open = (path: string) => {
    const connection = new sqlite.DatabaseSync(path);
    opened.push(connection);
    connection.exec('PRAGMA busy_timeout = 10000');
    return connection;
  };
  try {
    const gates = copies.map(({ from }) => open(from));
    const readers = copies.map(({ from }) => open(from));
    // Each reader starts its snapshot while writes to all databases are blocked.
    for (const gate of gates) gate.exec('BEGIN IMMEDIATE');
    for (const reader of readers) {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM sqlite_schema').all();
    }
    for (const gate of gates) gate.exec('ROLLBACK');
    for (const [index, { to }] of copies.entries()) {
      // Create the file before SQLite does, so that only its owner can access it.
      closeSync(openSync(to, 'wx', 0o600));
      await sqlite.backup(readers[index]!, to, { rate: pagesPerStep });
      check(new sqlite.DatabaseSync(to), to);
    }
    // Roll back explicitly: a driver can keep compiled statements alive, and they would keep the snapshot open after
    // the connection is closed.
    for (const reader of readers) reader.exec('ROLLBACK');
  } finally {
    for (const connection of opened) connection.close();
  }
}

function check(copy: SqliteConnection, path: string): void {
  try {
    // Read to the end: an unfinished statement holds a lock until it is garbage-collected.
    const verdicts = copy.prepare('PRAGMA quick_check').all() as { readonly quick_check: string }[];
    if (verdicts[0]?.quick_check !== 'ok') throw new Error(`The copy ${path} is damaged.`);
    // Leaves a single file, with no WAL next to it.
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}
