import type { ParsedPrompt, RankingMode } from 'agent-connectors/search';
import type { Requester } from '../../../common/fair-queue.js';
import type { Collection, IdentifiedRecord, StoredRecord } from '../entity.js';
import type { Condition } from '../plan.js';
import type { Column } from '../schema.js';

/** The text of one field of a record, and its passages. */
export interface FieldText {
  readonly field: string;
  readonly text: string;
  readonly passages: readonly PassageSpan[];
}

/** A part of a text that is ranked separately. */
export interface PassageSpan {
  /** Range in code points, end exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * Distinguishes the passage from others in its record, for example by speaker. If the passage has several turns, this
   * is the first one's.
   */
  readonly attribution: Attribution;
  /** Where the attribution changes within the passage; the first turn starts at or before its beginning. */
  readonly turns?: readonly Turn[] | undefined;
}

/** Attribution values by name; null if there is none. */
export type Attribution = Readonly<Record<string, string | null>>;

/** A part of a text by one speaker or on one topic; it ends where the next one starts. */
export interface Turn {
  /** In code points from the start of the text. */
  readonly start: number;
  readonly attribution: Attribution;
}

/** A passage's stored attribution: one for the whole passage, or its turns. */
export type StoredAttribution = Attribution | readonly Turn[];

export type Ranker = RankingMode;

/** A semantic search. */
export interface SemanticSearchRequest extends Collection {
  readonly search: ParsedPrompt;
  /** Whose turn the search takes; defaults to the connector. */
  readonly requester?: Requester | undefined;
}

/** A semantic search with its fields and values bound to a table. */
export interface SemanticPlan {
  readonly column: Column;
  readonly prompt: string;
  readonly condition: Condition | undefined;
  /** Context size in code points. */
  readonly contextSize: number;
  /** Whether a record may appear more than once. */
  readonly allowRepeats: boolean;
  /** The requested ranker, if any. */
  readonly mode: Ranker | undefined;
  readonly limit: number;
}

/** A prompt's vector, and the embedder's id. */
export interface PromptVector {
  readonly embedder: string;
  readonly vector: Float32Array;
  /** Number of passages that the embedder has processed. */
  readonly embedded: number;
}

/** A semantic search whose prompt is embedded, as far as its ranker needs vectors. */
export interface PassageQuestion extends SemanticPlan {
  readonly ranker: Ranker;
  readonly vector: PromptVector | undefined;
  /** For the records' titles. */
  readonly titleVector: PromptVector | undefined;
  /** Whether some records are hidden, so that statistics of all records must not be shown. */
  readonly isBound: boolean;
}

/** The hits of a question. */
export interface FoundHits {
  readonly hits: readonly PassageHit[];
  /** Rare words of the prompt that no hit contains. */
  readonly unmatched: readonly string[];
}

/** Result of a semantic search. */
export interface SemanticSearchResult {
  readonly hits: readonly PassageHit[];
  readonly meta: {
    readonly took_ms: number;
    readonly ranker: Ranker;
    /** Rare words of the prompt that no hit contains; fewer hits are returned then. */
    readonly unmatched_words?: readonly string[];
  };
  /** A sentence explaining why vector results are incomplete, if they are. */
  readonly note?: string | undefined;
}

/** A matching passage and its record. */
export interface PassageHit {
  readonly record: StoredRecord;
  /** From 0 to 1; comparable only within one result. */
  readonly score: number;
  /** The passage with surrounding text. */
  readonly context: string;
  readonly attribution: Readonly<Record<string, string | null>>;
}

/** Where a driver searches for passages. */
export interface PassageScope {
  readonly connectorId: string;
  readonly requester?: Requester | undefined;
  readonly field: string;
  /** Restricts the records; all if undefined. */
  readonly condition: Condition | undefined;
  /** Maximum number of passages. */
  readonly limit: number;
  /** If set, stop once the first passages cover this many records. */
  readonly stopAfterRecords?: number | undefined;
}

/** The fields of a connector's records to collect word statistics from. */
export interface WordScope extends Pick<PassageScope, 'connectorId' | 'requester'> {
  readonly fields: readonly string[];
}

