import type { AggregateOperator, Period } from 'agent-connectors/search';
import type { Requester } from '../../common/fair-queue.js';
import type { Column } from './schema.js';
import type { Form } from './words/phrase.js';
import type { Approximate, Wanted } from './words/question.js';

/** A field, or a path inside an object field. */
export interface FieldRef {
  readonly column: Column;
  /** Path inside the field; empty for the field itself. */
  readonly path: readonly string[];
}

export const isSameRef = (one: FieldRef, other: FieldRef): boolean =>
  one.column === other.column && one.path.join('.') === other.path.join('.');

/** A filter bound to a table: field names are resolved to columns, and values are converted to the columns' types. */
export type Condition =
  | { readonly test: 'all' | 'some'; readonly parts: readonly Condition[] }
  | { readonly test: 'not'; readonly part: Condition }
  /** The value is one of these; null matches a missing value. */
  | { readonly test: 'among'; readonly ref: FieldRef; readonly values: readonly unknown[] }
  | { readonly test: 'compare'; readonly ref: FieldRef; readonly sign: Sign; readonly value: string | number | boolean }
  /** The composed, case-folded text matches; `isExact` if the stored text is compared as it is. */
  | (TermTest & { readonly test: 'like'; readonly ref: FieldRef; readonly pattern: Pattern; readonly isExact?: true })
  | (TermTest & Asked & KeywordTest)
  | (TermTest & Asked & { readonly test: 'fuzzy'; readonly ref: FieldRef; readonly words: readonly Approximate[] })
  /**
   * The value is an array that contains one of these; an object matches any element that has the same values for its
   * members.
   */
  | (TermTest & { readonly test: 'holds'; readonly ref: FieldRef; readonly values: readonly unknown[] });

interface KeywordTest {
  readonly test: 'keyword';
  readonly ref: FieldRef;
  /** The text has any of these; if there is a form, it also has the words of the question in that form. */
  readonly wanted: readonly Wanted[];
  /** Those of the question's words that count for the order of records. */
  readonly counted: readonly Wanted[];
  readonly form?: Form;
}

/** The question, as it was asked. */
interface Asked {
  readonly text: string;
}

interface TermTest {
  /** Tests index terms only: matches every record that the terms do not rule out. */
  readonly termsAlone?: true;
}

type Among = Extract<Condition, { test: 'among' }>;

/** Whether a condition only requires a field not to be null. */
export const isPresence = (condition: Condition): condition is { readonly test: 'not'; readonly part: Among } =>
  condition.test === 'not' &&
  condition.part.test === 'among' &&
  condition.part.values.length === 1 &&
  condition.part.values[0] === null;

/** Conditions that every record matching a filter satisfies. */
export function requiredBy(condition: Condition | undefined): readonly Condition[] {
  return condition?.test === 'all' ? condition.parts.flatMap(requiredBy) : condition ? [condition] : [];
}

/** How `compare` compares. */
export type Sign = '>' | '>=' | '<' | '<=';

/** A parsed `like` pattern of literals and wildcards. */
export type Pattern = ReadonlyArray<{ readonly literal: string } | { readonly wildcard: '%' | '_' }>;

export interface SortKey {
  readonly ref: FieldRef;
  readonly direction: 'asc' | 'desc';
}

/** An aggregate over a field's values in each group. */
export interface Aggregate {
  readonly name: string;
  readonly operator: AggregateOperator;
  readonly ref: FieldRef;
}

/** What groups are sorted by: record count, a grouping value, or an aggregate. */
export type GroupOrder = 'count' | { readonly group: number } | { readonly aggregate: number };

/** What records are grouped by: a field's values, or the periods of time that they fall into. */
export interface GroupRef extends FieldRef {
  readonly period?: Period | undefined;
}

/** A summary request. */
export interface Summary {
  readonly condition?: Condition | undefined;
  readonly groupBy: readonly GroupRef[];
  /** Time zone of the periods. */
  readonly timeZone: string;
  readonly aggregates: readonly Aggregate[];
  readonly sort: ReadonlyArray<{ readonly by: GroupOrder; readonly direction: 'asc' | 'desc' }>;
}

/** Where a page ended: the last record's sort keys and id. */
export interface PagePosition {
  readonly values: ReadonlyArray<string | number | boolean | null>;
  readonly id: string;
}

/** A search bound to a table. */
export interface SearchPlan {
  readonly condition?: Condition | undefined;
  readonly sort: readonly SortKey[];
  /** If records are ordered by relevance: the filter by rank; see `ranksOf`. A position's value is its rank then. */
  readonly ranks?: readonly Condition[] | undefined;
  readonly limit: number;
  /** Paths to return; all fields if undefined. */
  readonly fields?: ReadonlyArray<readonly string[]> | undefined;
  readonly after?: PagePosition | undefined;
  /** Whose turn the search takes; defaults to the connector. */
  readonly requester?: Requester | undefined;
}
