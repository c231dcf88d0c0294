import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What SQLite stores in one column. */
export type Value = string | number | null | Uint8Array;

interface Statement {
  run(...values: Value[]): { readonly changes: number | bigint };
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

/** The part of `DatabaseSync` that both of its implementations share. */
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

type ConnectionClass = new (location: string) => Connection;

const fileName = 'state.db';

/** One connection to the database of the service; its statements are compiled once. */
export class Database {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  #depth = 0;
  #closed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Carries out one statement and counts the rows that it changed. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Carries out several statements that take no values. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** All of `work` or nothing of it; what it changes is on disk when this comes back. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    // Immediate: a transaction that turns into a writer halfway fails at once instead of waiting for its turn.
    this.#connection.exec('BEGIN IMMEDIATE');
    this.#depth += 1;
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    try {
      // Not left to closing: where a driver keeps compiled statements alive, the log would stay behind.
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk the log stays, and is read at the next start.
    } finally {
      this.#connection.close();
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  #statement(sql: string): Statement {
    if (this.#closed) throw new Error('The database of the service has been closed.');
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #rollback(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full; the first error says why.
    }
  }
}

/** Opens the database in a folder, which is made where there is none, or one in memory for `:memory:`. */
export function openDatabase(folder: string): Database {
  const DatabaseSync = connectionClass();
  const inMemory = folder === ':memory:';
  const connection = new DatabaseSync(inMemory ? folder : preparedFile(folder));
  try {
    // First of all, so that the next statements wait for another process too.
    connection.exec('PRAGMA busy_timeout = 10000');
    const mode = connection.prepare('PRAGMA journal_mode = WAL').get() as { readonly journal_mode: string };
    if (!inMemory && mode.journal_mode !== 'wal') {
      throw new Error(`The file system of ${folder} does not let SQLite keep a write-ahead log; use a local disk.`);
    }
    connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
  } catch (error) {
    connection.close();
    throw error;
  }
  return new Database(connection);
}

/** Makes the data folder, for the service's own user alone, and refuses one that others may write to. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  if ((statSync(folder).mode & 0o022) !== 0) {
    throw new Error(`Others may write to the data folder ${folder}: run chmod 700 on it, or name a folder below it.`);
  }
}

/** Whether a folder has a database of the service already. */
export const holdsDatabase = (folder: string): boolean => existsSync(join(folder, fileName));

function preparedFile(folder: string): string {
  prepareFolder(folder);
  const path = join(folder, fileName);
  // Before SQLite does: its log and its shared memory take over the mode of this file.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return path;
}

function connectionClass(): ConnectionClass {
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  const loaded = require(builtIn ? 'node:sqlite' : '@photostructure/sqlite') as { DatabaseSync: ConnectionClass };
  return loaded.DatabaseSync;
}
