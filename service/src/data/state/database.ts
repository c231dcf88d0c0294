import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import {
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

/** What a column holds. */
export type Value = string | number | null | Uint8Array;

/** The database of the service, whichever engine keeps it. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** The schema of the tables, where the engine has schemas. */
  readonly schema?: string | undefined;
  /**
   * Builds queries and runs them.
   *
   * Inside a transaction they belong to it, although nothing says so in the query. Transactions are begun by
   * `transaction`, not by Kysely.
   */
  readonly query: Kysely<Tables>;
  /** The time by the database's clock when the statement runs, in milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** The texts as one value in the query, however many they are, for `where('id', 'in', ...)`. */
  listOf(texts: readonly string[]): Expression<string>;
  /**
   * All of `work` or nothing of it; what it changes is on disk when this resolves.
   *
   * Whatever `work` calls belongs to it, and waits for nothing but the database.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Work that belongs to no transaction, though one may have brought it about. */
  outsideTransaction<T>(work: () => T): T;
  /** Waits until no other transaction has this name locked, and keeps it locked until this one ends. */
  lock(name: string): Promise<void>;
  close(): Promise<void>;
  readonly closed: boolean;
}

/** Is among the values of a statement in place of the time at which it runs. */
export const currentTime: unique symbol = Symbol('current time');

/** So many milliseconds after the time by the database's clock, or before it. */
export const fromNow = ({ now }: Pick<Database, 'now'>, ms: number): RawBuilder<number> =>
  sql<number>`(${now} + ${ms})`;

/** The database has been closed, and does nothing any more. */
export const closedError = (): Error => new Error('The database of the service has been closed.');

/** A lock would be gone with its statement. */
export const lockOutsideError = (): Error => new Error('Only a transaction can lock.');

/** A value as every engine keeps it: texts without the character that Postgres refuses, and without half ones. */
export const sanitizeValue = (value: Value): Value =>
  typeof value === 'string' ? Buffer.from(value.replaceAll('\u0000', '\ufffd')).toString() : value;

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of letters and digits, from the system's source of randomness. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** An id that says what it names and cannot be guessed. */
export const newId = (
  prefix: 'org' | 'ws' | 'cli' | 'con' | 'exe' | 'job' | 'pln' | 'oap' | 'grt' | 'whk' | 'msg',
): string => `${prefix}_${randomText(22)}`;

// One for all databases: Node 20 and 22 copy each storage to every promise until the process ends, so that one for each
// database would slow a process down with every service that it has opened and closed.
const currentTransactions = new AsyncLocalStorage<ReadonlyMap<object, object>>();

/** Counts what is running, for whoever must wait until nothing is. */
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

/** An open transaction, with the statements in it that are running. */
export interface OpenTransaction {
  readonly running: Running;
}

/** Tells which open transaction of a database the calling code belongs to. */
export class TransactionContext<Transaction extends OpenTransaction> {
  readonly #open = new Set<Transaction>();

  /** Undefined once the transaction has ended: statements that come later are no part of it. */
  get current(): Transaction | undefined {
    const transaction = currentTransactions.getStore()?.get(this) as Transaction | undefined;
    return transaction && this.#open.has(transaction) ? transaction : undefined;
  }

  /** Runs `work` as a part of the transaction, and waits for statements that it began without waiting for them. */
  async run<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
    this.#open.add(transaction);
    try {
      return await this.#enter(transaction, work);
    } finally {
      this.#open.delete(transaction);
      await transaction.running.idle();
    }
  }

  /** Runs `work` as a part of no transaction. */
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

/** A connection as Kysely borrows it for one statement. */
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
    throw new Error('The state does not stream rows. Read them in pages.');
  }
}

/** Lends connections to Kysely; transactions are begun by the database, which knows what runs in which. */
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
    throw new Error('Use Database.transaction: queries inside it belong to it.');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** What Kysely needs to know about an engine. */
export interface Engine {
  readonly adapter: DialectAdapter;
  readonly compiler: QueryCompiler;
  introspector(db: Kysely<unknown>): DatabaseIntrospector;
  /** Called once for each statement, and for each transaction that begins. */
  borrow(): Promise<BorrowedConnection>;
}

/** Builds queries for an engine and runs them on the connections that it lends. */
export function createQueries({ adapter, compiler, introspector, borrow }: Engine): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => new BorrowingDriver(borrow),
    createIntrospector: introspector,
    createQueryCompiler: () => compiler,
  };
  return new Kysely({ dialect });
}

/**
 * Which rows the policies of Postgres let a statement see and change: those of one organization, of one connector, or
 * all. Without any it finds nothing. In SQLite nothing but the statement itself decides.
 */
export interface Access {
  readonly organization?: string;
  readonly connector?: string;
  readonly all?: true;
}

const noAccess: Access = {};
const currentAccesses = new AsyncLocalStorage<Access>();

/** The rows that the calling code has asked for. */
export const currentAccess = (): Access => currentAccesses.getStore() ?? noAccess;

/** Runs `work` with the rows of one organization. */
export const withinOrganization = <T>(organization: string, work: () => T): T =>
  currentAccesses.run({ organization }, work);

/** Runs `work` with the rows of one connector, whoever's it is. */
export const withinConnector = <T>(connector: string, work: () => T): T => currentAccesses.run({ connector }, work);

/** Runs `work` with the rows of all organizations: for the service itself and its operator, never for a tenant. */
export const acrossOrganizations = <T>(work: () => T): T => currentAccesses.run({ all: true }, work);

type Functions<First> = Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>;

/** The functions, each run by `enter`, which is given its first argument. */
export const eachWithin = <First, Part>(part: Part, enter: (first: First, work: () => unknown) => unknown): Part =>
  Object.fromEntries(
    Object.entries(part as Functions<First>).map(([name, run]) => [
      name,
      (first: First, ...rest: never[]) => enter(first, () => run(first, ...rest)),
    ]),
  ) as Part;

/** The functions, each with the rows of the organization that its first argument is or names. */
export const eachWithinOrganization = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | Scope, work) =>
    withinOrganization(typeof first === 'string' ? first : first.organizationId, work),
  );

/** The functions, each with the rows of the connector that its first argument is or names. */
export const eachWithinConnector = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | { readonly connectorId: string }, work) =>
    withinConnector(typeof first === 'string' ? first : first.connectorId, work),
  );

/** The functions, each with the rows of all organizations; see `acrossOrganizations`. */
export const eachAcrossOrganizations = <Part>(part: Part): Part =>
  eachWithin(part, (_, work) => acrossOrganizations(work));

/** No id has another character: one that has is nobody's. */
const literal = (id = ''): string => `'${id.replaceAll(/[^\w-]/g, '?')}'`;

/** The expressions that give a transaction its access, which ends with it, so that a pooler may lend the connection to others. */
export const accessSettings = ({ organization, connector, all }: Access): string =>
  `set_config('agent_connectors.organization', ${literal(organization)}, true),
    set_config('agent_connectors.connector', ${literal(connector)}, true),
    set_config('agent_connectors.scope', ${all ? "'all'" : "''"}, true)`;
