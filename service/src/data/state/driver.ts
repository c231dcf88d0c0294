import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Tables } from './tables.js';

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
