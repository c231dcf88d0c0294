import * as z from 'zod';
import type { Action } from '../action/action.js';
import type { RecordShape, Returns } from '../action/result.js';
import { searchSchemas } from './schemas.js';
import type { FieldName, Hit, QueryParams, Search, SearchMeta, SearchRecord, SemanticParams } from './types.js';

/** The search action of every indexed entity: returns query results unless `semantic` is passed. */
export interface SearchAction<S extends Search>
  extends Action<QueryParams<FieldName<S>> | SemanticTypes<S>['params'], Array<SearchRecord<S>>, SearchMeta> {
  readonly '~hits': ReadonlyArray<SemanticTypes<S>['data']>;
}

/** Parameters and result of a semantic search, if an entity supports it. */
type SemanticTypes<S extends Search> = S extends { readonly semantic: infer M }
  ? { readonly params: SemanticParams<FieldName<S>, keyof M & string>; readonly data: Array<Hit<M[keyof M]>> }
  : never;

/** Builds the search action for an entity's record type; it never calls a vendor. */
export function searchAction<S extends Search>(search: S, record: RecordShape | undefined): SearchAction<S> {
  let parameters: Promise<z.core.$ZodType> | undefined;
  return {
    description: search.semantic
      ? 'Search the replicated records by conditions (query) or by meaning (semantic).'
      : 'Search the replicated records using filter conditions.',
    params: z.unknown(),
    // Lazy, as most programs never search.
    loadParams: () => {
      parameters ??= import('./params.js').then(({ searchParameters }) => searchParameters(search, record?.schema));
      return parameters;
    },
    returns: { kind: 'records', shape: (data: unknown) => data } as unknown as Returns,
    request: () => {
      throw new TypeError('A search does not send requests to the vendor.');
    },
    read: (body) => body,
    // Groups always fit on one page.
    next: ({ has_more, cursor }: SearchMeta) => has_more && cursor !== null && { cursor },
    example: exampleOf(search),
    concise: search.concise,
    schemas: () => searchSchemas(search),
    hostedOnly: true,
    '~hits': [],
  };
}

/** A realistic search: words in a title, newest first. */
function exampleOf({ fields }: Search): QueryParams<string> {
  // Searches cannot be sorted by lists or objects.
  const { array = [], object = [], ...sortable } = fields;
  const names: readonly string[] = [...Object.values(sortable), object, array].flat();
  const first = (...patterns: readonly RegExp[]) =>
    patterns.map((pattern) => names.find((name) => pattern.test(name))).find((name) => name !== undefined);
  const date = first(/^updated/i, /^created/i, /^started/i, /^date/i, /time$/i) ?? names[0]!;
  const title = first(/^(title|name)$/i, /^(subject|text|body)$/i, /title$/i);
  const filter = title === undefined ? { neq: { [date]: null } } : { keyword: { [title]: 'invoice' } };
  return { query: { filter, sort: [{ [date]: 'desc' }] }, limit: 25 };
}
