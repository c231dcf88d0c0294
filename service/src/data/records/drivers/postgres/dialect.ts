import {
  type Dialect,
  joined,
  likePattern,
  type Mark,
  type OrderParts,
  type Terms,
  type WordTest,
} from '../../dialect.js';
import type { Place } from '../../plan.js';
import { type ColumnType, canonicalText, quoted } from '../../schema.js';

const types: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  json: 'jsonb',
};

/** Longest text that an index holds; Postgres refuses to index much more. */
const longestIndexed = 1000;

/** Tells the texts of a column that an index sorts by. */
export const isShort = (sql: string): string => `octet_length(${sql}) <= ${longestIndexed}`;

/** Tells the others: an equation, which Postgres expects few records to meet although it knows nothing of it. */
export const isLong = (sql: string): string => `(octet_length(${sql}) > ${longestIndexed})::integer = 1`;

const fits = (value: unknown): boolean => typeof value === 'string' && Buffer.byteLength(value) <= longestIndexed;

const isInside = ({ column: { type }, path }: Place): boolean => path.length > 0 || type === 'json';

const column = ({ column: { compared } }: Place): string => `r.${quoted(compared)}`;

/** The parts of a column that are indexed apart; none where one index has all. */
function partsOf({ column: { indexed, type, kind, compared } }: Place): OrderParts | undefined {
  if (!indexed || type !== 'text') return undefined;
  const [short, long] = [isShort, isLong].map((tells) => tells(`r.${quoted(compared)}`)) as [string, string];
  // What instants are compared by is never long.
  if (kind === 'date-time') return { all: [short], of: () => short };
  return { all: [short, long], of: (value) => (fits(value) ? short : long) };
}

const typeOf = ({ column: { type } }: Place): string => types[type];

/** What lies at a place in `rest`; arrays have nothing by a name. */
const json = ({ column: { field }, path }: Place, mark: Mark): string =>
  `(r.rest${[field, ...path].map((name) => ` -> ${mark(name)}::text`).join('')})`;

const insideText = (value: string): string =>
  `(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end)`;

const insideNumber = (value: string): string =>
  `(case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::double precision end)`;

/** The text at a place; null for anything else. */
export const textAt = (place: Place, mark: Mark): string =>
  isInside(place) ? insideText(json(place, mark)) : `r.${quoted(place.column.stored)}`;

// Every list is one parameter, however long.
const list = (values: readonly unknown[], type: string, mark: Mark): string => `any(${mark(values)}::${type}[])`;

const anyJson = (values: readonly unknown[], mark: Mark): string =>
  `any(${mark(values.map(canonicalText))}::text[]::jsonb[])`;

/** A term in quotes, as Postgres's full-text search reads it. */
export const lexeme = (term: string): string => `'${term.replaceAll(/['\\]/g, (sign) => sign + sign)}'`;

/** Terms as a query of Postgres's full-text search, each in quotes. */
export function termQuery(terms: Terms): string {
  if (typeof terms === 'string') return lexeme(terms);
  const [parts, by] = 'any' in terms ? [terms.any, ' | '] : [terms.all, ' & '];
  // No record holds a term without a scope.
  return parts.length === 0 ? lexeme('none') : `(${parts.map(termQuery).join(by)})`;
}

/** Postgres's way of saying things; tests of words have been decided beforehand, or are made `later`. */
export function postgresDialect(
  decided: ReadonlyMap<WordTest, readonly string[]>,
  later: readonly WordTest[] = [],
): Dialect {
  return {
    among(place, values, mark) {
      if (isInside(place)) return `${json(place, mark)} = ${anyJson(values, mark)}`;
      const sql = column(place);
      const type = typeOf(place);
      const found =
        values.length === 1 ? `${sql} = ${mark(values[0])}::${type}` : `${sql} = ${list(values, type, mark)}`;
      // Repeats what the index says of itself, without which it would not be used.
      return place.column.indexed && type === 'text' && values.every(fits) ? `(${found} and ${isShort(sql)})` : found;
    },
    missing(place, mark) {
      if (!isInside(place)) return `r.${quoted(place.column.stored)} is null`;
      return `coalesce(${json(place, mark)}, 'null') = 'null'::jsonb`;
    },
    compare(place, sign, value, mark) {
      if (!isInside(place)) {
        const found = `${column(place)} ${sign} ${mark(value)}::${typeOf(place)}`;
        const parts = partsOf(place)?.all.map((part) => joined([found, part], 'and'));
        return parts ? joined(parts, 'or') : found;
      }
      const inside = json(place, mark);
      return typeof value === 'string'
        ? `(${insideText(inside)}) collate "C" ${sign} ${mark(value)}::text collate "C"`
        : `${insideNumber(inside)} ${sign} ${mark(value)}::double precision`;
    },
    like: (place, pattern, mark) =>
      `(${textAt(place, mark)}) collate "C" ilike ${mark(likePattern(pattern))}::text collate "C"`,
    words: (test, mark) =>
      later.includes(test) ? joined([], 'and') : `r.rid = ${list(decided.get(test) ?? [], 'bigint', mark)}`,
    holds(place, values, mark) {
      const inside = json(place, mark);
      return `(case when jsonb_typeof(${inside}) = 'array' then exists (
        select 1 from jsonb_array_elements(${inside}) element
        where element = ${anyJson(values, mark)}) end)`;
    },
    leadsTo: (terms, mark) => `r.terms @@ ${mark(termQuery(terms))}::tsquery`,
    isOne: (records, mark) => `r.rid = ${list(records, 'bigint', mark)}`,
    order(place, mark) {
      if (!isInside(place)) {
        return [{ sql: column(place), typed: (value) => `${value}::${typeOf(place)}`, parts: partsOf(place) }];
      }
      const inside = json(place, mark);
      const rank = `(case jsonb_typeof(${inside}) when 'number' then 0 when 'string' then 1 when 'boolean' then 2 end)`;
      const truth = `when jsonb_typeof(${inside}) = 'boolean' then (${inside} #>> '{}')::boolean::integer`;
      const number = `(case when jsonb_typeof(${inside}) = 'number' then (${inside} #>> '{}')::double precision ${truth} end)`;
      return [
        { sql: rank, typed: (value) => `${value}::integer` },
        { sql: number, typed: (value) => `${value}::double precision` },
        { sql: `(${insideText(inside)} collate "C")`, typed: (value) => `${value}::text` },
      ];
    },
    not: (sql) => `((${sql}) is not true)`,
  };
}
