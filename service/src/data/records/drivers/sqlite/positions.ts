import type { Position, SortKey } from '../../plan.js';
import type { SqlValue } from './connection.js';

type Values = Position['values'];

// Cursors have three values for a path inside an object, as in Postgres: the rank of the type, the number, and the text.

/** The values of a position, as SQL compares them: booleans inside objects are blobs. */
export function keysOf(values: Values, sort: readonly SortKey[]): Values {
  let next = 0;
  return sort.map(({ ref }) => {
    if (ref.path.length === 0) return values[next++] ?? null;
    const [rank, number, text] = values.slice(next, next + 3);
    next += 3;
    return (rank === 2 ? new Uint8Array([Number(number)]) : (text ?? number ?? null)) as Values[number];
  });
}

/** The position of a record with these sort keys; the inverse of `keysOf`. */
export const positionValues = (keys: readonly SqlValue[], sort: readonly SortKey[]): Values =>
  sort.flatMap(({ ref }, index) => {
    const key = keys[index] ?? null;
    if (key instanceof Uint8Array) return [2, key[0]!, null];
    if (ref.path.length === 0) return [key];
    if (key === null) return [null, null, null];
    return typeof key === 'string' ? [1, null, key] : [0, key, null];
  });
