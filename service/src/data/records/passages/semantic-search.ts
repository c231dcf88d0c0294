import type { PassageDriver } from '../driver.js';
import { slicer } from '../rows.js';
import type { Column, Layout } from '../schema.js';
import { promptWords, TokenFinder } from '../words/ranking.js';
import {
  averageLengthOf,
  Bm25,
  bestOf,
  cutAround,
  lexicalWeight,
  matchedHits,
  normalizeScores,
  noWords,
  reciprocalRankFusion,
  wordQueryOf,
} from './hits.js';
import type { EmbeddedPrompt } from './prompt.js';
import type {
  Attribution,
  EntityRanking,
  EntityStatistics,
  EntityWords,
  FieldRanking,
  FoundHits,
  PassageHit,
  PassageQuestion,
  PassageScope,
  PassageText,
  PromptVector,
  RankedPassage,
  Ranker,
  Rankings,
  SemanticPlan,
  StoredAttribution,
  Turn,
  WordStatistics,
} from './types.js';

/** How a driver ranks and reads passages. */
type Passages = Pick<PassageDriver, 'words' | 'lexical' | 'nearest' | 'first' | 'read'>;

/** Where to search for passages. */
export interface PassagesOf extends Pick<PassageScope, 'connectorId' | 'requester'> {
  readonly passages: Passages;
  readonly layout: Layout;
}

/** Where to search semantically, and how to embed the prompt. */
export interface SemanticScope extends PassagesOf {
  readonly passages: Pick<PassageDriver, 'find'> & Passages;
  /** Embeds a prompt for a field. */
  readonly embed: (plan: Pick<SemanticPlan, 'column' | 'prompt' | 'mode'>) => Promise<EmbeddedPrompt>;
  /** Whether there is an embedder. */
  readonly hasVectors: boolean;
  /** Whether some records are hidden, so that statistics of all records must not be shown. */
  readonly isBound?: boolean;
}

/** Hits of a semantic search, without its duration. */
export interface SemanticHits extends FoundHits {
  readonly ranker: Ranker;
  /** Why vector results are incomplete, if they are. */
  readonly note: string | undefined;
}

/** Combined statistics of the fields of one or more entities. */
export const entityWordsOf = (texts: readonly WordStatistics[], about: readonly WordStatistics[]): EntityWords => ({
  ...wordQueryOf([...texts, ...about]),
  averageLength: averageLengthOf(texts),
  averageAbout: averageLengthOf(about),
});

const aboutOf = ({ semantic }: Layout): Column | undefined => semantic.find(({ about }) => about);

/** Embeds the prompt if vectors are to be compared, and finds the best passages of a field with their records. */
export async function semanticSearch(scope: SemanticScope, plan: SemanticPlan): Promise<SemanticHits> {
  const byWords = plan.mode === 'lexical' || (plan.mode === undefined && !scope.hasVectors);
  const { promptVector, note } = byWords ? {} : await scope.embed(plan);
  const ranker = promptVector ? (plan.mode ?? 'hybrid') : 'lexical';
  const about = aboutOf(scope.layout);
  const titles = about && promptVector && (await scope.embed({ ...plan, mode: undefined, column: about }));
  const vectors = { vector: promptVector, titleVector: titles?.promptVector };
  const question = { ...plan, ...vectors, ranker, isBound: scope.isBound ?? false };
  const find = scope.passages.find ?? findHits;
  return { ...(await find(scope, question)), ranker: plan.mode ?? ranker, note };
}

/** Ranks a field's passages and reads the best of them with their records. */
export async function findHits(scope: PassagesOf, question: PassageQuestion): Promise<FoundHits> {
  const { ranking, statistics } = await rank(scope, question);
  const found = await readHits(scope, ranking, question);
  const all = ranking.flatMap(({ passage, score }) => {
    const hit = found.get(passage);
    return hit ? [{ ...hit, score: Math.round(score * 1e6) / 1e6 }] : [];
  });
  if (!statistics) return { hits: all, unmatched: [] };
  const { prompt, limit, isBound } = question;
  return matchedHits(prompt, all, limit, (hit) => hit, isBound ? undefined : statistics);
}

/** Statistics of an entity's semantic fields and titles for a prompt. */
export async function entityStatistics(
  { passages, layout, connectorId, requester }: PassagesOf,
  prompt: string,
): Promise<EntityStatistics> {
  const fields = layout.semantic.map(({ field }) => field);
  const found = await passages.words(layout, { connectorId, requester, fields }, prompt);
  const isAbout = (index: number) => layout.semantic[index]!.about !== undefined;
  return {
    texts: found.filter((_, index) => !isAbout(index)),
    about: found.filter((_, index) => isAbout(index)),
  };
}

/** Number of passages ranked per field when searching several entities. */
const entityDepth = 60;

