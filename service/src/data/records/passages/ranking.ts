import { promptWords } from './tokens.js';
import type { RankedPassage, Ranker, Shown } from './types.js';

/** What is added to every rank before its reciprocal is taken: little, as far down in both rankings is no match for first in one. */
const damping = 1;
/** Words and vectors count alike where words make up this share of the most that they could tell. */
const evenShare = 0.25;
/** The BM25 score that counts as one half. */
const middling = 6;

/** Scores from 0 to 1. A cosine below 0 is none; BM25 tends to 1 as it grows. */
export const scored = (found: readonly RankedPassage[], ranker: Exclude<Ranker, 'hybrid'>): RankedPassage[] =>
  found.map((one) => ({
    ...one,
    score: ranker === 'dense' ? Math.min(1, Math.max(0, one.score)) : one.score / (one.score + middling),
  }));

/** A ranking, and how much its places count; the weights of all rankings make 1. */
export interface Weighted {
  readonly ranking: readonly RankedPassage[];
  readonly weight: number;
}

/**
 * How much a ranking by words counts beside one by vectors, among so many passages. Each token of the prompt tells most
 * where a single passage holds it; the less of that the best passage has, the more is said there in other words.
 */
export function weightOfWords(byWords: readonly RankedPassage[], prompt: string, passages: number): number {
  const tokens = new Set(promptWords(prompt).flatMap((word) => word.tokens));
  const most = tokens.size * Math.log1p(passages);
  const share = most > 0 ? (byWords[0]?.score ?? 0) / most : 0;
  return share / (share + evenShare);
}

/** Joins rankings by the weighted reciprocals of the places in each; 1 is the first place in all of them. */
export function fused(rankings: readonly Weighted[]): RankedPassage[] {
  const joined = new Map<number, RankedPassage>();
  for (const { ranking, weight } of rankings) {
    for (const [index, { passage, record }] of ranking.entries()) {
      const share = (weight * (damping + 1)) / (damping + index + 1);
      joined.set(passage, { passage, record, score: (joined.get(passage)?.score ?? 0) + share });
    }
  }
  return [...joined.values()].sort((one, other) => other.score - one.score || one.passage - other.passage);
}

/** Ids of the records that passages are of, each once. */
export const recordsOf = (found: readonly RankedPassage[]): string[] => [...new Set(found.map(({ record }) => record))];

/** The first passages of a ranking, one of each record unless several may be. */
export function bestOf(
  ranking: readonly RankedPassage[],
  { limit, repeated }: Omit<Shown, 'contextSize'>,
): RankedPassage[] {
  if (repeated) return ranking.slice(0, limit);
  const best = new Map<string, RankedPassage>();
  for (const one of ranking) {
    if (best.size >= limit) break;
    if (!best.has(one.record)) best.set(one.record, one);
  }
  return [...best.values()];
}
