import type { EmptyRequest, EmptySearch } from '../empty-search.js';
import type { IdentifiedRecord, StoredRecord } from '../entity.js';
import type {
  EmbeddedPassage,
  FieldText,
  FirstPassage,
  HitSelection,
  LoadedPassages,
  NearestPassages,
  PassageCount,
  PassageScope,
  PassageVector,
  RankedPassage,
  StoredText,
  UnembeddedPassage,
  WordQuery,
  WordScope,
  WordStatistics,
} from '../passages/types.js';
import type { Place } from '../places.js';
import type { Condition, FieldRef, Position, SearchPlan, Summary } from '../plan.js';
import type { Layout } from '../schema.js';
import type { Groups } from '../summary.js';
import type { WriteCounts } from '../types.js';

/** What a driver found for one page. */
export interface RecordPage {
  readonly records: StoredRecord[];
  readonly last: Position | null;
  readonly more: boolean;
}

/** One kind of database, as the store uses it; parameters have been checked before. */
export interface Driver {
  /** Writes a batch whole or not at all. */
  write(
    layout: Layout,
    connectorId: string,
    records: readonly StoredRecord[],
    /** Texts of each record, in the order of the records; none where nothing is searched by meaning. */
    texts?: ReadonlyArray<readonly FieldText[]>,
  ): Promise<WriteCounts>;
  remove(layout: Layout, connectorId: string, ids: readonly string[]): Promise<number>;
  removeConnector(connectorId: string): Promise<number>;
  search(layout: Layout, connectorId: string, plan: SearchPlan): Promise<RecordPage>;
  /** Sums up the records that meet a condition. */
  summarize(layout: Layout, connectorId: string, summary: Summary, tenant: string | undefined): Promise<Groups>;
  /** How many records meet a condition, where no more than `maxScanned` have to be looked at; nothing elsewhere. */
  countUpTo(
    layout: Layout,
    connectorId: string,
    condition: Condition | undefined,
    maxScanned: number,
    tenant: string | undefined,
  ): Promise<number | undefined>;
  /** Reads what the fields of a filter hold that no record meets. */
  describeEmpty(
    layout: Layout,
    connectorId: string,
    request: EmptyRequest,
    tenant: string | undefined,
  ): Promise<EmptySearch>;
  /** Looks up what records have at a path inside an object field. */
  place(layout: Layout, connectorId: string, ref: FieldRef, tenant: string | undefined): Promise<Place>;
  get(layout: Layout, connectorId: string, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  count(layout: Layout, connectorId: string): Promise<number>;
  /** Ids behind `after`, in order. */
  ids(layout: Layout, connectorId: string, after: string, limit: number): Promise<string[]>;
  /** Records behind `after`, in the order of their ids. */
  records(layout: Layout, connectorId: string, after: string, limit: number): Promise<IdentifiedRecord[]>;
  /** Digests of the texts in the object store that the rows of a connector name. */
  references(connectorId: string): Promise<Set<string>>;
  connectors(): Promise<string[]>;
  readonly passages: PassageDriver;
  close(): Promise<void>;
}

/** Passages of texts, ranked by their words or by their vectors. Passages are written and removed together with their records. */
export interface PassageDriver {
  /** What each of the fields tells of the words of a prompt, in their order; words that no passage holds stand for the nearest that some do. */
  words(layout: Layout, scope: WordScope, prompt: string): Promise<WordStatistics[]>;
  /** The best passages by BM25 that hold any of the tokens of a query. */
  lexical(layout: Layout, scope: PassageScope, query: WordQuery): Promise<RankedPassage[]>;
  /** The first passage that a field has of each of some records. */
  first(layout: Layout, connectorId: string, field: string, records: readonly string[]): Promise<FirstPassage[]>;
  /** The nearest passages by cosine, among those that the embedder has been given. */
  nearest(
    layout: Layout,
    scope: PassageScope,
    embedder: string,
    vector: Float32Array,
    selection?: HitSelection,
  ): Promise<NearestPassages>;
  /** Whether texts of an entity may still be cut as an earlier release did. */
  isOutdated(layout: Layout): Promise<boolean>;
  /** Notes that all texts of an entity are cut as they are now. */
  markSplit(layout: Layout): Promise<void>;
  /** Passages with the text around them, `window` code points in all and none less than the passage has, and their records; those that are gone are left out. */
  read(
    layout: Layout,
    connectorId: string,
    passages: readonly RankedPassage[],
    window: number,
  ): Promise<LoadedPassages>;
  /** Passages of whatever connector that an embedder has not been given yet, those of a field the oldest first. */
  unembedded(embedder: string, limit: number): Promise<UnembeddedPassage[]>;
  /** Keeps what an embedder made of passages; those that are gone by now are left out. */
  embed(embedder: string, vectors: readonly PassageVector[]): Promise<void>;
  /** Texts of records that have been cut into passages. */
  texts(layout: Layout, connectorId: string, ids: readonly string[]): Promise<StoredText[]>;
  /** All vectors of a connector's passages, of whatever embedder, each of the length 1. */
  vectors(connectorId: string, passages: readonly number[]): Promise<EmbeddedPassage[]>;
  /** How many numbers the vectors of an embedder have, if there are any. */
  dimensions(embedder: string): Promise<number | undefined>;
  /** Forgets the vectors of all embedders but these. */
  keepEmbedders(embedders: readonly string[]): Promise<void>;
  count(layout: Layout, connectorId: string, field: string, embedder: string | undefined): Promise<PassageCount>;
}
