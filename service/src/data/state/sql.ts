import type { Value } from './database.js';

/** A statement whose values are numbered. */
export interface Numbered {
  readonly sql: string;
  /** Whether the time stands behind the values. */
  readonly timed: boolean;
}

/** Numbers the values of a statement and puts the time behind them, unless the engine tells it by itself. */
export function numbered(sql: string, place: (number: number) => string, clock?: string): Numbered {
  let last = 0;
  let highest = 0;
  // Texts in quotes hold no values.
  const counted = sql.replaceAll(/'[^']*'|\?(\d*)/g, (found, digits?: string) => {
    if (digits === undefined) return found;
    last = digits === '' ? last + 1 : Number(digits);
    highest = Math.max(highest, last);
    return place(last);
  });
  const timed = clock === undefined && counted.includes(':now');
  return {
    sql: counted.replaceAll(/'[^']*'|:now\b/g, (found) => (found === ':now' ? (clock ?? place(highest + 1)) : found)),
    timed,
  };
}

/** A value as every engine keeps it: texts without the character that Postgres refuses, and without half ones. */
export const storable = (value: Value): Value =>
  typeof value === 'string' ? Buffer.from(value.replaceAll('\u0000', '\ufffd')).toString() : value;
