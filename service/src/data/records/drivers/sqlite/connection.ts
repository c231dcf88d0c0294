import { openConnection, type Parameter, type SqliteConnection, type Statement } from '../../../sqlite.js';
import { SearchTimeout } from '../../timeout.js';

const maxStatements = 200;
const maxTests = 64;
const workLimitMessage = 'Search work limit exceeded.';

/** A connection to a SQLite file. */
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
