import { isWithinEdits, lengthOf, maxEditsFor } from '../words/edits.js';
import { isCorrectable, promptWords, TokenFinder, tokensOf } from '../words/ranking.js';
import { isCompoundPart } from '../words/terms.js';
import type { Vocabulary } from '../words/vocabulary.js';
import type {
  PassageHit,
  PassageTerms,
  RankedPassage,
  Ranker,
  SemanticPlan,
  TextSpan,
  WordFrequency,
  WordQuery,
  WordStatistics,
} from './types.js';

/** Constant `k` of reciprocal rank fusion; small, so that two mediocre ranks do not beat first place in one list. */
const rrfK = 1;
/** Share of the maximum word score at which words and vectors weigh the same. Tuned with `test/semantic-search`. */
const equalWeightShare = 0.21;
/** How steeply the weight changes around that share: when words are informative, vectors only break ties. */
const weightSteepness = 4;
/** The BM25 score that is normalized to 0.5. */
const bm25Midpoint = 6;

/** Normalizes scores to the range 0 to 1. A negative cosine becomes 0; BM25 approaches 1 as it grows. */
export const normalizeScores = (found: readonly RankedPassage[], ranker: Exclude<Ranker, 'hybrid'>): RankedPassage[] =>
  found.map((one) => ({
    ...one,
    score: ranker === 'dense' ? Math.min(1, Math.max(0, one.score)) : one.score / (one.score + bm25Midpoint),
  }));

/** A ranking and its weight; the weights of all rankings sum to 1. */
export interface WeightedRanking {
  readonly ranking: readonly RankedPassage[];
  readonly weight: number;
}

/**
 * Weight of the lexical ranking relative to the vector ranking. A token carries the most information when only one
 * passage contains it. The less of the prompt's information the best passage covers, the more likely it is that
 * relevant passages use other words.
 */
export function lexicalWeight(lexicalRanking: readonly RankedPassage[], prompt: string, passages: number): number {
  const tokens = new Set(promptWords(prompt).flatMap((word) => word.tokens));
  const maxScore = tokens.size * Math.log1p(passages);
  const share = maxScore > 0 ? (lexicalRanking[0]?.score ?? 0) / maxScore : 0;
  const ratio = (share / equalWeightShare) ** weightSteepness;
  return ratio / (ratio + 1);
}

/** Weighted reciprocal rank fusion; 1 means first in all rankings. */
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

/** Ids of the passages' records, without duplicates. */
export const recordsOf = (found: readonly RankedPassage[]): string[] => [...new Set(found.map(({ record }) => record))];

