import type { Condition, FieldRef, Pattern, Sign } from './plan.js';

/** Binds a value to a statement and returns its placeholder. */
export type Mark = (value: unknown) => string;

/** Word conditions, which no database supports natively. */
export type WordTest = Extract<Condition, { test: 'keyword' } | { test: 'fuzzy' }>;

/** Comparisons of folded texts, which databases decide alone for texts that folding does not change. */
export type LikeTest = Extract<Condition, { test: 'like' }>;

/** A combination of index terms for looking up records. */
export type Terms = string | { readonly any: readonly Terms[] } | { readonly all: readonly Terms[] };

/** SQL that differs between databases. Expressions refer to a row `r`; null is treated as false. */
export interface Dialect {
  /** The value is one of `values`, none of which is null. */
  among(ref: FieldRef, values: readonly unknown[], mark: Mark): string;
  missing(ref: FieldRef, mark: Mark): string;
  present(ref: FieldRef, mark: Mark): string;
  compare(ref: FieldRef, sign: Sign, value: string | number | boolean, mark: Mark): string;
  like(test: LikeTest, mark: Mark): string;
  words(test: WordTest, mark: Mark): string;
  containsAny(ref: FieldRef, values: readonly unknown[], mark: Mark): string;
  /** The record matches the terms. */
  matchesTerms(terms: Terms, mark: Mark): string;
  /** The record is one of `records`; `first` hints that the search should start from them. */
  isOneOf(records: readonly number[], mark: Mark, first: boolean): string;
  /** Expressions that sort values at a path, whatever their types. */
  order(ref: FieldRef, mark: Mark): readonly OrderKey[];
  /** A grouping key for the value at a path: null if it is missing, JSON if it is inside an object. */
  groupKey(ref: FieldRef, mark: Mark): string;
  /** A column's stored value. */
  storedText(ref: FieldRef): string;
  /** The text at a path, sorted by code point. */
  plainText(ref: FieldRef, mark: Mark): string;
  /** The number at a path; null for anything else. */
  numberAt(ref: FieldRef, mark: Mark): string;
  /** Like `numberAt`, in a form that loses no digits. */
  exactNumberAt(ref: FieldRef, mark: Mark): string;
  /** The exact sum of such numbers as text; null if there are none. */
  exactSum(sql: string): string;
  /** A text column's calendar date, `YYYY-MM-DD` or `YYYYMMDD`, as `YYYYMMDD`; null for anything else. */
  calendarDate(ref: FieldRef): string;
  jsonText(sql: string): string;
  /** Placeholder for a text value. */
  textMark(text: string, mark: Mark): string;
  /** The minimum or maximum of numbers, or of strings. */
  number(operator: string, sql: string): string;
  extreme(operator: string, sql: string): string;
  /** The JSON type at a path, `null` for a JSON null; SQL null if the path does not exist. */
  typeAt(ref: FieldRef, mark: Mark): string;
  /** A row source whose `key` column lists the property names of the object at a path. */
  namesAt(ref: FieldRef, mark: Mark): string;
  /** Negation that turns null into true. */
  not(sql: string): string;
}

/** An expression to sort by, and how to compare it with a value. */
export interface OrderKey {
  readonly sql: string;
  /** A value's placeholder, cast to the expression's type. */
  readonly typed: (mark: string, value: unknown) => string;
  readonly parts?: OrderParts | undefined;
  /** An equivalent expression that does not use an index. */
  readonly unindexed?: string;
  /** Restricts the scan to records that have a value if the index also contains records that have none. */
  readonly present?: string;
}

/** The separately indexed parts of a column. */
export interface OrderParts {
  /** A set of conditions; every value satisfies exactly one of them. */
  readonly all: readonly string[];
  /** The condition that a given value satisfies. */
  of(value: unknown): string;
}

/** A LIKE pattern escaped with backslashes. */
export const likePattern = (pattern: Pattern): string =>
  pattern
    .map((part) => ('wildcard' in part ? part.wildcard : part.literal.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)))
    .join('');

/** A condition that no record meets. */
export const neverTrue = '(1 = 0)';

/** Joins conditions as a balanced tree, because databases limit expression depth. */
export function joinConditions(parts: readonly string[], by: 'and' | 'or'): string {
  if (parts.length === 0) return by === 'and' ? '(1 = 1)' : neverTrue;
  if (parts.length === 1) return parts[0]!;
  const middle = parts.length >> 1;
  return `(${joinConditions(parts.slice(0, middle), by)} ${by} ${joinConditions(parts.slice(middle), by)})`;
}