/** Ranks the passages in all of an entity's fields, and its titles, with statistics shared across entities. */
export async function rankEntity(
  scope: SemanticScope,
  { prompt, mode, condition }: Pick<SemanticPlan, 'prompt' | 'mode' | 'condition'>,
  words: EntityWords,
): Promise<EntityRanking> {
  let ranker: Ranker = 'lexical';
  const fields = await Promise.all(
    scope.layout.semantic.map(async (column) => {
      const plan = { column, prompt, mode: column.about ? undefined : mode };
      const { promptVector } = mode === 'lexical' ? {} : await scope.embed(plan);
      if (promptVector && !column.about) ranker = mode ?? 'hybrid';
      return rankField(scope, column, { ...plan, mode, condition, limit: entityDepth }, words, promptVector);
    }),
  );
  return { fields, ranker };
}

/** Ranks a field's passages by words, vectors, or both. */
async function rankField(
  { passages, layout, connectorId, requester }: PassagesOf,
  column: Column,
  { mode, condition, limit }: Pick<SemanticPlan, 'mode' | 'condition' | 'limit'>,
  words: EntityWords,
  promptVector: PromptVector | undefined,
): Promise<FieldRanking> {
  const scope: PassageScope = { connectorId, requester, field: column.field, condition, limit };
  const query = column.about ? { ...words, averageLength: words.averageAbout } : words;
  const [byWords, byVector] = await Promise.all([
    mode === 'dense' || words.frequencies.length === 0 ? [] : passages.lexical(layout, scope, query),
    promptVector && column.about?.titled !== false ? passages.nearest(layout, scope, promptVector) : undefined,
  ]);
  return { words: byWords, vectors: byVector, field: column.field, isAbout: column.about !== undefined };
}

/** Number of passages to rank initially per requested passage, as several may belong to the same record. */
const overfetchFactor = 4;
/** Depth limit of a search, for when a few records account for nearly all passages. */
const maxDepth = 10_000;

/** A field's best passages. */
interface RankResult {
  readonly ranking: readonly RankedPassage[];
  /** Of the prompt's words, if they were looked for. */
  readonly statistics?: readonly WordStatistics[] | undefined;
}

async function rank(scope: PassagesOf, question: PassageQuestion): Promise<RankResult> {
  const { ranker, vector, titleVector, prompt } = question;
  const about = aboutOf(scope.layout);
  const first = Math.max(50, question.limit * (question.allowRepeats ? 1 : overfetchFactor));
  if (vector && ranker === 'dense' && !about) return rankByVectorAlone(scope, question, vector, first);
  const { passages, layout, connectorId, requester } = scope;
  const fields = [question.column.field, ...(about ? [about.field] : [])];
  const [text = noWords, ...others] =
    ranker === 'dense' ? [] : await passages.words(layout, { connectorId, requester, fields }, prompt);
  const words = entityWordsOf([text], others);
  for (let limit = first; ; limit *= overfetchFactor) {
    const limited = { ...question, mode: ranker, limit };
    const [own, titles] = await Promise.all([
      rankField(scope, question.column, limited, words, vector),
      about && rankField(scope, about, limited, words, titleVector),
    ]);
    const complete = [own, titles].every((one) => !one || isComplete(one, limit));
    const combined = await withFirstPassages(scope, question, own, titles, new Bm25(words, words.averageAbout));
    const ranking =
      vector && ranker !== 'lexical'
        ? ranker === 'dense'
          ? normalizeScores(combined.vectors ?? [], 'dense')
          : fuse(combined, prompt, words.passages)
        : normalizeScores(combined.words, 'lexical');
    const best = bestOf(ranking, question);
    if (best.length >= question.limit || complete || limit >= maxDepth) {
      return { ranking: best, statistics: ranker === 'dense' ? undefined : [text, ...others] };
    }
  }
}

const isComplete = ({ words, vectors }: Rankings, limit: number): boolean =>
  words.length < limit && (vectors?.length ?? 0) < limit;

/** Without fusion, ranking can stop at the requested hits. */
async function rankByVectorAlone(
  { passages, layout, connectorId, requester }: PassagesOf,
  question: PassageQuestion,
  vector: PromptVector,
  first: number,
): Promise<RankResult> {
  const { column, condition, allowRepeats } = question;
  const stopAfterRecords = allowRepeats ? undefined : question.limit;
  for (let limit = first; ; limit *= overfetchFactor) {
    const scope = { connectorId, requester, field: column.field, condition, limit, stopAfterRecords };
    const ranking = await passages.nearest(layout, scope, vector);
    const best = bestOf(normalizeScores(ranking, 'dense'), question);
    if (best.length >= question.limit || ranking.length < limit || limit >= maxDepth) return { ranking: best };
  }
}

/** Short texts such as titles score higher than equally relevant passages. Tuned with `test/semantic-search`. */
const titleCosineWeight = 0.8;

