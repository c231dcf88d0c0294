import { randomInt } from 'node:crypto';
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import { InvalidCursor } from './rows.js';
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
export const newId = (prefix: 'org' | 'ws' | 'cli' | 'con' | 'exe' | 'job' | 'pln'): string =>
  `${prefix}_${randomText(22)}`;

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
