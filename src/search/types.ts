/** Types that a searchable field can have. */
export interface FieldTypes {
  /** Text, dates among it. */
  string: string;
  /** Numbers. */
  number: number;
  /** Whole numbers. */
  integer: number;
  /** True or false. */
  boolean: boolean;
  /** Objects, whose parts are reached by dotted paths. */
  object: Record<string, unknown>;
  /** Lists. */
  array: unknown[];
}

/** A field that is searched by meaning, and what comes back with a hit. */
export interface SemanticField {
  /** Fields of the hit's `entity`. */
  readonly entity_fields: readonly string[];
  /** Names looked up for the reader's sake, such as an author's. */
  readonly enrichments?: readonly string[] | undefined;
  /** What tells passages of one record apart, such as the speaker. */
  readonly attribution?: readonly string[] | undefined;
}

/** What a record is called and known by, which is searched together with its texts. Paths are dotted and lead into lists. */
export interface SearchableAbout {
  /** What tells by itself what the record is, such as its title or the name of a file. */
  readonly title?: readonly string[] | undefined;
  /** What else people look for it by: identifiers, projects, labels, people. */
  readonly words?: readonly string[] | undefined;
  /** Another entity whose record of the same id says all of this. */
  readonly of?: string | undefined;
}

/** What the context store keeps of an entity: field names by type, and the fields searched by meaning. */
export interface Search {
  /** Fields that can be searched by conditions, by their type. */
  readonly fields: { readonly [T in keyof FieldTypes]?: readonly string[] };
  /** Fields that can be searched by meaning. */
  readonly semantic?: Readonly<Record<string, SemanticField>> | undefined;
  /** What a search by meaning knows of a record beside those fields. */
  readonly about?: SearchableAbout | undefined;
}

// One type of field after the other: asked of several at once, a missing one would hide the rest.
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

/** Conditions on searchable fields; several in one object must all hold. */
export interface Filter<F extends string> {
  /** Equal; `null` finds what is null. */
  eq?: { [K in FieldPath<F>]?: unknown } | undefined;
  /** Not equal. */
  neq?: { [K in FieldPath<F>]?: unknown } | undefined;
  /** Greater than. */
  gt?: { [K in FieldPath<F>]?: string | number } | undefined;
  /** Greater than or equal. */
  gte?: { [K in FieldPath<F>]?: string | number } | undefined;
  /** Less than. */
  lt?: { [K in FieldPath<F>]?: string | number } | undefined;
  /** Less than or equal. */
  lte?: { [K in FieldPath<F>]?: string | number } | undefined;
  /** One of the list. */
  in?: { [K in FieldPath<F>]?: readonly unknown[] } | undefined;
  /** The whole value, where `%` stands for any text, `_` for one character, and `\` escapes. */
  like?: { [K in FieldPath<F>]?: string } | undefined;
  /** Words in this order, misspellings forgiven. */
  fuzzy?: { [K in FieldPath<F>]?: string } | undefined;
  /** Any of the words. */
  keyword?: { [K in FieldPath<F>]?: string } | undefined;
  /** The text starts with this; ASCII case is ignored. */
  startswith?: { [K in FieldPath<F>]?: string } | undefined;
  /** The text ends with this; ASCII case is ignored. */
  endswith?: { [K in FieldPath<F>]?: string } | undefined;
  /** The list contains the value, or the text contains this one, where ASCII case is ignored. */
  contains?: { [K in FieldPath<F>]?: unknown } | undefined;
  /** The list contains the value. */
  array_contains?: { [K in FieldPath<F>]?: unknown } | undefined;
  /** The list holds one of the values. */
  any?: { [K in FieldPath<F>]?: readonly unknown[] } | undefined;
  /** The filter does not hold. */
  not?: Filter<F> | undefined;
  /** All of the filters hold. */
  and?: ReadonlyArray<Filter<F>> | undefined;
  /** One of the filters holds. */
  or?: ReadonlyArray<Filter<F>> | undefined;
}

/** What the values of a field come to; nulls do not count. */
export interface Aggregate<F extends string> {
  /** Their mean. */
  avg?: FieldPath<F>;
  /** The least number, first text or earliest date. */
  min?: FieldPath<F>;
  /** The greatest number, last text or latest date. */
  max?: FieldPath<F>;
  /** Their sum. */
  sum?: FieldPath<F>;
}

/** Records with the same values, counted: the fields of `groupBy` by their paths, and the aggregates by their names. */
export interface Group {
  /** How many records there are. */
  readonly count: number;
  readonly [name: string]: unknown;
}

/** What makes groups of the records of a search. */
export type Grouping<Grouped> = { readonly [K in 'count' | 'groupBy' | 'aggregates']?: Grouped };

