import { meanOf, sumOf } from './decimal.js';
import type { Mark } from './dialect.js';
import { Periods } from './periods.js';
import { beginStatement, type RecordSource, type Statements } from './places.js';
import type { Aggregate, Condition, FieldRef, GroupRef, Summary } from './plan.js';
import { instantAt, instantKeyOf, parseCanonicalText, separator, unescapeText } from './schema.js';

/** Records with equal grouping values: their count and aggregates. */
export interface Group {
  /** In the order of `groupBy`. */
  readonly values: readonly unknown[];
  readonly count: number;
  /** In the order of `aggregates`. */
  readonly aggregates: readonly unknown[];
}

/** The groups, or the largest of them if there are too many. */
export interface Groups {
  readonly groups: readonly Group[];
  readonly more: boolean;
  /** There would be more periods of time than this many, so nothing was read. */
  readonly maxPeriods?: number;
}

/** Maximum number of groups read. */
const maxGroups = 10_000;

/** The summary when there are no records. */
export const noGroups = ({ groupBy, aggregates }: Summary): Groups => ({
  groups:
    groupBy.length > 0
      ? []
      : [
          {
            values: [],
            count: 0,
            aggregates: aggregates.map(({ operator }) => (operator === 'count_distinct' ? 0 : null)),
          },
        ],
  more: false,
});

export const isInside = ({ column, path }: FieldRef): boolean => path.length > 0 || column.type === 'json';
const isKeyed = ({ column: { kind } }: FieldRef): boolean => kind === 'date-time' || kind === 'integer';

/** A selected expression, and how to read its value from a row. */
interface Selected {
  readonly inner: string;
  /** Undefined if another column's expression reads it. */
  readonly outer: string | undefined;
}

/** Summarizes the records that match a condition. */
export function* summarize(source: RecordSource, summary: Summary): Statements<Groups> {
  const { dialect } = source;
  const buckets = new Map<GroupRef, Buckets>();
  for (const ref of summary.groupBy) {
    if (ref.period === undefined) continue;
    const bucket = yield* bucketsOf(source, summary, ref);
    if (!bucket) return { groups: [], more: true, maxPeriods: maxGroups };
    buckets.set(ref, bucket);
  }
  const { values, mark } = beginStatement(source);
  const { from, where } = source.matching(summary.condition, mark);
  const columns: Selected[] = [];
  const keys: string[] = [];
  const add = (inner: string, outer: (name: string) => string, alias: string, isKey = false): void => {
    const name = `c${columns.length}`;
    if (isKey) keys.push(name);
    columns.push({ inner: `${inner} as ${name}`, outer: `${outer(name)} as ${alias}` });
  };
  for (const [index, ref] of summary.groupBy.entries()) {
    const bucket = buckets.get(ref);
    if (bucket) {
      const date = `d${index}`;
      columns.push({ inner: `${dialect.calendarDate(ref)} as ${date}`, outer: undefined });
      add(instantOf(source, ref, mark), (name) => bucket.indexOf(date, name), `k${index}`);
      keys.push(`k${index}`);
      continue;
    }
    add(dialect.groupKey(ref, mark), isInside(ref) ? dialect.jsonText : (name) => name, `k${index}`, true);
    // Equal values can have different spellings.
    if (isKeyed(ref)) add(dialect.storedText(ref), (name) => dialect.extreme('min', name), `v${index}`);
  }
  for (const [index, aggregate] of summary.aggregates.entries()) {
    const { ref, operator } = aggregate;
    if (operator === 'count_distinct') {
      add(dialect.groupKey(ref, mark), (name) => `count(distinct ${name})`, `n${index}`);
      continue;
    }
    const isSum = operator === 'sum' || operator === 'avg';
    if (isSum) {
      const number = dialect.exactNumberAt(ref, mark);
      add(number, dialect.exactSum, `n${index}`);
      if (operator === 'avg') add(number, (name) => `count(${name})`, `m${index}`);
      continue;
    }
    if (isInside(ref) || ref.column.kind === 'number')
      add(dialect.numberAt(ref, mark), (name) => dialect.number(operator, name), `n${index}`);
    if (ref.column.kind !== 'number')
      add(orderedText(source, ref, mark), (name) => dialect.extreme(operator, name), `t${index}`);
  }
  const inner = columns.length > 0 ? columns.map((column) => column.inner).join(', ') : '1 as one';
  const outer = ['count(*) as n', ...columns.flatMap((column) => column.outer ?? [])].join(', ');
  const grouped =
    keys.length > 0 ? `group by ${keys.join(', ')} order by n desc, ${keys.join(', ')} limit ${maxGroups + 1}` : '';
  const rows = yield { sql: `select ${outer} from (select ${inner} from ${from} where ${where}) s ${grouped}`, values };
  return {
    groups: rows.slice(0, maxGroups).map((row) => ({
      values: summary.groupBy.map((ref, index) => {
        const key = row[`k${index}`];
        const names = buckets.get(ref)?.names;
        return names ? (names[Number(key ?? -1)] ?? null) : groupValue(ref, key, row[`v${index}`]);
      }),
      count: Number(row.n),
      aggregates: summary.aggregates.map((one, index) =>
        aggregateValue(one, row[`n${index}`], row[`t${index}`], row[`m${index}`]),
      ),
    })),
    more: rows.length > maxGroups,
  };
}

/** Names of the periods that records fall into, and SQL for a record's index in them. */
interface Buckets {
  readonly names: readonly string[];
  indexOf(date: string, instant: string): string;
}

