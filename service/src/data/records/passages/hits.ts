import { isWithinEdits, lengthOf, maxEditsFor, promptWords, type Vocabulary } from '../words.js';
import type {
  CodePointSpan,
  HitSelection,
  PassageTerms,
  RankedPassage,
  Ranker,
  WordQuery,
  WordStatistics,
} from './types.js';

/** What is added to every rank before its reciprocal is taken: little, as far down in both rankings is no match for first in one. */
const rrfK = 1;
/** Words and vectors count alike where words make up this share of the most that they could tell. */
const equalWeightShare = 0.25;
/** The BM25 score that counts as one half. */
const bm25Midpoint = 6;

/** Scores from 0 to 1. A cosine below 0 is none; BM25 tends to 1 as it grows. */
export const normalizeScores = (found: readonly RankedPassage[], ranker: Exclude<Ranker, 'hybrid'>): RankedPassage[] =>
  found.map((one) => ({
    ...one,
    score: ranker === 'dense' ? Math.min(1, Math.max(0, one.score)) : one.score / (one.score + bm25Midpoint),
  }));

/** A ranking, and how much its places count; the weights of all rankings make 1. */
export interface WeightedRanking {
  readonly ranking: readonly RankedPassage[];
  readonly weight: number;
}

/**
 * How much a ranking by words counts beside one by vectors, among so many passages. Each token of the prompt tells most
 * where a single passage holds it; the less of that the best passage has, the more is said there in other words.
 */
export function lexicalWeight(lexicalRanking: readonly RankedPassage[], prompt: string, passages: number): number {
  const tokens = new Set(promptWords(prompt).flatMap((word) => word.tokens));
  const maxScore = tokens.size * Math.log1p(passages);
  const share = maxScore > 0 ? (lexicalRanking[0]?.score ?? 0) / maxScore : 0;
  return share / (share + equalWeightShare);
}

/** Joins rankings by the weighted reciprocals of the places in each; 1 is the first place in all of them. */
export function reciprocalRankFusion(rankings: readonly WeightedRanking[]): RankedPassage[] {
  const merged = new Map<number, RankedPassage>();
  for (const { ranking, weight } of rankings) {
    for (const [index, { passage, record }] of ranking.entries()) {
      const share = (weight * (rrfK + 1)) / (rrfK + index + 1);
      merged.set(passage, { passage, record, score: (merged.get(passage)?.score ?? 0) + share });
    }
  }
  return [...merged.values()].sort((one, other) => other.score - one.score || one.passage - other.passage);
}

/** Ids of the records that passages are of, each once. */
export const recordsOf = (found: readonly RankedPassage[]): string[] => [...new Set(found.map(({ record }) => record))];

/** The first passages of a ranking, one of each record unless several may be. */
export function bestOf(
  ranking: readonly RankedPassage[],
  { limit, allowRepeats }: Omit<HitSelection, 'contextSize'>,
): RankedPassage[] {
  if (allowRepeats) return ranking.slice(0, limit);
  const best = new Map<string, RankedPassage>();
  for (const one of ranking) {
    if (best.size >= limit) break;
    if (!best.has(one.record)) best.set(one.record, one);
  }
  return [...best.values()];
}

const k1 = 1.2;
const b = 0.75;

/** What a token tells: the more, the fewer passages hold it. */
const inverseDocumentFrequency = (found: number, passages: number): number =>
  Math.log(1 + (passages - found + 0.5) / (found + 0.5));

/** So few of a field's passages hold a token that looking them up takes no time. */
const rareTokenShare = 0.04;
/** How much the tokens that are left out may tell together, of what the most telling one does. */
const maxDroppedShare = 0.5;

/**
 * The tokens of a prompt that its passages are looked up by. Those that many passages hold and that tell little beside
 * the others are left out: they still count in the scores of what the others find.
 */
export function lookupTokens(frequencies: ReadonlyMap<string, number>, passages: number): string[] {
  const all = Math.max(1, passages, ...frequencies.values());
  const common = [...frequencies].sort(([, one], [, other]) => other - one);
  const maxDroppedWeight = inverseDocumentFrequency(common.at(-1)?.[1] ?? 0, all) * maxDroppedShare;
  let droppedWeight = 0;
  const first = common.findIndex(([, found]) => {
    droppedWeight += inverseDocumentFrequency(found, all);
    return found <= all * rareTokenShare || droppedWeight > maxDroppedWeight;
  });
  return common.slice(Math.max(0, first)).map(([token]) => token);
}

