import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';
import type { MeaningPlan } from '../check-search.js';
import type { Driver } from '../drivers/driver.js';
import type { Layout } from '../schema.js';
import { levelOf } from './across.js';
import type { PromptVectors } from './prompt.js';
import { bestOf, fused, scored, weightOfWords } from './ranking.js';
import type {
  FieldScores,
  PassageCount,
  PassageHit,
  PassageScope,
  RankedPassage,
  Ranker,
  ReadPassages,
} from './types.js';

/** Where a search by meaning looks, and what turns its prompt into a vector. */
export interface MeaningScope {
  readonly driver: Driver;
  readonly layout: Layout;
  readonly connectorId: string;
  readonly serving: ServingEmbedders;
  readonly prompts: PromptVectors;
  /** Whether the hits are to be compared with those of other fields. */
  readonly compared: boolean;
}

/** What a search by meaning gives, beside the time that it took. */
export interface Meant {
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
interface Asked extends Serving {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

/** Ranks the passages of a field, and reads the best of them with their records. */
export async function findByMeaning(scope: MeaningScope, plan: MeaningPlan): Promise<Meant> {
  const { asked, note, passages } = plan.mode === 'lexical' ? {} : await askFor(scope, plan);
  const ranker = asked ? (plan.mode ?? 'hybrid') : 'lexical';
  const ranked = await rank(scope, plan, ranker, asked);
  const hits = await hitsOf(scope, plan, ranked);
  const scores = scope.compared && { scores: scoresOf(ranked.rankings, plan, passages) };
  return { hits, ranker: plan.mode ?? ranker, note, ...scores };
}

async function askFor(
  scope: MeaningScope,
  { column, prompt, mode }: MeaningPlan,
): Promise<{ readonly asked?: Asked; readonly note?: string | undefined; readonly passages?: number | undefined }> {
  const serving = await scope.serving.of(scope.layout, scope.connectorId, column.field);
  if (serving?.passages === 0) return {};
  const passages = serving?.passages;
  const note = serving && noteOn(serving);
  if (!serving?.embedder) {
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
  const { embedder } = serving;
  try {
    return { asked: { ...serving, embedder, vector: await scope.prompts.of(embedder, prompt) }, note, passages };
  } catch (error) {
    if (mode !== undefined) throw error;
    // Words alone find more than an error does.
    const why = error instanceof Error ? error.message : '';
    return { note: `${why} This was ranked by its words alone.`.trim(), passages };
  }
}

function noteOn({ passages, embedded }: Serving): string | undefined {
  if (embedded >= passages) return undefined;
  return `${passages - embedded} of ${passages} passages have no vectors yet, and are found by their words alone.`;
}

/** So many passages are ranked to begin with, for each that is wanted: several may be of one record. */
const share = 4;
/** So deep a search looks for more records where a few have nearly all of the passages. */
const deepest = 10_000;

interface Ranked {
  readonly ranking: readonly RankedPassage[];
  /** The best of them, where they have been read already. */
  readonly read?: ReadPassages | undefined;
  readonly rankings: Rankings;
}

/** The best passages, one of each record unless several are asked for. */
async function rank(scope: MeaningScope, plan: MeaningPlan, ranker: Ranker, asked: Asked | undefined): Promise<Ranked> {
  for (let depth = Math.max(50, plan.limit * (plan.repeated ? 1 : share)); ; depth *= share) {
    const { ranking, complete, ...others } = await rankedTo(depth, scope, plan, ranker, asked);
    const best = bestOf(ranking, plan);
    if (best.length >= plan.limit || complete || depth >= deepest) return { ...others, ranking: best };
  }
}

async function rankedTo(
  depth: number,
  { driver: { passages }, layout, connectorId, compared }: MeaningScope,
  plan: MeaningPlan,
  ranker: Ranker,
  asked: Asked | undefined,
): Promise<Ranked & { readonly complete: boolean }> {
  const { column, condition, prompt, limit, repeated } = plan;
  const scope: PassageScope = { connectorId, field: column.field, condition, limit: depth };
  if (asked && ranker === 'dense') {
    // What is not fused needs no more than the caller keeps, and can be read at once.
    const enough = repeated || compared ? undefined : limit;
    const { id } = asked.embedder;
    const { ranking, read } = await passages.nearest(layout, { ...scope, enough }, id, asked.vector, plan);
    return {
      ranking: scored(ranking, 'dense'),
      read,
      rankings: { vectors: ranking },
      complete: ranking.length < depth,
    };
  }
  const [byWords, byVector] = await Promise.all([
    passages.lexical(layout, scope, prompt),
    asked && passages.nearest(layout, scope, asked.embedder.id, asked.vector),
  ]);
  const complete = byWords.length < depth && (byVector?.ranking.length ?? 0) < depth;
  if (!asked || !byVector) return { ranking: scored(byWords, 'lexical'), rankings: { words: byWords }, complete };
  const weight = weightOfWords(byWords, prompt, asked.passages);
  const ranking = fused([
    { ranking: byWords, weight },
    { ranking: byVector.ranking, weight: 1 - weight },
  ]);
  return { ranking, rankings: { words: byWords, vectors: byVector.ranking }, complete };
}

async function hitsOf(
  { driver, layout, connectorId, compared }: MeaningScope,
  { contextSize }: MeaningPlan,
  { ranking, read, rankings: { words, vectors } }: Ranked,
): Promise<PassageHit[]> {
  if (ranking.length === 0) return [];
  const { texts, records } = read ?? (await driver.passages.read(layout, connectorId, ranking, contextSize));
  const textOf = new Map(texts.map((text) => [text.passage, text]));
  const recordOf = new Map(records.map(({ id, record }) => [id, record]));
  const [byWords, byVector] = compared ? [scoresIn(words), scoresIn(vectors)] : [];
  return ranking.flatMap(({ passage, record: id, score }) => {
    const [text, record] = [textOf.get(passage), recordOf.get(id)];
    // Either may have gone since it was ranked.
    if (!text || !record) return [];
    const { context, attribution } = text;
    const scores = compared && { scores: { words: byWords?.get(passage), vectors: byVector?.get(passage) } };
    return [{ record, score: Math.round(score * 1e6) / 1e6, context, attribution, ...scores }];
  });
}

const scoresIn = (ranking: readonly RankedPassage[] = []): Map<number, number> =>
  new Map(ranking.map(({ passage, score }) => [passage, score]));

/** How many passages the field has is known where there are embedders. */
const scoresOf = (
  { words, vectors }: Rankings,
  { prompt }: MeaningPlan,
  passages: number | undefined,
): FieldScores => ({
  ...{ words: words && levelOf(words), vectors: vectors && levelOf(vectors) },
  weightOfWords: passages === undefined ? undefined : weightOfWords(words ?? [], prompt, passages),
});

/** The passages of a field, and the embedder whose vectors answer for them. */
export interface Serving extends PassageCount {
  /** None where no embedder has been given any of the passages. */
  readonly embedder: Embedder | undefined;
}

/** What other processes change is seen after so many milliseconds. */
const lasting = 5000;

/** Knows which embedder's vectors answer for a field. */
export class ServingEmbedders {
  readonly #driver: Driver;
  readonly #embedders: readonly Embedder[];
  /** Fields of which the current embedder has been given every passage, and since when that is known. */
  readonly #known = new Map<string, { readonly serving: Serving; readonly since: number }>();

  constructor(driver: Driver, embedders: readonly Embedder[]) {
    this.#driver = driver;
    this.#embedders = embedders;
  }

  /** The embedder that has been given most passages, the current one before others; nothing where there are no embedders. */
  async of(layout: Layout, connectorId: string, field: string): Promise<Serving | undefined> {
    const name = JSON.stringify([layout.table, connectorId, field]);
    const known = this.#known.get(name);
    if (known && performance.now() - known.since < lasting) return known.serving;
    this.#known.delete(name);
    let best: Serving | undefined;
    for (const embedder of this.#embedders) {
      const count = await this.#driver.passages.count(layout, connectorId, field, embedder.id);
      if (!best || count.embedded > best.embedded) {
        best = { ...count, embedder: count.embedded > 0 ? embedder : undefined };
      }
      if (count.embedded < count.passages) continue;
      if (count.passages > 0 && embedder === this.#embedders[0]) {
        this.#known.set(name, { serving: best, since: performance.now() });
      }
      break;
    }
    return best;
  }

  /** To be told of every change of passages or vectors. */
  forget(): void {
    this.#known.clear();
  }
}
