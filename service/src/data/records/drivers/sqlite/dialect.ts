import type { SqlValue } from '../../../sqlite.js';
import { type Dialect, likePattern, type Mark, type Terms } from '../../dialect.js';
import { type FieldRef, isSameRef, type PagePosition, type Sign } from '../../plan.js';
import type { InnerValue } from '../../positions.js';
import { canonicalText, escapeText, isScalar, type Layout, quoteIdentifier, type Scalar } from '../../schema.js';
import { isPlainName } from '../../search-indexes.js';

const maxParameters = 16;

const column = ({ column: { compared } }: FieldRef): string => `r.${quoteIdentifier(compared)}`;
const isInside = ({ column: { type }, path }: FieldRef): boolean => path.length > 0 || type === 'json';

/**
 * A path in `rest` in SQLite's JSON path syntax; inlined if it is plain, since SQLite matches index expressions by
 * their text.
 */
function jsonPath({ column: { field }, path }: FieldRef, mark: Mark): string {
  const names = [field, ...path];
  const place = `$${names.map((name) => `."${name}"`).join('')}`;
  return names.every(isPlainName) ? `'${place}'` : mark(place);
}

/** Whether every version of SQLite converts a number's decimal form exactly; before 3.53, not all do. */
const isConvertedExactly = (value: unknown): boolean =>
  typeof value !== 'number' || value === 0 || (Math.abs(value) >= 1e-70 && Math.abs(value) <= 1e70);

/** The cases of a JSON type for numbers. */
function numberCases(at: string): string {
  const value = `r.rest ->> ${at}`;
  const real = `case when abs(${value}) between 1e-70 and 1e70 then ${value} else exact_number(r.rest -> ${at}) end`;
  return `when 'integer' then cast(${value} as real) when 'real' then ${real}`;
}

/**
 * The number, text or boolean inside an object; null for anything else. The types sort in that order, as SQLite's
 * numbers, texts and blobs do.
 */
export function innerOrder(ref: FieldRef, mark: Mark): string {
  const at = jsonPath(ref, mark);
  return `(case json_type(r.rest, ${at}) when 'text' then r.rest ->> ${at} ${numberCases(at)} when 'false' then x'00' when 'true' then x'01' end)`;
}

/** A value inside an object, as `innerOrder` represents it: booleans are blobs. */
export const joinInner = ([rank, number, text]: InnerValue): PagePosition['values'][number] =>
  (rank === 2 ? new Uint8Array([Number(number)]) : (text ?? number)) as PagePosition['values'][number];

export function splitInner(key: NonNullable<SqlValue>): InnerValue {
  if (key instanceof Uint8Array) return [2, key[0]!, null];
  return typeof key === 'string' ? [1, null, key] : [0, Number(key), null];
}

// One module binds very small numbers as text. A cast would also convert the text values they are compared with.
const typedInner = (mark: string, value: unknown): string => (typeof value === 'number' ? `(${mark} + 0.0)` : mark);

/** Compares text with text and numbers with numbers. */
function compareInner(inner: string, sign: Sign, value: string | number | boolean, mark: Mark): string {
  const comparison = `${inner} ${sign} ${typedInner(mark(value), value)}`;
  const isText = typeof value === 'string';
  if (sign.startsWith('>')) return `(${comparison} and ${inner} < ${isText ? "x''" : "''"})`;
  return isText ? `(${comparison} and ${inner} >= '')` : comparison;
}

/** The text or the number inside an object; null for anything else. */
function innerValue(ref: FieldRef, type: 'text' | 'number', mark: Mark): string {
  const at = jsonPath(ref, mark);
  const cases = type === 'text' ? `when 'text' then r.rest ->> ${at}` : numberCases(at);
  return `(case json_type(r.rest, ${at}) ${cases} end)`;
}

const json = (ref: FieldRef, mark: Mark): string => `(r.rest -> ${jsonPath(ref, mark)})`;

function text(ref: FieldRef, mark: Mark): string {
  if (!isInside(ref)) return `r.${quoteIdentifier(ref.column.stored)}`;
  return innerValue(ref, 'text', mark);
}

