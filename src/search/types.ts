import type { Gap } from './gap.js';
import type { FieldTypes } from './language/fields.js';
import type { OperandTypes, operators } from './language/operators.js';
import type { Period } from './language/summary.js';

/** A semantic field, and what its hits contain. */
export interface SemanticField {
  /** Fields of the hit's `entity`. */
  readonly entity_fields: readonly string[];
  /** Display names to look up, such as an author's. */
  readonly enrichments?: readonly string[] | undefined;
  /** Attribution that distinguishes a record's passages, such as the speaker. */
  readonly attribution?: readonly string[] | undefined;
}

/** A record's title and identifiers, searched together with its text. Dotted paths can pass through lists. */
export interface SearchableAbout {
  /** What identifies the record on its own, such as its title or file name. */
  readonly title?: readonly string[] | undefined;
  /** Other terms that people use to search for it: identifiers, projects, labels, people. */
  readonly words?: readonly string[] | undefined;
  /** Another entity whose record with the same id provides all of this. */
  readonly of?: string | undefined;
}

/** An entity's content in the context store: field names by type, and semantic fields. */
export interface Search {
  /** Searchable fields by type. */
  readonly fields: { readonly [T in keyof FieldTypes]?: readonly string[] };
  /** Text fields that contain timestamps and are compared as such. */
  readonly dateTimes?: readonly string[] | undefined;
  /** Text fields that contain calendar dates as YYYYMMDD. Filters also take them as YYYY-MM-DD. */
  readonly compactDates?: readonly string[] | undefined;
  /** Semantic fields. */
  readonly semantic?: Readonly<Record<string, SemanticField>> | undefined;
  /** What else semantic search uses from a record. */
  readonly about?: SearchableAbout | undefined;
  /** Searchable fields that the reference does not have. */
  readonly extensions?: readonly string[] | undefined;
  /** Main fields of a record; by default those that it shares with the entity's list. */
  readonly concise?: readonly string[] | undefined;
}

// Resolved per type: if several were queried together, a missing one would hide the rest.
type FieldsOfType<S extends Search, T extends keyof FieldTypes> = T extends keyof S['fields']
  ? S['fields'][T] extends readonly (infer N extends string)[]
    ? N
    : never
  : never;

/** A record as the store returns it. */
export type SearchRecord<S extends Search> = { [K in FieldsOfType<S, 'string'>]: string | null } & {
  [K in FieldsOfType<S, 'number' | 'integer'>]: number | null;
} & { [K in FieldsOfType<S, 'boolean'>]: boolean | null } & {
  [K in FieldsOfType<S, 'object'>]: Record<string, unknown> | null;
} & { [K in FieldsOfType<S, 'array'>]: unknown[] | null };

export type FieldName<S extends Search> = FieldsOfType<S, keyof FieldTypes>;

type FieldPath<F extends string> = F | `${F}.${string}`;

/** A filter's operators, each with values by field. */
type FieldConditions<F extends string> = {
  [O in keyof typeof operators]?: { [K in FieldPath<F>]?: OperandTypes[(typeof operators)[O]['operand']] } | undefined;
};

/** Conditions on searchable fields; all conditions in an object must be met. */
export interface Filter<F extends string> extends FieldConditions<F> {
  /** The filter does not match. */
  not?: Filter<F> | undefined;
  /** All of the filters match. */
  and?: ReadonlyArray<Filter<F>> | undefined;
  /** One of the filters matches. */
  or?: ReadonlyArray<Filter<F>> | undefined;
}

/** An aggregate of a field's values, ignoring nulls. */
export interface Aggregate<F extends string> {
  /** Mean. */
  avg?: FieldPath<F>;
  /** Smallest number, first text or earliest date. */
  min?: FieldPath<F>;
  /** Largest number, last text or latest date. */
  max?: FieldPath<F>;
  /** Exact sum of the values' decimal forms; text if it is beyond 2⁵³. */
  sum?: FieldPath<F>;
  /** Number of different values. */
  count_distinct?: FieldPath<F>;
}

/** A field to group by, or a field whose dates and times are grouped by period: `{ createdAt: 'month' }`. */
export type GroupKey<F extends string> = FieldPath<F> | { readonly [K in FieldPath<F>]?: Period };

/** A group of records with equal values: the `groupBy` fields by path, and the aggregates by name. */
export interface Group {
  /** Number of records. */
  readonly count: number;
  readonly [name: string]: unknown;
}

/** Parameters that group a search's records. */
export type Grouping<Grouped> = { readonly [K in 'count' | 'groupBy' | 'timeZone' | 'aggregates']?: Grouped };