/** Characters of an instant's key that name a slot of time, and the slot's length: 100,000 seconds. */
const slotCharacters = 7;
const slotMs = 1e8;

/** SQL for a record's instant; null if the field is a calendar date or no instant. */
function instantOf({ dialect }: RecordSource, ref: FieldRef, mark: Mark): string {
  if (ref.column.kind !== 'date-time') return 'null';
  return `case when ${dialect.calendarDate(ref)} is null then ${dialect.groupKey(ref, mark)} end`;
}

/**
 * Computes the periods in which there are matching records, here rather than in SQL, so that all databases use the same
 * time zones. Reads which slots of time have records, since one record can be centuries away from the others.
 */
function* bucketsOf(source: RecordSource, summary: Summary, ref: GroupRef): Statements<Buckets | undefined> {
  const periods = new Periods(ref.period!, summary.timeZone);
  const distinct = function* (sqlOf: (mark: Mark) => string): Statements<string[]> {
    const { values, mark } = beginStatement(source);
    const value = sqlOf(mark);
    const { from, where } = source.matching(summary.condition, mark);
    const inner = `select distinct ${value} as s from ${from} where ${where}`;
    const rows = yield {
      sql: `select s from (${inner}) s where s is not null order by s limit ${maxGroups + 1}`,
      values,
    };
    return rows.map(({ s }) => s as string);
  };
  const dates = yield* distinct(() => source.dialect.calendarDate(ref));
  const slots =
    ref.column.kind === 'date-time'
      ? yield* distinct((mark) => `substr(${instantOf(source, ref, mark)}, 1, ${slotCharacters})`)
      : [];
  if (dates.length > maxGroups || slots.length > maxGroups) return undefined;
  const indexes = new Map<string, number>();
  const indexOf = (name: string) => indexes.get(name) ?? indexes.set(name, indexes.size).size - 1;
  const starts = new Map<string, number>();
  for (const slot of slots) {
    const from = instantAt(slot);
    for (const { instant, name } of periods.between(from, from + slotMs - 1)) {
      starts.set(instantKeyOf(instant), indexOf(name));
      if (starts.size > maxGroups) return undefined;
    }
  }
  const dated = dates.map((date): [string, number | null] => {
    const name = periods.ofDate(date);
    return [date, name === undefined ? null : indexOf(name)];
  });
  const sorted = [...starts].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    names: [...indexes.keys()],
    indexOf: (date, instant) =>
      `case when ${date} is not null then ${bucketCase(date, dated)} else ${bucketCase(instant, sorted)} end`,
  };
}

/** SQL for the index of the last start that a value is not less than; a balanced tree, as databases limit depth. */
function bucketCase(value: string, starts: ReadonlyArray<readonly [key: string, index: number | null]>): string {
  const [first] = starts;
  if (!first) return 'cast(null as integer)';
  if (starts.length === 1) return `case when ${value} >= '${first[0]}' then cast(${first[1]} as integer) end`;
  const middle = starts.length >> 1;
  const [later, earlier] = [starts.slice(middle), starts.slice(0, middle)];
  return `case when ${value} < '${later[0]![0]}' then ${bucketCase(value, earlier)} else ${bucketCase(value, later)} end`;
}

/** Counts the records that meet a condition, or all records; undefined if there are more than `most`. */
export function* countMatches(
  source: RecordSource,
  condition: Condition | undefined,
  most: number,
): Statements<number | undefined> {
  const { values, mark } = beginStatement(source);
  const { from, where } = source.matching(condition, mark);
  const counted = `select 1 as one from ${from} where ${where} limit ${most + 1}`;
  const [row] = yield { sql: `select count(*) as n from (${counted}) s`, values };
  return Number(row!.n) > most ? undefined : Number(row!.n);
}

/** SQL for a text that sorts in value order. */
function orderedText({ dialect }: RecordSource, ref: FieldRef, mark: Mark): string {
  if (!isKeyed(ref)) return dialect.plainText(ref, mark);
  return `${dialect.groupKey(ref, mark)} || ${dialect.textMark(separator, mark)} || ${dialect.storedText(ref)}`;
}

const numberOf = (value: unknown): number | null => {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  // Databases disagree on the sign of a zero sum.
  return Number.isFinite(number) ? number + 0 : null;
};

const storedValue = ({ column: { kind } }: FieldRef, text: string): unknown =>
  kind === 'integer' ? JSON.parse(text) : unescapeText(text);

export function groupValue(ref: FieldRef, key: unknown, stored: unknown): unknown {
  if (key === null || key === undefined) return null;
  if (isInside(ref)) return parseCanonicalText(key as string);
  if (isKeyed(ref)) return storedValue(ref, stored as string);
  const { kind } = ref.column;
  if (kind === 'boolean') return Boolean(key);
  return kind === 'number' ? numberOf(key) : unescapeText(key as string);
}

function aggregateValue({ ref, operator }: Aggregate, number: unknown, text: unknown, counted: unknown): unknown {
  if (operator === 'count_distinct') return Number(number);
  if (operator === 'sum' || operator === 'avg') {
    if (typeof number !== 'string') return null;
    return operator === 'sum' ? sumOf(number) : meanOf(number, Number(counted));
  }
  const found = numberOf(number);
  if (typeof text !== 'string') return found;
  // Inside objects, numbers sort before texts.
  if (isInside(ref)) return operator === 'min' && found !== null ? found : unescapeText(text);
  return storedValue(ref, isKeyed(ref) ? text.slice(text.indexOf(separator) + separator.length) : text);
}
