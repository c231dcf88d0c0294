import type { Mark } from './dialect.js';
import { beginStatement, type RecordSource, type Statements } from './places.js';
import type { Aggregate, Condition, FieldRef, Summary } from './plan.js';
import { parseCanonicalText, separator, unescapeText } from './schema.js';

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
}

/** Maximum number of groups read. */
const maxGroups = 10_000;

/** The summary when there are no records. */
export const noGroups = ({ groupBy, aggregates }: Summary): Groups => ({
  groups: groupBy.length > 0 ? [] : [{ values: [], count: 0, aggregates: aggregates.map(() => null) }],
  more: false,
});

export const isInside = ({ column, path }: FieldRef): boolean => path.length > 0 || column.type === 'json';
const isKeyed = ({ column: { kind } }: FieldRef): boolean => kind === 'date-time' || kind === 'integer';

/** A selected expression, and how to read its value from a row. */
interface Selected {
  readonly inner: string;
  readonly outer: string;
}

/** Summarizes the records that match a condition. */
export function* summarize(source: RecordSource, summary: Summary): Statements<Groups> {
  const { dialect } = source;
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
    add(dialect.groupKey(ref, mark), isInside(ref) ? dialect.jsonText : (name) => name, `k${index}`, true);
    // Equal values can have different spellings.
    if (isKeyed(ref)) add(dialect.storedText(ref), (name) => dialect.extreme('min', name), `v${index}`);
  }
  for (const [index, aggregate] of summary.aggregates.entries()) {
    const { ref, operator } = aggregate;
    const isSum = operator === 'sum' || operator === 'avg';
    if (isSum || isInside(ref) || ref.column.kind === 'number')
      add(dialect.numberAt(ref, mark), (name) => dialect.number(operator, name), `n${index}`);
    if (!isSum && ref.column.kind !== 'number')
      add(orderedText(source, ref, mark), (name) => dialect.extreme(operator, name), `t${index}`);
  }
  const inner = columns.length > 0 ? columns.map((column) => column.inner).join(', ') : '1 as one';
  const outer = ['count(*) as n', ...columns.map((column) => column.outer)].join(', ');
  const grouped =
    keys.length > 0 ? `group by ${keys.join(', ')} order by n desc, ${keys.join(', ')} limit ${maxGroups + 1}` : '';
  const rows = yield { sql: `select ${outer} from (select ${inner} from ${from} where ${where}) s ${grouped}`, values };
  return {
    groups: rows.slice(0, maxGroups).map((row) => ({
      values: summary.groupBy.map((ref, index) => groupValue(ref, row[`k${index}`], row[`v${index}`])),
      count: Number(row.n),
      aggregates: summary.aggregates.map((one, index) => aggregateValue(one, row[`n${index}`], row[`t${index}`])),
    })),
    more: rows.length > maxGroups,
  };
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

/** Counts matching records; undefined if that would scan more than `maxScanned`. */
export function* countUpTo(
  source: RecordSource,
  condition: Condition | undefined,
  maxScanned: number,
): Statements<number | undefined> {
  const all = yield* countMatches(source, undefined, maxScanned);
  return all === undefined || condition === undefined ? all : yield* countMatches(source, condition, maxScanned);
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

function aggregateValue({ ref, operator }: Aggregate, number: unknown, text: unknown): unknown {
  const found = numberOf(number);
  if (typeof text !== 'string') return found;
  // Inside objects, numbers sort before texts.
  if (isInside(ref)) return operator === 'min' && found !== null ? found : unescapeText(text);
  return storedValue(ref, isKeyed(ref) ? text.slice(text.indexOf(separator) + separator.length) : text);
}
