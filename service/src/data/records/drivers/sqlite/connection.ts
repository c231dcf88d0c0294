import { createRequire } from 'node:module';
import { SearchTimeout } from '../../timeout.js';

/** What SQLite stores in one column. */
export type SqlValue = string | number | null | Uint8Array;

/** A value as it can be bound: one driver binds the smallest positive numbers as 0, which their text is spared. */
export function bindable(value: string | number | boolean | null): SqlValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' && value > 0 && value < 1e-15 ? String(value) : value;
}

interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  setReadBigInts(enabled: boolean): void;
}

interface Handle {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  function(name: string, options: object, work: (...values: any[]) => SqlValue): void;
}

type HandleClass = new (location: string) => Handle;

const maxStatements = 200;
const maxTests = 64;
const workLimitMessage = 'Search work limit exceeded.';

/** One connection to a file of SQLite's. */
export class Connection {
  readonly #handle: Handle;
  readonly #readStatements = new Map<string, Statement>();
  readonly #writeStatements = new Map<string, Statement>();
  /** How many more texts may be tested. */
  #testsLeft = Number.POSITIVE_INFINITY;
  /** How often more the time may be checked. */
  #checksLeft = Number.POSITIVE_INFINITY;

  /** How often more the time may be checked by all statements of a search. */
  #budget = Number.POSITIVE_INFINITY;

  /** When what runs has to end, by the clock of `performance`. */
  #deadline = Number.POSITIVE_INFINITY;
  #timeoutMs = 0;
  #stop: Int32Array | undefined;

  constructor(location: string) {
    this.#handle = new (handleClass())(location);
    // SQLite cannot be interrupted here: rows that a statement looks at call this instead.
    this.#handle.function('within_time', {}, () => {
      this.checkTime();
      if (--this.#checksLeft < 0 || --this.#budget < 0) throw new Error(workLimitMessage);
      return 1;
    });
  }

  /** Runs a search that ends by itself after so long, or once `stop` is set. */
  withTimeLimit<T>(timeoutMs: number, stop: Int32Array, work: () => T): T {
    this.#deadline = performance.now() + timeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#stop = stop;
    try {
      return work();
    } catch (error) {
      // SQLite passes errors of functions on as its own.
      this.checkTime();
      throw error;
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
      this.#stop = undefined;
    }
  }

  /** Throws where the search that runs has to end. */
  checkTime(): void {
    const isStopped = this.#stop !== undefined && Atomics.load(this.#stop, 0) !== 0;
    if (isStopped || performance.now() > this.#deadline) throw new SearchTimeout(this.#timeoutMs);
  }

  /** Carries out one statement and tells the number of the row that it inserted last. */
  run(sql: string, values: readonly SqlValue[] = []): { readonly changes: number; readonly rid: number } {
    const { changes, lastInsertRowid } = this.#statement(sql, this.#writeStatements).run(...values);
    return { changes: Number(changes), rid: Number(lastInsertRowid) };
  }

  get<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Carries out several statements that take no values. */
  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  /** All of `work` or nothing of it. */
  writeTransaction<T>(work: () => T): T {
    // Immediate: a transaction that becomes a writer halfway fails at once instead of waiting for its turn.
    return this.#transaction('begin immediate', work);
  }

  /** Reads that all see the same moment. */
  readTransaction<T>(work: () => T): T {
    return this.#transaction('begin', work);
  }

  close(): void {
    this.#readStatements.clear();
    this.#writeStatements.clear();
    this.#handle.close();
  }

  /** Gives SQL a test of a text that a JSON value, made into a test once, decides. */
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

  /** What `work` comes to, or nothing where all its statements check the time more often than this. */
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

  /** What `work` comes to, or nothing where it tests more texts than it may, or checks the time more often. */
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
        // SQLite has rolled back by itself, as it does when the disk is full; the first error says why.
      }
      throw error;
    }
  }

  #statement(sql: string, statements = this.#readStatements): Statement {
    this.checkTime();
    let statement = statements.get(sql);
    if (statement) return statement;
    // The oldest goes: searches come in more forms than are worth keeping.
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
    statement = this.#handle.prepare(sql);
    // The full-text index inserts rows of its own under numbers beyond 2^53, of which Node 26 makes an error.
    if (statements === this.#writeStatements) statement.setReadBigInts(true);
    statements.set(sql, statement);
    return statement;
  }
}

function handleClass(): HandleClass {
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  const loaded = require(builtIn ? 'node:sqlite' : '@photostructure/sqlite') as { DatabaseSync: HandleClass };
  return loaded.DatabaseSync;
}
