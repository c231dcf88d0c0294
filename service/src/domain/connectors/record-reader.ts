import type {
  Collection,
  IdentifiedRecord,
  SearchRequest,
  SearchResult,
  SemanticSearchRequest,
  SemanticSearchResult,
  Store,
} from '../../data/records/index.js';
import type { Person } from '../../data/state/rows.js';
import { readersFor } from '../accounts/person.js';
import { checkPermit, type Permit } from './gate.js';
import type { Reranking, RerankMeta } from './reranking.js';

/** Reads the replica on behalf of callers; every read requires a permit. */
export interface RecordReader {
  search(permit: Permit, request: SearchRequest): Promise<SearchResult>;
  semanticSearch(
    permit: Permit,
    request: SemanticSearchRequest,
  ): Promise<SemanticSearchResult & { readonly meta: RerankMeta }>;
  wordStatistics(permit: Permit, ...request: Parameters<Store['wordStatistics']>): ReturnType<Store['wordStatistics']>;
  rankEntity(permit: Permit, ...request: Parameters<Store['rankEntity']>): ReturnType<Store['rankEntity']>;
  readHits(permit: Permit, ...request: Parameters<Store['readHits']>): ReturnType<Store['readHits']>;
  get(permit: Permit, collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  countHidden(permit: Permit, collection: Collection): ReturnType<Store['countHidden']>;
  readonly idOf: Store['idOf'];
  readonly reranking: Reranking | undefined;
}

/** Restricts a store to what callers, or the users they act for, are allowed to see. */
export function openReader(store: Store, reranking?: Reranking | undefined): RecordReader {
  const visible = async <C extends Collection>(permit: Permit, collection: C): Promise<C> => {
    checkPermit(permit, collection.connectorId);
    // No record is visible to an empty list of readers.
    if (!(await permit.mayRead(collection.entity))) return { ...collection, readers: [] };
    return permit.asUser ? { ...collection, readers: readersFor(permit.asUser) } : collection;
  };
  return {
    search: async (permit, request) => store.search(await visible(permit, request)),
    semanticSearch: async (permit, request) => {
      const own = await visible(permit, request);
      return reranking ? reranking.search(own, (wider) => store.semanticSearch(wider)) : store.semanticSearch(own);
    },
    wordStatistics: async (permit, request) => store.wordStatistics(await visible(permit, request)),
    rankEntity: async (permit, request) => store.rankEntity(await visible(permit, request)),
    readHits: async (permit, collection, ...passages) => store.readHits(await visible(permit, collection), ...passages),
    get: async (permit, collection, ids) => store.get(await visible(permit, collection), ids),
    countHidden: async (permit, collection) => store.countHidden(await visible(permit, collection)),
    idOf: (...record) => store.idOf(...record),
    reranking,
  };
}

/**
 * The user a search was limited to and the number of hidden records. That number does not depend on the search, so it
 * reveals nothing about them.
 */
export async function boundMeta(
  { email }: Person,
  permit: Permit,
  records: RecordReader,
  { connectorId, type, entity }: Collection,
): Promise<{ readonly as_user: BoundMeta }> {
  const left_out = await records.countHidden(permit, { connectorId, type, entity });
  return { as_user: { email, left_out } };
}

/** Metadata of a search on behalf of a user. */
export interface BoundMeta {
  readonly email: string;
  /** Records that the user cannot see or whose access is unknown; null if counting takes too long. */
  readonly left_out: number | null;
}

/** Sums up the hidden records of all searched targets. */
export function boundMetaOf(targets: ReadonlyArray<{ readonly as_user?: BoundMeta | undefined }>): {
  readonly as_user?: BoundMeta;
} {
  const all = targets.flatMap(({ as_user }) => as_user ?? []);
  if (all.length === 0) return {};
  const counts = all.map(({ left_out }) => left_out);
  const left_out = counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { as_user: { email: all[0]!.email, left_out } };
}
