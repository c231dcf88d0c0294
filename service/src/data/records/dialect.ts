import type { Condition, FieldRef, Pattern, Sign } from './plan.js';

/** Puts a value into a statement and gives the mark that stands for it. */
export type Mark = (value: unknown) => string;

/** Conditions on the words of a text, which no database knows by itself. */
export type WordTest = Extract<Condition, { test: 'keyword' | 'fuzzy' }>;

/** Terms of the index that lead to records. */
export type Terms = string | { readonly any: readonly Terms[] } | { readonly all: readonly Terms[] };

/** What the databases say differently. It writes SQL over one row `r`, in which null counts as false. */
export interface Dialect {
  /** The value is one of these, none of which is null. */
  among(ref: FieldRef, values: readonly unknown[], mark: Mark): string;
  missing(ref: FieldRef, mark: Mark): string;
  present(ref: FieldRef, mark: Mark): string;
  compare(ref: FieldRef, sign: Sign, value: string | number | boolean, mark: Mark): string;
  like(ref: FieldRef, pattern: Pattern, mark: Mark): string;
  words(test: WordTest, mark: Mark): string;
  containsAny(ref: FieldRef, values: readonly unknown[], mark: Mark): string;
  /** The record is one that the terms lead to. */
  matchesTerms(terms: Terms, mark: Mark): string;
  /** The record is one of these; `first` where the search had better begin with them. */
  isOneOf(records: readonly number[], mark: Mark, first: boolean): string;
  /** Expressions that sort the values at a place, whatever types they have. */
  order(ref: FieldRef, mark: Mark): readonly OrderKey[];
  /** What tells values at a place apart: null for a missing one, JSON inside an object. */
  groupKey(ref: FieldRef, mark: Mark): string;
  /** The value of a column as it is stored. */
  storedText(ref: FieldRef): string;
  /** The text at a place, in the order of code points. */
  plainText(ref: FieldRef, mark: Mark): string;
  /** The number at a place; null for anything else. */
  numberAt(ref: FieldRef, mark: Mark): string;
  /** JSON as text. */
  jsonText(sql: string): string;
  /** A text among the values of a statement. */
  textMark(text: string, mark: Mark): string;
  /** An aggregate of numbers, and the first or last of texts. */
  number(operator: string, sql: string): string;
  extreme(operator: string, sql: string): string;
  /** Name of the JSON type at a place, `null` for a null; null where nothing is there. */
  typeAt(ref: FieldRef, mark: Mark): string;
  /** A source of rows whose column `key` has the names of the object at a place. */
  namesAt(ref: FieldRef, mark: Mark): string;
  /** The negation that turns null into true. */
  not(sql: string): string;
}

/** One expression to sort by, and how to compare it with a value. */
export interface OrderKey {
  readonly sql: string;
  /** The mark of a value of its type. */
  readonly typed: (mark: string) => string;
  readonly parts?: OrderParts | undefined;
  /** The same where no index shall be chosen by it. */
  readonly unindexed?: string;
}

/** The parts of a column that are indexed each by itself. */
export interface OrderParts {
  /** Conditions, of which every value meets one. */
  readonly all: readonly string[];
  /** The condition that a value meets. */
  of(value: unknown): string;
}

/** A pattern for the operator LIKE, in which a backslash escapes. */
export const likePattern = (pattern: Pattern): string =>
  pattern
    .map((part) => ('wildcard' in part ? part.wildcard : part.literal.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)))
    .join('');

/** Joins conditions as a tree of little depth: databases bear long lists of them badly. */
export function joinConditions(parts: readonly string[], by: 'and' | 'or'): string {
  if (parts.length === 0) return by === 'and' ? '(1 = 1)' : '(1 = 0)';
  if (parts.length === 1) return parts[0]!;
  const middle = parts.length >> 1;
  return `(${joinConditions(parts.slice(0, middle), by)} ${by} ${joinConditions(parts.slice(middle), by)})`;
}
