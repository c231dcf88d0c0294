import type { ObjectStore } from '../objects/types.js';
import type { Embedder } from '../search/embedding/types.js';
import type { ConnectionPool } from './drivers/postgres/connection.js';
import type { EmptySearch } from './empty-search.js';
import type { Collection, IdentifiedRecord, StoredEntity, StoredRecord } from './entity.js';
import type {
  EmbeddedPassage,
  EntityRanking,
  EntityStatistics,
  EntityWords,
  FieldText,
  PassageCount,
  PassageHit,
  PassageVector,
  RankedPassage,
  Ranker,
  SemanticSearchRequest,
  SemanticSearchResult,
  StoredText,
  UnembeddedPassage,
} from './passages/types.js';

/** Cuts the texts of a record that are searched by meaning into passages. */
export type TextsOf = (record: StoredRecord) => readonly FieldText[];

/** What became of the records of one write. */
export interface WriteCounts {
  /** Records that were not there before. */
  readonly inserted: number;
  /** Records that were there and differed. */
  readonly updated: number;
  /** Records that were there already, just as given. */
  readonly unchanged: number;
}

/** One search: a collection, and parameters as `context_store_search` takes them with `query`. */
export interface SearchRequest extends Collection {
  readonly params: unknown;
  /** Whose searches take turns with those of others; the connector where left out. */
  readonly tenant?: string | undefined;
}

/** A prompt, asked of all that an entity's records say and are called. */
export interface EntityPrompt extends Collection {
  readonly prompt: string;
  /** Whose searches take turns with those of others; the connector where left out. */
  readonly tenant?: string | undefined;
}

/** One page of what a search found. */
export interface SearchResult {
  readonly data: StoredRecord[];
  readonly meta: {
    readonly has_more: boolean;
    /** Asks for the next page; null on the last. */
    readonly cursor: string | null;
    readonly took_ms: number;
    /** How many records there are in all, or groups; on the first page alone. */
    readonly total?: number | undefined;
    /** False if there may be more. */
    readonly total_is_exact?: boolean | undefined;
    /** What the fields of the filter hold, where nothing was found. */
    readonly empty?: EmptySearch | undefined;
  };
}

