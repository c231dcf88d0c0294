import type { RankedPassage, Ranker } from './types.js';

/** What is added to every rank before its reciprocal is taken: the first few places then differ little. */
const damping = 60;
/** The BM25 score that counts as one half. */
const middling = 6;

/** Scores from 0 to 1. A cosine below 0 is none; BM25 tends to 1 as it grows. */
export const scored = (found: readonly RankedPassage[], ranker: Exclude<Ranker, 'hybrid'>): RankedPassage[] =>
  found.map((one) => ({
    ...one,
    score: ranker === 'dense' ? Math.min(1, Math.max(0, one.score)) : one.score / (one.score + middling),
  }));

/** Joins rankings by the reciprocals of the places in each; 1 is the first place in all of them. */
export function fused(rankings: ReadonlyArray<readonly RankedPassage[]>): RankedPassage[] {
  const joined = new Map<number, RankedPassage>();
  for (const ranking of rankings) {
    for (const [index, { passage, record }] of ranking.entries()) {
      const share = (damping + 1) / (damping + index + 1) / rankings.length;
      joined.set(passage, { passage, record, score: (joined.get(passage)?.score ?? 0) + share });
    }
  }
  return [...joined.values()].sort((one, other) => other.score - one.score || one.passage - other.passage);
}

/** Ids of the records that passages are of, each once. */
export const recordsOf = (found: readonly RankedPassage[]): string[] => [...new Set(found.map(({ record }) => record))];

/** The best passage of each record. */
export function bestOfEach(found: readonly RankedPassage[]): RankedPassage[] {
  const best = new Map<string, RankedPassage>();
  for (const one of found) if (!best.has(one.record)) best.set(one.record, one);
  return [...best.values()];
}
