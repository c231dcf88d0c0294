import {
  type Dialect,
  joinConditions,
  type LikeTest,
  likePattern,
  type Mark,
  type OrderParts,
  type Terms,
  type WordTest,
} from '../../dialect.js';
import type { FieldRef } from '../../plan.js';
import {
  type ColumnType,
  canonicalText,
  escapeText,
  isObject,
  isScalar,
  quoteIdentifier,
  type Scalar,
} from '../../schema.js';
import { isPlainName } from '../../search-indexes.js';
import { foldedCharacters } from '../../words/fold.js';
import { endOf, innerKey, keyOf, startOf } from './inner-key.js';

const columnTypes: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  json: 'jsonb',
};

/** Longest indexed text; Postgres rejects index entries that are much longer. */
const maxIndexedLength = 1000;

/** Matches values short enough for the sort index. */
export const isShort = (sql: string): string => `octet_length(${sql}) <= ${maxIndexedLength}`;

/**
 * Matches longer values. Written as an equality, because Postgres then expects few matching rows even without
 * statistics.
 */
export const isLong = (sql: string): string => `(octet_length(${sql}) > ${maxIndexedLength})::integer = 1`;

/** Whether composing or folding the case of a text changes more than its ASCII letters; fast for ASCII texts. */
export const isFoldable = (text: string): string =>
  `(case when octet_length(${text}) = length(${text}) then false else (${text}) collate "C" ~ '[${foldedCharacters}]' end)`;

const isIndexable = (value: unknown): boolean =>
  typeof value === 'string' && Buffer.byteLength(value) <= maxIndexedLength;

const isInside = ({ column: { type }, path }: FieldRef): boolean => path.length > 0 || type === 'json';

const column = ({ column: { compared } }: FieldRef): string => `r.${quoteIdentifier(compared)}`;

/** Whether an index sorts by a field or path. */
export type IsOrdered = (ref: FieldRef) => boolean;

/** What an index that sorts by a field or path contains. */
export const indexedValue = (ref: FieldRef, mark: Mark): string =>
  isInside(ref) ? innerKey(json(ref, mark)) : column(ref);

/** Whether some values may be too long for an index. */
export const mayBeLong = (ref: FieldRef): boolean =>
  isInside(ref) || (ref.column.type === 'text' && ref.column.kind !== 'date-time');

/** Whether an index can find the records with these values. */
export const areIndexable = (ref: FieldRef, values: readonly unknown[]): boolean =>
  isInside(ref)
    ? values.every((value) => isScalar(value) && isIndexable(keyOf(escaped(value))))
    : ref.column.type !== 'text' || values.every(isIndexable);

const escaped = (value: Scalar): Scalar => (typeof value === 'string' ? escapeText(value) : value);

const isOrderedInEveryTable: IsOrdered = ({ column: { indexed }, path }) => indexed && path.length === 0;

const typeOf = ({ column: { type } }: FieldRef): string => columnTypes[type];

/** The value at a path in `rest`; arrays have no named members. Plain names are inlined, as in indexes. */
const json = ({ column: { field }, path }: FieldRef, mark: Mark): string =>
  `(r.rest${[field, ...path].map((name) => ` -> ${isPlainName(name) ? `'${name}'` : mark(name)}::text`).join('')})`;

const insideText = (value: string): string =>
  `(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end)`;

const insideNumber = (value: string): string =>
  `(case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::double precision end)`;

/** The text at a path; null for anything else. */
export const textAt = (ref: FieldRef, mark: Mark): string =>
  isInside(ref) ? insideText(json(ref, mark)) : `r.${quoteIdentifier(ref.column.stored)}`;

// A list is bound as one parameter, regardless of its length.
const list = (values: readonly unknown[], type: string, mark: Mark): string => `any(${mark(values)}::${type}[])`;

const anyJson = (values: readonly unknown[], mark: Mark): string =>
  `any(${mark(values.map(canonicalText))}::text[]::jsonb[])`;

