import { bestOf, fused } from './ranking.js';
import type { FieldScores, Level, PassageHit, RankedPassage } from './types.js';

/** So many of a field's best passages tell what its passages are given for a prompt, relevant or not. */
const typical = 50;

/** What the best passages of a ranking have been given. */
export function levelOf(ranking: readonly RankedPassage[]): Level {
  const best = ranking.slice(0, typical);
  return { sum: best.reduce((sum, { score }) => sum + score, 0), passages: best.length };
}

/** Where a field is; several may have the same name. */
interface Named {
  readonly field: string;
}

/** What a search of one field found, with its scores. */
export interface FoundInField<Place extends Named> {
  readonly place: Place;
  readonly hits: readonly PassageHit[];
  readonly scores: FieldScores;
}

/** A hit among those of all fields; `score` is from 0 to 1. */
export interface HitAcross<Place extends Named> {
  readonly place: Place;
  readonly hit: PassageHit;
  readonly score: number;
}

type Kind = 'words' | 'vectors';

/** A hit, and what its field's best passages have been given. */
interface Candidate<Place extends Named> {
  readonly place: Place;
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
export function acrossFields<Place extends Named>(
  found: ReadonlyArray<FoundInField<Place>>,
  limit: number,
  recordOf: (place: Place, hit: PassageHit) => string,
): HitAcross<Place>[] {
  const all = found
    .flatMap(({ place, hits, scores }) => hits.map((hit) => ({ place, hit, scores, record: recordOf(place, hit) })))
    // In an order of their own: which field was searched first must not tell.
    .sort((one, other) => inOrder(one.record, other.record) || inOrder(one.place.field, other.place.field));
  const fields = found.map(({ scores }) => scores);
  const weight = weightOfWordsIn(fields);
  const ranking = fused([
    { ranking: rankedBy('words', all, 0), weight },
    { ranking: rankedBy('vectors', all, usual(fields.flatMap(({ vectors }) => vectors ?? []))), weight: 1 - weight },
  ]);
  return bestOf(ranking, { limit, repeated: false }).map(({ passage, score }) => {
    const { place, hit } = all[passage]!;
    return { place, hit, score };
  });
}

/** Words count as much as in the field whose passages say most of the prompt, with vectors or without; alone where none has vectors. */
const weightOfWordsIn = (fields: readonly FieldScores[]): number =>
  fields.some(({ vectors }) => vectors) ? Math.max(...fields.map(({ weightOfWords = 0 }) => weightOfWords)) : 1;

/** What the best passages of all fields have on average. */
function usual(levels: readonly Level[]): number {
  const passages = levels.reduce((sum, level) => sum + level.passages, 0);
  return levels.reduce((sum, level) => sum + level.sum, 0) / Math.max(1, passages);
}

/**
 * Those first that stand out most, each known by its place in `all`. `missing` is the score of passages that a field does
 * not have: without any of the words it would be 0, and what is usual by vectors a small field does not tell by itself.
 */
function rankedBy(kind: Kind, all: ReadonlyArray<Candidate<Named>>, missing: number): RankedPassage[] {
  const ranking = all.flatMap(({ hit, record, scores }, passage) => {
    const own = hit.scores?.[kind];
    if (own === undefined) return [];
    const { sum, passages } = scores[kind] ?? { sum: 0, passages: 0 };
    const level = (sum + (typical - passages) * missing) / typical;
    return [{ passage, record, score: rounded(own - level) }];
  });
  return ranking.sort((one, other) => other.score - one.score || one.passage - other.passage);
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Sums of the same numbers in another order differ by less. */
const rounded = (score: number): number => Math.round(score * 1e9) / 1e9;
