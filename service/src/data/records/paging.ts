import { type Dialect, joinConditions, type Mark, type OrderKey } from './dialect.js';
import { beginStatement, type RecordSource, type Statements } from './places.js';
import type { PagePosition, SearchPlan, SortKey } from './plan.js';

/**
 * A page ends once its JSON reaches this many characters, even if more records were requested, because the whole page
 * is held in memory.
 */
export const maxPageCharacters = 8 * 2 ** 20;

/** A contiguous part of the order: all its records come before those of the next phase. */
export interface Phase {
  /** The sort keys, selected with each record. */
  readonly keys: readonly string[];
  /** Condition that selects the phase; empty if none is needed. */
  readonly where: string;
  /** Whether its records have no value for the first key, so they may not be adjacent in any index. */
  readonly isScattered?: boolean;
  readonly orderBy: string;
  /** Mutually exclusive conditions that are faster to query separately; usually empty. */
  readonly parts: readonly string[];
  /** The same order, for sorting the combined results of the parts. */
  readonly mergedBy: string;
}

interface Key extends OrderKey {
  readonly direction: SortKey['direction'];
}

type Value = PagePosition['values'][number];

/** Values of the first sort key shared by more records than can be sorted quickly. */
export interface LargeGroups {
  /** Whether the position's value is one of these values. */
  readonly tied?: boolean;
  /** The next such value that the page reaches, by the first key only; null for records without a value. */
  readonly pivot?: Value;
}

type Part =
  | { readonly kind: 'whole' | 'valued' | 'tied' | 'beyond' | 'empty' }
  /** Records before or after a value of the first key, and after the position. */
  | { readonly kind: 'before' | 'behind'; readonly pivot: Value }
  /** Records that share one value of the first key, ordered by the other keys. */
  | { readonly kind: 'within'; readonly value: Value; readonly part: Part; readonly after: PagePosition | undefined };

const orderByClause = (keys: readonly Pick<Key, 'sql' | 'direction'>[], id = 'r.id'): string =>
  [...keys.map(({ sql, direction }) => `${sql} ${direction} nulls last`), id].join(', ');

const isBeyond = ({ sql, direction, typed }: Pick<Key, 'sql' | 'direction' | 'typed'>, value: Value, mark: Mark) =>
  `${sql} ${direction === 'desc' ? '<' : '>'} ${typed(mark(value), value)}`;

const isBefore = ({ direction, ...key }: Key, value: Value, mark: Mark): string =>
  isBeyond({ ...key, direction: direction === 'desc' ? 'asc' : 'desc' }, value, mark);

const isEqual = ({ sql, typed }: Pick<Key, 'sql' | 'typed'>, value: Value, mark: Mark): string =>
  value === null ? `${sql} is null` : `${sql} = ${typed(mark(value), value)}`;

const isPresent = ({ sql, present }: OrderKey): string => present ?? `${sql} is not null`;

/** Condition for records after a position in an order by these keys, then by id. */
function isAfterPosition(keys: readonly Key[], values: readonly Value[], id: string, mark: Mark): string {
  const [key, ...rest] = keys;
  if (!key) return `r.id > ${mark(id)}`;
  const value = values[0] ?? null;
  const tie = `(${isEqual(key, value, mark)} and ${isAfterPosition(rest, values.slice(1), id, mark)})`;
  return value === null ? tie : `(${isBeyond(key, value, mark)} or ${key.sql} is null or ${tie})`;
}

function partsOf(sort: SearchPlan['sort'], after: PagePosition | undefined, { tied, pivot }: LargeGroups = {}): Part[] {
  if (sort.length === 0) return [{ kind: 'whole' }];
  const within = (value: Value, rest: PagePosition | undefined): Part[] =>
    partsOf(sort.slice(1), rest).map((part) => ({ kind: 'within', value, part, after: rest }));
  const empty: Part = { kind: 'empty' };
  const following: Part[] =
    pivot === undefined
      ? [{ kind: after ? 'beyond' : 'valued' }, empty]
      : pivot === null
        ? [{ kind: after ? 'beyond' : 'valued' }, ...within(null, undefined)]
        : [{ kind: 'before', pivot }, ...within(pivot, undefined), { kind: 'behind', pivot }, empty];
  if (!after) return following;
  const [value = null, ...values] = after.values;
  const same: Part[] = tied ? within(value, { values, id: after.id }) : [{ kind: 'tied' }];
  return value === null ? same : [...same, ...following];
}

