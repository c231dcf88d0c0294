import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';
import type { SemanticPlan } from '../check-search.js';
import type { Driver } from '../drivers/driver.js';
import type { Layout } from '../schema.js';
import { bestOf, lexicalWeight, normalizeScores, reciprocalRankFusion } from './hits.js';
import { scoreBaseline } from './merge-fields.js';
import type { PromptVectors } from './prompt.js';
import type {
  FieldScores,
  LoadedPassages,
  PassageCount,
  PassageHit,
  PassageScope,
  RankedPassage,
  Ranker,
} from './types.js';

/** Where a search by meaning looks, and what turns its prompt into a vector. */
export interface SemanticScope {
  readonly driver: Driver;
  readonly layout: Layout;
  readonly connectorId: string;
  readonly tenant: string | undefined;
  readonly embedderSelector: EmbedderSelector;
  readonly prompts: PromptVectors;
  /** Whether the hits are to be compared with those of other fields. */
  readonly withScores: boolean;
}

/** What a search by meaning gives, beside the time that it took. */
export interface SemanticHits {
  readonly hits: PassageHit[];
  readonly ranker: Ranker;
  /** Why the vectors tell less than they could, where they do. */
  readonly note: string | undefined;
  /** Where the hits are to be compared. */
  readonly scores?: FieldScores;
}

/** The rankings of a field as they are before they are fused. */
interface Rankings {
  readonly words?: readonly RankedPassage[] | undefined;
  readonly vectors?: readonly RankedPassage[] | undefined;
}

