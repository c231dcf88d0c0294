import { type Condition, type FieldRef, isPresence, isSameRef, requiredBy, type SearchPlan } from './plan.js';
import { isScalar } from './schema.js';

/** In a smaller table, a search can read all records in the time it takes to build an index. */
export const minSearched = 10_000;
/** Maximum records a search may examine before an index that it could start from is built. */
export const maxExamined = (limit: number): number => Math.min(10_000, Math.max(2000, 10 * limit));

/** Maximum number of indexes built for searches per table: each slows down every write. */
export const maxOwn = 8;

/** Maximum records a search may examine before a composite index that has its page in order is built. */
export const maxSorted = (limit: number): number => Math.max(200, 4 * limit);

/** Maximum number of composite indexes per table. */
export const maxComposites = 4;

/**
 * An index on values in order, on records that have no value, or on values whose records are in the order of another
 * field.
 */
export type IndexSpec =
  | { readonly kind: 'order' | 'nulls'; readonly ref: FieldRef; readonly by?: undefined }
  | { readonly kind: 'composite'; readonly ref: FieldRef; readonly by: FieldRef };

/** A condition that a field has one value, and the composite index that has its records in the order of a page. */
export interface CompositeSpec {
  readonly condition: Extract<Condition, { test: 'among' }>;
  readonly spec: IndexSpec & { readonly kind: 'composite' };
}

export const isSameSpec = (one: IndexSpec, other: IndexSpec | undefined): boolean =>
  one.kind === other?.kind && isSameRef(one.ref, other.ref) && one.by === other.by;

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

/** Tests for which a search starts from index terms. */
const termTests: ReadonlySet<Condition['test']> = new Set(['like', 'keyword', 'fuzzy', 'holds']);

/** The composite indexes that a search could read its page from; `has` tells which fields have an index. */
export function compositesFor(
  { condition, sort, ranks }: Partial<Pick<SearchPlan, 'condition' | 'sort' | 'ranks'>>,
  has: (spec: IndexSpec) => boolean,
): CompositeSpec[] {
  const [key, second] = sort ?? [];
  const required = requiredBy(condition);
  if (!key || second || ranks || !orderOf(key.ref) || required.some(({ test }) => termTests.has(test))) return [];
  return required.flatMap((one): CompositeSpec[] => {
    if (one.test !== 'among' || one.values.length !== 1 || isSameRef(one.ref, key.ref)) return [];
    const spec = specOf(one);
    const isOrdered = spec?.kind === 'order' && has(spec);
    return isOrdered ? [{ condition: one, spec: { kind: 'composite', ref: one.ref, by: key.ref } }] : [];
  });
}
