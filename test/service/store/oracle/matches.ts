import { isObject, type Kind, kindOf, valueAt } from './paths.js';
import { folded, hasKeyword, isFuzzy, isLike } from './texts.js';
import type { Entity, Filter, Item, Value } from './types.js';
import { equal, order, same } from './values.js';

type Condition = (kind: Kind, value: Value, wanted: Value) => boolean;

const listed = (value: Value): readonly Value[] => (Array.isArray(value) ? value : []);

const ordered =
  (accepts: (order: number) => boolean): Condition =>
  (kind, value, wanted) => {
    const found = order(kind, value, wanted);
    return found !== undefined && accepts(found);
  };

const textual =
  (accepts: (text: string, wanted: string) => boolean): Condition =>
  (_, value, wanted) =>
    typeof value === 'string' && typeof wanted === 'string' && accepts(value, wanted);

const hasPart = textual((text, wanted) => folded(text).includes(folded(wanted)));
const hasElement: Condition = (_, value, wanted) => listed(value).some((element) => hasParts(element, wanted));

/** Whether a value has all parts of the wanted object; values that are not objects must be equal. */
function hasParts(value: Value, wanted: Value): boolean {
  if (!isObject(wanted)) return same(value, wanted);
  if (!isObject(value)) return false;
  return Object.keys(wanted).every((name) => hasParts(partOf(value as Item, name), partOf(wanted as Item, name)));
}

const partOf = (object: Item, name: string): Value => (Object.hasOwn(object, name) ? (object[name] ?? null) : null);

const conditions: Readonly<Record<Exclude<keyof Filter, 'and' | 'or' | 'not'>, Condition>> = {
  eq: equal,
  neq: (kind, value, wanted) => !equal(kind, value, wanted),
  gt: ordered((found) => found > 0),
  gte: ordered((found) => found >= 0),
  lt: ordered((found) => found < 0),
  lte: ordered((found) => found <= 0),
  in: (kind, value, wanted) => listed(wanted).some((one) => equal(kind, value, one)),
  like: textual(isLike),
  keyword: textual(hasKeyword),
  fuzzy: textual(isFuzzy),
  startswith: textual((text, wanted) => folded(text).startsWith(folded(wanted))),
  endswith: textual((text, wanted) => folded(text).endsWith(folded(wanted))),
  contains: (kind, value, wanted) => hasElement(kind, value, wanted) || hasPart(kind, value, wanted),
  array_contains: hasElement,
  any: (kind, value, wanted) => listed(wanted).some((one) => hasElement(kind, value, one)),
};

/** Whether a record matches a valid filter. */
export function matches(entity: Entity, record: Item, filter: Filter): boolean {
  const { and = [], or, not, ...rest } = filter;
  if (!and.every((part) => matches(entity, record, part))) return false;
  if (or !== undefined && !or.some((part) => matches(entity, record, part))) return false;
  if (not !== undefined && matches(entity, record, not)) return false;
  return Object.entries(rest).every(([operator, wantedByPath]) =>
    Object.entries(wantedByPath).every(([path, wanted]) => {
      const holds = conditions[operator as keyof typeof conditions];
      return holds(kindOf(entity, path) ?? 'open', valueAt(record, path), wanted);
    }),
  );
}
