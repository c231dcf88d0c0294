import { ConnectorError } from 'agent-connectors';
import { compareSums } from './decimal.js';
import type { StoredRecord } from './entity.js';
import type { Aggregate, FieldRef, Summary } from './plan.js';
import { canonicalText, instantKey, integerKey } from './schema.js';
import { type Group, type Groups, isInside } from './summary.js';
import type { SearchResult } from './types.js';

/** The groups of a result, in the requested order. */
export function summaryResult(
  summary: Summary,
  { groups, more, maxPeriods }: Groups,
  limit: number,
  took_ms: number,
): SearchResult {
  if (maxPeriods !== undefined) {
    throw new ConnectorError('invalid_params', `The records fall into more than ${maxPeriods} periods of time.`, {
      hint: 'Group by a longer period, or add a filter for a range of time.',
    });
  }
  const page = sortGroups(summary, groups).slice(0, limit);
  return {
    data: page.map((group) => rowOfGroup(summary, group)),
    meta: {
      has_more: more || groups.length > limit,
      cursor: null,
      took_ms,
      total: groups.length,
      total_is_exact: !more,
      ...(summary.groupBy.some(({ period }) => period !== undefined) && {
        time_zone: { name: summary.timeZone, version: process.versions.tz },
      }),
    },
  };
}

const byCodePoint = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Sortable types, in sort order. */
const sortable = ['number', 'string', 'boolean'];
/** In both directions, arrays and objects sort after everything else except null, as for records. */
const place = (value: unknown): number => (value === null ? 2 : Number(!sortable.includes(typeof value)));

/** Orders values: numbers, strings, booleans, everything else, then null. */
function compareValues(ref: FieldRef | undefined, sign: 1 | -1, one: unknown, other: unknown): number {
  const kind = ref && !isInside(ref) ? ref.column.kind : 'any';
  const keyOf = kind === 'date-time' ? instantKey : kind === 'integer' ? integerKey : undefined;
  const [first, second] = keyOf ? [keyOf(one) ?? null, keyOf(other) ?? null] : [one, other];
  const places = place(first) - place(second);
  if (places !== 0 || place(first) > 0) return places;
  if (typeof first !== typeof second) return sign * (sortable.indexOf(typeof first) - sortable.indexOf(typeof second));
  return sign * (typeof first === 'string' ? byCodePoint(first, second as string) : Number(first) - Number(second));
}

/** Whether the aggregate is a number whatever the type of its field. */
const isNumeric = ({ operator }: Aggregate): boolean => operator !== 'min' && operator !== 'max';

/** Sorts groups by the requested order, then by size, then by value. */
function sortGroups({ sort, groupBy, aggregates }: Summary, groups: readonly Group[]): Group[] {
  const comparisons = [...sort, { by: 'count' as const, direction: 'desc' as const }].map(
    ({ by, direction }) =>
      (one: Group, other: Group): number => {
        const sign = direction === 'desc' ? -1 : 1;
        if (by === 'count') return sign * (one.count - other.count);
        const [list, index, ref] =
          'group' in by
            ? (['values', by.group, groupBy[by.group]] as const)
            : (['aggregates', by.aggregate, aggregates[by.aggregate]!.ref] as const);
        const [first, second] = [one[list][index], other[list][index]];
        if ('aggregate' in by && isNumeric(aggregates[by.aggregate]!) && first !== null && second !== null)
          return sign * compareSums(first as number | string, second as number | string);
        return compareValues(ref, sign, first, second);
      },
  );
  const byValues = (one: Group, other: Group): number =>
    groupBy.map((ref, index) => compareValues(ref, 1, one.values[index], other.values[index])).find(Boolean) ??
    byCodePoint(canonicalText(one.values), canonicalText(other.values));
  return [...groups].sort(
    (one, other) => comparisons.map((compare) => compare(one, other)).find(Boolean) ?? byValues(one, other),
  );
}

/** A group as returned to the caller. */
const rowOfGroup = ({ groupBy, aggregates }: Summary, { values, count, aggregates: found }: Group): StoredRecord =>
  Object.fromEntries([
    ...groupBy.map(({ column, path }, index) => [[column.field, ...path].join('.'), values[index]]),
    ['count', count],
    ...aggregates.map(({ name }, index) => [name, found[index]]),
  ]);