/** So many passages are looked at for one prompt: the newest where even the rarest word leads to more. */
export const maxMatches = 20_000;

/** The rarest of some tokens that lead to so few together, or the rarest alone: what only more frequent ones lead to comes far behind. */
export function rarestTokens(frequencies: ReadonlyMap<string, number>): string[] {
  let sum = 0;
  const rarestFirst = [...frequencies].sort(([, one], [, other]) => one - other);
  return rarestFirst.flatMap(([token, passages], index) => {
    sum += passages;
    return index === 0 || sum <= maxMatches ? [token] : [];
  });
}

/** What a record is called counts in full where it has this share of what a prompt tells. Chosen by `test/semantic-search`. */
const fullAboutShare = 0.7;

/** Scores passages by the words of one prompt, as BM25F does: those of the text, and of what the record is called. */
export class Bm25 {
  readonly #weights: ReadonlyMap<string, number>;
  /** What all words of the prompt tell together, those that nothing has included. */
  readonly #totalWeight: number;
  readonly #averageLength: number;
  readonly #averageAbout: number;

  constructor({ frequencies, unknown, passages, averageLength }: WordQuery, averageAbout = 1) {
    const all = Math.max(1, passages, ...frequencies.map(([, found]) => found));
    this.#weights = new Map(frequencies.map(([token, found]) => [token, inverseDocumentFrequency(found, all)]));
    this.#totalWeight = [...this.#weights.values()].reduce((sum, weight) => sum + weight, unknown * Math.log1p(all));
    this.#averageLength = Math.max(1, averageLength);
    this.#averageAbout = Math.max(1, averageAbout);
  }

