import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import {
  type AliasedRawBuilder,
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Expression,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Scope } from './rows.js';
import type { Tables } from './tables.js';

/** A column value. */
export type Value = string | number | null | Uint8Array;

/** The service's database, on any engine. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Schema of the tables, if the engine has schemas. */
  readonly schema?: string | undefined;
  /**
   * Builds and runs queries.
   *
   * Queries inside a transaction join it implicitly. Start transactions with `transaction`, not with Kysely.
   */
  readonly query: Kysely<Tables>;
  /** The database's time when the statement runs, in milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** Binds any number of strings as one value, for `where('id', 'in', ...)`. */
  listOf(texts: readonly string[]): Expression<string>;
  /**
   * Compiles a statement once that receives any number of rows, as the table `rows`. SQLite runs it for each row, which
   * is faster there than parsing them; Postgres runs it once, with all rows as one value. Returns what it returns.
   */
  forRows<Row extends object, Returned = unknown>(
    types: ColumnTypes<Row>,
    build: (rows: RowsTable<Row>) => Compilable,
  ): (rows: readonly Row[]) => Promise<Returned[]>;
  /**
   * Runs `work` in a transaction, which is durable once this resolves.
   *
   * Everything that `work` calls joins the transaction; it must not await anything except the database.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the calling code is part of a transaction. */
  readonly inTransaction: boolean;
  /** Runs work outside the current transaction. */
  outsideTransaction<T>(work: () => T): T;
  /**
   * Locks a name until the current transaction ends, waiting for other holders first, at most `maxWaitMs` milliseconds
   * if given; then it throws `LockTimeout`, and the transaction has failed.
   */
  lock(name: string, maxWaitMs?: number): Promise<void>;
  close(): Promise<void>;
  readonly closed: boolean;
}

/** The columns of rows that a statement receives, with their types. */
export type ColumnTypes<Row> = { readonly [Column in keyof Row]: 'text' | 'integer' | 'bytes' };

/** Rows that a statement receives, for `selectFrom` and the like. */
export type RowsTable<Row> = AliasedRawBuilder<Row, 'rows'>;

/** Stands for a value in a statement that is compiled once; `name` says which. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The statement with the values for its placeholders. */
export const withValues = (statement: CompiledQuery, values: Readonly<Record<string, unknown>>): CompiledQuery => ({
  ...statement,
  parameters: statement.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value)),
});

/** Placeholder value for the time at which a statement runs. */
export const currentTime: unique symbol = Symbol('current time');

/** How far clocks may differ, in milliseconds: a time that is further ahead is from one that has been set back since. */
export const clockToleranceMs = 60_000;

/** The database's time plus or minus some milliseconds. */
export const fromNow = ({ now }: Pick<Database, 'now'>, ms: number): RawBuilder<number> =>
  sql<number>`(${now} + ${ms})`;

export const closedError = (): Error => new Error("The service's database has been closed.");

/** Outside a transaction, a lock would be released when its statement ends. */
export const lockOutsideError = (): Error => new Error('Locks require a transaction.');

/** Another transaction held a lock for too long. */
export class LockTimeout extends Error {
  readonly lock: string;

  constructor(lock: string, options?: ErrorOptions) {
    super(`The lock '${lock}' is held by another transaction.`, options);
    this.lock = lock;
  }
}

/** A value that every engine can store: without NUL or lone surrogates. */
export const sanitizeValue = (value: Value): Value =>
  typeof value === 'string' ? Buffer.from(value.replaceAll('\u0000', '\ufffd')).toString() : value;

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A cryptographically random alphanumeric string. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** An unguessable id whose prefix shows what it identifies. */
export const newId = (
  prefix: 'org' | 'ws' | 'cli' | 'con' | 'exe' | 'job' | 'pln' | 'oap' | 'grt' | 'whk' | 'tok' | 'msg',
): string => `${prefix}_${randomText(22)}`;

// Shared by all databases: Node 20 and 22 copy every storage to every promise until the process ends, so one per
// database would slow the process down with each service it opens.
const currentTransactions = new AsyncLocalStorage<ReadonlyMap<object, object>>();

/** Counts running operations, so that closing can wait for them. */
export class Running {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resume) => this.#waiting.push(resume));
  }
}

/** An open transaction and its running statements. */
export interface OpenTransaction {
  readonly running: Running;
}

/** Tracks which open transaction of a database the calling code belongs to. */
export class TransactionContext<Transaction extends OpenTransaction> {
  readonly #open = new Set<Transaction>();

  /** Undefined once the transaction has ended: later statements are not part of it. */
  get current(): Transaction | undefined {
    const transaction = currentTransactions.getStore()?.get(this) as Transaction | undefined;
    return transaction && this.#open.has(transaction) ? transaction : undefined;
  }

