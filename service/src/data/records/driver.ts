import type { Requester } from '../../common/fair-queue.js';
import type { HistoryPart, HistoryRequest } from './changes/page.js';
import type { EmptyRequest, EmptySearch } from './empty-search.js';
import type { IdentifiedRecord, StoredRecord } from './entity.js';
import type {
  EmbeddedPassage,
  FieldText,
  FirstPassage,
  FoundHits,
  LoadedPassages,
  PassageCount,
  PassageQuestion,
  PassageScope,
  PassageVector,
  PromptVector,
  RankedPassage,
  StoredText,
  UnembeddedPassage,
  WordQuery,
  WordScope,
  WordStatistics,
} from './passages/types.js';
import type { Place } from './places.js';
import type { Condition, FieldRef, PagePosition, SearchPlan, Summary } from './plan.js';
import type { RecordsJson } from './records-json.js';
import type { Layout } from './schema.js';
import type { Groups } from './summary.js';
import type { NodeCounts, WriteCounts } from './types.js';

/** The records of one page. */
export interface RecordPage<Records = StoredRecord[]> {
  readonly records: Records;
  readonly count: number;
  readonly last: PagePosition | null;
  readonly more: boolean;
}

/** A database driver for the store; parameters have already been checked. */
export interface Driver {
  /** Writes a batch atomically. */
  write(
    layout: Layout,
    connectorId: string,
    records: readonly StoredRecord[],
    /** Each record's texts, in record order; undefined if no field is searched semantically. */
    texts: ReadonlyArray<readonly FieldText[]> | undefined,
    /** Time of the change in milliseconds since 1970. */
    at: number,
  ): Promise<WriteCounts>;
  /** Finds the words of stored records, and of their passages, again; passages that stay keep their vectors. */
  reindex(
    layout: Layout,
    connectorId: string,
    records: readonly StoredRecord[],
    texts?: ReadonlyArray<readonly FieldText[]>,
  ): Promise<void>;
  /** Announces a bulk load of an entity's records, which lasts until `finishLoad`. */
  startLoad(layout: Layout): Promise<void>;
  finishLoad(layout: Layout): Promise<void>;
  remove(layout: Layout, connectorId: string, ids: readonly string[], at: number): Promise<number>;
  /** Reads part of the history of an entity's records. */
  history(layout: Layout, connectorId: string, request: HistoryRequest): Promise<HistoryPart>;
  /** Records as deleted what the entity's table no longer contains after it was replaced and filled again. */
  settleHistory(layout: Layout, connectorId: string, at: number): Promise<void>;
  /** Forgets the deletions and intermediate changes before a time. */
  forgetChanges(before: number): Promise<void>;
  /** Distinct readers in the history of an entity's records, earlier ones included. */
  historyReaders(layout: Layout, connectorId: string): Promise<string[]>;
  /** Removes readers from the history of an entity's records; what they could see before is then unknown. */
  forgetReaders(layout: Layout, connectorId: string, readers: readonly string[]): Promise<void>;
  removeConnector(connectorId: string): Promise<number>;
  search(layout: Layout, connectorId: string, plan: SearchPlan): Promise<RecordPage>;
  /** Finds complete records as JSON; undefined if the driver has them in another form. */
  readonly searchAsJson?:
    | ((layout: Layout, connectorId: string, plan: SearchPlan) => Promise<RecordPage<RecordsJson>>)
    | undefined;
  /** Summarizes the records that match a condition. */
  summarize(layout: Layout, connectorId: string, summary: Summary, requester: Requester | undefined): Promise<Groups>;
  /** Counts matching records; undefined if that would scan more than `maxScanned`. */
  countUpTo(
    layout: Layout,
    connectorId: string,
    condition: Condition | undefined,
    maxScanned: number,
    requester: Requester | undefined,
  ): Promise<number | undefined>;
  /** Describes the values of the filter's fields when no record matches. */
  describeEmpty(
    layout: Layout,
    connectorId: string,
    request: EmptyRequest,
    requester: Requester | undefined,
  ): Promise<EmptySearch>;
  /** Looks up the values at a path inside an object field. */
  place(layout: Layout, connectorId: string, ref: FieldRef, requester: Requester | undefined): Promise<Place>;
  get(layout: Layout, connectorId: string, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  count(layout: Layout, connectorId: string): Promise<number>;
  /** Ids after `after`, in order. */
  ids(layout: Layout, connectorId: string, after: string, limit: number): Promise<string[]>;
  /** Records after `after`, in id order. */
  records(layout: Layout, connectorId: string, after: string, limit: number): Promise<IdentifiedRecord[]>;
  /** Digests of the objects that a connector's rows refer to. */
  references(connectorId: string): Promise<Set<string>>;
  connectors(): Promise<string[]>;
  /** Counts the nodes that store records; undefined if there is only the database itself. */
  nodes?(): Promise<NodeCounts | undefined>;
  readonly passages: PassageDriver;
  /** Why vector searches are slow, and what to do about it. */
  readonly slowVectors?: string;
  close(): Promise<void>;
}

/**
 * Text passages, ranked lexically or by vector similarity. Passages are written and deleted together with their
 * records.
 */
export interface PassageDriver {
  /**
   * Per-field statistics for a prompt's words, in field order. A word that no passage contains is replaced by its
   * closest match.
   */
  words(layout: Layout, scope: WordScope, prompt: string): Promise<WordStatistics[]>;
  /** The passages with the highest BM25 scores that contain any of the query's tokens. */
  lexical(layout: Layout, scope: PassageScope, query: WordQuery): Promise<RankedPassage[]>;
  /** The first passage of a field for each of the given records. */
  first(layout: Layout, connectorId: string, field: string, records: readonly string[]): Promise<FirstPassage[]>;
  /** The nearest passages by cosine similarity, best first, among those already embedded. */
  nearest(layout: Layout, scope: PassageScope, vector: PromptVector): Promise<RankedPassage[]>;
  /** Ranks and reads the hits of a question where the data is; undefined if the driver cannot. */
  readonly find?:
    | ((
        scope: Pick<PassageScope, 'connectorId' | 'requester'> & { readonly layout: Layout },
        question: PassageQuestion,
      ) => Promise<FoundHits>)
    | undefined;
  /** Whether an entity may contain text that an earlier release split or indexed. */
  isOutdated(layout: Layout): Promise<boolean>;
  /** Marks all of an entity's text as split and indexed by the current rules. */
  markIndexed(layout: Layout): Promise<void>;
  /**
   * Passages with their records and surrounding text: `window` code points in total, but at least the whole passage.
   * Deleted passages are omitted.
   */
  read(
    layout: Layout,
    connectorId: string,
    passages: readonly RankedPassage[],
    window: number,
  ): Promise<LoadedPassages>;
  /** Passages not embedded yet, across all connectors, oldest first within a field. */
  unembedded(embedder: string, limit: number): Promise<UnembeddedPassage[]>;
  /** Counts passages, across all connectors, that an embedder has not processed yet. */
  countUnembedded(embedder: string): Promise<number>;
  /** Stores an embedder's vectors for passages, skipping passages deleted in the meantime. */
  embed(embedder: string, vectors: readonly PassageVector[]): Promise<void>;
  /** Record texts that have been split into passages. */
  texts(layout: Layout, connectorId: string, ids: readonly string[]): Promise<StoredText[]>;
  /** All vectors for a connector's passages, from any embedder, normalized to length 1. */
  vectors(connectorId: string, passages: readonly number[]): Promise<EmbeddedPassage[]>;
  /** Dimensions of an embedder's vectors, if any are stored. */
  dimensions(embedder: string): Promise<number | undefined>;
  /** Deletes the vectors of all other embedders. */
  keepEmbedders(embedders: readonly string[]): Promise<void>;
  count(layout: Layout, connectorId: string, field: string, embedder: string | undefined): Promise<PassageCount>;
}
