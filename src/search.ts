import type { Action } from './manifest.js';
import type { Returns } from './result.js';
import { type SearchParameters, searchParameters } from './search-params.js';
import { searchSchemas } from './search-schemas.js';

/** Types that a searchable field can have. */
export interface FieldTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: Record<string, unknown>;
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

/** What the context store keeps of an entity: field names by type, and the fields searched by meaning. */
export interface Search {
  readonly fields: { readonly [T in keyof FieldTypes]?: readonly string[] };
  readonly semantic?: Readonly<Record<string, SemanticField>> | undefined;
}

// One type of field after the other: asked of several at once, a missing one would hide the rest.
type Names<S extends Search, T extends keyof FieldTypes> = T extends keyof S['fields']
  ? S['fields'][T] extends readonly (infer N extends string)[]
    ? N
    : never
  : never;

/** A record as the store returns it. */
export type SearchRecord<S extends Search> = { [K in Names<S, 'string'>]: string | null } & {
  [K in Names<S, 'number' | 'integer'>]: number | null;
} & { [K in Names<S, 'boolean'>]: boolean | null } & {
  [K in Names<S, 'object'>]: Record<string, unknown> | null;
} & { [K in Names<S, 'array'>]: unknown[] | null };

type FieldName<S extends Search> = Names<S, keyof FieldTypes>;
type FieldPath<F extends string> = F | `${F}.${string}`;

/** Conditions on searchable fields; several in one object must all hold. */
export interface Filter<F extends string> {
  eq?: { [K in FieldPath<F>]?: unknown };
  neq?: { [K in FieldPath<F>]?: unknown };
  gt?: { [K in FieldPath<F>]?: string | number };
  gte?: { [K in FieldPath<F>]?: string | number };
  lt?: { [K in FieldPath<F>]?: string | number };
  lte?: { [K in FieldPath<F>]?: string | number };
  in?: { [K in FieldPath<F>]?: readonly unknown[] };
  like?: { [K in FieldPath<F>]?: string };
  fuzzy?: { [K in FieldPath<F>]?: string };
  keyword?: { [K in FieldPath<F>]?: string };
  contains?: { [K in FieldPath<F>]?: unknown };
  any?: { [K in FieldPath<F>]?: readonly unknown[] };
  not?: Filter<F>;
  and?: ReadonlyArray<Filter<F>>;
  or?: ReadonlyArray<Filter<F>>;
}

/** Parameters of a structured search. */
export interface QueryParams<F extends string> {
  query: { filter?: Filter<F>; sort?: ReadonlyArray<{ [K in FieldPath<F>]?: 'asc' | 'desc' }> };
  fields?: ReadonlyArray<FieldPath<F>>;
  /** 1 to 10,000; 1000 when left out. */
  limit?: number;
  cursor?: string;
  semantic?: never;
}

type Several<S, Each = S> = S extends unknown ? ([Each] extends [S] ? false : true) : never;
/** The field may be left out where there is just one. */
type Choice<S> = true extends Several<S> ? { field: S } : { field?: S };

/** Parameters of a search by meaning. */
export interface SemanticParams<F extends string, S extends string> {
  semantic: Choice<S> & {
    prompt: string;
    filter?: Filter<F>;
    context_size?: number;
    dedup?: 'max' | 'none';
    mode?: 'dense' | 'lexical' | 'hybrid';
  };
  fields?: ReadonlyArray<FieldPath<F>>;
  /** 1 to 100; 10 when left out. */
  limit?: number;
  query?: never;
}

/** Meta of either kind of search. */
export interface SearchMeta {
  readonly has_more: boolean;
  readonly cursor: string | null;
  readonly took_ms: number | null;
  /** How far the service has what it searches; absent where it says nothing of it. */
  readonly readiness?: SearchReadiness;
}

/** How far a service has replicated what is searched. */
export interface SearchReadiness {
  readonly status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
  readonly ready_for_search: boolean;
  readonly message?: string | null;
}

type Looked<M, K extends keyof SemanticField> = M extends { readonly [P in K]: readonly (infer N extends string)[] }
  ? N
  : never;

/** One passage found by meaning. */
export interface Hit<M> {
  readonly entity: { readonly [K in Looked<M, 'entity_fields'>]: string | null };
  readonly metadata: { readonly score: number; readonly context: string } & {
    readonly [K in Looked<M, 'enrichments'> | Looked<M, 'attribution'>]: string | null;
  };
}

/** The search that every indexed entity has: its result is that of a query unless `semantic` is given. */
export interface SearchAction<S extends Search>
  extends Action<QueryParams<FieldName<S>> | SemanticTypes<S>['params'], Array<SearchRecord<S>>, SearchMeta> {
  readonly '~hits': ReadonlyArray<SemanticTypes<S>['data']>;
}

/** What a search by meaning takes and gives, where an entity has one. */
type SemanticTypes<S extends Search> = S extends { readonly semantic: infer M }
  ? { readonly params: SemanticParams<FieldName<S>, keyof M & string>; readonly data: Array<Hit<M[keyof M]>> }
  : never;

/** Builds the search action; it never reaches a vendor. */
export function searchAction<S extends Search>(search: S): SearchAction<S> {
  let parameters: SearchParameters | undefined;
  const field = Object.values(search.fields).flat()[0]!;
  return {
    description: search.semantic
      ? 'Search the replicated records by conditions (query) or by meaning (semantic).'
      : 'Search the replicated records by conditions.',
    // Built at the first search: most programs never make one.
    get params() {
      parameters ??= searchParameters(search);
      return parameters;
    },
    returns: { kind: 'records', shape: (data: unknown) => data } as unknown as Returns,
    request: () => {
      throw new TypeError('A search is not a request to the vendor.');
    },
    read: (body) => body,
    next: ({ has_more, cursor }: SearchMeta) => has_more && { cursor },
    example: { query: { filter: { neq: { [field]: null } }, sort: [{ [field]: 'asc' }] }, limit: 25 },
    schemas: () => searchSchemas(search),
    hostedOnly: true,
    '~hits': [],
  };
}
