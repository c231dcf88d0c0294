import { chmodSync, closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileName, prepareFolder } from '../folder.js';
import { enableWriteAheadLog } from '../write-ahead-log.js';
import {
  closedError,
  type Database,
  type Dialect,
  lockOutsideError,
  type NumberedStatement,
  numberValues,
  TransactionContext,
  type Value,
} from './database.js';

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

interface CompiledStatement extends NumberedStatement {
  readonly statement: Statement;
}

// Whoever is in a transaction has the database alone.
const dialect: Dialect = {
  forUpdate: () => '',
  forKeyShare: () => '',
  skipLocked: () => '',
  textsIn: (place) => `SELECT value FROM json_each(${place})`,
  translateSchema: (sql) => sql,
};

/** One connection to SQLite; while a transaction is open, whatever does not belong to it waits. */
class SqliteDatabase implements Database {
  readonly dialect = dialect;
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #statements = new Map<string, CompiledStatement>();
  readonly #transactions = new TransactionContext<object>();
  #queue: (() => void)[] = [];
  #closed = false;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  run(sql: string, ...values: Value[]): Promise<number> {
    return this.#execute(sql, values, (statement, boundValues) => Number(statement.run(...boundValues).changes));
  }

  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return this.#execute(sql, values, (statement, boundValues) => statement.get(...boundValues) as Row | undefined);
  }

  all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return this.#execute(sql, values, (statement, boundValues) => statement.all(...boundValues) as Row[]);
  }

  exec(sql: string): Promise<void> {
    return this.#runWhenFree(() => this.#connection.exec(sql));
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#transactions.current) return work();
    const own = {};
    await this.#runWhenFree(() => {
      if (this.#closed) throw closedError();
      // Immediate: a transaction that turns into a writer halfway fails at once instead of waiting for its turn.
      this.#connection.exec('BEGIN IMMEDIATE');
      this.#transactions.begin(own);
    });
    try {
      const result = await this.#transactions.run(own, work);
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#transactions.end(own);
      while (!this.#transactions.isAnyOpen && this.#queue.length > 0) this.#queue.shift()!();
    }
  }

  outsideTransaction<T>(work: () => T): T {
    return this.#transactions.run(undefined, work);
  }

  async lock(): Promise<void> {
    if (!this.#transactions.current) throw lockOutsideError();
  }

  close(): Promise<void> {
    return this.#runWhenFree(() => {
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
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  #execute<T>(sql: string, values: Value[], work: (statement: Statement, values: Value[]) => T): Promise<T> {
    return this.#runWhenFree(() => {
      const { statement, needsTime } = this.#compile(sql);
      return work(statement, needsTime ? [...values, this.#now()] : values);
    });
  }

  /** Does something at once, unless a transaction is open that it does not belong to. */
  #runWhenFree<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (!this.#transactions.isAnyOpen || this.#transactions.current) turn();
      else this.#queue.push(turn);
    });
  }

  #compile(sql: string): CompiledStatement {
    if (this.#closed) throw closedError();
    let compiled = this.#statements.get(sql);
    if (!compiled) {
      const found = numberValues(sql, (number) => `?${number}`);
      compiled = { ...found, statement: this.#connection.prepare(found.sql) };
      this.#statements.set(sql, compiled);
    }
    return compiled;
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
export function openSqlite(folder: string, now: () => number = Date.now): Database {
  const DatabaseSync = connectionClass();
  const inMemory = folder === ':memory:';
  const connection = new DatabaseSync(inMemory ? folder : prepareFile(folder));
  try {
    // First of all, so that the next statements wait for another process too.
    connection.exec('PRAGMA busy_timeout = 10000');
    const mode = enableWriteAheadLog((sql) => connection.prepare(sql).get());
    if (!inMemory && mode !== 'wal') {
      throw new Error(`The file system of ${folder} does not let SQLite keep a write-ahead log; use a local disk.`);
    }
    connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
  } catch (error) {
    connection.close();
    throw error;
  }
  return new SqliteDatabase(connection, now);
}

function prepareFile(folder: string): string {
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