  /** How often the tokens of the prompt occur among those of a passage. */
  termsOf(tokens: readonly string[]): PassageTerms {
    const counts = new Map<string, number>();
    for (const token of tokens) if (this.#weights.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    return { counts: [...counts], length: tokens.length };
  }

  /**
   * The score of a passage, of what its record is called, or of both. The less of the prompt is in what the record is
   * called, the less that counts: one common word of a title says little of a question in other words.
   */
  score(text: PassageTerms | undefined, about?: PassageTerms): number {
    const sums = new Map<string, number>();
    const add = (terms: PassageTerms | undefined, average: number) => {
      const length = 1 - b + (b * (terms?.length ?? 0)) / average;
      for (const [token, count] of terms?.counts ?? []) sums.set(token, (sums.get(token) ?? 0) + count / length);
    };
    add(text, this.#averageLength);
    const alone = this.#saturated(sums);
    if (!about?.counts.length) return alone;
    add(about, this.#averageAbout);
    const covered = about.counts.reduce((sum, [token]) => sum + (this.#weights.get(token) ?? 0), 0);
    const aboutWeight = Math.min(1, covered / (fullAboutShare * this.#totalWeight));
    return alone + aboutWeight * (this.#saturated(sums) - alone);
  }

  #saturated(sums: ReadonlyMap<string, number>): number {
    let score = 0;
    for (const [token, sum] of sums) score += ((this.#weights.get(token) ?? 0) * sum * (k1 + 1)) / (sum + k1);
    return score;
  }
}

/** What a field without passages tells of any prompt. */
export const noWords: WordStatistics = { passages: 0, tokens: 0, frequencies: [] };

/** What several fields tell of one prompt together: what any of them holds is not misspelt elsewhere. */
export function wordQueryOf(statistics: readonly WordStatistics[]): Omit<WordQuery, 'averageLength'> {
  let unknown = 0;
  const sums = new Map<string, number>();
  const add = (token: string, found: number) => sums.set(token, (sums.get(token) ?? 0) + found);
  for (let index = 0; statistics.some(({ frequencies }) => index < frequencies.length); index++) {
    const words = statistics.flatMap(({ frequencies }) => frequencies[index] ?? []);
    const found = words.flatMap((word) => word.found);
    for (const [token, passages] of found) add(token, passages);
    if (found.length > 0) continue;
    // The nearest; of several as near, the one that most passages hold.
    const near = words.flatMap((word) => word.near ?? []);
    const least = Math.min(...near.map(({ edits }) => edits));
    const counts = new Map<string, number>();
    for (const { token, passages, edits } of near) {
      if (edits === least) counts.set(token, (counts.get(token) ?? 0) + passages);
    }
    const [best] = [...counts].sort(([one, more], [other, fewer]) => fewer - more || (one < other ? -1 : 1));
    if (best) add(...best);
    else unknown++;
  }
  return { frequencies: [...sums], unknown, passages: statistics.reduce((sum, { passages }) => sum + passages, 0) };
}

/** Tokens that a passage of some fields has on average. */
export const averageLengthOf = (statistics: readonly WordStatistics[]): number =>
  statistics.reduce((sum, { tokens }) => sum + tokens, 0) /
  Math.max(
    1,
    statistics.reduce((sum, { passages }) => sum + passages, 0),
  );

const minLetters = 3;
const maxCandidates = 32;

/**
 * Words of a vocabulary that a misspelt one may stand for: those that differ least, then those that differ more.
 * Numbers and very short words are taken as they are: another number is not the same one misspelt.
 */
export function nearestWords(word: string, vocabulary: Vocabulary): string[][] {
  if (lengthOf(word) < minLetters || !/^[\p{L}\p{M}]+$/u.test(word)) return [];
  const near = (vocabulary.near(word) ?? []).filter((candidate) => candidate !== word && !/\p{N}/u.test(candidate));
  const groups: string[][] = Array.from({ length: maxEditsFor(word) }, () => []);
  for (const candidate of near) {
    const distance = groups.findIndex((_, index) => isWithinEdits(candidate, word, index + 1));
    groups[distance]?.push(candidate);
  }
  // Of several that differ as much, those with the same beginning are likelier.
  const sharesBeginning = (candidate: string) => Number(candidate[0] === word[0]);
  return groups
    .filter((group) => group.length > 0)
    .map((group) => group.sort((one, other) => sharesBeginning(other) - sharesBeginning(one)).slice(0, maxCandidates));
}

/** How far the edge of a window moves to find the beginning or end of a word, in code points. */
const maxBoundaryShift = 40;

const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The window of a size around a passage: the passage in its middle, or nearer to an end of the text where it must be. */
export function windowAround({ start, end }: CodePointSpan, size: number, length: number): CodePointSpan {
  const wanted = Math.max(size, end - start);
  const from = Math.max(0, Math.min(start - Math.floor((wanted - (end - start)) / 2), length - wanted));
  return { start: from, end: Math.min(length, from + wanted) };
}

/** What has to be read of a text for `contextOf` to find the words at the edges of a window. */
export const withMargins = ({ start, end }: CodePointSpan, length: number): CodePointSpan => ({
  start: Math.max(0, start - maxBoundaryShift),
  end: Math.min(length, end + maxBoundaryShift),
});

/** Place of a code point, in code units. */
function codeUnitOffset(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

/**
 * The text in a window around a passage, without words that the window cuts, where that takes away little.
 * `text` is the part of the whole that `read` names.
 */
export function contextOf(
  text: string,
  read: CodePointSpan,
  window: CodePointSpan,
  passage: CodePointSpan,
): { readonly context: string; readonly before: number } {
  const unit = (point: number): number => codeUnitOffset(text, point - read.start);
  const start = firstWord(text, unit(window.start), unit(Math.min(passage.start, window.start + maxBoundaryShift)));
  const end = lastWord(text, unit(window.end), unit(Math.max(passage.end, window.end - maxBoundaryShift)));
  return { context: text.slice(start, end), before: read.start + lengthOf(text.slice(0, start)) };
}

/** The first place from `from` up to `limit` where a word begins, or else a character. */
function firstWord(text: string, from: number, limit: number): number {
  if (from === 0 || from >= limit) return from;
  const base = Math.max(0, from - 2 * maxBoundaryShift);
  const part = text.slice(base, limit + 2 * maxBoundaryShift);
  for (const kind of [words, graphemes]) {
    for (const { index, segment } of kind.segment(part)) {
      const place = base + index;
      if (place > limit) break;
      if (place >= from && segment.trim() !== '') return place;
    }
  }
  return limit;
}

/** The last place from `from` down to `limit` where a word ends, or else a character. */
function lastWord(text: string, from: number, limit: number): number {
  if (from === text.length || from <= limit) return from;
  const base = Math.max(0, limit - 2 * maxBoundaryShift);
  const part = text.slice(base, from + 2 * maxBoundaryShift);
  for (const kind of [words, graphemes]) {
    let last: number | undefined;
    for (const { index, segment } of kind.segment(part)) {
      const place = base + index + segment.length;
      if (place > from) break;
      if (place >= limit && segment.trim() !== '') last = place;
    }
    if (last !== undefined) return last;
  }
  return limit;
}