/** Whether a value contains all parts of another; missing parts are treated as null. */
function hasParts(sql: string, wanted: unknown, mark: Mark): string {
  if (wanted === null) return `coalesce(${sql}, 'null') = 'null'::jsonb`;
  if (!isObject(wanted)) return `${sql} = ${mark(canonicalText(wanted))}::text::jsonb`;
  const parts = Object.entries(wanted).map(([name, part]) =>
    hasParts(`(${sql} -> ${mark(escapeText(name))}::text)`, part, mark),
  );
  return joinConditions([`jsonb_typeof(${sql}) = 'object'`, ...parts], 'and');
}

/** A quoted term for Postgres full-text search. */
export const lexeme = (term: string): string => `'${term.replaceAll(/['\\]/g, (sign) => sign + sign)}'`;

/** Terms as a `tsquery`, each quoted. */
export function termQuery(terms: Terms): string {
  if (typeof terms === 'string') return lexeme(terms);
  const [parts, by] = 'any' in terms ? [terms.any, ' | '] : [terms.all, ' & '];
  // Matches nothing, because every stored term has a scope.
  return parts.length === 0 ? lexeme('none') : `(${parts.map(termQuery).join(by)})`;
}

/** A test that Postgres may be unable to decide. */
type UndecidedTest = WordTest | LikeTest;

