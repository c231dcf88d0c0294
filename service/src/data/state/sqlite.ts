import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Compilable,
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
import { enableWriteAheadLog, openConnection, type SqliteConnection, type Statement } from '../sqlite.js';
import { isBusy } from '../unavailable.js';
import {
  BorrowedConnection,
  type ColumnTypes,
  closedError,
  createQueries,
  currentTime,
  type Database,
  lockOutsideError,
  type OpenTransaction,
  Placeholder,
  type RowsTable,
  Running,
  TransactionContext,
  type Value,
  withValues,
} from './database.js';
import type { Tables } from './tables.js';

const rowLocks: ReadonlySet<unknown> = new Set<SelectModifierNode['modifier']>([
  'ForUpdate',
  'ForNoKeyUpdate',
  'ForKeyShare',
  'SkipLocked',
]);

/** Omits row locks: a SQLite transaction has the database to itself. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!rowLocks.has(node.modifier)) super.visitSelectModifier(node);
  }
}

/** A first-in, first-out mutex. */
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

/** A SQLite connection; while a transaction is open, everything outside it waits. */
class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly now = sql<number>`${currentTime}`;
  readonly query: Kysely<Tables>;
  readonly #connection: SqliteConnection;
  readonly #clock: () => number;
  // Bounded by the number of queries in the code.
  readonly #statements = new Map<string, Statement>();
  readonly #context = new TransactionContext<Transaction>();
  readonly #turns = new Turns();
  readonly #single: BorrowedConnection;
  #closed = false;

  constructor(connection: SqliteConnection, clock: () => number) {
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

  forRows<Row extends object, Returned = unknown>(
    types: ColumnTypes<Row>,
    build: (rows: RowsTable<Row>) => Compilable,
  ): (rows: readonly Row[]) => Promise<Returned[]> {
    const columns = Object.keys(types).map((name) => sql`${new Placeholder(name)} as ${sql.ref(name)}`);
    const statement = build(sql<Row>`(select ${sql.join(columns)})`.as('rows')).compile();
    return async (rows) => {
      const returned: Returned[] = [];
      for (const row of rows) {
        const result = await this.query.executeQuery(withValues(statement, row as Readonly<Record<string, unknown>>));
        returned.push(...(result.rows as Returned[]));
      }
      return returned;
    };
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context.current) return work();
    // Goes through Kysely so that statements and transactions run in call order.
    return this.query.getExecutor().provideConnection(async () => {
      // Immediate, because a read transaction that upgrades to a write fails at once instead of waiting.
      await whenFree(() => this.#connection.exec('BEGIN IMMEDIATE'));
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

  get inTransaction(): boolean {
    return this.#context.current !== undefined;
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
    const values = parameters.map((value) => (value === currentTime ? this.#clock() : value)) as Value[];
    return whenFree(() => {
      // Preparing reads the schema, so it waits, too.
      const statement = this.#prepare(sql);
      if (givesRows(query)) return { rows: statement.all(...values) };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    });
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
      // SQLite has already rolled back, for example because the disk is full; the first error shows why.
    }
  }

  #closeConnection(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    try {
      // Explicit, because compiled statements kept alive by a driver would keep the WAL after closing.
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // If the disk is full, the WAL remains and is read at the next start.
    } finally {
      this.#connection.close();
    }
  }
}

/** How long to wait for another process's transaction. */
const maxBusyMs = 10_000;

/** Runs a statement once no other process is writing; this thread continues meanwhile, unlike with `busy_timeout`. */
async function whenFree<T>(run: () => T): Promise<T> {
  for (const until = performance.now() + maxBusyMs; ; await wait(1)) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
    }
  }
}

/** Whether a statement returns rows; others return the number of changes. */
function givesRows(query: RootOperationNode): boolean {
  const changesRows = InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
  return !changesRows || query.returning !== undefined;
}

/** Opens the database in a folder, creating it if missing, or in memory for `:memory:`. */
export function openSqlite(folder: string, now: () => number = Date.now): Database {
  const inMemory = folder === ':memory:';
  const connection = openConnection(inMemory ? folder : prepareFile(folder));
  try {
    // Set first, so that the following statements wait for other processes too.
    connection.exec(`PRAGMA busy_timeout = ${maxBusyMs}`);
    const mode = enableWriteAheadLog((sql) => connection.prepare(sql).get());
    if (!inMemory && mode !== 'wal') {
      throw new Error(`The file system of ${folder} does not support SQLite’s write-ahead log; use a local disk.`);
    }
    connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    // From here on, statements wait without blocking the thread.
    connection.exec('PRAGMA busy_timeout = 1');
  } catch (error) {
    connection.close();
    throw error;
  }
  return new SqliteDatabase(connection, now);
}

function prepareFile(folder: string): string {
  prepareFolder(folder);
  const path = join(folder, fileName);
  // Created in advance, because SQLite copies this file's mode to its WAL and shared memory files.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return path;
}