/** Parameters of a structured search. */
export interface QueryParams<F extends string> {
  /** Conditions; `{}` is every record. */
  query: {
    /** Which records; `{}` is every one. */
    filter?: Filter<F> | undefined;
    /** Fields with `asc` or `desc`, the most important first; of groups what they have in common, or their `count`. */
    sort?: ReadonlyArray<{ [K in FieldPath<F> | 'count']?: 'asc' | 'desc' }> | undefined;
    /** True counts the records in place of giving them. An extension, as are the two below. */
    count?: boolean | undefined;
    /** Groups the records by 1 to 4 fields, and counts each group. */
    groupBy?: FieldPath<F> | ReadonlyArray<FieldPath<F>>;
    /** What a field comes to in each group, by a name of your own: `{ mean: { avg: 'estimate' } }`. */
    aggregates?: { readonly [name: string]: Aggregate<F> };
  };
  /** Fields of the records to give back. */
  fields?: ReadonlyArray<FieldPath<F>> | undefined;
  /** 1 to 10,000; 1000 when left out. */
  limit?: number | undefined;
  /** Where the page begins; from `next` of the one before. */
  cursor?: string | undefined;
  /** Not together with `query`. */
  semantic?: never;
}

type IsUnion<S, Each = S> = S extends unknown ? ([Each] extends [S] ? false : true) : never;

/** The field may be left out where there is just one. */
type SemanticFieldChoice<S> = true extends IsUnion<S> ? { field: S } : { field?: S | undefined };

/** Parameters of a search by meaning. */
export interface SemanticParams<F extends string, S extends string> {
  /** A search by meaning. */
  semantic: SemanticFieldChoice<S> & {
    /** What to search for, in plain words. */
    prompt: string;
    /** Only among these records. */
    filter?: Filter<F> | undefined;
    /** Most characters of text around a hit. */
    context_size?: number | undefined;
    /** One hit for each record, the best. */
    dedup?: 'max' | 'none' | undefined;
    /** How passages are ranked; the best that the service can when left out. */
    mode?: 'dense' | 'lexical' | 'hybrid' | undefined;
  };
  /** Fields of the records to give back. */
  fields?: ReadonlyArray<FieldPath<F>> | undefined;
  /** 1 to 100; 10 when left out. */
  limit?: number | undefined;
  /** Not together with `semantic`. */
  query?: never;
}

/** Meta of either kind of search. */
export interface SearchMeta {
  /** Whether there is another page. */
  readonly has_more: boolean;
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null;
  /** Milliseconds that the search took. */
  readonly took_ms: number | null;
  /** How many records or groups there are in all, on the first page of a query alone; an extension. */
  readonly total?: number;
  /** False where there may be more than `total`. */
  readonly total_is_exact?: boolean;
  /** What there is, where a query with a filter found nothing; an extension. */
  readonly empty?: EmptySearch;
  /** How far the service has what it searches; absent where it says nothing of it. */
  readonly readiness?: SearchReadiness;
}

/** What a replica holds of which a filter found nothing. */
export interface EmptySearch {
  /** How many records there are. */
  readonly of: number;
  /** When the replica was last complete; ISO 8601. */
  readonly as_of: string | null;
  /** What the fields of the filter hold, by their paths. */
  readonly fields: Readonly<
    Record<
      string,
      {
        /** Up to 8 values: those near what was wanted, then the most frequent; of numbers and dates the least and greatest. */
        readonly values: readonly unknown[];
        /** What is to be known of them, such as that `eq` is case-sensitive. */
        readonly note?: string;
      }
    >
  >;
}

/** How far a service has replicated what is searched. */
export interface SearchReadiness {
  /** How far the entity is. */
  readonly status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
  /** Whether all of it is there. */
  readonly ready_for_search: boolean;
  /** When the replica was last complete, ISO 8601; null before it has been. */
  readonly synced_at?: string | null;
  /** The same in a sentence. */
  readonly message?: string | null;
}

type SemanticNames<M, K extends keyof SemanticField> = M extends {
  readonly [P in K]: readonly (infer N extends string)[];
}
  ? N
  : never;

/** One passage found by meaning. */
export interface Hit<M> {
  /** The record, with a few of its fields. */
  readonly entity: { readonly [K in SemanticNames<M, 'entity_fields'>]: string | null };
  /** The hit itself. */
  readonly metadata: {
    /** Rank among all; compares within one answer alone. */
    readonly score: number;
    /** Text around what was found. */
    readonly context: string;
  } & {
    readonly [K in SemanticNames<M, 'enrichments'> | SemanticNames<M, 'attribution'>]: string | null;
  };
}
