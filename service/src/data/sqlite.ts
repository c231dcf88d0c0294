import { createRequire } from 'node:module';

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
