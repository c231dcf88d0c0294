import type { PagePosition, SortKey } from './plan.js';

type Values = PagePosition['values'];
type Value = Values[number];

/**
 * A value at a path inside an object, as stored in cursors: the rank of its type, the number or boolean, and the text.
 */
export type InnerValue = readonly [rank: Value, number: Value, text: Value];

/** The sort keys of a position; `join` builds the key of a value inside an object. */
export function keysOf(values: Values, sort: readonly SortKey[], join: (inner: InnerValue) => Value): Values {
  let next = 0;
  return sort.map(({ ref }) => {
    if (ref.path.length === 0) return values[next++] ?? null;
    const [rank = null, number = null, text = null] = values.slice(next, next + 3);
    next += 3;
    return rank === null ? null : join([rank, number, text]);
  });
}

/** The position of a record with these sort keys; reverses `keysOf`. */
export const positionValues = <Key>(
  keys: readonly Key[],
  sort: readonly SortKey[],
  split: (key: NonNullable<Key>) => InnerValue,
): Values =>
  sort.flatMap(({ ref }, index) => {
    const key = keys[index] ?? null;
    if (ref.path.length === 0) return [key as Value];
    return key === null ? [null, null, null] : split(key);
  });