/** A passage and its record. */
export type FirstPassage = Pick<RankedPassage, 'passage' | 'record'>;

/** A passage and its score. */
export interface RankedPassage {
  readonly passage: number;
  /** Id of its record. */
  readonly record: string;
  /** Higher is better: BM25 or cosine similarity. */
  readonly score: number;
  /** Its term frequencies, if ranked by words. */
  readonly terms?: PassageTerms | undefined;
}

/** Frequencies of a prompt's tokens in a passage, and its length in tokens. */
export interface PassageTerms {
  readonly counts: ReadonlyArray<readonly [token: string, count: number]>;
  readonly length: number;
}

/** How many passages contain the tokens of a word in the prompt. */
export interface WordFrequency {
  readonly found: ReadonlyArray<readonly [token: string, passages: number]>;
  /** If there are none, the closest token that occurs and its edit distance; or those of compounds, of distance 0. */
  readonly near?: ReadonlyArray<{ readonly token: string; readonly passages: number; readonly edits: number }>;
}

/** Word statistics of a field for a prompt: the frequency of each word, in order. */
export interface WordStatistics {
  readonly passages: number;
  /** Total number of tokens in all passages. */
  readonly tokens: number;
  readonly frequencies: readonly WordFrequency[];
}

/** The tokens to rank passages by, with the statistics used to weight them. */
export interface WordQuery {
  readonly frequencies: ReadonlyArray<readonly [token: string, passages: number]>;
  /** Number of prompt words that neither occur nor have a close match. */
  readonly unknown: number;
  readonly passages: number;
  /** Average tokens per passage. */
  readonly averageLength: number;
}

/** A passage as loaded for display. */
export interface PassageText {
  readonly passage: number;
  readonly record: string;
  /** The surrounding text: the requested number of code points, or fewer if the text is shorter. */
  readonly context: string;
  /** Number of code points in the text before the context. */
  readonly before: number;
  readonly attribution: StoredAttribution;
  /** Set if the text is stored as an object: its reference, and the spans that `contextOf` needs. */
  readonly external?: Readonly<Record<'read' | 'window' | 'passage', TextSpan>> & { readonly reference: string };
}

/** A range of a text in code points, end exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Loaded passages and their records. */
export interface LoadedPassages {
  readonly texts: readonly PassageText[];
  readonly records: readonly IdentifiedRecord[];
}

/** A passage that is not embedded yet. */
export interface UnembeddedPassage {
  readonly passage: number;
  readonly text: string;
  /**
   * Set if the text is stored as an object: its reference and the passage's span; in that case, `text` is only its
   * beginning.
   */
  readonly external?: TextSpan & { readonly connectorId: string; readonly reference: string };
}

/** An embedded passage's vector. */
export interface PassageVector {
  readonly passage: number;
  readonly vector: Float32Array;
}

/** A vector and the embedder that produced it. */
export interface EmbeddedPassage extends PassageVector {
  readonly embedder: string;
}

/** A text and its passages as stored. */
export interface StoredText {
  /** Id of its record. */
  readonly record: string;
  readonly field: string;
  /** Identifies the text and how it is split. */
  readonly digest: string;
  /** In order. */
  readonly passages: readonly number[];
}

/** Number of a field's passages, and how many an embedder has processed. */
export interface PassageCount {
  readonly passages: number;
  readonly embedded: number;
}

/** The words to rank passages by, with the average lengths of texts and titles. */
export interface EntityWords extends WordQuery {
  readonly averageAbout: number;
}

/** A field's lexical ranking, and its vector ranking if available. */
export interface Rankings {
  readonly words: readonly RankedPassage[];
  readonly vectors?: readonly RankedPassage[] | undefined;
}

/** Rankings of one field or of the titles. */
export interface FieldRanking extends Rankings {
  readonly field: string;
  readonly isAbout: boolean;
}

/** Word statistics of an entity's fields and titles for a prompt. */
export interface EntityStatistics {
  readonly texts: readonly WordStatistics[];
  readonly about: readonly WordStatistics[];
}

export interface EntityRanking {
  readonly fields: readonly FieldRanking[];
  readonly ranker: Ranker;
}
