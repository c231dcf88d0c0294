import { setTimeout as wait } from 'node:timers/promises';
import {
  type CompiledQuery,
  type Expression,
  type Kysely,
  type QueryResult as KyselyResult,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Connections, Query, QueryResult } from './connections.js';
import {
  type Access,
  accessSettings,
  BorrowedConnection,
  closedError,
  createQueries,
  currentAccess,
  currentTime,
  type Database,
  lockOutsideError,
  type OpenTransaction,
  Running,
  sanitizeValue,
  TransactionContext,
  type Value,
} from './database.js';
import type { Tables } from './tables.js';

/** Any number will do, as long as every process takes the same. */
const lockSeed = 711_400_172;
/** Codes of a serialization failure and of a deadlock: nothing has been done, and the next try may get through. */
const retryableCodes: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const maxAttempts = 5;

/** Has the database lock migrations, in a way that a release without Kysely waits for too. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

type Execute = (query: Query) => (statement: CompiledQuery) => Promise<KyselyResult<unknown>>;

const settingsOf = (access: Access): string => `SELECT ${accessSettings(access)}`;

/** A transaction that is open, whose statements go one after the other. */
class Transaction implements OpenTransaction {
  readonly running = new Running();
  readonly #query: Query;
  readonly #execute: Execute;
  /** What the statement before may see and change. */
  #settings: string;
  #last: Promise<unknown> = Promise.resolve();
  #failed: { readonly error: unknown } | undefined;

  constructor(access: Access, query: Query, execute: Execute) {
    this.#settings = settingsOf(access);
    this.#query = query;
    this.#execute = execute;
  }

  /** For one statement, which sees and changes what `access` allows. */
  connectionFor(access: Access): BorrowedConnection {
    const inOrder: Query = (sql, values) => {
      const turn = this.#last.then(() => this.#run(settingsOf(access), sql, values));
      this.#last = turn.catch((error) => {
        this.#failed ??= { error };
      });
      return turn;
    };
    return new BorrowedConnection(this.#execute(inOrder), () => this.running.end());
  }

  async #run(settings: string, sql: string, values: readonly Value[] | undefined): Promise<QueryResult> {
    if (settings !== this.#settings) await this.#query(settings);
    this.#settings = settings;
    return this.#query(sql, values);
  }

  /** Throws what a statement threw: Postgres then keeps nothing, though `COMMIT` would not say so. */
  throwFailure(): void {
    if (this.#failed) throw this.#failed.error;
  }
}

/** Connections to Postgres, of which each transaction has one to itself. */
class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly schema: string;
  readonly now: RawBuilder<number>;
  readonly query: Kysely<Tables>;
  readonly #connections: Connections;
  readonly #clock: (() => number) | undefined;
  readonly #context = new TransactionContext<Transaction>();
  readonly #running = new Running();
  #closing: Promise<void> | undefined;

  constructor(connections: Connections, clock: (() => number) | undefined) {
    this.#connections = connections;
    this.#clock = clock;
    this.schema = connections.schema;
    this.now = clock ? sql`${currentTime}::bigint` : sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
    this.query = createQueries({
      adapter: new Adapter(),
      compiler: new PostgresQueryCompiler(),
      introspector: (db) => new PostgresIntrospector(db),
      borrow: () => this.#borrow(),
    });
  }

  listOf(texts: readonly string[]): Expression<string> {
    return sql`(select jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb))`;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context.current) return work();
    // Through Kysely, so that statements and transactions begin in the order of the calls.
    const access = currentAccess();
    return this.query.getExecutor().provideConnection(() =>
      withRetries(() =>
        this.#connections.transaction(access, async (query) => {
          const transaction = new Transaction(access, query, this.#execute);
          const result = await this.#context.run(transaction, work);
          transaction.throwFailure();
          return result;
        }),
      ),
    );
  }

  outsideTransaction<T>(work: () => T): T {
    return this.#context.runOutside(work);
  }

  async lock(name: string): Promise<void> {
    if (!this.#context.current) throw lockOutsideError();
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, ${sql.lit(lockSeed)}))`.execute(this.query);
  }

  close(): Promise<void> {
    // Before the pool: it forgets whoever waits for a connection.
    this.#closing ??= this.#running.idle().then(() => this.#connections.close());
    return this.#closing;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  async #borrow(): Promise<BorrowedConnection> {
    const transaction = this.#context.current;
    if (!transaction && this.#closing) throw closedError();
    (transaction?.running ?? this.#running).begin();
    const access = currentAccess();
    if (transaction) return transaction.connectionFor(access);
    const query: Query = (sql, values) => withRetries(() => this.#connections.query(access, sql, values));
    return new BorrowedConnection(this.#execute(query), () => this.#running.end());
  }

  readonly #execute: Execute =
    (query) =>
    async ({ sql, parameters }) => {
      const { rows, changes } = await query(sql, parameters.map(this.#bind));
      return { rows: [...rows], numAffectedRows: BigInt(changes) };
    };

  readonly #bind = (value: unknown): Value =>
    value === currentTime && this.#clock ? this.#clock() : sanitizeValue(value as Value);
}

/** Does something that is all or nothing, once more where others were in its way. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= maxAttempts || !retryableCodes.has((error as { readonly code?: unknown }).code)) throw error;
      await wait(Math.random() * 20 * 2 ** tries);
    }
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
      const query = sql<{ found: unknown }>`select to_regnamespace(${connections.schema})::text as found`;
      const [existing] = (await query.execute(database.query)).rows;
      if (existing?.found === null) await database.query.schema.createSchema(connections.schema).execute();
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
