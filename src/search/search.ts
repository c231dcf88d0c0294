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
      throw new TypeError('A search sends no request to the vendor.');
    },
    read: (body) => body,
    // Groups have one page, however many there are.
    next: ({ has_more, cursor }: SearchMeta) => has_more && cursor !== null && { cursor },
    example: exampleOf(search),
    schemas: () => searchSchemas(search),
    hostedOnly: true,
    '~hits': [],
  };
}

/** A search that a reader would make: for words in a title, the newest first. */
function exampleOf({ fields }: Search): QueryParams<string> {
  const names: readonly string[] = Object.values(fields).flat();
  const first = (...patterns: readonly RegExp[]) =>
    patterns.map((pattern) => names.find((name) => pattern.test(name))).find((name) => name !== undefined);
  const date = first(/^updated/i, /^created/i, /^started/i, /^date/i) ?? names[0]!;
  const title = first(/^(title|name)$/i, /^(subject|text|body)$/i, /title$/i);
  const filter = title === undefined ? { neq: { [date]: null } } : { keyword: { [title]: 'invoice' } };
  return { query: { filter, sort: [{ [date]: 'desc' }] }, limit: 25 };
}
