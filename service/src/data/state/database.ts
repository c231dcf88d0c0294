import { randomInt } from 'node:crypto';
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import { InvalidCursor } from './rows.js';
import type { Tables } from './tables.js';

/** What a column holds. */
export type Value = string | number | null | Uint8Array;

/**
 * The database of the service, whichever engine keeps it.
 *
 * Statements are written for both engines: `?` or `?1` for values, `:now` for the time by the database's clock in
 * milliseconds since 1970, and what the engines say differently by the dialect.
 */
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
  outsideTransaction<T>(work: () => T): T;
  /** Waits until no other transaction has this name locked, and keeps it locked until this one ends. */
  lock(name: string): Promise<void>;
  close(): Promise<void>;
  readonly closed: boolean;
}

/** What the engines say differently. */
export interface Dialect {
  /** At the end of a query in a transaction: nobody else changes the rows of this table that it finds. */
  forUpdate(table: string): string;
  /** At the end of a query in a transaction: nobody else deletes the rows of this table that it finds. */
  forKeyShare(table: string): string;
  /** As `forUpdate`, without the rows that somebody else holds. */
  skipLocked(table: string): string;
  /** A query of the texts in a JSON list, which stands at this place among the values. */
  textsIn(place: string): string;
  /** Statements that make tables or change them, which are written for SQLite. */
  translateSchema(sql: string): string;
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

/** A statement whose values are numbered. */
export interface NumberedStatement {
  readonly sql: string;
  /** Whether the time stands behind the values. */
  readonly needsTime: boolean;
}

/** Numbers the values of a statement and puts the time behind them, unless the engine tells it by itself. */
export function numberValues(sql: string, placeholder: (number: number) => string, clock?: string): NumberedStatement {
  let last = 0;
  let highest = 0;
  // Texts in quotes hold no values.
  const counted = sql.replaceAll(/'[^']*'|\?(\d*)/g, (found, digits?: string) => {
    if (digits === undefined) return found;
    last = digits === '' ? last + 1 : Number(digits);
    highest = Math.max(highest, last);
    return placeholder(last);
  });
  const needsTime = clock === undefined && counted.includes(':now');
  return {
    sql: counted.replaceAll(/'[^']*'|:now\b/g, (found) =>
      found === ':now' ? (clock ?? placeholder(highest + 1)) : found,
    ),
    needsTime,
  };
}

/** A value as every engine keeps it: texts without the character that Postgres refuses, and without half ones. */
export const sanitizeValue = (value: Value): Value =>
  typeof value === 'string' ? Buffer.from(value.replaceAll('\u0000', '\ufffd')).toString() : value;

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of letters and digits, from the system's source of randomness. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** An id that says what it names and cannot be guessed. */
export const newId = (prefix: 'org' | 'ws' | 'cli' | 'con' | 'exe' | 'job'): string => `${prefix}_${randomText(22)}`;

/** Where a page ended: the next begins behind it. */
export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/** Writes a position as text whose inside is nobody's business. */
export const writeCursor = ({ createdAt, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** Reads a cursor that `writeCursor` wrote, and refuses everything else. */
export function readCursor(cursor: string): Position {
  const [createdAt, id] = parseList(cursor);
  const isPosition = typeof createdAt === 'string' && typeof id === 'string' && /^[a-z]+_\w+$/.test(id);
  if (isPosition && writeCursor({ createdAt, id }) === cursor) return { createdAt, id };
  throw new InvalidCursor('The cursor is not one that this list gave; start again without it.');
}

function parseList(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
