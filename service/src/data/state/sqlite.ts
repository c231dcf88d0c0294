import { chmodSync, closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type CompiledQuery,
  DeleteQueryNode,
  type Expression,
  InsertQueryNode,
  type Kysely,
  type QueryResult,
  type RootOperationNode,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  UpdateQueryNode,
} from 'kysely';
import { fileName, prepareFolder } from '../folder.js';
import { enableWriteAheadLog } from '../write-ahead-log.js';
import {
  BorrowedConnection,
  closedError,
  createQueries,
  currentTime,
  type Database,
  lockOutsideError,
  type OpenTransaction,
  Running,
  TransactionContext,
  type Value,
} from './database.js';
import type { Tables } from './tables.js';

interface Statement {
  run(...values: Value[]): { readonly changes: number | bigint };
  get(): unknown;
  all(...values: Value[]): unknown[];
}

/** The part of `DatabaseSync` that both of its implementations share. */
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

type ConnectionClass = new (location: string) => Connection;

const rowLocks: ReadonlySet<unknown> = new Set<SelectModifierNode['modifier']>([
  'ForNoKeyUpdate',
  'ForKeyShare',
  'SkipLocked',
]);

/** Leaves out row locks: whoever is in a transaction has the database alone. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!rowLocks.has(node.modifier)) super.visitSelectModifier(node);
  }
}

/** Lets one in at a time, in the order in which they came. */
class Turns {
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((enter) => this.#waiting.push(enter));
    this.#taken = true;
  }

  pass(): void {
    const enter = this.#waiting.shift();
    if (enter) enter();
    else this.#taken = false;
  }
}

class Transaction implements OpenTransaction {
  readonly running = new Running();
  readonly connection: BorrowedConnection;

  constructor(execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>) {
    this.connection = new BorrowedConnection(execute, () => this.running.end());
  }
}

/** One connection to SQLite; while a transaction is open, whatever does not belong to it waits. */
class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly now = sql<number>`${currentTime}`;
  readonly query: Kysely<Tables>;
  readonly #connection: Connection;
  readonly #clock: () => number;
  // As many as there are places in the code that make one.
  readonly #statements = new Map<string, Statement>();
  readonly #context = new TransactionContext<Transaction>();
  readonly #turns = new Turns();
  readonly #single: BorrowedConnection;
  #closed = false;

  constructor(connection: Connection, clock: () => number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#single = new BorrowedConnection(this.#execute, () => this.#turns.pass());
    this.query = createQueries({
      adapter: new SqliteAdapter(),
      compiler: new LocklessCompiler(),
      introspector: (db) => new SqliteIntrospector(db),
      borrow: () => this.#borrow(),
    });
  }

  listOf(texts: readonly string[]): Expression<string> {
    return sql`(select value from json_each(${JSON.stringify(texts)}))`;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context.current) return work();
    // Through Kysely, so that statements and transactions have their turns in the order of the calls.
    return this.query.getExecutor().provideConnection(async () => {
      // Immediate: a transaction that turns into a writer halfway fails at once instead of waiting for its turn.
      this.#connection.exec('BEGIN IMMEDIATE');
      try {
        const result = await this.#context.run(new Transaction(this.#execute), work);
        this.#connection.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    });
  }

  outsideTransaction<T>(work: () => T): T {
    return this.#context.runOutside(work);
  }

  async lock(): Promise<void> {
    if (!this.#context.current) throw lockOutsideError();
  }

  async close(): Promise<void> {
    await this.#turns.take();
    try {
      this.#closeConnection();
    } finally {
      this.#turns.pass();
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  async #borrow(): Promise<BorrowedConnection> {
    const transaction = this.#context.current;
    if (transaction) {
      transaction.running.begin();
      return transaction.connection;
    }
    await this.#turns.take();
    if (this.#closed) {
      this.#turns.pass();
      throw closedError();
    }
    return this.#single;
  }

  readonly #execute = async ({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<unknown>> => {
    const statement = this.#prepare(sql);
    const values = parameters.map((value) => (value === currentTime ? this.#clock() : value)) as Value[];
    if (givesRows(query)) return { rows: statement.all(...values) };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  };

  #prepare(sql: string): Statement {
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

  #closeConnection(): void {
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
}

/** Whether to ask a statement for rows; one that changes some and returns none is asked how many. */
function givesRows(query: RootOperationNode): boolean {
  const changesRows = InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
  return !changesRows || query.returning !== undefined;
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