/** The first passages of a ranking, one per record unless repeats are allowed. */
export function bestOf(
  ranking: readonly RankedPassage[],
  { limit, allowRepeats }: Pick<SemanticPlan, 'limit' | 'allowRepeats'>,
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

/** Inverse document frequency of a token. */
const inverseDocumentFrequency = (found: number, passages: number): number =>
  Math.log(1 + (passages - found + 0.5) / (found + 0.5));

/** Tokens in at most this share of a field's passages are cheap to look up. */
const rareTokenShare = 0.04;
/** Maximum total weight of dropped tokens, relative to the most informative one. */
const maxDroppedShare = 0.5;

/**
 * The tokens used to look up passages. Frequent tokens that carry little information are dropped but still count toward
 * the scores of the passages found.
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

/** Maximum passages examined per prompt; if even the rarest word matches more, only the newest are examined. */
export const maxMatches = 20_000;

/**
 * The rarest tokens that together match few passages, or just the rarest one. Passages that match only more frequent
 * tokens would rank far lower anyway.
 */
export function rarestTokens(frequencies: ReadonlyMap<string, number>): string[] {
  let sum = 0;
  const rarestFirst = [...frequencies].sort(([, one], [, other]) => one - other);
  return rarestFirst.flatMap(([token, passages], index) => {
    sum += passages;
    return index === 0 || sum <= maxMatches ? [token] : [];
  });
}

/** A title has full weight if it covers this share of the prompt's weight. Tuned with `test/semantic-search`. */
const fullAboutShare = 0.7;

/** Scores passages against a prompt's words using BM25F over the text and the record's title. */
export class Bm25 {
  readonly #weights: ReadonlyMap<string, number>;
  /** Total weight of the prompt's words, including unknown ones. */
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

  /** Scores a passage, its record's title, or both. The less of the prompt a title covers, the less it counts. */
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

/** Statistics of a field that has no passages. */
export const noWords: WordStatistics = { passages: 0, tokens: 0, frequencies: [] };

/** Combines the statistics of several fields: a word found in any of them is not treated as misspelled. */
export function wordQueryOf(statistics: readonly WordStatistics[]): Omit<WordQuery, 'averageLength'> {
  let unknown = 0;
  const sums = new Map<string, number>();
  const add = (token: string, found: number) => sums.set(token, (sums.get(token) ?? 0) + found);
  for (let index = 0; statistics.some(({ frequencies }) => index < frequencies.length); index++) {
    const words = statistics.flatMap(({ frequencies }) => frequencies[index] ?? []);
    const found = words.flatMap((word) => word.found);
    for (const [token, passages] of found) add(token, passages);
    if (found.length > 0) continue;
    // Compounds with the word, or the closest match; among equally close ones, the most frequent one.
    const near = words.flatMap((word) => word.near ?? []);
    const least = Math.min(...near.map(({ edits }) => edits));
    const counts = new Map<string, number>();
    for (const { token, passages, edits } of near) {
      if (edits === least) counts.set(token, (counts.get(token) ?? 0) + passages);
    }
    const best = [...counts].sort(([one, more], [other, fewer]) => fewer - more || (one < other ? -1 : 1));
    for (const one of best.slice(0, least === 0 ? maxCompounds : 1)) add(...one);
    if (best.length === 0) unknown++;
  }
  return { frequencies: [...sums], unknown, passages: statistics.reduce((sum, { passages }) => sum + passages, 0) };
}

/** Average number of tokens per passage across several fields. */
export const averageLengthOf = (statistics: readonly WordStatistics[]): number =>
  statistics.reduce((sum, { tokens }) => sum + tokens, 0) /
  Math.max(
    1,
    statistics.reduce((sum, { passages }) => sum + passages, 0),
  );

const maxCandidates = 32;
/** Maximum number of compounds that stand for a word. */
const maxCompounds = 5;

/** Tokens of the vocabulary's compounds with a word, and of those that it may be a misspelling of, by distance. */
export function correctionsOf(word: string, vocabulary: Vocabulary): string[][] {
  if (!isCorrectable(word)) return [];
  const near = (vocabulary.near(word) ?? []).filter((candidate) => candidate !== word && isCorrectable(candidate));
  const compounds = isCompoundPart(word) ? vocabulary.variants({ partOf: word }).filter(isCorrectable) : [];
  const groups: string[][] = [[...compounds], ...Array.from({ length: maxEditsFor(word) }, () => [])];
  for (const candidate of near) {
    const distance = groups.findIndex((_, edits) => edits > 0 && isWithinEdits(candidate, word, edits));
    groups[distance]?.push(candidate);
  }
  // Among equally close words, those with the same first letter are more likely.
  const sharesBeginning = (candidate: string) => Number(candidate[0] === word[0]);
  return groups.map((group) =>
    group
      .sort((one, other) => sharesBeginning(other) - sharesBeginning(one) || (one < other ? -1 : 1))
      .slice(0, maxCandidates)
      .flatMap(tokensOf),
  );
}

/**
 * What passages contain: compounds, or else the closest correction; among equally close ones, the most frequent one.
 */
export function correctionAmong(
  groups: readonly (readonly string[])[],
  passagesWith: (token: string) => number,
): NonNullable<WordFrequency['near']> {
  for (const [edits, tokens] of groups.entries()) {
    const known = [...new Set(tokens)].filter((token) => passagesWith(token) > 0);
    known.sort((one, other) => passagesWith(other) - passagesWith(one) || (one < other ? -1 : 1));
    const best = known.slice(0, edits === 0 ? maxCompounds : 1);
    if (best.length > 0) return best.map((token) => ({ token, passages: passagesWith(token), edits }));
  }
  return [];
}

/** A word in at most this share of the passages, or in so few of them, is rare. */
const [rareShare, rareCount] = [0.01, 2];
/** Number of hits that are kept, whatever their words. */
const minHits = 5;
/** Longer values of a record are not titles or names. */
const maxNameLength = 500;

/** Hits, and the rare words of the prompt that none of them contains. */
export interface MatchedHits<Hit> {
  readonly hits: readonly Hit[];
  readonly unmatched: readonly string[];
}

type Text = Pick<PassageHit, 'record' | 'context'>;

/** The passage, and the record's short values. */
function textIn({ record, context }: Text): string {
  const names = Object.values(record).filter((value) => typeof value === 'string' && value.length <= maxNameLength);
  return [context, ...names].join('\n');
}

/**
 * Finds the rare words of a prompt that no hit contains, and keeps fewer hits if there are any: the others match by
 * meaning at best. Without statistics, every word counts as rare.
 */
export function matchedHits<Hit>(
  prompt: string,
  hits: readonly Hit[],
  limit: number,
  textOf: (hit: Hit) => Text,
  statistics: readonly WordStatistics[] | undefined,
): MatchedHits<Hit> {
  const words = promptWords(prompt);
  const passages = statistics?.reduce((sum, one) => sum + one.passages, 0) ?? 0;
  const isRare = (index: number): boolean => {
    const counts = statistics?.map(({ frequencies }) =>
      Math.max(0, ...(frequencies[index]?.found ?? []).map(([, n]) => n)),
    );
    const count = counts?.reduce((sum, one) => sum + one, 0) ?? 0;
    return count <= Math.max(rareCount, passages * rareShare);
  };
  /** A word's own tokens and those of compounds with it. */
  const tokensFor = (index: number): string[] => {
    const near = statistics?.flatMap(({ frequencies }) => frequencies[index]?.near ?? []) ?? [];
    return [...words[index]!.tokens, ...near.flatMap(({ token, edits }) => (edits === 0 ? [token] : []))];
  };
  const rare = words.flatMap(({ word }, index) => (isRare(index) ? [{ word, tokens: tokensFor(index) }] : []));
  if (rare.length === 0 || hits.length === 0) return { hits: hits.slice(0, limit), unmatched: [] };
  const finder = new TokenFinder(rare.flatMap((word) => word.tokens));
  const tokens = hits.map((hit) => finder.in(textIn(textOf(hit))));
  const unmatchedIn = (count: number) =>
    rare.filter((word) => !tokens.slice(0, count).some((own) => word.tokens.some((token) => own.has(token))));
  const missing = unmatchedIn(Math.min(limit, hits.length)).length;
  const kept = missing === 0 ? limit : Math.max(minHits, Math.ceil(limit * (1 - missing / words.length)));
  const shown = hits.slice(0, Math.min(limit, kept));
  return { hits: shown, unmatched: unmatchedIn(shown.length).map(({ word }) => word) };
}

/** A shorter context would not be understood. */
const minContext = 60;
/** Words with the spaces after them; longer runs, such as of scripts without spaces, in parts that split no character. */
const pieces = /(?:[^\s\p{M}\u200d]\p{M}*(?:\u200d\S\p{M}*)*|[\p{M}\u200d]){1,20}\s*|\s+/gu;

/** The part of a text with the most different tokens of a prompt, of at most `size` code points. */
export function cutAround(text: string, size: number, wanted: ReadonlySet<string>): string {
  const most = Math.max(size, minContext);
  if (lengthOf(text) <= most) return text;
  const parts = [...text.matchAll(pieces)].map(([part]) => ({
    part,
    length: lengthOf(part),
    tokens: tokensOf(part).filter((token) => wanted.has(token)),
  }));
  let best = { from: 0, to: 0, count: 0 };
  for (let [from, to, length] = [0, 0, 0]; to < parts.length; to++) {
    length += parts[to]!.length;
    while (length > most && from < to) length -= parts[from++]!.length;
    const count = new Set(parts.slice(from, to + 1).flatMap(({ tokens }) => tokens)).size;
    if (count > best.count) best = { from, to, count };
  }
  // Centered around the tokens.
  let [from, to] = [best.from, best.to];
  while (from < to && parts[from]!.tokens.length === 0) from++;
  let left = most - parts.slice(from, to + 1).reduce((sum, { length }) => sum + length, 0);
  for (let isAfter = true; ; isAfter = !isAfter) {
    const [before, after] = [parts[from - 1], parts[to + 1]];
    const fits = {
      before: before !== undefined && before.length <= left,
      after: after !== undefined && after.length <= left,
    };
    if (!fits.before && !fits.after) break;
    const next = (isAfter && fits.after) || !fits.before ? parts[++to]! : parts[--from]!;
    left -= next.length;
  }
  const cut = parts
    .slice(from, to + 1)
    .map(({ part }) => part)
    .join('')
    .trim();
  return lengthOf(cut) <= most ? cut : [...cut].slice(0, most).join('');
}

/** How far a window's edge may move to a word boundary, in code points. */
const maxBoundaryShift = 40;

const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A window of the given size around a passage, centered unless the passage is too close to either end of the text. */
export function windowAround({ start, end }: TextSpan, size: number, length: number): TextSpan {
  const wanted = Math.max(size, end - start);
  const from = Math.max(0, Math.min(start - Math.floor((wanted - (end - start)) / 2), length - wanted));
  return { start: from, end: Math.min(length, from + wanted) };
}

/** The range to read so that `contextOf` can find word boundaries at the window's edges. */
export const withMargins = ({ start, end }: TextSpan, length: number): TextSpan => ({
  start: Math.max(0, start - maxBoundaryShift),
  end: Math.min(length, end + maxBoundaryShift),
});

/** Code unit offset of a code point. */
function codeUnitOffset(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

/**
 * The text in a window around a passage, trimmed to word boundaries if that removes little. `text` is the part of
 * the whole text specified by `read`.
 */
export function contextOf(
  text: string,
  read: TextSpan,
  window: TextSpan,
  passage: TextSpan,
): { readonly context: string; readonly before: number } {
  const unit = (point: number): number => codeUnitOffset(text, point - read.start);
  const start = firstWord(text, unit(window.start), unit(Math.min(passage.start, window.start + maxBoundaryShift)));
  const end = lastWord(text, unit(window.end), unit(Math.max(passage.end, window.end - maxBoundaryShift)));
  return { context: text.slice(start, end), before: read.start + lengthOf(text.slice(0, start)) };
}

/** The first word start from `from` up to `limit`, or else a character boundary. */
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

/** The last word end from `from` down to `limit`, or else a character boundary. */
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
