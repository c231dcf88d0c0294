/** What a column holds. */
export type Value = string | number | null | Uint8Array;

/**
 * The database of the service, whichever engine keeps it.
 *
 * Statements are written for both engines: `?` or `?1` for values, `:now` for the time by the database's clock in
 * milliseconds since 1970, and what the engines say differently by the dialect.
 */
export interface Database {
  readonly dialect: Dialect;
  /** Carries out one statement and counts the rows that it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Carries out several statements that take no values. */
  exec(sql: string): Promise<void>;
  /**
   * All of `work` or nothing of it; what it changes is on disk when this resolves.
   *
   * Whatever `work` calls belongs to it, and waits for nothing but the database.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Work that belongs to no transaction, though one may have brought it about. */
  apart<T>(work: () => T): T;
  /** Waits until no other transaction has this name locked, and keeps it locked until this one ends. */
  lock(name: string): Promise<void>;
  close(): Promise<void>;
  readonly closed: boolean;
}

/** What the engines say differently. */
export interface Dialect {
  /** At the end of a query in a transaction: nobody else changes the rows of this table that it finds. */
  held(table: string): string;
  /** At the end of a query in a transaction: nobody else deletes the rows of this table that it finds. */
  kept(table: string): string;
  /** As `held`, without the rows that somebody else holds. */
  unheld(table: string): string;
  /** A query of the texts in a JSON list, which stands at this place among the values. */
  textsIn(place: string): string;
  /** Statements that make tables or change them, which are written for SQLite. */
  tables(sql: string): string;
}

/** The database has been closed, and does nothing any more. */
export const closedError = (): Error => new Error('The database of the service has been closed.');

/** A lock would be gone with its statement. */
export const lockOutside = (): Error => new Error('Only a transaction can lock.');