/** An embedder that serves, and the vector that it made of the prompt. */
interface PromptEmbedding extends EmbedderCoverage {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

/** Ranks the passages of a field, and reads the best of them with their records. */
export async function semanticSearch(scope: SemanticScope, plan: SemanticPlan): Promise<SemanticHits> {
  const { promptEmbedding, note, passages } = plan.mode === 'lexical' ? {} : await embedPrompt(scope, plan);
  const ranker = promptEmbedding ? (plan.mode ?? 'hybrid') : 'lexical';
  const ranked = await rank(scope, plan, ranker, promptEmbedding);
  const hits = await hitsOf(scope, plan, ranked);
  const scores = scope.withScores && { scores: scoresOf(ranked.rankings, plan, passages) };
  return { hits, ranker: plan.mode ?? ranker, note, ...scores };
}

async function embedPrompt(
  scope: SemanticScope,
  { column, prompt, mode }: SemanticPlan,
): Promise<{
  readonly promptEmbedding?: PromptEmbedding;
  readonly note?: string | undefined;
  readonly passages?: number | undefined;
}> {
  const coverage = await scope.embedderSelector.of(scope.layout, scope.connectorId, column.field);
  if (coverage?.passages === 0) return {};
  const passages = coverage?.passages;
  const note = coverage && coverageNote(coverage);
  if (!coverage?.embedder) {
    if (mode === undefined) return { note, passages };
    throw new ConnectorError(
      'invalid_params',
      `${scope.layout.entity}: semantic.mode "${mode}" needs vectors, and there are none.`,
      {
        issues: [{ path: 'semantic.mode', message: 'needs vectors of the field, and no embedder has made any' }],
        hint: 'Leave out semantic.mode, or set it to "lexical", to rank by words.',
        docs: `actions.${scope.layout.entity}.context_store_search`,
      },
    );
  }
  const { embedder } = coverage;
  try {
    return {
      promptEmbedding: { ...coverage, embedder, vector: await scope.prompts.of(embedder, prompt) },
      note,
      passages,
    };
  } catch (error) {
    if (mode !== undefined) throw error;
    // Words alone find more than an error does.
    const why = error instanceof Error ? error.message : '';
    return { note: `${why} This was ranked by its words alone.`.trim(), passages };
  }
}

function coverageNote({ passages, embedded }: EmbedderCoverage): string | undefined {
  if (embedded >= passages) return undefined;
  return `${passages - embedded} of ${passages} passages have no vectors yet, and are found by their words alone.`;
}

/** So many passages are ranked to begin with, for each that is wanted: several may be of one record. */
const overfetchFactor = 4;
/** So deep a search looks for more records where a few have nearly all of the passages. */
const maxDepth = 10_000;

interface RankResult {
  readonly ranking: readonly RankedPassage[];
  /** The best of them, where they have been read already. */
  readonly read?: LoadedPassages | undefined;
  readonly rankings: Rankings;
}

/** The best passages, one of each record unless several are asked for. */
async function rank(
  scope: SemanticScope,
  plan: SemanticPlan,
  ranker: Ranker,
  promptEmbedding: PromptEmbedding | undefined,
): Promise<RankResult> {
  for (let depth = Math.max(50, plan.limit * (plan.allowRepeats ? 1 : overfetchFactor)); ; depth *= overfetchFactor) {
    const { ranking, complete, ...others } = await rankToDepth(depth, scope, plan, ranker, promptEmbedding);
    const best = bestOf(ranking, plan);
    if (best.length >= plan.limit || complete || depth >= maxDepth) return { ...others, ranking: best };
  }
}

async function rankToDepth(
  depth: number,
  { driver: { passages }, layout, connectorId, tenant, withScores }: SemanticScope,
  plan: SemanticPlan,
  ranker: Ranker,
  promptEmbedding: PromptEmbedding | undefined,
): Promise<RankResult & { readonly complete: boolean }> {
  const { column, condition, prompt, limit, allowRepeats } = plan;
  const scope: PassageScope = { connectorId, tenant, field: column.field, condition, limit: depth };
  if (promptEmbedding && ranker === 'dense') {
    // What is not fused needs no more than the caller keeps, and can be read at once.
    const stopAfterRecords = allowRepeats || withScores ? undefined : limit;
    const { id } = promptEmbedding.embedder;
    const { ranking, read } = await passages.nearest(
      layout,
      { ...scope, stopAfterRecords },
      id,
      promptEmbedding.vector,
      plan,
    );
    return {
      ranking: normalizeScores(ranking, 'dense'),
      read,
      rankings: { vectors: ranking },
      complete: ranking.length < depth,
    };
  }
  const [byWords, byVector] = await Promise.all([
    passages.lexical(layout, scope, prompt),
    promptEmbedding && passages.nearest(layout, scope, promptEmbedding.embedder.id, promptEmbedding.vector),
  ]);
  const complete = byWords.length < depth && (byVector?.ranking.length ?? 0) < depth;
  if (!promptEmbedding || !byVector)
    return { ranking: normalizeScores(byWords, 'lexical'), rankings: { words: byWords }, complete };
  const weight = lexicalWeight(byWords, prompt, promptEmbedding.passages);
  const ranking = reciprocalRankFusion([
    { ranking: byWords, weight },
    { ranking: byVector.ranking, weight: 1 - weight },
  ]);
  return { ranking, rankings: { words: byWords, vectors: byVector.ranking }, complete };
}

async function hitsOf(
  { driver, layout, connectorId, withScores }: SemanticScope,
  { contextSize }: SemanticPlan,
  { ranking, read, rankings: { words, vectors } }: RankResult,
): Promise<PassageHit[]> {
  if (ranking.length === 0) return [];
  const { texts, records } = read ?? (await driver.passages.read(layout, connectorId, ranking, contextSize));
  const textOf = new Map(texts.map((text) => [text.passage, text]));
  const recordOf = new Map(records.map(({ id, record }) => [id, record]));
  const [byWords, byVector] = withScores ? [scoresIn(words), scoresIn(vectors)] : [];
  return ranking.flatMap(({ passage, record: id, score }) => {
    const [text, record] = [textOf.get(passage), recordOf.get(id)];
    // Either may have gone since it was ranked.
    if (!text || !record) return [];
    const { context, attribution } = text;
    const scores = withScores && { scores: { words: byWords?.get(passage), vectors: byVector?.get(passage) } };
    return [{ record, score: Math.round(score * 1e6) / 1e6, context, attribution, ...scores }];
  });
}

const scoresIn = (ranking: readonly RankedPassage[] = []): Map<number, number> =>
  new Map(ranking.map(({ passage, score }) => [passage, score]));

/** How many passages the field has is known where there are embedders. */
const scoresOf = (
  { words, vectors }: Rankings,
  { prompt }: SemanticPlan,
  passages: number | undefined,
): FieldScores => ({
  ...{ words: words && scoreBaseline(words), vectors: vectors && scoreBaseline(vectors) },
  lexicalWeight: passages === undefined ? undefined : lexicalWeight(words ?? [], prompt, passages),
});

/** The passages of a field, and the embedder whose vectors answer for them. */
export interface EmbedderCoverage extends PassageCount {
  /** None where no embedder has been given any of the passages. */
  readonly embedder: Embedder | undefined;
}

/** What other processes change is seen after so many milliseconds. */
const cacheTtlMs = 5000;

/** Knows which embedder's vectors answer for a field. */
export class EmbedderSelector {
  readonly #driver: Driver;
  readonly #embedders: readonly Embedder[];
  readonly #changes: () => number;
  #changesSeen = 0;
  /** Fields of which the current embedder has been given every passage, and since when that is known. */
  readonly #cache = new Map<string, { readonly coverage: EmbedderCoverage; readonly since: number }>();

  /** `changes` counts how often passages or vectors have changed. */
  constructor(driver: Driver, embedders: readonly Embedder[], changes: () => number) {
    this.#driver = driver;
    this.#embedders = embedders;
    this.#changes = changes;
  }

  /** The embedder that has been given most passages, the current one before others; nothing where there are no embedders. */
  async of(layout: Layout, connectorId: string, field: string): Promise<EmbedderCoverage | undefined> {
    if (this.#changes() !== this.#changesSeen) this.#cache.clear();
    this.#changesSeen = this.#changes();
    const name = JSON.stringify([layout.table, connectorId, field]);
    const cached = this.#cache.get(name);
    if (cached && performance.now() - cached.since < cacheTtlMs) return cached.coverage;
    this.#cache.delete(name);
    let best: EmbedderCoverage | undefined;
    for (const embedder of this.#embedders) {
      const count = await this.#driver.passages.count(layout, connectorId, field, embedder.id);
      if (!best || count.embedded > best.embedded) {
        best = { ...count, embedder: count.embedded > 0 ? embedder : undefined };
      }
      if (count.embedded < count.passages) continue;
      if (count.passages > 0 && embedder === this.#embedders[0]) {
        this.#cache.set(name, { coverage: best, since: performance.now() });
      }
      break;
    }
    return best;
  }
}