  /** Runs `work` in the transaction, then waits for statements it did not await. */
  async run<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
    this.#open.add(transaction);
    try {
      return await this.#enter(transaction, work);
    } finally {
      this.#open.delete(transaction);
      await transaction.running.idle();
    }
  }

  /** Runs `work` outside any transaction. */
  runOutside<T>(work: () => T): T {
    return this.#enter(undefined, work);
  }

  #enter<T>(transaction: Transaction | undefined, work: () => T): T {
    const all = new Map(currentTransactions.getStore());
    if (transaction) all.set(this, transaction);
    else all.delete(this);
    return currentTransactions.run(all, work);
  }
}

/** A connection that Kysely borrows for one statement. */
export class BorrowedConnection implements DatabaseConnection {
  readonly #execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>;
  readonly release: () => void;

  constructor(execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>, release: () => void) {
    this.#execute = execute;
    this.release = release;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#execute(query) as Promise<QueryResult<Row>>;
  }

  streamQuery(): never {
    throw new Error('The state database does not support streaming. Read rows in pages.');
  }
}

/** Lends connections to Kysely; the database starts transactions itself. */
class BorrowingDriver implements Driver {
  readonly #borrow: () => Promise<BorrowedConnection>;

  constructor(borrow: () => Promise<BorrowedConnection>) {
    this.#borrow = borrow;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return this.#borrow();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as BorrowedConnection).release();
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Use Database.transaction: every query run in its callback is part of the transaction.');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** What Kysely needs to know about an engine. */
export interface SqlEngine {
  readonly adapter: DialectAdapter;
  readonly compiler: QueryCompiler;
  introspector(db: Kysely<unknown>): DatabaseIntrospector;
  /** Called once per statement or transaction. */
  borrow(): Promise<BorrowedConnection>;
}

/** Builds queries for an engine and runs them on its connections. */
export function createQueries({ adapter, compiler, introspector, borrow }: SqlEngine): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => new BorrowingDriver(borrow),
    createIntrospector: introspector,
    createQueryCompiler: () => compiler,
  };
  return new Kysely({ dialect });
}

/**
 * Rows that Postgres row policies expose to a statement: those of one organization, of one connector, or all. Without
 * access, a statement finds nothing. SQLite has no policies.
 */
export interface RowAccess {
  readonly organization?: string;
  readonly connector?: string;
  readonly all?: true;
}

const noAccess: RowAccess = {};
const currentAccesses = new AsyncLocalStorage<RowAccess>();

/** Access of the calling code. */
export const currentAccess = (): RowAccess => currentAccesses.getStore() ?? noAccess;

/** Runs `work` with access to one organization's rows. */
export const withinOrganization = <T>(organization: string, work: () => T): T =>
  currentAccesses.run({ organization }, work);

/** Runs `work` with access to one connector's rows, in any organization. */
export const withinConnector = <T>(connector: string, work: () => T): T => currentAccesses.run({ connector }, work);

/** Runs `work` with access to the rows of all organizations: for the service and its operator, never for a tenant. */
export const acrossOrganizations = <T>(work: () => T): T => currentAccesses.run({ all: true }, work);

type Functions<First> = Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>;

/** Wraps functions to run through `enter`, which receives their first argument. */
export const eachWithin = <First, Part>(part: Part, enter: (first: First, work: () => unknown) => unknown): Part =>
  Object.fromEntries(
    Object.entries(part as Functions<First>).map(([name, run]) => [
      name,
      (first: First, ...rest: never[]) => enter(first, () => run(first, ...rest)),
    ]),
  ) as Part;

/** Wraps functions to run with access to the organization identified by their first argument. */
export const eachWithinOrganization = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | Scope, work) =>
    withinOrganization(typeof first === 'string' ? first : first.organizationId, work),
  );

/** Wraps functions to run with access to the connector identified by their first argument. */
export const eachWithinConnector = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | { readonly connectorId: string }, work) =>
    withinConnector(typeof first === 'string' ? first : first.connectorId, work),
  );

/** Wraps functions to run with access to all organizations; see `acrossOrganizations`. */
export const eachAcrossOrganizations = <Part>(part: Part): Part =>
  eachWithin(part, (_, work) => acrossOrganizations(work));

/** Ids never contain other characters, so replacing them cannot produce another tenant's id. */
const literal = (id = ''): string => `'${id.replaceAll(/[^\w-]/g, '?')}'`;

/**
 * Expressions that set a transaction's access. These settings end with the transaction, so a pooler can reuse the
 * connection.
 */
export const accessSettings = ({ organization, connector, all }: RowAccess): string =>
  `set_config('agent_connectors.organization', ${literal(organization)}, true),
    set_config('agent_connectors.connector', ${literal(connector)}, true),
    set_config('agent_connectors.scope', ${all ? "'all'" : "''"}, true)`;