function phaseOf(part: Part, keys: readonly Key[], after: PagePosition | undefined, mark: Mark): Phase {
  const selected = keys.map(({ sql }) => sql);
  const [first, ...rest] = keys;
  const merged = keys.map(({ direction }, index) => ({ sql: `k${index}`, direction }));
  const whole = { keys: selected, parts: [], mergedBy: orderByClause(merged, 'rid') };
  if (!first)
    return { ...whole, where: after ? isAfterPosition([], [], after.id, mark) : '', orderBy: orderByClause([]) };
  const value = after?.values[0] ?? null;
  switch (part.kind) {
    case 'within': {
      const inner = phaseOf(part.part, rest, part.after, mark);
      // The first key's index stores equal values in id order. Under row policies, Postgres does not infer this from a
      // condition on an expression, so the constant key is included in the sort order too.
      const sql = rest.length > 0 ? (first.unindexed ?? first.sql) : first.sql;
      const equal = isEqual({ ...first, sql }, part.value, mark);
      const ownPart = rest.length > 0 || part.value === null ? undefined : first.parts?.of(part.value);
      const where = joinConditions(
        [equal, ownPart ?? '', inner.where].filter((one) => one !== ''),
        'and',
      );
      const orderBy = ownPart === undefined ? inner.orderBy : `${first.sql}, ${inner.orderBy}`;
      return { ...whole, where, parts: inner.parts, orderBy };
    }
    case 'tied': {
      const inner = isAfterPosition(rest, after!.values.slice(1), after!.id, mark);
      const part = value === null || !first.parts ? [] : [first.parts.of(value)];
      return {
        ...whole,
        where: joinConditions([isEqual(first, value, mark), ...part, inner], 'and'),
        isScattered: value === null,
        orderBy: part.length > 0 && rest.length === 0 ? `${first.sql}, ${orderByClause(rest)}` : orderByClause(rest),
      };
    }
    case 'empty':
      return { ...whole, where: `${first.sql} is null`, isScattered: true, orderBy: orderByClause(rest) };
    default: {
      const bounds = 'pivot' in part ? [(part.kind === 'before' ? isBefore : isBeyond)(first, part.pivot, mark)] : [];
      if (after && part.kind !== 'behind') bounds.push(isBeyond(first, value, mark));
      const where = bounds.length > 0 ? joinConditions(bounds, 'and') : isPresent(first);
      const parts = first.parts?.all ?? [];
      return { ...whole, where, parts, orderBy: `${first.sql} ${first.direction}, ${orderByClause(rest)}` };
    }
  }
}

/**
 * The phases of an order, or only those after a position. Records that tie on the first key, those after them, and
 * those without a value form separate phases so that each is a single index range. A large group is split the same way
 * by the second key.
 */
export function phasesOf(
  dialect: Dialect,
  sort: SearchPlan['sort'],
  after: PagePosition | undefined,
  groups?: LargeGroups,
): Array<(mark: Mark) => Phase> {
  return partsOf(sort, after, groups).map((part) => (mark) => {
    const keys = sort.flatMap(({ ref, direction }) =>
      dialect.order(ref, mark).map((key): Key => ({ ...key, direction })),
    );
    return phaseOf(part, keys, after, mark);
  });
}

/** Finds the large groups (more than `maxSorted` records) that a page of this size reaches. */
export function* findLargeGroups(
  source: Pick<RecordSource, 'dialect' | 'table' | 'where' | 'connector' | 'mark'>,
  { sort, after, limit }: SearchPlan,
  maxSorted: number,
  isIndexed = ({ ref }: SortKey): boolean => ref.path.length === 0 && ref.column.indexed,
): Statements<LargeGroups> {
  const [first, second] = sort;
  if (!first || !isIndexed(first)) return {};
  // An index stores equal values in id order, which is not page order if it is read backwards.
  if (second ? !isIndexed(second) : first.direction === 'asc') return {};
  const begin = () => {
    const { values, mark } = beginStatement(source);
    const [key] = source.dialect.order(first.ref, mark);
    const where = [source.where, ...(key!.parts?.all.slice(0, 1) ?? [])];
    return { values, mark, key: { ...key!, direction: first.direction }, where };
  };
  function* isLarge(value: Value): Statements<boolean> {
    const { values, mark, key, where } = begin();
    const group = joinConditions([...where, isEqual(key, value, mark)], 'and');
    const counted = `select 1 as one from ${source.table} r where ${group} limit ${maxSorted + 1}`;
    const [row] = yield { sql: `select count(*) as n from (${counted}) s`, values };
    return Number(row!.n) > maxSorted;
  }
  const value = after?.values[0] ?? null;
  const { values, mark, key, where } = begin();
  const mayGroupNull = key.present !== undefined && second !== undefined;
  if (after && value === null) return mayGroupNull ? { tied: yield* isLarge(null) } : {};
  const tied = after !== undefined && (yield* isLarge(value));
  where.push(after ? isBeyond(key, value, mark) : isPresent(key));
  const [row] = yield {
    sql: `select ${key.sql} as v from ${source.table} r where ${joinConditions(where, 'and')}
      order by ${key.sql} ${key.direction} limit 1 offset ${limit}`,
    values,
  };
  const pivot = row ? (row.v as Value) : mayGroupNull ? null : undefined;
  return pivot !== undefined && (yield* isLarge(pivot)) ? { tied, pivot } : { tied };
}
