import type { Collection, IdentifiedRecord, StoredRecord } from '../entity.js';
import type { Condition } from '../plan.js';

/** The text of one field of one record, and the passages that it is cut into. */
export interface FieldText {
  readonly field: string;
  readonly text: string;
  readonly passages: readonly PassageSpan[];
}

/** A part of a text that is ranked by itself. */
export interface PassageSpan {
  /** In code points from the beginning of the text; the end is behind the last. */
  readonly start: number;
  readonly end: number;
  /** What tells it from other passages of its record, such as the speaker. */
  readonly attribution: Readonly<Record<string, string | null>>;
}

/** Ways to rank passages. */
export type Ranker = 'lexical' | 'dense' | 'hybrid';

/** One search by meaning: a collection, and parameters as `context_store_search` takes them with `semantic`. */
export interface SemanticSearchRequest extends Collection {
  readonly params: unknown;
  /** Whose searches take turns with those of others; the connector where left out. */
  readonly tenant?: string | undefined;
  /** Whether the scores are wanted too that compare its hits with those of other fields. */
  readonly withScores?: boolean | undefined;
}

/** What a search by meaning found. */
export interface SemanticSearchResult {
  readonly hits: readonly PassageHit[];
  readonly meta: { readonly took_ms: number; readonly ranker: Ranker };
  /** Why vectors tell less than they could, where they do: a sentence. */
  readonly note?: string | undefined;
  /** Where it is to be compared. */
  readonly scores?: FieldScores;
}

/** What a search gave the best passages of a field, by each of its rankings. */
export interface FieldScores {
  readonly words?: ScoreTotal | undefined;
  readonly vectors?: ScoreTotal | undefined;
  /** How much words count beside vectors, from 0 to 1, by how much of the prompt the best passage says. */
  readonly lexicalWeight?: number | undefined;
}

/** The scores of some passages together. */
export interface ScoreTotal {
  readonly sum: number;
  readonly passages: number;
}

/** A passage that was found, with the record that it is of. */
export interface PassageHit {
  readonly record: StoredRecord;
  /** From 0 to 1; comparable within one result alone. */
  readonly score: number;
  /** The passage in the midst of the text around it. */
  readonly context: string;
  readonly attribution: Readonly<Record<string, string | null>>;
  /** BM25 and the cosine, each where its ranking has the passage; where they are to be compared. */
  readonly scores?: { readonly words?: number | undefined; readonly vectors?: number | undefined };
}

/** Where a driver is to look for passages. */
export interface PassageScope {
  readonly connectorId: string;
  readonly tenant?: string | undefined;
  readonly field: string;
  /** Which records count; all when left out. */
  readonly condition: Condition | undefined;
  /** How many to find at most. */
  readonly limit: number;
  /** Where given, the first of the passages, as far as they are of so many records, are enough. */
  readonly stopAfterRecords?: number | undefined;
}

/** A passage with its rank. */
export interface RankedPassage {
  readonly passage: number;
  /** Id of the record that it is of. */
  readonly record: string;
  /** The higher the better: BM25, or the cosine. */
  readonly score: number;
}

/** A passage as it is read again to be shown. */
export interface PassageText {
  readonly passage: number;
  readonly record: string;
  /** The text around it: as many code points as were asked for, or fewer where the text has no more. */
  readonly context: string;
  readonly attribution: Readonly<Record<string, string | null>>;
}

/** Passages as they are read again, and the records that they are of. */
export interface LoadedPassages {
  readonly texts: readonly PassageText[];
  readonly records: readonly IdentifiedRecord[];
}

/** Which of the passages that are found are shown, and how. */
export interface HitSelection {
  readonly limit: number;
  /** Whether several may be of one record. */
  readonly allowRepeats: boolean;
  /** Code points of text around each. */
  readonly contextSize: number;
}

/** Passages by their vectors, the nearest first; `read` are those of them that are shown, where that was asked for and cost no more. */
export interface NearestPassages {
  readonly ranking: readonly RankedPassage[];
  readonly read?: LoadedPassages;
}

/** A passage that an embedder has not been given yet. */
export interface UnembeddedPassage {
  readonly passage: number;
  readonly text: string;
}

/** What an embedder made of a passage. */
export interface PassageVector {
  readonly passage: number;
  readonly vector: Float32Array;
}

/** The same with what made it. */
export interface EmbeddedPassage extends PassageVector {
  readonly embedder: string;
}

/** A text as it has been cut. */
export interface StoredText {
  /** Id of the record that it is of. */
  readonly record: string;
  readonly field: string;
  /** Tells it, and how it is cut, from others. */
  readonly digest: string;
  /** In their order. */
  readonly passages: readonly number[];
}

/** How many passages of a field there are, and how many of them an embedder has been given. */
export interface PassageCount {
  readonly passages: number;
  readonly embedded: number;
}
