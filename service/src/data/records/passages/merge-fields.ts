import { Bm25, bestOf, normalizeScores } from './hits.js';
import { byScore, combineRankings, fuse } from './semantic-search.js';
import type { EntityWords, FieldRanking, RankedPassage, Rankings } from './types.js';

/** Number of a field's best passages that set its baseline score for a prompt. */
const baselineSize = 50;
/** Cosines of short texts such as titles vary more than those of passages. Tuned with `test/semantic-search`. */
const titleMarginWeight = 0.6;

/** An entity of a connector and the rankings of its fields. */
export interface RankedEntity<Target> {
  readonly target: Target;
  /** Shared by entities that describe the same things under the same record ids. */
  readonly group: string;
  readonly fields: readonly FieldRanking[];
}

/** A passage ranked across all entities; `score` is from 0 to 1. */
export interface MergedPassage<Target> extends RankedPassage {
  readonly target: Target;
  readonly field: string;
}

/**
 * Merges the best records of several entities without duplicates. Lexical scores share the same statistics. Vector
 * scores are compared by their margin over the field's own baseline, because the range of cosines depends on the kind
 * of text.
 */
export function mergeEntities<Target>(
  found: ReadonlyArray<RankedEntity<Target>>,
  words: EntityWords,
  { prompt, limit }: { readonly prompt: string; readonly limit: number },
): MergedPassage<Target>[] {
  const bm25 = new Bm25(words, words.averageAbout);
  const all = new Map<number, { readonly target: Target; readonly field: string; readonly record: string }>();
  const groups = [...groupBy(found).values()];
  const levels = found.flatMap(({ fields }) => fields.flatMap(({ vectors }) => vectors?.slice(0, baselineSize) ?? []));
  const usual = levels.reduce((sum, { score }) => sum + score, 0) / Math.max(1, levels.length);
  const combined = groups.map((group, index) => {
    for (const { target, fields } of group)
      for (const { field, words: byWords, vectors = [] } of fields) {
        for (const { passage, record } of [...byWords, ...vectors]) all.set(passage, { target, field, record });
      }
    const fields = group.flatMap((one) => one.fields);
    const standingOut = fields.map((one) => ({
      ...one,
      vectors: one.vectors && marginsOf(one.vectors, usual, one.isAbout ? titleMarginWeight : 1),
    }));
    const texts = standingOut.filter(({ isAbout }) => !isAbout);
    const about = standingOut.find(({ isAbout }) => isAbout);
    const { words: byWords, vectors } = combineRankings(texts, about, bm25, (_, one) => one.passage);
    const named = (ranking: readonly RankedPassage[]) =>
      ranking.map((one) => ({ ...one, record: `${index} ${one.record}` }));
    return { words: named(byWords), vectors: vectors && named(vectors) };
  });
  const merged: Rankings = {
    words: byScore(combined.flatMap((one) => one.words)),
    vectors: combined.some(({ vectors }) => vectors)
      ? byScore(combined.flatMap(({ vectors }) => vectors ?? []))
      : undefined,
  };
  const fused = fuse(merged, prompt, words.passages);
  const ranking = merged.vectors ? fused : normalizeScores(fused, 'lexical');
  return bestOf(ranking, { limit, allowRepeats: false }).map((one) => ({ ...one, ...all.get(one.passage)! }));
}

/** Margins over the baseline; if a field has too few passages, `usual` substitutes for the missing scores. */
function marginsOf(ranking: readonly RankedPassage[], usual: number, weight: number): RankedPassage[] {
  const best = ranking.slice(0, baselineSize);
  const sum = best.reduce((total, { score }) => total + score, 0) + (baselineSize - best.length) * usual;
  return ranking.map((one) => {
    const margin = one.score - sum / baselineSize;
    return { ...one, score: Math.min(margin, margin * weight) };
  });
}

function groupBy<Target>(found: ReadonlyArray<RankedEntity<Target>>): Map<string, RankedEntity<Target>[]> {
  const groups = new Map<string, RankedEntity<Target>[]>();
  for (const one of found) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return groups;
}