/** The Postgres dialect; word tests are evaluated beforehand or marked `deferred`. */
export function postgresDialect(
  recordsByTest: ReadonlyMap<UndecidedTest, readonly string[]>,
  deferred: readonly UndecidedTest[] = [],
  isOrdered: IsOrdered = isOrderedInEveryTable,
): Dialect {
  /** The parts with separate indexes; undefined if there is one index or none. */
  function partsOf(ref: FieldRef, sql: string): OrderParts | undefined {
    if (!isOrdered(ref) || !(isInside(ref) || ref.column.type === 'text')) return undefined;
    const [short, long] = [isShort(sql), isLong(sql)];
    return mayBeLong(ref)
      ? { all: [short, long], of: (value) => (isIndexable(value) ? short : long) }
      : { all: [short], of: () => short };
  }
  /**
   * Repeats a condition for each part, together with the part's predicate, without which Postgres would not use its
   * index.
   */
  const inParts = (ref: FieldRef, sql: string, condition: string): string => {
    const parts = partsOf(ref, sql)?.all.map((part) => joinConditions([condition, part], 'and'));
    return parts ? joinConditions(parts, 'or') : condition;
  };
  const dialect: Dialect = {
    among(ref, values, mark) {
      const isKey = isInside(ref) && isOrdered(ref) && areIndexable(ref, values);
      if (isInside(ref) && !isKey) return `${json(ref, mark)} = ${anyJson(values, mark)}`;
      const sql = indexedValue(ref, mark);
      const type = isKey ? 'text' : typeOf(ref);
      const wanted = isKey ? values.map((value) => keyOf(escaped(value as Scalar))) : values;
      const comparison =
        wanted.length === 1 ? `${sql} = ${mark(wanted[0])}::${type}` : `${sql} = ${list(wanted, type, mark)}`;
      return isOrdered(ref) && type === 'text' && areIndexable(ref, values)
        ? `(${comparison} and ${isShort(sql)})`
        : comparison;
    },
    present(ref, mark) {
      const { stored, compared } = ref.column;
      if (isInside(ref) || stored !== compared) return this.not(this.missing(ref, mark));
      return inParts(ref, column(ref), `${column(ref)} is not null`);
    },
    missing(ref, mark) {
      if (!isInside(ref)) return `r.${quoteIdentifier(ref.column.stored)} is null`;
      return `coalesce(${json(ref, mark)}, 'null') = 'null'::jsonb`;
    },
    compare(ref, sign, value, mark) {
      if (!isInside(ref)) return inParts(ref, column(ref), `${column(ref)} ${sign} ${mark(value)}::${typeOf(ref)}`);
      if (isOrdered(ref) && typeof value !== 'boolean') {
        const key = indexedValue(ref, mark);
        const bound = sign.startsWith('>') ? `< ${mark(endOf(value))}` : `>= ${mark(startOf(value))}`;
        return inParts(ref, key, `(${key} ${sign} ${mark(keyOf(value))}::text and ${key} ${bound}::text)`);
      }
      const inside = json(ref, mark);
      return typeof value === 'string'
        ? `(${insideText(inside)}) collate "C" ${sign} ${mark(value)}::text collate "C"`
        : `${insideNumber(inside)} ${sign} ${mark(value)}::double precision`;
    },
    like(test, mark) {
      const text = textAt(test.ref, mark);
      const isLike = `(${text}) collate "C" ilike ${mark(likePattern(test.pattern))}::text collate "C"`;
      if (test.isExact) return isLike;
      if (deferred.includes(test)) return `(${isLike} or ${isFoldable(text)})`;
      const records = recordsByTest.get(test) ?? [];
      const isPlain = `(${isLike} and not ${isFoldable(text)})`;
      return records.length === 0 ? isPlain : `(${isPlain} or r.rid = ${list(records, 'bigint', mark)})`;
    },
    words: (test, mark) =>
      deferred.includes(test)
        ? joinConditions([], 'and')
        : `r.rid = ${list(recordsByTest.get(test) ?? [], 'bigint', mark)}`,
    containsAny(ref, values, mark) {
      const inside = json(ref, mark);
      const plain = values.filter((value) => !isObject(value));
      const tests = values.filter(isObject).map((value) => hasParts('element', value, mark));
      if (plain.length > 0) tests.push(`element = ${anyJson(plain, mark)}`);
      return `(case when jsonb_typeof(${inside}) = 'array' then exists (
        select 1 from jsonb_array_elements(${inside}) element where ${joinConditions(tests, 'or')}) end)`;
    },
    matchesTerms: (terms, mark) => `r.terms @@ ${mark(termQuery(terms))}::tsquery`,
    isOneOf: (records, mark) => `r.rid = ${list(records, 'bigint', mark)}`,
    order(ref, mark) {
      const sql = indexedValue(ref, mark);
      const type = isInside(ref) ? 'text' : typeOf(ref);
      return [{ sql, typed: (value) => `${value}::${type}`, parts: partsOf(ref, sql) }];
    },
    groupKey: (ref, mark) =>
      isInside(ref)
        ? `nullif(${json(ref, mark)}, 'null'::jsonb)`
        : // A truncated key is tied with others; the id breaks the tie.
          ref.column.kind === 'string'
          ? textAt(ref, mark)
          : column(ref),
    storedText: ({ column: { stored } }) => `r.${quoteIdentifier(stored)}`,
    plainText: textAt,
    numberAt(ref, mark) {
      if (isInside(ref)) return insideNumber(json(ref, mark));
      const stored = `r.${quoteIdentifier(ref.column.stored)}`;
      // Integers are stored as JSON, some of them quoted.
      return ref.column.kind === 'integer'
        ? `(case when ${column(ref)} is not null then trim(both '"' from ${stored})::numeric end)`
        : stored;
    },
    // A cast from double to numeric keeps 15 digits; the text of a double is its shortest form.
    exactNumberAt: (ref, mark) => `(${dialect.numberAt(ref, mark)})::text::numeric`,
    exactSum: (sql) => `sum(${sql})::text`,
    calendarDate({ column: { stored } }) {
      const text = `r.${quoteIdentifier(stored)}`;
      return `(case when ${text} ~ '^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$' then replace(${text}, '-', '') end)`;
    },
    jsonText: (sql) => `(${sql}::text collate "C")`,
    textMark: (value, mark) => `${mark(value)}::text`,
    number: (operator, sql) => `${operator}(${sql})`,
    extreme: (operator, sql) => `${operator}(${sql} collate "C")`,
    typeAt: (ref, mark) => `jsonb_typeof(${json(ref, mark)})`,
    namesAt: (ref, mark) => `jsonb_object_keys(${json(ref, mark)}) names(key)`,
    not: (sql) => `((${sql}) is not true)`,
  };
  return dialect;
}
