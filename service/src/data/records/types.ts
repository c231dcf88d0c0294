import type { ParsedQuery, ParsedSummary } from 'agent-connectors/search';
import type { Requester } from '../../common/fair-queue.js';
import type { ObjectStore } from '../objects/types.js';
import type { Embedder } from '../search/embedding/types.js';
import type { ChangePage } from './changes/page.js';
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
import type { RecordsJson } from './records-json.js';

/** Splits a record's semantic texts into passages. */
export type TextsOf = (record: StoredRecord) => readonly FieldText[];

/** Outcome of a write. */
export interface WriteCounts {
  /** New records. */
  readonly inserted: number;
  /** Changed records. */
  readonly updated: number;
  /** Number of records already stored with the same content. */
  readonly unchanged: number;
}

/** Nodes of a cluster that store records. */
export interface NodeCounts {
  readonly available: number;
  readonly total: number;
}

/** A structured search. */
export interface SearchRequest extends Collection {
  readonly search: ParsedQuery | ParsedSummary;
  /** Whose turn the search takes; defaults to the connector. */
  readonly requester?: Requester | undefined;
}

/** A search by the parameters of `context_store_search`, which the store parses. */
export interface UnparsedRequest extends Collection {
  readonly params: unknown;
  /** Whose turn the search takes; defaults to the connector. */
  readonly requester?: Requester | undefined;
}

/** A prompt to search for in all texts and titles of an entity's records. */
export interface EntityPrompt extends Collection {
  readonly prompt: string;
  /** Whose turn the search takes; defaults to the connector. */
  readonly requester?: Requester | undefined;
}

/** A page of search results. */
export interface SearchResult<Data = StoredRecord[]> {
  readonly data: Data;
  readonly meta: {
    readonly has_more: boolean;
    /** Cursor of the next page; null on the last one. */
    readonly cursor: string | null;
    readonly took_ms: number;
    /** Total number of records or groups; on the first page only. */
    readonly total?: number | undefined;
    /** False if there may be more. */
    readonly total_is_exact?: boolean | undefined;
    /** Time zone of grouped periods, and the version of the time zone rules. */
    readonly time_zone?: { readonly name: string; readonly version: string | undefined } | undefined;
    /** Values of the filter's fields, if nothing was found. */
    readonly empty?: EmptySearch | undefined;
  };
}

