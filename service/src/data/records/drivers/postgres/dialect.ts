import {
  type Dialect,
  joinConditions,
  likePattern,
  type Mark,
  type OrderParts,
  type Terms,
  type WordTest,
} from '../../dialect.js';
import type { FieldRef } from '../../plan.js';
import { type ColumnType, canonicalText, escapeText, isObject, quoteIdentifier } from '../../schema.js';

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

const isIndexable = (value: unknown): boolean =>
  typeof value === 'string' && Buffer.byteLength(value) <= maxIndexedLength;

const isInside = ({ column: { type }, path }: FieldRef): boolean => path.length > 0 || type === 'json';

const column = ({ column: { compared } }: FieldRef): string => `r.${quoteIdentifier(compared)}`;

/** The separately indexed parts of a column; undefined if a single index covers it. */
function partsOf({ column: { indexed, type, kind, compared } }: FieldRef): OrderParts | undefined {
  if (!indexed || type !== 'text') return undefined;
  const [short, long] = [isShort, isLong].map((tells) => tells(`r.${quoteIdentifier(compared)}`)) as [string, string];
  // The comparison form of an instant is always short.
  if (kind === 'date-time') return { all: [short], of: () => short };
  return { all: [short, long], of: (value) => (isIndexable(value) ? short : long) };
}

const typeOf = ({ column: { type } }: FieldRef): string => columnTypes[type];

/** The value at a path in `rest`; arrays have no named members. */
const json = ({ column: { field }, path }: FieldRef, mark: Mark): string =>
  `(r.rest${[field, ...path].map((name) => ` -> ${mark(name)}::text`).join('')})`;

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

/** Whether a value contains all parts of another; missing parts count as null. */
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

/** The Postgres dialect; word tests are evaluated beforehand or marked `deferred`. */
export function postgresDialect(
  recordsByTest: ReadonlyMap<WordTest, readonly string[]>,
  deferred: readonly WordTest[] = [],
): Dialect {
  return {
    among(ref, values, mark) {
      if (isInside(ref)) return `${json(ref, mark)} = ${anyJson(values, mark)}`;
      const sql = column(ref);
      const type = typeOf(ref);
      const comparison =
        values.length === 1 ? `${sql} = ${mark(values[0])}::${type}` : `${sql} = ${list(values, type, mark)}`;
      // Repeats the partial index's predicate; otherwise, Postgres would not use the index.
      return ref.column.indexed && type === 'text' && values.every(isIndexable)
        ? `(${comparison} and ${isShort(sql)})`
        : comparison;
    },
    present(ref, mark) {
      return this.not(this.missing(ref, mark));
    },
    missing(ref, mark) {
      if (!isInside(ref)) return `r.${quoteIdentifier(ref.column.stored)} is null`;
      return `coalesce(${json(ref, mark)}, 'null') = 'null'::jsonb`;
    },
    compare(ref, sign, value, mark) {
      if (!isInside(ref)) {
        const comparison = `${column(ref)} ${sign} ${mark(value)}::${typeOf(ref)}`;
        const parts = partsOf(ref)?.all.map((part) => joinConditions([comparison, part], 'and'));
        return parts ? joinConditions(parts, 'or') : comparison;
      }
      const inside = json(ref, mark);
      return typeof value === 'string'
        ? `(${insideText(inside)}) collate "C" ${sign} ${mark(value)}::text collate "C"`
        : `${insideNumber(inside)} ${sign} ${mark(value)}::double precision`;
    },
    like: (ref, pattern, mark) =>
      `(${textAt(ref, mark)}) collate "C" ilike ${mark(likePattern(pattern))}::text collate "C"`,
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
      if (!isInside(ref)) {
        return [{ sql: column(ref), typed: (value) => `${value}::${typeOf(ref)}`, parts: partsOf(ref) }];
      }
      const inside = json(ref, mark);
      const rank = `(case jsonb_typeof(${inside}) when 'number' then 0 when 'string' then 1 when 'boolean' then 2 end)`;
      const truth = `when jsonb_typeof(${inside}) = 'boolean' then (${inside} #>> '{}')::boolean::integer`;
      const number = `(case when jsonb_typeof(${inside}) = 'number' then (${inside} #>> '{}')::double precision ${truth} end)`;
      return [
        { sql: rank, typed: (value) => `${value}::integer` },
        { sql: number, typed: (value) => `${value}::double precision` },
        { sql: `(${insideText(inside)} collate "C")`, typed: (value) => `${value}::text` },
      ];
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
    jsonText: (sql) => `${sql}::text`,
    textMark: (value, mark) => `${mark(value)}::text`,
    // Sums of doubles overflow with an error; sums of numerics do not.
    number: (operator, sql) =>
      operator === 'sum' || operator === 'avg' ? `${operator}(${sql}::numeric)` : `${operator}(${sql})`,
    extreme: (operator, sql) => `${operator}(${sql} collate "C")`,
    typeAt: (ref, mark) => `jsonb_typeof(${json(ref, mark)})`,
    namesAt: (ref, mark) => `jsonb_object_keys(${json(ref, mark)}) names(key)`,
    not: (sql) => `((${sql}) is not true)`,
  };
}
