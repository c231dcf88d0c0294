import { bestOf, reciprocalRankFusion } from './hits.js';
import type { FieldScores, PassageHit, RankedPassage, ScoreTotal } from './types.js';

/** So many of a field's best passages tell what its passages are given for a prompt, relevant or not. */
const baselineSize = 50;

/** What the best passages of a ranking have been given. */
export function scoreBaseline(ranking: readonly RankedPassage[]): ScoreTotal {
  const best = ranking.slice(0, baselineSize);
  return { sum: best.reduce((sum, { score }) => sum + score, 0), passages: best.length };
}

/** Where a field is; several may have the same name. */
interface HasField {
  readonly field: string;
}

/** What a search of one field found, with its scores. */
export interface FieldResult<Target extends HasField> {
  readonly target: Target;
  readonly hits: readonly PassageHit[];
  readonly scores: FieldScores;
}

/** A hit among those of all fields; `score` is from 0 to 1. */
export interface MergedHit<Target extends HasField> {
  readonly target: Target;
  readonly hit: PassageHit;
  readonly score: number;
}

type Kind = 'words' | 'vectors';

/** A hit, and what its field's best passages have been given. */
interface Candidate<Target extends HasField> {
  readonly target: Target;
  readonly hit: PassageHit;
  readonly record: string;
  readonly scores: FieldScores;
}

/**
 * The best hits of several fields, in one order. Scores of different fields do not compare: how high they are depends on
 * how many passages a field has, how long they are and what they are about. What compares is how far a passage stands out
 * from the best of its own field. By that, all hits are ranked once by words and once by vectors, and these two rankings
 * are fused as those of one field are. Each record, by the name that `recordOf` gives it, comes once.
 */
export function mergeFields<Target extends HasField>(
  found: ReadonlyArray<FieldResult<Target>>,
  limit: number,
  recordOf: (target: Target, hit: PassageHit) => string,
): MergedHit<Target>[] {
  const all = found
    .flatMap(({ target, hits, scores }) => hits.map((hit) => ({ target, hit, scores, record: recordOf(target, hit) })))
    // In an order of their own: which field was searched first must not tell.
    .sort((one, other) => compareText(one.record, other.record) || compareText(one.target.field, other.target.field));
  const fields = found.map(({ scores }) => scores);
  const weight = sharedLexicalWeight(fields);
  const ranking = reciprocalRankFusion([
    { ranking: rankByMargin('words', all, 0), weight },
    {
      ranking: rankByMargin('vectors', all, averageScore(fields.flatMap(({ vectors }) => vectors ?? []))),
      weight: 1 - weight,
    },
  ]);
  return bestOf(ranking, { limit, allowRepeats: false }).map(({ passage, score }) => {
    const { target, hit } = all[passage]!;
    return { target, hit, score };
  });
}

/** Words count as much as in the field whose passages say most of the prompt, with vectors or without; alone where none has vectors. */
const sharedLexicalWeight = (fields: readonly FieldScores[]): number =>
  fields.some(({ vectors }) => vectors) ? Math.max(...fields.map(({ lexicalWeight = 0 }) => lexicalWeight)) : 1;

/** What the best passages of all fields have on average. */
function averageScore(levels: readonly ScoreTotal[]): number {
  const passages = levels.reduce((sum, level) => sum + level.passages, 0);
  return levels.reduce((sum, level) => sum + level.sum, 0) / Math.max(1, passages);
}

/**
 * Those first that stand out most, each known by its place in `all`. `missing` is the score of passages that a field does
 * not have: without any of the words it would be 0, and what is usual by vectors a small field does not tell by itself.
 */
function rankByMargin(kind: Kind, all: ReadonlyArray<Candidate<HasField>>, missing: number): RankedPassage[] {
  const ranking = all.flatMap(({ hit, record, scores }, passage) => {
    const hitScore = hit.scores?.[kind];
    if (hitScore === undefined) return [];
    const { sum, passages } = scores[kind] ?? { sum: 0, passages: 0 };
    const baseline = (sum + (baselineSize - passages) * missing) / baselineSize;
    return [{ passage, record, score: roundScore(hitScore - baseline) }];
  });
  return ranking.sort((one, other) => other.score - one.score || one.passage - other.passage);
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Sums of the same numbers in another order differ by less. */
const roundScore = (score: number): number => Math.round(score * 1e9) / 1e9;