/** Parameters of a structured search. */
export interface QueryParams<F extends string> {
  /** Conditions; `{}` matches every record. */
  query: {
    /** Records to match; `{}` matches every record. */
    filter?: Filter<F> | undefined;
    /** Fields with `asc` or `desc`, most important first; for groups, grouping fields, aggregates or `count`. */
    sort?: ReadonlyArray<{ [K in FieldPath<F> | 'count']?: 'asc' | 'desc' }> | undefined;
    /** If true, counts the records instead of returning them. An extension, like the next two. */
    count?: boolean | undefined;
    /** Groups the records by 1 to 4 fields and counts each group. */
    groupBy?: GroupKey<F> | ReadonlyArray<GroupKey<F>>;
    /** Time zone of periods in `groupBy`, such as `Europe/Berlin`; UTC by default. */
    timeZone?: string | undefined;
    /** Aggregates per group, under names of your own: `{ mean: { avg: 'estimate' } }`. */
    aggregates?: { readonly [name: string]: Aggregate<F> };
  };
  /** Record fields to return. */
  fields?: ReadonlyArray<FieldPath<F>> | undefined;
  /** 1 to 10,000; 1000 by default. */
  limit?: number | undefined;
  /** `cursor` from the previous page's `meta`. */
  cursor?: string | undefined;
  /** Mutually exclusive with `query`. */
  semantic?: never;
}

type IsUnion<S, Each = S> = S extends unknown ? ([Each] extends [S] ? false : true) : never;

/** The field is optional if there is only one. */
type SemanticFieldChoice<S> = true extends IsUnion<S> ? { field: S } : { field?: S | undefined };

/** Parameters of a semantic search. */
export interface SemanticParams<F extends string, S extends string> {
  /** A semantic search. */
  semantic: SemanticFieldChoice<S> & {
    /** The prompt, in plain words. */
    prompt: string;
    /** Restricts the records. */
    filter?: Filter<F> | undefined;
    /** Maximum characters of context around a hit. */
    context_size?: number | undefined;
    /** `max` returns only the best hit per record. */
    dedup?: 'max' | 'none' | undefined;
    /** How passages are ranked; the best available method by default. */
    mode?: 'dense' | 'lexical' | 'hybrid' | undefined;
  };
  /** Record fields to return. */
  fields?: ReadonlyArray<FieldPath<F>> | undefined;
  /** 1 to 100; 10 by default. */
  limit?: number | undefined;
  /** Mutually exclusive with `semantic`. */
  query?: never;
}

/** Metadata for both kinds of search. */
export interface SearchMeta {
  /** Whether there is another page. */
  readonly has_more: boolean;
  /** Cursor for the next page; null at the end. */
  readonly cursor: string | null;
  /** Duration in milliseconds. */
  readonly took_ms: number | null;
  /** Total number of records or groups, only on the first page of a query; an extension. */
  readonly total?: number;
  /** False if there may be more than `total`. */
  readonly total_is_exact?: boolean;
  /** Rare words of a semantic search's prompt that no hit contains; fewer hits are returned then; an extension. */
  readonly unmatched_words?: readonly string[];
  /** Whether the replica has everything that the search reads, as of `readiness.synced_at`; an extension. */
  readonly complete?: boolean;
  /** What the replica lacks; gaps marked as permanent do not affect `complete`; an extension. */
  readonly missing?: readonly Gap[];
  /** Time zone of grouped periods, and the version of the time zone rules; an extension. */
  readonly time_zone?: {
    /** As in the query. */
    readonly name: string;
    /** Such as `2026a`. */
    readonly version?: string | undefined;
  };
  /** What the replica contains, if a query with a filter found nothing; an extension. */
  readonly empty?: EmptySearch;
  /** Readiness of the searched entity; undefined if the service does not report it. */
  readonly readiness?: SearchReadiness;
}

/** What a replica contains when a filter found nothing. */
export interface EmptySearch {
  /** Number of records, up to 10,000. */
  readonly of: number;
  /** False if there are more records than `of`. */
  readonly of_is_exact?: false;
  /** When the replica was last complete; ISO 8601. */
  readonly as_of: string | null;
  /** Values of the filter's fields, by path. */
  readonly fields: Readonly<
    Record<
      string,
      {
        /**
         * Up to 8 values: those closest to the requested one, then the most frequent; for numbers and dates, the
         * minimum and maximum.
         */
        readonly values: readonly unknown[];
        /** A note on the values, for example that `eq` is case-sensitive. */
        readonly note?: string;
      }
    >
  >;
}

/** Replication status of the searched data. */
export interface SearchReadiness {
  /** Replication status of the entity. */
  readonly status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
  /** Whether it is complete. */
  readonly ready_for_search: boolean;
  /** When the replica was last complete, ISO 8601; null until then. */
  readonly synced_at?: string | null;
  /** The status as a sentence. */
  readonly message?: string | null;
}

type SemanticNames<M, K extends keyof SemanticField> = M extends {
  readonly [P in K]: readonly (infer N extends string)[];
}
  ? N
  : never;

/** A semantic search hit. */
export interface Hit<M> {
  /** The record, with some of its fields. */
  readonly entity: { readonly [K in SemanticNames<M, 'entity_fields'>]: string | null };
  /** The hit itself. */
  readonly metadata: {
    /** Score, comparable only within one response. */
    readonly score: number;
    /** The match with surrounding text. */
    readonly context: string;
  } & {
    readonly [K in SemanticNames<M, 'enrichments'> | SemanticNames<M, 'attribution'>]: string | null;
  };
}
