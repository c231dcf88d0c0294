import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Connection {
  prepare(sql: string): { all(): unknown[] };
  exec(sql: string): void;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (location: string) => Connection;
  readonly backup: (source: Connection, path: string, options: { readonly rate: number }) => Promise<unknown>;
}

/** One database, and the file that is to become its copy. */
export interface Copy {
  readonly from: string;
  readonly to: string;
}

/** Pages that are copied before others get a turn. */
const pagesPerStep = 1000;

/** Copies databases as they all were at one moment, while others go on to write into them. */
export async function copySnapshot(copies: readonly Copy[]): Promise<void> {
  const driver = sqlite();
  const opened: Connection[] = [];
  const open = (path: string) => {
    const connection = new driver.DatabaseSync(path);
    opened.push(connection);
    connection.exec('PRAGMA busy_timeout = 10000');
    return connection;
  };
  try {
    const gates = copies.map(({ from }) => open(from));
    const readers = copies.map(({ from }) => open(from));
    // While none of them can be written to, each reader begins to see the moment that it then keeps.
    for (const gate of gates) gate.exec('BEGIN IMMEDIATE');
    for (const reader of readers) {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM sqlite_schema').all();
    }
    for (const gate of gates) gate.exec('ROLLBACK');
    for (const [index, { to }] of copies.entries()) {
      // Before SQLite does: the copy is for its owner alone.
      closeSync(openSync(to, 'wx', 0o600));
      await driver.backup(readers[index]!, to, { rate: pagesPerStep });
      check(new driver.DatabaseSync(to), to);
    }
    // Not left to closing: where a driver keeps compiled statements alive, the moment would be kept too.
    for (const reader of readers) reader.exec('ROLLBACK');
  } finally {
    for (const connection of opened) connection.close();
  }
}

function check(copy: Connection, path: string): void {
  try {
    // To their end: a statement that stops halfway holds a lock for as long as it is not collected.
    const verdicts = copy.prepare('PRAGMA quick_check').all() as { readonly quick_check: string }[];
    if (verdicts[0]?.quick_check !== 'ok') throw new Error(`The copy ${path} is damaged.`);
    // All of it is in the one file, and none is left beside it.
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/** Node's own SQLite has no backups in its first releases. */
function sqlite(): Driver {
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    const own = require('node:sqlite') as Driver;
    if (typeof own.backup === 'function') return own;
  }
  return require('@photostructure/sqlite') as Driver;
}
