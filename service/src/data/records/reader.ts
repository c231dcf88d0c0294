import { Permit } from '../permit.js';
import type { Collection, IdentifiedRecord } from './entity.js';
import type { SemanticSearchRequest, SemanticSearchResult } from './passages/types.js';
import type { SearchRequest, SearchResult, Store } from './types.js';

/** Reads the replica for callers, each time with a permit for the connector. */
export interface RecordReader {
  search(permit: Permit, request: SearchRequest): Promise<SearchResult>;
  semanticSearch(permit: Permit, request: SemanticSearchRequest): Promise<SemanticSearchResult>;
  get(permit: Permit, collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  readonly idOf: Store['idOf'];
}

/** What of a store callers may be given. */
export function openReader(store: Store): RecordReader {
  const checked = (permit: Permit, { connectorId }: Collection): Store => {
    Permit.check(permit, connectorId);
    return store;
  };
  return {
    search: async (permit, request) => checked(permit, request).search(request),
    semanticSearch: async (permit, request) => checked(permit, request).semanticSearch(request),
    get: async (permit, collection, ids) => checked(permit, collection).get(collection, ids),
    idOf: (...record) => store.idOf(...record),
  };
}