/** The replica of vendors' records, and structured search over it. */
export interface Store {
  /** Entities that it keeps, as it was opened with them. */
  readonly entities: readonly StoredEntity[];
  /** Adds records or brings them up to date; once it resolves they outlive a crash, and a batch is kept whole or not at all. */
  write(collection: Collection, records: readonly StoredRecord[], textsOf?: TextsOf): Promise<WriteCounts>;
  /** Removes records by their ids and tells how many there were. */
  remove(collection: Collection, ids: readonly string[]): Promise<number>;
  /** Removes all that was ever written for a connector and tells how many records that were. */
  removeConnector(connectorId: string): Promise<number>;
  /** Answers a structured search; parameters that it cannot take are refused as `invalid_params`. */
  search(request: SearchRequest): Promise<SearchResult>;
  /** Answers a search by meaning; parameters that it cannot take are refused as `invalid_params`. */
  semanticSearch(request: SemanticSearchRequest): Promise<SemanticSearchResult>;
  /** Cuts texts anew that an earlier release has cut otherwise, while searches answer by what there is. */
  splitAgain(textsOf: (entity: StoredEntity) => Promise<TextsOf | undefined>): Promise<void>;
  /** What the passages of an entity tell of the words of a prompt. */
  wordStatistics(request: EntityPrompt): Promise<EntityStatistics>;
  /** Ranks the passages of all fields of an entity, and what its records are called. */
  rankEntity(
    request: EntityPrompt & { readonly mode?: Ranker | undefined; readonly words: EntityWords },
  ): Promise<EntityRanking>;
  /** Reads passages as they are shown; those that are gone are left out. */
  readHits(
    collection: Collection,
    ranking: readonly RankedPassage[],
    shown: { readonly prompt: string; readonly contextSize: number },
  ): Promise<Map<number, Omit<PassageHit, 'score'>>>;
  /** Passages of whatever connector that an embedder has not been given yet, the oldest first. */
  unembedded(embedder: string, limit: number): Promise<UnembeddedPassage[]>;
  /** Keeps what an embedder made of passages; those that are gone by now are left out. */
  embed(embedder: string, vectors: readonly PassageVector[]): Promise<void>;
  /** Forgets the vectors of all embedders but these. */
  keepEmbedders(embedders: readonly string[]): Promise<void>;
  /** Texts of records that have been cut into passages. */
  textsOf(collection: Collection, ids: readonly string[]): Promise<StoredText[]>;
  /** All vectors of passages, of whatever embedder, each of the length 1. */
  vectorsOf(connectorId: string, passages: readonly number[]): Promise<EmbeddedPassage[]>;
  /** How many numbers the vectors of an embedder have, if there are any. */
  dimensionsOf(embedder: string): Promise<number | undefined>;
  /** Counts the passages of a field, and those that an embedder has been given; none where none is named. */
  passageCount(collection: Collection, field: string, embedder?: string): Promise<PassageCount>;
  /** Reads records by their ids, in no particular order; ids that are not there are left out. */
  get(collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  /** Counts the records that none of a collection's readers may see, whatever is searched for; null where counting takes too long. */
  countHidden(collection: Collection): Promise<number | null>;
  /** Counts the records of a collection. */
  count(collection: Collection): Promise<number>;
  /** Streams the ids of a collection in their order, so that a sweep can find what the vendor no longer has. */
  ids(collection: Collection): AsyncIterable<string>;
  /** Streams the records of a collection in the order of their ids. */
  records(collection: Collection): AsyncIterable<IdentifiedRecord>;
  /** The id that the store gives a record: the value of its key field, or one made of several. */
  idOf(type: string, entity: string, record: StoredRecord): string;
  /** Removes texts from the object store that no record has any more; tells how many. */
  collectObjects(): Promise<number>;
  /** Ids of the connectors that records were written for. */
  connectors(): Promise<string[]>;
  /** Ends all that the store runs; writes are finished first, searches are broken off. */
  close(): Promise<void>;
}

/** Where a store is, what it keeps, and with what it signs. */
export interface StoreOptions {
  /** A data folder, where SQLite keeps the records in a file of its own; `:memory:` for a store that ends with the process. */
  readonly folder?: string;
  /** A Postgres database instead of a folder, as `postgres://…`. */
  readonly databaseUrl?: string;
  /** Connections to Postgres that are open already, instead of `databaseUrl`. */
  readonly pool?: ConnectionPool;
  /** Keeps long texts in place of the database. */
  readonly objects?: ObjectStore | undefined;
  /** Longest text that stays in the database where there is an object store, in code units; 16,384 when left out. */
  readonly maxInline?: number;
  /** Milliseconds that an object stays which no record names; a day when left out. */
  readonly graceMs?: number;
  /** What it keeps; `entitiesOf` reads it out of a manifest. */
  readonly entities: readonly StoredEntity[];
  /** Signs cursors, so that a store takes back only its own. */
  readonly cursorKeys: () => readonly [Uint8Array, ...Uint8Array[]];
  /** Turn prompts into vectors: the current one first, then those before it, which serve until it has all passages. */
  readonly embedders?: readonly Embedder[] | undefined;
  /** Milliseconds since 1970; dates the migrations. */
  readonly now?: () => number;
  /** Threads that read, beside the one that writes; 3 when left out. */
  readonly readers?: number;
  /** Milliseconds that one search may run; 10,000 when left out. */
  readonly searchTimeoutMs?: number;
  /** The code that SQLite's threads run, where it does not lie beside this package's own; null runs it without threads. */
  readonly worker?: URL | null;
}