/** Whether values are bound as one JSON list, so that their number does not change the statement. */
const isList = (values: readonly unknown[]): boolean =>
  values.length > maxParameters && values.every(isConvertedExactly);

/** Whether a value inside an object, as `innerOrder` represents it, is one of these. */
function oneInner(inner: string, values: readonly Scalar[], mark: Mark): string {
  if (isList(values)) {
    const list = mark(canonicalText(values));
    const wanted = `case type when 'false' then x'00' when 'true' then x'01' when 'text' then value else cast(value as real) end`;
    return `${inner} in (select ${wanted} from json_each(${list}))`;
  }
  const wanted = values.map((value) => {
    if (typeof value === 'boolean') return value ? "x'01'" : "x'00'";
    return typeof value === 'string' ? mark(escapeText(value)) : typedInner(mark(value), value);
  });
  return `${inner} in (${wanted.join(', ')})`;
}

function oneOf(sql: string, values: readonly unknown[], mark: Mark): string {
  if (values.length === 1) return `${sql} = ${mark(values[0])}`;
  if (!isList(values)) return `${sql} in (${values.map(mark).join(', ')})`;
  return `${sql} in (select value from json_each(${mark(JSON.stringify(values))}))`;
}

/** Terms as an FTS5 query, each a quoted string so that none is parsed as an operator. */
export function matchQuery(terms: Terms): string {
  if (typeof terms === 'string') return `"${terms.replaceAll('"', '""')}"`;
  const [parts, by] = 'any' in terms ? [terms.any, ' OR '] : [terms.all, ' AND '];
  // Matches nothing, because every stored term has a scope.
  return parts.length === 0 ? '"none"' : `(${parts.map(matchQuery).join(by)})`;
}

/** True while the search has time left; sampled by row id, because each call is expensive. */
export const withinTime = (rid: string, mask: number): string => `(${rid} & ${mask} or within_time())`;

/** Row id mask: one in `rowMask + 1` examined records checks the time. */
export const rowMask = 7;

/** Index rows check the time less often, because they are faster to read than records. */
export const indexMask = 63;

/** Selects the numbers of the records with the given terms, as `rowid`. */
export const recordsWith = (words: string, terms: Terms, mark: Mark): string =>
  `select rowid from ${quoteIdentifier(words)} where ${quoteIdentifier(words)} match ${mark(matchQuery(terms))} and ${withinTime('rowid', indexMask)}`;

/**
 * The SQLite dialect for one entity table. With `orderedBy`, conditions on other columns do not use indexes, so
 * records are scanned in that order.
 */
