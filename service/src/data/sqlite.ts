import { createRequire } from 'node:module';
import { addDecimal } from './records/decimal.js';
import { SearchTimeout } from './records/timeout.js';

/** A value of a SQLite column. */
export type SqlValue = string | number | null | Uint8Array;

/** A value that a statement accepts as a parameter. */
export type Parameter = SqlValue | boolean;

/** A prepared statement. */
export interface Statement {
  run(...values: Parameter[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: Parameter[]): unknown;
  all(...values: Parameter[]): unknown[];
  setReadBigInts(enabled: boolean): void;
}

/** An open database. */
export interface SqliteConnection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  function(name: string, options: object, work: (...values: any[]) => SqlValue): void;
  aggregate(name: string, options: SqlAggregate): void;
}

type AggregateState = number | string | null;

/** An aggregate function. */
export interface SqlAggregate {
  readonly start: () => AggregateState;
  readonly step: (state: AggregateState, value: SqlValue) => AggregateState;
  readonly result: (state: AggregateState) => SqlValue;
}

/** Node's SQLite module, or the package with the same interface. */
export interface SqliteModule {
  readonly DatabaseSync: new (location: string) => SqliteConnection;
  readonly backup: (source: SqliteConnection, path: string, options: { readonly rate: number }) => Promise<unknown>;
}

const packageName = '@photostructure/sqlite';

/** Node's SQLite module; undefined before Node 22.16, which added `backup`. */
export function builtInSqlite(): SqliteModule | undefined {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as Partial<SqliteModule> | undefined;
  return builtIn?.backup && (builtIn as SqliteModule);
}

/** The SQLite package for Node versions without a suitable module. */
export function packagedSqlite(): SqliteModule {
  try {
    return createRequire(import.meta.url)(packageName) as SqliteModule;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(
      `Node ${process.versions.node} does not include the SQLite module that the service needs. Use Node 22.16 or newer, or run 'npm install ${packageName}'.`,
      { cause },
    );
  }
}

/** Node's SQLite module if it is suitable, otherwise the package. */
export const loadSqlite = (): SqliteModule => builtInSqlite() ?? packagedSqlite();

/**
 * Opens a database whose parameters have the same types with both modules. By themselves, one binds whole numbers as
 * integers and the other as floating-point numbers, and Node 26 binds undefined as null.
 */
export function openConnection(location: string, sqlite: SqliteModule = loadSqlite()): SqliteConnection {
  const connection = new sqlite.DatabaseSync(location);
  const isBuiltIn = sqlite === builtInSqlite();
  const bindable = (value: Parameter) => {
    if (value === undefined) throw new TypeError('A SQLite parameter is undefined.');
    if (typeof value === 'boolean') return BigInt(value);
    if (typeof value !== 'number') return value;
    if (Number.isSafeInteger(value)) return BigInt(value);
    // The package binds numbers close to 0 as 0.
    return isBuiltIn || Math.abs(value) >= 1e-15 ? value : String(value);
  };
  return {
    prepare(sql) {
      const statement = connection.prepare(sql);
      // The modules accept bigints, which nothing else here needs.
      const bound = (values: readonly Parameter[]) => values.map(bindable) as SqlValue[];
      return {
        run: (...values) => statement.run(...bound(values)),
        get: (...values) => statement.get(...bound(values)),
        all: (...values) => statement.all(...bound(values)),
        setReadBigInts: (enabled) => statement.setReadBigInts(enabled),
      };
    },
    exec: (sql) => connection.exec(sql),
    close: () => connection.close(),
    function: (name, options, work) => connection.function(name, options, work),
    aggregate: (name, options) => connection.aggregate(name, options),
  };
}

const lockTimeoutMs = 10_000;
const lockPauseMs = 5;

/**
 * Switches a SQLite database to WAL mode and returns the resulting mode.
 *
 * Retried while another process opens the same new file: for this statement, SQLite fails immediately instead of waiting.
 */
export function enableWriteAheadLog(query: (sql: string) => unknown): string | undefined {
  for (const end = Date.now() + lockTimeoutMs; ; ) {
    try {
      return (query('PRAGMA journal_mode = WAL') as { readonly journal_mode: string } | undefined)?.journal_mode;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('locked')) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPauseMs);
    }
  }
}

const maxStatements = 200;
const maxTests = 64;
const workLimitMessage = 'Search work limit exceeded.';

/** A connection to a SQLite file, whose searches can be limited. */
export class Connection {
  readonly #handle: SqliteConnection;
  readonly #readStatements = new Map<string, Statement>();
  readonly #writeStatements = new Map<string, Statement>();
  /** Remaining budget for text tests. */
  #testsLeft = Number.POSITIVE_INFINITY;
  /** Remaining budget for time checks. */
  #checksLeft = Number.POSITIVE_INFINITY;

  /** Remaining budget for time checks across all statements of a search. */
  #budget = Number.POSITIVE_INFINITY;

  /** Deadline of the running statement, on the `performance` clock. */
  #deadline = Number.POSITIVE_INFINITY;
  #timeoutMs = 0;
  #stop: Int32Array | undefined;

