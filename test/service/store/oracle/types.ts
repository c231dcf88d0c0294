/** Any JSON value. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

/** One stored record. */
export type Item = { readonly [field: string]: Value };

/** Types with which a field can be declared. */
export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/** What is searched: the searchable fields, which of them are date-times, and the key fields. */
export interface Entity {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly dateTimes: readonly string[];
  readonly key: readonly string[];
}

/** Values or lists of values by field path. */
export type ByField<Wanted> = { readonly [path: string]: Wanted };

/** A filter: several operators in one object mean AND. */
export interface Filter {
  readonly eq?: ByField<Value>;
  readonly neq?: ByField<Value>;
  readonly gt?: ByField<Value>;
  readonly gte?: ByField<Value>;
  readonly lt?: ByField<Value>;
  readonly lte?: ByField<Value>;
  readonly in?: ByField<readonly Value[]>;
  readonly like?: ByField<string>;
  readonly keyword?: ByField<string>;
  readonly fuzzy?: ByField<string>;
  readonly startswith?: ByField<string>;
  readonly endswith?: ByField<string>;
  readonly contains?: ByField<Value>;
  readonly array_contains?: ByField<Value>;
  readonly any?: ByField<readonly Value[]>;
  readonly and?: readonly Filter[];
  readonly or?: readonly Filter[];
  readonly not?: Filter;
}

/** One sort key: a field path and its direction. */
export type SortKey = { readonly [path: string]: 'asc' | 'desc' };

/** Aggregate functions for the values of a field in a group. */
export type Operator = 'avg' | 'max' | 'min' | 'sum' | 'count_distinct';

/** The parameters of a structured search. */
export interface Params {
  readonly query: {
    readonly filter?: Filter;
    readonly sort?: readonly SortKey[];
    readonly count?: boolean;
    readonly groupBy?: string | readonly string[];
    readonly aggregates?: { readonly [name: string]: { readonly [operator in Operator]?: string } };
  };
  readonly limit?: number;
  readonly cursor?: string;
  readonly fields?: readonly string[];
}
