import type { Column } from './schema.js';

/** What a condition asks about: a field, or what lies inside one at a path. */
export interface FieldRef {
  readonly column: Column;
  /** Names that lead into the field; none for the field itself. */
  readonly path: readonly string[];
}

/** A filter after it has been checked: names are columns, values have the types of their columns. */
export type Condition =
  | { readonly test: 'all' | 'some'; readonly parts: readonly Condition[] }
  | { readonly test: 'not'; readonly part: Condition }
  /** The value is one of these; null stands for a missing one. */
  | { readonly test: 'among'; readonly ref: FieldRef; readonly values: readonly unknown[] }
  | { readonly test: 'compare'; readonly ref: FieldRef; readonly sign: Sign; readonly value: string | number | boolean }
  | (WordGuess & { readonly test: 'like'; readonly ref: FieldRef; readonly pattern: Pattern })
  | (WordGuess & { readonly test: 'keyword' | 'fuzzy'; readonly ref: FieldRef; readonly words: readonly string[] })
  /** The value is an array and holds one of these; an object stands for every element that has its parts. */
  | (WordGuess & { readonly test: 'holds'; readonly ref: FieldRef; readonly values: readonly unknown[] });

/** How a test is decided. */
interface WordGuess {
  /** By terms alone: every record passes that they do not rule out. */
  readonly termsAlone?: true;
}

/** How `compare` compares. */
export type Sign = '>' | '>=' | '<' | '<=';

/** A pattern of `like`, taken apart: texts to be found as they are, and wildcards. */
export type Pattern = ReadonlyArray<{ readonly literal: string } | { readonly wildcard: '%' | '_' }>;

/** One key of an order. */
export interface SortKey {
  readonly ref: FieldRef;
  readonly direction: 'asc' | 'desc';
}

/** What the values of a field come to in each group. */
export interface Aggregate {
  readonly name: string;
  readonly operator: 'avg' | 'min' | 'max' | 'sum';
  readonly ref: FieldRef;
}

/** What groups are ordered by: how many records they have, a value that they share, or an aggregate. */
export type GroupOrder = 'count' | { readonly group: number } | { readonly aggregate: number };

/** A search for what records have in common, after it has been checked. */
export interface Summary {
  readonly condition?: Condition | undefined;
  readonly groupBy: readonly FieldRef[];
  readonly aggregates: readonly Aggregate[];
  readonly sort: ReadonlyArray<{ readonly by: GroupOrder; readonly direction: 'asc' | 'desc' }>;
}

/** Where a page ended: the sort keys of its last record, and its id. */
export interface Position {
  readonly values: ReadonlyArray<string | number | boolean | null>;
  readonly id: string;
}

/** A search after it has been checked. */
export interface SearchPlan {
  readonly condition?: Condition | undefined;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Paths to keep; all fields when left out. */
  readonly fields?: ReadonlyArray<readonly string[]> | undefined;
  readonly after?: Position | undefined;
  /** Whose searches take turns with those of others; the connector where left out. */
  readonly tenant?: string | undefined;
}