  constructor(location: string) {
    this.#handle = openConnection(location);
    this.#handle.function('exact_number', { deterministic: true }, Number);
    // The SQLite package copies the state as JSON, so it is a number or a text.
    this.#handle.aggregate('exact_sum', {
      start: () => null,
      step: (sum, value) => (value === null ? sum : addDecimal(sum ?? 0, value as number | string)),
      result: (sum) => (sum === null ? null : `${sum}`),
    });
    // The drivers cannot interrupt SQLite, so statements call this function for rows they read.
    this.#handle.function('within_time', {}, () => {
      this.checkTime();
      if (--this.#checksLeft < 0 || --this.#budget < 0) throw new Error(workLimitMessage);
      return 1;
    });
  }

  /** Runs a search that stops after the timeout or once `stop` is set. */
  withTimeLimit<T>(timeoutMs: number, stop: Int32Array, work: () => T): T {
    this.#deadline = performance.now() + timeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#stop = stop;
    try {
      this.checkTime();
      return work();
    } catch (error) {
      // SQLite wraps errors thrown by functions.
      this.checkTime();
      throw error;
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
      this.#stop = undefined;
    }
  }

  /** Throws if the running search must stop. */
  checkTime(): void {
    const isStopped = this.#stop !== undefined && Atomics.load(this.#stop, 0) !== 0;
    if (isStopped || performance.now() > this.#deadline) throw new SearchTimeout(this.#timeoutMs);
  }

  /** Runs a statement and returns the number of changed rows and the last inserted row id. */
  run(sql: string, values: readonly Parameter[] = []): { readonly changes: number; readonly rid: number } {
    const { changes, lastInsertRowid } = this.#statement(sql, this.#writeStatements).run(...values);
    return { changes: Number(changes), rid: Number(lastInsertRowid) };
  }

  get<Row>(sql: string, values: readonly Parameter[] = []): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, values: readonly Parameter[] = []): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Runs several statements without parameters. */
  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  /** Runs `work` in a write transaction. */
  writeTransaction<T>(work: () => T): T {
    // Uses `begin immediate`, because a read transaction that upgrades to a write fails immediately instead of
    // waiting.
    return this.#transaction('begin immediate', work);
  }

  /** Reads from a single snapshot. */
  readTransaction<T>(work: () => T): T {
    return this.#transaction('begin', work);
  }

  /** Changes with every change of the file, by any connection. */
  version(): string {
    const { own } = this.get<{ own: number }>('select total_changes() as own')!;
    const { data_version: others } = this.get<{ data_version: number }>('pragma data_version')!;
    return `${own} ${others}`;
  }

  close(): void {
    this.#readStatements.clear();
    this.#writeStatements.clear();
    this.#handle.close();
  }

  /** Registers a SQL function that tests a text; the test is built once per JSON operand. */
  addTest(name: string, make: (operand: any) => (text: string) => boolean): void {
    const tests = new Map<string, (text: string) => boolean>();
    this.#handle.function(name, { deterministic: true }, (text: unknown, operand: string) => {
      if (typeof text !== 'string') return 0;
      this.checkTime();
      if (--this.#testsLeft < 0) throw new Error(workLimitMessage);
      let test = tests.get(operand);
      if (!test) {
        if (tests.size >= maxTests) tests.clear();
        test = make(JSON.parse(operand));
        tests.set(operand, test);
      }
      return test(text) ? 1 : 0;
    });
  }

  /**
   * Runs `work` and returns its result, or undefined if its statements check the time more than `checks` times in
   * total.
   */
  withBudget<T>(checks: number, work: () => T): T | undefined {
    this.#budget = checks;
    try {
      return work();
    } catch (error) {
      if (this.#budget >= 0) throw error;
      return undefined;
    } finally {
      this.#budget = Number.POSITIVE_INFINITY;
    }
  }

  /** Runs `work` and returns its result, or undefined if it exceeds the limit on text tests or time checks. */
  withWorkLimit<T>(limit: { readonly tests?: number; readonly checks?: number }, work: () => T): T | undefined {
    this.#testsLeft = limit.tests ?? Number.POSITIVE_INFINITY;
    this.#checksLeft = limit.checks ?? Number.POSITIVE_INFINITY;
    try {
      return work();
    } catch (error) {
      if (this.#testsLeft >= 0 && this.#checksLeft >= 0) throw error;
      return undefined;
    } finally {
      this.#testsLeft = Number.POSITIVE_INFINITY;
      this.#checksLeft = Number.POSITIVE_INFINITY;
    }
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.#handle.exec(begin);
    try {
      const result = work();
      this.#handle.exec('commit');
      return result;
    } catch (error) {
      try {
        this.#handle.exec('rollback');
      } catch {
        // SQLite has already rolled back, for example because the disk is full; the first error shows why.
      }
      throw error;
    }
  }

  #statement(sql: string, statements = this.#readStatements): Statement {
    this.checkTime();
    let statement = statements.get(sql);
    if (statement) return statement;
    // Evict the oldest: there are more kinds of searches than are worth caching.
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
    statement = this.#handle.prepare(sql);
    // The full-text index inserts rows with ids above 2^53, which Node 26 rejects as numbers.
    if (statements === this.#writeStatements) statement.setReadBigInts(true);
    statements.set(sql, statement);
    return statement;
  }
}
