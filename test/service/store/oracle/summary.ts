import { instantOf } from './instants.js';
import { matches } from './matches.js';
import { type Kind, kindOf, valueAt } from './paths.js';
import { compareBy } from './search.js';
import type { Entity, Item, Operator, Params, Value } from './types.js';
import { wholeNumber } from './values.js';

const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** JSON text of a value with object keys sorted. */
function canonical(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as Item).sort(([one], [other]) => byCodePoint(one, other));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join()}}`;
}

/**
 * A string that is the same for equal values of a kind; undefined for values of another type, which are treated as
 * missing.
 */
function identity(kind: Kind, value: Value): string | undefined {
  if (value === null) return undefined;
  if (kind === 'open') return canonical(value);
  if (kind === 'integer') return wholeNumber(value)?.toString();
  if (kind === 'date-time') {
    const instant = instantOf(value);
    return instant && `${instant.seconds}.${instant.fraction}`;
  }
  return typeof value === kind ? JSON.stringify(value) : undefined;
}

/** Decimal places that hold every double and integer exactly. */
const places = 1200;
const unit = 10n ** BigInt(places);

/** A number's decimal text, multiplied by `unit`. */
function fixed(text: string): bigint {
  const [, sign, whole, , fraction = '', , exponent = '0'] = /^(-?)(\d+)(\.(\d+))?(e([+-]?\d+))?$/i.exec(text)!;
  const digits = BigInt(`${whole}${fraction}${'0'.repeat(places - fraction.length + Number(exponent))}`);
  return sign === '-' ? -digits : digits;
}

/** The text of such a product. */
function written(value: bigint): string {
  const digits = `${value < 0n ? -value : value}`.padStart(places + 1, '0');
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}

function sumOf(sum: bigint): number | string {
  const limit = unit * 2n ** 53n;
  return sum >= limit || sum <= -limit ? written(sum) : Number(written(sum));
}

/** The mean, rounded to 17 significant digits. */
function meanOf(sum: bigint, count: bigint): number {
  const size = sum < 0n ? -sum : sum;
  // With 100 more places, a digit beyond the 17th is not lost in the division.
  const digits = `${(size * 10n ** 100n) / count}`;
  if (digits.length <= 17) return Number(written(sum / count));
  const rounded = BigInt(digits.slice(0, 17)) + BigInt(digits[17]! >= '5' ? 1 : 0);
  return Number(`${sum < 0n ? '-' : ''}${rounded}e${digits.length - 17 - places - 100}`);
}

/** The spelling that comes first by code point. */
const firstSpelling = (values: readonly Value[]): Value =>
  [...values].sort((one, other) => byCodePoint(JSON.stringify(one), JSON.stringify(other)))[0] ?? null;

/** Aggregates the values of a group. */
function aggregate(entity: Entity, operator: Operator, path: string, records: readonly Item[]): Value {
  const kind = kindOf(entity, path) ?? 'open';
  const known = records.map((record) => valueAt(record, path)).filter((value) => identity(kind, value) !== undefined);
  if (operator === 'sum' || operator === 'avg') {
    const numbers = known.filter((value) => kind === 'integer' || typeof value === 'number');
    const sum = numbers.reduce<bigint>((total, one) => total + fixed(`${one}`), 0n);
    if (numbers.length === 0) return null;
    return operator === 'sum' ? sumOf(sum) : meanOf(sum, BigInt(numbers.length));
  }
  if (operator === 'count_distinct') return new Set(known.map((value) => identity(kind, value))).size;
  // Inside objects numbers come before strings, and other types are ignored.
  const ordered = known.filter((value) => kind !== 'open' || typeof value === 'number' || typeof value === 'string');
  const sign = operator === 'max' ? -1 : 1;
  const spelt = (value: Value) => JSON.stringify(value);
  const [best] = ordered.sort((one, other) => {
    const found = compareBy(entity, path, 1, itemWith(path, one), itemWith(path, other));
    return sign * (found === 0 ? byCodePoint(spelt(one), spelt(other)) : found);
  });
  return best ?? null;
}

const itemWith = (path: string, value: Value): Item =>
  path.split('.').reduceRight<Value>((inner, name) => ({ [name]: inner }), value) as Item;

/** Summarizes the records that a query finds, one row per group, in order. */
export function summarize(records: readonly Item[], entity: Entity, { query }: Params): Item[] {
  const { filter, groupBy = [], aggregates = {}, sort = [] } = query;
  const paths = typeof groupBy === 'string' ? [groupBy] : groupBy;
  const kinds = paths.map((path) => kindOf(entity, path) ?? 'open');
  const groups = new Map<string, Item[]>();
  if (paths.length === 0) groups.set('[]', []);
  for (const record of records) {
    if (filter !== undefined && !matches(entity, record, filter)) continue;
    const key = JSON.stringify(paths.map((path, index) => identity(kinds[index]!, valueAt(record, path)) ?? null));
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const rows = [...groups].map(([key, members]) => {
    const identities: Array<string | null> = JSON.parse(key);
    const shared = paths.map((path, index): [string, Value] => [
      path,
      identities[index] === null ? null : firstSpelling(members.map((record) => valueAt(record, path))),
    ]);
    const found = Object.entries(aggregates).map(([name, given]): [string, Value] => {
      const [operator, path] = Object.entries(given)[0] as [Operator, string];
      return [name, aggregate(entity, operator, path, members)];
    });
    return Object.fromEntries([...shared, ['count', members.length], ...found]) as Item;
  });
  const fieldOf = (name: string): string | undefined =>
    paths.includes(name) ? name : Object.values(aggregates[name] ?? {})[0];
  const isNumber = (name: string) =>
    name === 'count' || ['avg', 'sum', 'count_distinct'].includes(Object.keys(aggregates[name] ?? {})[0]!);
  const compare = (name: string, direction: 'asc' | 'desc', one: Item, other: Item): number => {
    const [first = null, second = null] = [one[name], other[name]];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (isNumber(name)) {
      const [low, high] = [fixed(`${first}`), fixed(`${second}`)];
      return (direction === 'desc' ? -1 : 1) * (low < high ? -1 : Number(low > high));
    }
    const path = fieldOf(name)!;
    return compareBy(entity, path, direction === 'desc' ? -1 : 1, itemWith(path, first), itemWith(path, second));
  };
  const keys = [
    ...sort.flatMap((key) => Object.entries(key)),
    ['count', 'desc'] as const,
    ...paths.map((path) => [path, 'asc'] as const),
  ];
  return rows.sort(
    (one, other) =>
      keys.map(([name, direction]) => compare(name, direction as 'asc', one, other)).find((found) => found !== 0) ??
      byCodePoint(canonical(paths.map((path) => one[path]!)), canonical(paths.map((path) => other[path]!))),
  );
}
