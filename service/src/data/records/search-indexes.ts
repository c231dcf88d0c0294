import { type Condition, type FieldRef, isPresence, isSameRef, requiredBy, type SearchPlan } from './plan.js';
import { isScalar } from './schema.js';

/** In a smaller table, a search can read all records in the time it takes to build an index. */
export const minSearched = 10_000;
/** Maximum records a search may examine before an index that it could start from is built. */
export const maxExamined = (limit: number): number => Math.min(10_000, Math.max(2000, 10 * limit));

/** Maximum number of indexes built for searches per table: each slows down every write. */
export const maxOwn = 8;

/** An index on values in order, or on records that have no value. */
export interface IndexSpec {
  readonly kind: 'order' | 'nulls';
  readonly ref: FieldRef;
}

export const isSameSpec = (one: IndexSpec, other: IndexSpec | undefined): boolean =>
  one.kind === other?.kind && isSameRef(one.ref, other.ref);

/** Whether a name can be written into a statement unescaped. */
export const isPlainName = (name: string): boolean => /^\w{1,60}$/.test(name);

/** The index in which the records that match a condition are adjacent. */
export function specOf(condition: Condition): IndexSpec | undefined {
  if (isPresence(condition)) {
    const { ref } = condition.part;
    // The index contains only comparable values, but other values are present too.
    return ref.path.length === 0 && ref.column.compared === ref.column.stored ? orderOf(ref) : undefined;
  }
  if (condition.test === 'compare') return orderOf(condition.ref);
  if (condition.test !== 'among') return undefined;
  const order = orderOf(condition.ref);
  if (condition.ref.path.length > 0) return condition.values.every(isScalar) ? order : undefined;
  if (!condition.values.includes(null)) return order;
  return order && condition.values.length === 1 ? { kind: 'nulls', ref: condition.ref } : undefined;
}

/** The index on the values of a field, or at a path inside an object, in order. */
export function orderOf(ref: FieldRef): IndexSpec | undefined {
  const { field, type, compared } = ref.column;
  const canHave = ref.path.length > 0 ? [field, ...ref.path].every(isPlainName) : type !== 'json' && compared !== 'id';
  return canHave ? { kind: 'order', ref } : undefined;
}

/** Whether every table has this index. */
export const isStandard = ({ kind, ref }: IndexSpec): boolean =>
  kind === 'order' && ref.path.length === 0 && ref.column.indexed;

/** Indexes that would help a search, besides those that every table has. */
export function helpfulTo(
  { condition, sort }: Pick<SearchPlan, 'condition' | 'sort'>,
  has: (spec: IndexSpec) => boolean,
  specFor: (condition: Condition) => IndexSpec | undefined = specOf,
): IndexSpec[] {
  const [first, second] = sort.map(({ ref }) => orderOf(ref));
  // The second key's index helps if many records share the first key.
  const order = first && has(first) ? second : first;
  return [...requiredBy(condition).map(specFor), order]
    .filter((spec) => spec !== undefined)
    .filter((spec) => !isStandard(spec));
}