/** Stores and searches the replica of vendor records. */
export interface Store {
  /** Entities that the store was opened with. */
  readonly entities: readonly StoredEntity[];
  /** Inserts or updates records. A resolved write is durable; each batch is atomic. */
  write(collection: Collection, records: readonly StoredRecord[], textsOf?: TextsOf): Promise<WriteCounts>;
  /**
   * Call before the first load of a collection: it lets a database defer building indexes to the end of the load, which
   * is cheaper.
   */
  startLoad(collection: Pick<Collection, 'type' | 'entity'>): Promise<void>;
  /**
   * Ends a load, even an interrupted one; resolves once all indexes exist. In the meantime, searches find the same
   * records.
   */
  finishLoad(collection: Pick<Collection, 'type' | 'entity'>): Promise<void>;
  /** Removes records by id and returns the number removed. */
  remove(collection: Collection, ids: readonly string[]): Promise<number>;
  /**
   * Up to `limit` changes of a collection since a cursor, coalesced by record; without a cursor, all records as added.
   * Throws `cursor_expired` if changes since the cursor may have been forgotten.
   */
  changes(
    collection: Collection,
    request: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<ChangePage>;
  /** The cursor after all changes of a collection so far. */
  changesCursor(collection: Pick<Collection, 'connectorId' | 'type' | 'entity'>): Promise<string>;
  /** Call after a collection was read completely: records as deleted what a replaced table no longer contains. */
  settleChanges(collection: Pick<Collection, 'connectorId' | 'type' | 'entity'>): Promise<void>;
  /** Forgets changes before a time, in milliseconds since 1970. */
  forgetChanges(before: number): Promise<void>;
  /** Distinct readers in a collection's history, including those who have lost access. */
  historyReaders(collection: Pick<Collection, 'connectorId' | 'type' | 'entity'>): Promise<string[]>;
  /** Removes readers from a collection's history; they then get no deletions of what they could see. */
  forgetReaders(
    collection: Pick<Collection, 'connectorId' | 'type' | 'entity'>,
    readers: readonly string[],
  ): Promise<void>;
  /** Deletes all of a connector's records and returns the number deleted. */
  removeConnector(connectorId: string): Promise<number>;
  /** Runs a structured search; rejects invalid parameters as `invalid_params`. */
  search(request: SearchRequest | UnparsedRequest): Promise<SearchResult>;
  /** Why semantic searches by vector are slow with this database, and what to do about it. */
  readonly slowVectors?: string | undefined;
  /** Finds complete records, like `search`, for a response that contains them unchanged. */
  searchAsJson(request: SearchRequest & { readonly search: ParsedQuery }): Promise<SearchResult<RecordsJson>>;
  /** Runs a semantic search; rejects invalid parameters as `invalid_params`. */
  semanticSearch(request: SemanticSearchRequest | UnparsedRequest): Promise<SemanticSearchResult>;
  /** Splits and indexes texts again that an earlier release treated differently; searches keep working meanwhile. */
  indexAgain(textsOf: (entity: StoredEntity) => TextsOf | undefined): Promise<void>;
  /** Whether texts of an entity are still split or indexed as by an earlier release. */
  isIndexing(entity: Pick<Collection, 'type' | 'entity'>): Promise<boolean>;
  /** Word statistics of an entity's passages for a prompt. */
  wordStatistics(request: EntityPrompt): Promise<EntityStatistics>;
  /** Ranks the passages in all of an entity's fields, and its titles. */
  rankEntity(
    request: EntityPrompt & { readonly mode?: Ranker | undefined; readonly words: EntityWords },
  ): Promise<EntityRanking>;
  /** Loads passages for display; deleted ones are omitted. */
  readHits(
    collection: Collection,
    ranking: readonly RankedPassage[],
    shown: { readonly prompt: string; readonly contextSize: number },
  ): Promise<Map<number, Omit<PassageHit, 'score'>>>;
  /** Passages not embedded yet, across all connectors, oldest first. */
  unembedded(embedder: string, limit: number): Promise<UnembeddedPassage[]>;
  /** Counts passages across all connectors that an embedder has not processed yet. */
  countUnembedded(embedder: string): Promise<number>;
  /** Stores an embedder's vectors for passages, skipping passages that have since been deleted. */
  embed(embedder: string, vectors: readonly PassageVector[]): Promise<void>;
  /** Deletes the vectors of all other embedders. */
  keepEmbedders(embedders: readonly string[]): Promise<void>;
  /** The records' texts that have been split into passages. */
  textsOf(collection: Collection, ids: readonly string[]): Promise<StoredText[]>;
  /** All vectors of the passages, from any embedder, normalized to unit length. */
  vectorsOf(connectorId: string, passages: readonly number[]): Promise<EmbeddedPassage[]>;
  /** Dimensions of an embedder's vectors, if it has any. */
  dimensionsOf(embedder: string): Promise<number | undefined>;
  /** Counts a field's passages and those already embedded; the latter is 0 if no embedder is given. */
  passageCount(collection: Collection, field: string, embedder?: string): Promise<PassageCount>;
  /** Reads records by id, in no particular order; unknown ids are omitted. */
  get(collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  /** Counts the records that none of the collection's readers can see; null if counting takes too long. */
  countHidden(collection: Collection): Promise<number | null>;
  /** Counts a collection's records. */
  count(collection: Collection): Promise<number>;
  /** Streams a collection's ids in order, so that a sweep can find records deleted at the vendor. */
  ids(collection: Collection): AsyncIterable<string>;
  /** Streams a collection's records in id order. */
  records(collection: Collection): AsyncIterable<IdentifiedRecord>;
  /** The fields that an entity's records are stored with, and how, for `lacking`. */
  fieldsOf(collection: Pick<Collection, 'type' | 'entity'>): string;
  /**
   * What records that were read with these fields lack now that the connector may have another version: some fields, or
   * `records` if their table does not fit and has been replaced.
   */
  lacking(collection: Pick<Collection, 'type' | 'entity'>, fields: string): readonly string[] | 'records';
  /** The id of a record in the store: its key value, or a combination of several. */
  idOf(type: string, entity: string, record: StoredRecord): string;
  /** Whether a record has an id, so that it can be stored. */
  hasId(collection: Pick<Collection, 'type' | 'entity'>, record: StoredRecord): boolean;
  /** Removes objects that are no longer referenced by any record and returns the number removed. */
  collectObjects(): Promise<number>;
  /** Ids of connectors that have records. */
  connectors(): Promise<string[]>;
  /** Counts the nodes of a cluster that store records; undefined without a cluster. */
  nodes(): Promise<NodeCounts | undefined>;
  /** Closes the store; pending writes are finished and running searches are cancelled. */
  close(): Promise<void>;
}

/** A store's location, content and signing keys. */
export interface StoreOptions {
  /** A data folder with a SQLite file for records, or `:memory:` for a store that is lost when the process exits. */
  readonly folder?: string;
  /** URL of a Postgres database to use instead of a folder: `postgres://…`. */
  readonly databaseUrl?: string;
  /** An open Postgres pool to use instead of `databaseUrl`. */
  readonly pool?: ConnectionPool;
  /** Object store for long texts. (none: they are stored in the database) */
  readonly objects?: ObjectStore | undefined;
  /** Maximum length of a text stored in the database, in code units, if there is an object store; 16,384 by default. */
  readonly maxInline?: number;
  /** How long unreferenced objects are kept, in milliseconds; a day by default. */
  readonly graceMs?: number;
  /** Entities to store; `entitiesOf` derives them from a manifest. */
  readonly entities: readonly StoredEntity[];
  /** Keys that sign cursors, so a store accepts only its own cursors. */
  readonly cursorKeys: () => readonly [Uint8Array, ...Uint8Array[]];
  /**
   * Embedders for prompts: the active one first, then earlier ones, which are used until the active one has embedded
   * all passages.
   */
  readonly embedders?: readonly Embedder[] | undefined;
  /** Returns the milliseconds since 1970; used to date migrations. */
  readonly now?: () => number;
  /** Number of reader threads, in addition to the writer; 3 by default. */
  readonly readers?: number;
  /** Time limit of a search in milliseconds; 10,000 by default. */
  readonly searchTimeoutMs?: number;
  /** Script for the SQLite threads, if it is not next to this package's own code; null disables threads. */
  readonly worker?: URL | null;
}
