import { ConnectorError } from 'agent-connectors';
import { fieldsRead } from 'agent-connectors/search';
import type {
  ChangePage,
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
import { withoutValues } from './access.js';
import { checkPermit, type Permit } from './gate.js';
import type { Reranking, RerankMeta } from './reranking.js';

/** Reads the replica on behalf of callers; every read requires a permit. */
export interface RecordReader {
  search(permit: Permit, request: SearchRequest): Promise<SearchResult>;
  /** Searches without parsing the records; undefined if they must be changed for the caller. */
  searchAsJson(
    permit: Permit,
    ...request: Parameters<Store['searchAsJson']>
  ): ReturnType<Store['searchAsJson']> | undefined;
  semanticSearch(
    permit: Permit,
    request: SemanticSearchRequest,
  ): Promise<SemanticSearchResult & { readonly meta: RerankMeta }>;
  wordStatistics(permit: Permit, ...request: Parameters<Store['wordStatistics']>): ReturnType<Store['wordStatistics']>;
  rankEntity(permit: Permit, ...request: Parameters<Store['rankEntity']>): ReturnType<Store['rankEntity']>;
  readHits(permit: Permit, ...request: Parameters<Store['readHits']>): ReturnType<Store['readHits']>;
  get(permit: Permit, collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  /** Changes of the records that the caller may see; undefined while none of the stored records may be read. */
  changes(permit: Permit, ...request: Parameters<Store['changes']>): Promise<ChangePage | undefined>;
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
  /** Nulls the fields that the user does not see, in the records of hits or rows. */
  const shown = <T>(permit: Permit, entity: string, rows: readonly T[]): T[] =>
    rows.map((row) => withoutValues(row, permit.hiddenFields(entity)));
  const shownHits = <T extends { readonly record: object }>(permit: Permit, entity: string, hits: readonly T[]): T[] =>
    hits.map((hit) => ({ ...hit, record: withoutValues(hit.record, permit.hiddenFields(entity)) }));
  return {
    async search(permit, request) {
      requireShownFields(permit, request);
      const result = await store.search(await visible(permit, request));
      return { ...result, data: shown(permit, request.entity, result.data) };
    },
    searchAsJson(permit, request) {
      if (permit.hiddenFields(request.entity).length > 0) return undefined;
      return visible(permit, request).then(store.searchAsJson);
    },
    async semanticSearch(permit, request) {
      requireShownFields(permit, request);
      const own = await visible(permit, request);
      const result = await (reranking
        ? reranking.search(own, (wider) => store.semanticSearch(wider))
        : store.semanticSearch(own));
      return { ...result, hits: shownHits(permit, request.entity, result.hits) };
    },
    wordStatistics: async (permit, request) => store.wordStatistics(await visible(permit, request)),
    rankEntity: async (permit, request) => store.rankEntity(await visible(permit, request)),
    async readHits(permit, collection, ...passages) {
      const hits = await store.readHits(await visible(permit, collection), ...passages);
      const hidden = permit.hiddenFields(collection.entity);
      if (hidden.length === 0) return hits;
      return new Map([...hits].map(([id, hit]) => [id, { ...hit, record: withoutValues(hit.record, hidden) }]));
    },
    async get(permit, collection, ids) {
      const found = await store.get(await visible(permit, collection), ids);
      return shownHits(permit, collection.entity, found);
    },
    async changes(permit, collection, request) {
      const own = await visible(permit, collection);
      // They will be read again, which changes or deletes them.
      if (!(await permit.mayRead(collection.entity))) return undefined;
      const page = await store.changes(own, request);
      const hidden = permit.hiddenFields(collection.entity);
      const changes = page.changes.map((change) => ({
        ...change,
        record: change.record && withoutValues(change.record, hidden),
      }));
      return { ...page, changes };
    },
    countHidden: async (permit, collection) => store.countHidden(await visible(permit, collection)),
    idOf: (...record) => store.idOf(...record),
    reranking,
  };
}

/** Rejects a search whose conditions, groups or order depend on fields that the user does not see. */
function requireShownFields(
  permit: Permit,
  { entity, search }: Pick<SearchRequest | SemanticSearchRequest, 'entity' | 'search'>,
) {
  // What is returned is shown without the hidden values.
  const used = fieldsRead(search.kind === 'summary' ? search : { ...search, fields: undefined });
  const hidden = permit.hiddenFields(entity).find((name) => used.has(name));
  if (hidden === undefined) return;
  throw new ConnectorError('forbidden', `A token bound to a user cannot search or sort by ${entity}.${hidden}.`, {
    hint: 'It may name folders or people that the user is not allowed to see.',
  });
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
