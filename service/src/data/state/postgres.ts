import { setTimeout as wait } from 'node:timers/promises';
import type { Connections, Query, QueryResult } from './connections.js';
import {
  closedError,
  type Database,
  type Dialect,
  lockOutsideError,
  numberValues,
  sanitizeValue,
  TransactionContext,
  type Value,
} from './database.js';

const clock = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** Any number will do, as long as every process takes the same. */
const lockSeed = 711_400_172;
/** Codes of a serialization failure and of a deadlock: nothing has been done, and the next try may get through. */
const retryableCodes: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const maxAttempts = 5;

const dialect: Dialect = {
  // Not FOR UPDATE, which every row that refers to this one would have to wait for.
  forUpdate: (table) => ` FOR NO KEY UPDATE OF ${table}`,
  forKeyShare: (table) => ` FOR KEY SHARE OF ${table}`,
  skipLocked: (table) => ` FOR NO KEY UPDATE OF ${table} SKIP LOCKED`,
  textsIn: (place) => `SELECT jsonb_array_elements_text(${place}::text::jsonb)`,
  translateSchema: (sql) =>
    sql
      .replaceAll(/\) STRICT(, WITHOUT ROWID)?/g, ')')
      .replaceAll(/\bBLOB\b/g, 'BYTEA')
      .replaceAll(/\bINTEGER\b/g, 'BIGINT')
      // Sorted by their bytes, as SQLite does.
      .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
};

/** A transaction that is open, whose statements go one after the other. */
class Transaction {
  readonly #query: Query;
  #last: Promise<unknown> = Promise.resolve();
  #failed: { readonly error: unknown } | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  query(sql: string, values?: readonly Value[]): Promise<QueryResult> {
    const turn = this.#last.then(() => this.#query(sql, values));
    this.#last = turn.catch((error) => {
      this.#failed ??= { error };
    });
    return turn;
  }

  /** Waits for all statements, and gives back what failed: Postgres then keeps nothing, though `COMMIT` would not say so. */
  async failure(): Promise<{ readonly error: unknown } | undefined> {
    await this.#last;
    return this.#failed;
  }
}

/** Connections to Postgres, of which each transaction has one to itself. */
class PostgresDatabase implements Database {
  readonly dialect = dialect;
  readonly #connections: Connections;
  readonly #now: (() => number) | undefined;
  readonly #statements = new Map<string, string>();
  readonly #transactions = new TransactionContext<Transaction>();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(connections: Connections, now: (() => number) | undefined) {
    this.#connections = connections;
    this.#now = now;
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return (await this.#execute(this.#compile(sql), values.map(sanitizeValue))).changes;
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.#execute(this.#compile(sql), values.map(sanitizeValue))).rows[0] as Row | undefined;
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#execute(this.#compile(sql), values.map(sanitizeValue))).rows as Row[];
  }

  async exec(sql: string): Promise<void> {
    await this.#execute(sql);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#transactions.current) return work();
    return this.#withRetries(() =>
      this.#connections.transaction((query) => this.#runTransaction(new Transaction(query), work)),
    );
  }

  outsideTransaction<T>(work: () => T): T {
    return this.#transactions.run(undefined, work);
  }

  async lock(name: string): Promise<void> {
    const transaction = this.#transactions.current;
    if (!transaction) throw lockOutsideError();
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${lockSeed}))`, [name]);
  }

  close(): Promise<void> {
    // Before the pool: it forgets whoever waits for a connection.
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#connections.close());
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  #execute(sql: string, values?: readonly Value[]): Promise<QueryResult> {
    const transaction = this.#transactions.current;
    if (transaction) return transaction.query(sql, values);
    return this.#withRetries(() => this.#connections.query(sql, values));
  }

  async #runTransaction<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
    this.#transactions.begin(transaction);
    const working = this.#transactions.run(transaction, work).finally(() => this.#transactions.end(transaction));
    // What it left behind and did not wait for is waited for here, whether it went well or not.
    const result = await working.finally(() => transaction.failure());
    const failure = await transaction.failure();
    if (failure) throw failure.error;
    return result;
  }

  /** Does something that is all or nothing, once more where others were in its way. */
  #withRetries<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(closedError());
    const attempt = async (tries: number): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (tries >= maxAttempts || !retryableCodes.has((error as { readonly code?: unknown }).code)) throw error;
        await wait(Math.random() * 20 * 2 ** tries);
        return attempt(tries + 1);
      }
    };
    const running = attempt(1);
    this.#running.add(running);
    const done = () => this.#running.delete(running);
    running.then(done, done);
    return running;
  }

  #compile(sql: string): string {
    const placeholder = (number: number) => `$${number}`;
    if (this.#now) return numberValues(sql, placeholder, `${this.#now()}::bigint`).sql;
    let compiled = this.#statements.get(sql);
    if (compiled === undefined) {
      compiled = numberValues(sql, placeholder, clock).sql;
      this.#statements.set(sql, compiled);
    }
    return compiled;
  }
}

/** Opens a database of Postgres, in which the state has a schema of its own; the time is the database's unless given. */
export async function openPostgres(connections: Connections, now?: () => number): Promise<Database> {
  const database = new PostgresDatabase(connections, now);
  try {
    await database.transaction(async () => {
      // Of several processes that start at once, one makes it.
      await database.lock('schema');
      // Asked first: who may not make schemas may use one that somebody made.
      const existing = await database.get<{ found: unknown }>(
        'SELECT to_regnamespace(?)::text AS found',
        connections.schema,
      );
      if (existing?.found === null) await database.exec(`CREATE SCHEMA ${connections.schema}`);
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