/** One ranking of a field's passages; a record found only by its title is represented by its first passage, if any. */
async function withFirstPassages(
  { passages, layout, connectorId }: PassagesOf,
  { column, limit }: SemanticPlan,
  text: FieldRanking,
  about: FieldRanking | undefined,
  bm25: Bm25,
): Promise<Rankings> {
  if (!about) return text;
  const known = new Set([...text.words, ...(text.vectors ?? [])].map(({ record }) => record));
  const others = [...about.words, ...(about.vectors ?? [])].map(({ record }) => record).filter((id) => !known.has(id));
  const ids = [...new Set(others)].slice(0, 2 * limit);
  const first = ids.length > 0 ? await passages.first(layout, connectorId, column.field, ids) : [];
  const passageOf = new Map(first.map(({ record, passage }) => [record, passage]));
  const titles = { ...about, vectors: about.vectors?.map((one) => ({ ...one, score: one.score * titleCosineWeight })) };
  return combineRankings([text], titles, bm25, (record) => passageOf.get(record));
}

/** Loads passages with surrounding text and their records; passages deleted since ranking are omitted. */
export async function readHits(
  { passages, layout, connectorId }: PassagesOf,
  ranking: readonly RankedPassage[],
  { contextSize, prompt }: Pick<SemanticPlan, 'contextSize' | 'prompt'>,
): Promise<Map<number, Omit<PassageHit, 'score'>>> {
  if (ranking.length === 0) return new Map();
  const { texts, records } = await passages.read(layout, connectorId, ranking, contextSize);
  const recordOf = new Map(records.map(({ id, record }) => [id, record]));
  const wanted = new Set(promptWords(prompt).flatMap(({ tokens }) => tokens));
  const finder = new TokenFinder(wanted);
  return new Map(
    texts.flatMap((text) => {
      const record = recordOf.get(text.record);
      const { passage } = text;
      const context = cutAround(text.context, contextSize, wanted);
      return record ? [[passage, { record, context, attribution: attributionOf(text, finder) }] as const] : [];
    }),
  );
}

/** Attribution of the turn in the passage that has most of the prompt's tokens. */
function attributionOf({ attribution, context, before }: PassageText, finder: TokenFinder): Attribution {
  if (!isTurns(attribution)) return attribution;
  const slice = slicer(context);
  const counts = attribution.map(({ start }, index) => {
    const end = attribution[index + 1]?.start ?? before + context.length;
    return finder.in(slice(Math.max(0, start - before), Math.max(0, end - before))).size;
  });
  return attribution[counts.indexOf(Math.max(...counts))]?.attribution ?? {};
}

const isTurns = (stored: StoredAttribution): stored is readonly Turn[] => Array.isArray(stored);

/**
 * Combines the rankings of an entity's fields and titles: lexical scores are added, and the higher vector score
 * is used. `passageOf` returns the passage that represents a record found only by its title.
 */
export function combineRankings(
  texts: readonly Rankings[],
  about: Rankings | undefined,
  bm25: Bm25,
  passageOf: (record: string, about: RankedPassage) => number | undefined,
): Rankings {
  const words = texts.flatMap((one) => one.words);
  const vectors = texts.flatMap((one) => one.vectors ?? []);
  const titleTerms = new Map(about?.words.map(({ record, terms }) => [record, terms]));
  const scored = words.map((one) => ({ ...one, score: bm25.score(one.terms, titleTerms.get(one.record)) }));
  const best = new Map<string, number>();
  for (const { record, passage } of [...byScore(scored), ...byScore(vectors)]) {
    if (!best.has(record)) best.set(record, passage);
  }
  const standingFor = (one: RankedPassage, score: number): RankedPassage[] => {
    const passage = best.get(one.record) ?? passageOf(one.record, one);
    return passage === undefined ? [] : [{ ...one, passage, score }];
  };
  const hasWords = new Set(words.map(({ record }) => record));
  const onlyTitled = (about?.words ?? []).filter(({ record }) => !hasWords.has(record));
  const byTitle = (about?.vectors ?? []).flatMap((one) => standingFor(one, one.score));
  const nearest = new Map<number, RankedPassage>();
  for (const one of [...vectors, ...byTitle]) {
    if ((nearest.get(one.passage)?.score ?? Number.NEGATIVE_INFINITY) < one.score) nearest.set(one.passage, one);
  }
  const hasVectors = [...texts, about].some((one) => one?.vectors);
  return {
    words: byScore([...scored, ...onlyTitled.flatMap((one) => standingFor(one, bm25.score(undefined, one.terms)))]),
    vectors: hasVectors ? byScore([...nearest.values()]) : undefined,
  };
}

export const byScore = (ranking: readonly RankedPassage[]): RankedPassage[] =>
  [...ranking].sort((one, other) => other.score - one.score || one.passage - other.passage);

/** Fuses the lexical and the vector ranking; uses only the lexical one if there are no vectors. */
export function fuse({ words, vectors }: Rankings, prompt: string, passages: number): RankedPassage[] {
  if (!vectors) return normalizeScores(words, 'lexical');
  const weight = lexicalWeight(words, prompt, passages);
  return reciprocalRankFusion([
    { ranking: words, weight },
    { ranking: vectors, weight: 1 - weight },
  ]);
}
