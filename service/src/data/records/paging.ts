import { type Dialect, joinConditions, type Mark, type OrderKey } from './dialect.js';
import type { Position, SearchPlan, SortKey } from './plan.js';

/** Characters of JSON after which a page ends, however many records more it might have: all of it is in memory at once. */
export const maxPageCharacters = 8 * 2 ** 20;

/** A part of the order: its records all come before those of the next part. */
export interface Phase {
  /** The sort keys, to be read with each record. */
  readonly keys: readonly string[];
  /** What sets the part apart; empty for nothing. */
  readonly where: string;
  readonly orderBy: string;
  /** Conditions of which each record meets one, and whose records are found soonest one by one; often there is none. */
  readonly parts: readonly string[];
  /** The same order over what has been found for each of them. */
  readonly mergedBy: string;
}

interface Key extends OrderKey {
  readonly direction: SortKey['direction'];
}

type Value = Position['values'][number];
type Part = 'whole' | 'valued' | 'tied' | 'beyond' | 'empty';

const orderByClause = (keys: readonly Pick<Key, 'sql' | 'direction'>[], id = 'r.id'): string =>
  [...keys.map(({ sql, direction }) => `${sql} ${direction} nulls last`), id].join(', ');

const isBeyond = ({ sql, direction, typed }: Key, value: Value, mark: Mark): string =>
  `${sql} ${direction === 'desc' ? '<' : '>'} ${typed(mark(value))}`;

const isEqual = ({ sql, typed }: Key, value: Value, mark: Mark): string =>
  value === null ? `${sql} is null` : `${sql} = ${typed(mark(value))}`;

/** Holds for what comes after a position in an order by these keys and then by id. */
function isAfterPosition(keys: readonly Key[], values: readonly Value[], id: string, mark: Mark): string {
  const [key, ...rest] = keys;
  if (!key) return `r.id > ${mark(id)}`;
  const value = values[0] ?? null;
  const tie = `(${isEqual(key, value, mark)} and ${isAfterPosition(rest, values.slice(1), id, mark)})`;
  return value === null ? tie : `(${isBeyond(key, value, mark)} or ${key.sql} is null or ${tie})`;
}

function partsOf(sort: SearchPlan['sort'], after: Position | undefined): Part[] {
  if (sort.length === 0) return ['whole'];
  if (!after) return ['valued', 'empty'];
  return after.values[0] === null ? ['tied'] : ['tied', 'beyond', 'empty'];
}

function phaseOf(part: Part, keys: readonly Key[], after: Position | undefined, mark: Mark): Phase {
  const selected = keys.map(({ sql }) => sql);
  const [first, ...rest] = keys;
  const merged = keys.map(({ direction }, index) => ({ sql: `k${index}`, direction }));
  const whole = { keys: selected, parts: [], mergedBy: orderByClause(merged, 'rid') };
  if (!first)
    return { ...whole, where: after ? isAfterPosition([], [], after.id, mark) : '', orderBy: orderByClause([]) };
  const value = after?.values[0] ?? null;
  switch (part) {
    case 'tied': {
      const inner = isAfterPosition(rest, after!.values.slice(1), after!.id, mark);
      const part = value === null || !first.parts ? [] : [first.parts.of(value)];
      return {
        ...whole,
        where: joinConditions([isEqual(first, value, mark), ...part, inner], 'and'),
        orderBy: orderByClause(rest),
      };
    }
    case 'empty':
      return { ...whole, where: `${first.sql} is null`, orderBy: orderByClause(rest) };
    default: {
      const where = part === 'beyond' ? isBeyond(first, value, mark) : `${first.sql} is not null`;
      const parts = first.parts?.all ?? [];
      return { ...whole, where, parts, orderBy: `${first.sql} ${first.direction}, ${orderByClause(rest)}` };
    }
  }
}

/**
 * The parts of an order that lie behind a position, or all of them. Records that tie in the first key, those beyond it
 * and those without it come one after the other: each part then is one stretch of an index.
 */
export function phasesOf(
  dialect: Dialect,
  sort: SearchPlan['sort'],
  after: Position | undefined,
): Array<(mark: Mark) => Phase> {
  return partsOf(sort, after).map((part) => (mark) => {
    const keys = sort.flatMap(({ ref, direction }) =>
      dialect.order(ref, mark).map((key): Key => ({ ...key, direction })),
    );
    return phaseOf(part, keys, after, mark);
  });
}