export function sqliteDialect({ words }: Layout, orderedBy?: FieldRef | 'id'): Dialect {
  const isOrder = (ref: FieldRef): boolean =>
    orderedBy === undefined || (orderedBy !== 'id' && isSameRef(ref, orderedBy));
  const sign = (ref: FieldRef): string => (isOrder(ref) ? '' : '+');
  const comparable = (ref: FieldRef): string => `${sign(ref)}${column(ref)}`;
  const dialect: Dialect = {
    among(ref, values, mark) {
      if (!isInside(ref)) return oneOf(comparable(ref), values, mark);
      if (ref.path.length > 0 && values.every(isScalar)) {
        return oneInner(`${sign(ref)}${innerOrder(ref, mark)}`, values, mark);
      }
      return oneOf(json(ref, mark), values.map(canonicalText), mark);
    },
    missing(ref, mark) {
      if (!isInside(ref)) return `${sign(ref)}r.${quoteIdentifier(ref.column.stored)} is null`;
      return `coalesce(json_type(r.rest, ${jsonPath(ref, mark)}), 'null') = 'null'`;
    },
    present(ref, mark) {
      if (isInside(ref)) return this.not(this.missing(ref, mark));
      return `${sign(ref)}r.${quoteIdentifier(ref.column.stored)} is not null`;
    },
    compare(ref, operator, value, mark) {
      if (!isInside(ref)) return `${comparable(ref)} ${operator} ${mark(value)}`;
      return compareInner(`${sign(ref)}${innerOrder(ref, mark)}`, operator, value, mark);
    },
    like({ ref, pattern, isExact }, mark) {
      const value = text(ref, mark);
      const like = `${value} like ${mark(likePattern(pattern))} escape '\\'`;
      if (isExact) return like;
      // SQLite folds the case of ASCII letters alone, which is faster than calling a function.
      return `(case when octet_length(${value}) = length(${value}) then ${like} else is_like(${value}, ${mark(JSON.stringify(pattern))}) end)`;
    },
    words: (test, mark) =>
      test.test === 'keyword' && test.form
        ? `has_form(${text(test.ref, mark)}, ${mark(JSON.stringify([test.form, test.text, test.wanted]))})`
        : test.test === 'keyword'
          ? `has_word(${text(test.ref, mark)}, ${mark(JSON.stringify(test.wanted))})`
          : `has_words(${text(test.ref, mark)}, ${mark(JSON.stringify(test.words))})`,
    containsAny: (ref, values, mark) =>
      `holds_one(${json(ref, mark)}, ${mark(JSON.stringify(values.map(canonicalText)))})`,
    // The unary plus keeps SQLite from starting with this index.
    matchesTerms: (terms, mark) => `+r.rid in (${recordsWith(words, terms, mark)})`,
    isOneOf: (records, mark, first) =>
      `${first ? '' : '+'}r.rid in (select value from json_each(${mark(JSON.stringify(records))}))`,
    order(ref, mark) {
      if (!isInside(ref)) {
        return [{ sql: column(ref), typed: (value: string) => value, unindexed: `+${column(ref)}` }];
      }
      const inner = innerOrder(ref, mark);
      // SQLite does not treat `is not null` as an index range.
      return [{ sql: inner, typed: typedInner, unindexed: `+${inner}`, present: `${inner} >= -9e999` }];
    },
    groupKey: (ref, mark) =>
      isInside(ref)
        ? `nullif(${json(ref, mark)}, 'null')`
        : ref.column.kind === 'string'
          ? text(ref, mark)
          : column(ref),
    storedText: ({ column: { stored } }) => `r.${quoteIdentifier(stored)}`,
    plainText: text,
    numberAt(ref, mark) {
      if (!isInside(ref)) {
        const stored = `r.${quoteIdentifier(ref.column.stored)}`;
        // Integers are stored as JSON, some of them quoted.
        const digits = `cast(trim(${stored}, '"') as real)`;
        return ref.column.kind === 'integer' ? `(case when ${column(ref)} is not null then ${digits} end)` : stored;
      }
      return innerValue(ref, 'number', mark);
    },
    exactNumberAt(ref, mark) {
      if (isInside(ref) || ref.column.kind !== 'integer') return dialect.numberAt(ref, mark);
      return `(case when ${column(ref)} is not null then trim(r.${quoteIdentifier(ref.column.stored)}, '"') end)`;
    },
    exactSum: (sql) => `exact_sum(${sql})`,
    calendarDate({ column: { stored } }) {
      const text = `r.${quoteIdentifier(stored)}`;
      const digits = (count: number) => '[0-9]'.repeat(count);
      const forms = [`${digits(4)}-${digits(2)}-${digits(2)}`, digits(8)];
      return `(case when ${forms.map((form) => `${text} glob '${form}'`).join(' or ')} then replace(${text}, '-', '') end)`;
    },
    jsonText: (sql) => sql,
    textMark: (value, mark) => mark(value),
    number: (operator, sql) => `${operator}(${sql})`,
    extreme: (operator, sql) => `${operator}(${sql})`,
    typeAt: (ref, mark) => `json_type(r.rest, ${jsonPath(ref, mark)})`,
    namesAt: (ref, mark) => `json_each(r.rest, ${jsonPath(ref, mark)}) names`,
    not: (sql) => `((${sql}) is not true)`,
  };
  return dialect;
}
