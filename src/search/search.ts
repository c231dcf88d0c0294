import * as z from 'zod';
import type { Returns } from '../call/result.js';
import type { Action } from '../manifest/action.js';
import type { RecordShape } from '../manifest/record.js';
import { searchSchemas } from './schemas.js';
import type { FieldName, Hit, QueryParams, Search, SearchMeta, SearchRecord, SemanticParams } from './types.js';

/** The search that every indexed entity has: its result is that of a query unless `semantic` is given. */
export interface SearchAction<S extends Search>
  extends Action<QueryParams<FieldName<S>> | SemanticTypes<S>['params'], Array<SearchRecord<S>>, SearchMeta> {
  readonly '~hits': ReadonlyArray<SemanticTypes<S>['data']>;
}

/** What a search by meaning takes and gives, where an entity has one. */
type SemanticTypes<S extends Search> = S extends { readonly semantic: infer M }
  ? { readonly params: SemanticParams<FieldName<S>, keyof M & string>; readonly data: Array<Hit<M[keyof M]>> }
  : never;

/** Builds the search action, by the record that the entity is about; it never reaches a vendor. */
export function searchAction<S extends Search>(search: S, record: RecordShape | undefined): SearchAction<S> {
  let parameters: Promise<z.core.$ZodType> | undefined;
  const field = Object.values(search.fields).flat()[0]!;
  return {
    description: search.semantic
      ? 'Search the replicated records by conditions (query) or by meaning (semantic).'
      : 'Search the replicated records by conditions.',
    params: z.unknown(),
    // Most programs never search.
    loadParams: () => {
      parameters ??= import('./params.js').then(({ searchParameters }) => searchParameters(search, record?.schema));
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
