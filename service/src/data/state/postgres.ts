import { setTimeout as wait } from 'node:timers/promises';
import {
  type Compilable,
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
import type { PostgresConnections, QueryResult, RunStatement } from './connections.js';
import {
  accessSettings,
  BorrowedConnection,
  type ColumnTypes,
  closedError,
  createQueries,
  currentAccess,
  currentTime,
  type Database,
  LockTimeout,
  lockOutsideError,
  type OpenTransaction,
  Placeholder,
  type RowAccess,
  type RowsTable,
  Running,
  sanitizeValue,
  TransactionContext,
  type Value,
  withValues,
} from './database.js';
import type { Tables } from './tables.js';

/** Arbitrary, but the same in every process. */
const lockSeed = 711_400_172;
/** Serialization failure and deadlock: nothing was changed, and a retry may succeed. */
const retryableCodes: ReadonlySet<unknown> = new Set(['40001', '40P01']);
/** A statement waited longer for a lock than `lock_timeout`. */
const lockTimeoutCode = '55P03';
const maxAttempts = 5;

const typeNames = { text: 'text', integer: 'bigint', bytes: 'bytea' } as const;

/** A value in JSON that Postgres can store: texts are sanitized, and bytes are in its own format. */
function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return sanitizeValue(value as Value);
}

type Execute = (query: RunStatement) => (statement: CompiledQuery) => Promise<KyselyResult<unknown>>;

const settingsOf = (access: RowAccess): string => `SELECT ${accessSettings(access)}`;

/** An open transaction; its statements run one after another. */
class Transaction implements OpenTransaction {
  readonly running = new Running();
  readonly #query: RunStatement;
  readonly #execute: Execute;
  /** Access settings of the previous statement. */
  #settings: string;
  #last: Promise<unknown> = Promise.resolve();
  #failed: { readonly error: unknown } | undefined;

  constructor(access: RowAccess, query: RunStatement, execute: Execute) {
    this.#settings = settingsOf(access);
    this.#query = query;
    this.#execute = execute;
  }

  /** A connection for one statement with the given access. */
  connectionFor(access: RowAccess): BorrowedConnection {
    const inOrder: RunStatement = (sql, values) => {
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

  /** Rethrows a statement's error: Postgres then discards the transaction, even though `COMMIT` reports success. */
  throwFailure(): void {
    if (this.#failed) throw this.#failed.error;
  }
}

/** Connections to Postgres; each transaction has its own. */
class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly schema: string;
  readonly now: RawBuilder<number>;
  readonly query: Kysely<Tables>;
  readonly #connections: PostgresConnections;
  readonly #clock: (() => number) | undefined;
  readonly #context = new TransactionContext<Transaction>();
  readonly #running = new Running();
  #closing: Promise<void> | undefined;

  constructor(connections: PostgresConnections, clock: (() => number) | undefined) {
    this.#connections = connections;
    this.#clock = clock;
    this.schema = connections.schema;
    this.now = clock ? sql`${currentTime}::bigint` : sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
    this.query = createQueries({
      adapter: new PostgresAdapter(),
      compiler: new PostgresQueryCompiler(),
      introspector: (db) => new PostgresIntrospector(db),
      borrow: () => this.#borrow(),
    });
  }

  listOf(texts: readonly string[]): Expression<string> {
    return sql`(select jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb))`;
  }

  forRows<Row extends object, Returned = unknown>(
    types: ColumnTypes<Row>,
    build: (rows: RowsTable<Row>) => Compilable,
  ): (rows: readonly Row[]) => Promise<Returned[]> {
    const columns = Object.entries(types).map(
      ([name, type]) => sql`${sql.ref(name)} ${sql.raw(typeNames[type as 'text'])}`,
    );
    const json = sql`${new Placeholder('rows')}::text::json`;
    const rows = sql<Row>`(select * from json_to_recordset(${json}) as rows(${sql.join(columns)}))`.as('rows');
    const statement = build(rows).compile();
    const names = Object.keys(types) as (keyof Row)[];
    return async (values) => {
      if (values.length === 0) return [];
      // Converted first, because a Buffer converts itself to JSON.
      const json = values.map((row) => Object.fromEntries(names.map((name) => [name, toJsonValue(row[name])])));
      return (await this.query.executeQuery(withValues(statement, { rows: JSON.stringify(json) }))).rows as Returned[];
    };
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#context.current) return work();
    // Goes through Kysely so that statements and transactions start in call order.
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

  get inTransaction(): boolean {
    return this.#context.current !== undefined;
  }

  outsideTransaction<T>(work: () => T): T {
    return this.#context.runOutside(work);
  }

  async lock(name: string, maxWaitMs = 0): Promise<void> {
    if (!this.#context.current) throw lockOutsideError();
    const locking = sql`pg_advisory_xact_lock(hashtextextended(${name}, ${sql.lit(lockSeed)}))`;
    const limit = (ms: number) => sql`set_config('lock_timeout', ${String(ms)}, true)`;
    // In one statement, because this is a round trip for each write; expressions are evaluated in order.
    const query = maxWaitMs > 0 ? sql`select ${limit(maxWaitMs)}, ${locking}, ${limit(0)}` : sql`select ${locking}`;
    try {
      await query.execute(this.query);
    } catch (error) {
      const isTimeout = (error as { readonly code?: unknown }).code === lockTimeoutCode;
      throw isTimeout ? new LockTimeout(name, { cause: error }) : error;
    }
  }

  close(): Promise<void> {
    // Wait first: closing the pool drops callers waiting for a connection.
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
    const query: RunStatement = (sql, values) => withRetries(() => this.#connections.query(access, sql, values));
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

/** Runs a transaction and retries it once after a conflict. */
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

/** Opens a Postgres database with a schema for the state; uses the database's clock unless `now` is given. */
export async function openPostgres(connections: PostgresConnections, now?: () => number): Promise<Database> {
  const database = new PostgresDatabase(connections, now);
  try {
    await database.transaction(async () => {
      // If several processes start together, only one creates it.
      await database.lock('schema');
      // Checked first: a role that may not create schemas can use an existing one.
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
