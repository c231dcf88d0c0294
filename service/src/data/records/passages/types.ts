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
  /** What tells it from other passages of its record, such as the speaker; that of its first turn where it has several. */
  readonly attribution: Attribution;
  /** Where the attribution changes within it, the first of them at its beginning or before. */
  readonly turns?: readonly Turn[] | undefined;
}

/** Names by what they name; null where there is none. */
export type Attribution = Readonly<Record<string, string | null>>;

/** A part of a text from somebody, or of something; it ends where the next one begins. */
export interface Turn {
  /** In code points from the beginning of the text. */
  readonly start: number;
  readonly attribution: Attribution;
}

/** The attribution of a passage as it is stored: that of all of it, or its turns. */
export type StoredAttribution = Attribution | readonly Turn[];

/** Ways to rank passages. */
export type Ranker = 'lexical' | 'dense' | 'hybrid';

/** One search by meaning: a collection, and parameters as `context_store_search` takes them with `semantic`. */
export interface SemanticSearchRequest extends Collection {
  readonly params: unknown;
  /** Whose searches take turns with those of others; the connector where left out. */
  readonly tenant?: string | undefined;
}

/** What a search by meaning found. */
export interface SemanticSearchResult {
  readonly hits: readonly PassageHit[];
  readonly meta: { readonly took_ms: number; readonly ranker: Ranker };
  /** Why vectors tell less than they could, where they do: a sentence. */
  readonly note?: string | undefined;
}

/** A passage that was found, with the record that it is of. */
export interface PassageHit {
  readonly record: StoredRecord;
  /** From 0 to 1; comparable within one result alone. */
  readonly score: number;
  /** The passage in the midst of the text around it. */
  readonly context: string;
  readonly attribution: Readonly<Record<string, string | null>>;
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

/** The fields of a connector's records that are asked for the words of a prompt. */
export interface WordScope extends Pick<PassageScope, 'connectorId' | 'tenant'> {
  readonly fields: readonly string[];
}

/** A passage, and the record that it is of. */
export type FirstPassage = Pick<RankedPassage, 'passage' | 'record'>;

/** A passage with its rank. */
export interface RankedPassage {
  readonly passage: number;
  /** Id of the record that it is of. */
  readonly record: string;
  /** The higher the better: BM25, or the cosine. */
  readonly score: number;
  /** What it was ranked by, where that was words. */
  readonly terms?: PassageTerms | undefined;
}

/** How often the tokens of a prompt occur in a passage, and how many tokens it has. */
export interface PassageTerms {
  readonly counts: ReadonlyArray<readonly [token: string, count: number]>;
  readonly length: number;
}

/** How many passages hold the tokens of one word of a prompt. */
export interface WordFrequency {
  readonly found: ReadonlyArray<readonly [token: string, passages: number]>;
  /** Where none does, the nearest token that some do, and by how many letters it differs. */
  readonly near?: { readonly token: string; readonly passages: number; readonly edits: number } | undefined;
}

/** What the passages of a field tell of a prompt: the frequency of each of its words, in their order. */
export interface WordStatistics {
  readonly passages: number;
  /** Tokens of all passages together. */
  readonly tokens: number;
  readonly frequencies: readonly WordFrequency[];
}

/** The tokens that passages are ranked by, with the statistics that weigh them. */
export interface WordQuery {
  readonly frequencies: ReadonlyArray<readonly [token: string, passages: number]>;
  /** How many words of the prompt no passage has, nor one that they may be misspelt for. */
  readonly unknown: number;
  readonly passages: number;
  /** Tokens that a passage has on average. */
  readonly averageLength: number;
}

/** A passage as it is read again to be shown. */
export interface PassageText {
  readonly passage: number;
  readonly record: string;
  /** The text around it: as many code points as were asked for, or fewer where the text has no more. */
  readonly context: string;
  /** Code points of the text before that. */
  readonly before: number;
  readonly attribution: StoredAttribution;
  /** Where the text is in the object store: what is to be taken out of it as context. */
  readonly external?: Readonly<Record<'read' | 'window' | 'passage', CodePointSpan>> & { readonly reference: string };
}

/** Part of a text, in code points; the end is behind the last. */
export interface CodePointSpan {
  readonly start: number;
  readonly end: number;
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
  /** Where the text is in the object store, what is to be taken out of it; `text` is how it begins. */
  readonly external?: CodePointSpan & { readonly connectorId: string; readonly reference: string };
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

/** The words that passages are ranked by, with the average lengths of texts and of what records are called. */
export interface EntityWords extends WordQuery {
  readonly averageAbout: number;
}

/** The passages of a field by words, and by vectors where there are any. */
export interface Rankings {
  readonly words: readonly RankedPassage[];
  readonly vectors?: readonly RankedPassage[] | undefined;
}

/** The same of one field, or of what records are called. */
export interface FieldRanking extends Rankings {
  readonly field: string;
  readonly isAbout: boolean;
}

/** What the fields of an entity tell of a prompt, and what its records are called. */
export interface EntityStatistics {
  readonly texts: readonly WordStatistics[];
  readonly about: readonly WordStatistics[];
}

/** The rankings of all fields of an entity. */
export interface EntityRanking {
  readonly fields: readonly FieldRanking[];
  readonly ranker: Ranker;
}
