import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../embedding/types.js';
import type { Driver } from '../drivers/driver.js';
import type { Layout } from '../schema.js';
import type { MeaningPlan } from './check-meaning.js';
import { vectorOfPrompt } from './prompt.js';
import { bestOfEach, fused, scored, weightOfWords } from './ranking.js';
import type { PassageHit, PassageScope, RankedPassage, Ranker } from './types.js';

/** Where a search by meaning looks, and what turns its prompt into a vector. */
export interface MeaningScope {
  readonly driver: Driver;
  readonly layout: Layout;
  readonly connectorId: string;
  readonly embedders: readonly Embedder[];
}

/** An embedder that has been given passages of the field. */
interface Serving {
  readonly embedder: Embedder;
  /** How many passages the field has, with vectors and without. */
  readonly passages: number;
}

/** The same with the vector that it made of the prompt. */
interface Asked extends Serving {
  readonly vector: Float32Array;
}

/** Ranks the passages of a field, and reads the best of them with their records. */
export async function findByMeaning(
  scope: MeaningScope,
  plan: MeaningPlan,
): Promise<{ readonly hits: PassageHit[]; readonly ranker: Ranker }> {
  const asked = plan.mode === 'lexical' ? undefined : await askFor(scope, plan);
  const ranker = asked ? (plan.mode ?? 'hybrid') : 'lexical';
  const found = await rank(scope, plan, ranker, asked);
  return { hits: await hitsOf(scope, plan, found), ranker: plan.mode ?? ranker };
}

async function askFor(scope: MeaningScope, { column, prompt, mode }: MeaningPlan): Promise<Asked | undefined> {
  const serving = await servingEmbedder(scope, column.field);
  if (serving === 'empty') return undefined;
  if (!serving) {
    if (mode === undefined) return undefined;
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
  try {
    return { ...serving, vector: await vectorOfPrompt(serving.embedder, prompt) };
  } catch (error) {
    if (mode !== undefined) throw error;
    // Words alone find more than an error does.
    return undefined;
  }
}

/** The embedder that has been given most passages of the field, the current one before others; `empty` where there are no passages to give. */
async function servingEmbedder(
  { driver: { passages }, layout, connectorId, embedders }: MeaningScope,
  field: string,
): Promise<Serving | 'empty' | undefined> {
  let best: Serving | undefined;
  let most = 0;
  for (const embedder of embedders) {
    const count = await passages.count(layout, connectorId, field, embedder.id);
    if (count.passages === 0) return 'empty';
    if (count.embedded > most) [best, most] = [{ embedder, passages: count.passages }, count.embedded];
    if (most >= count.passages) break;
  }
  return best;
}

/** So many passages are ranked to begin with, for each that is wanted: several may be of one record. */
const share = 4;
/** So deep a search looks for more records where a few have nearly all of the passages. */
const deepest = 10_000;

/** The best passages, one of each record unless several are asked for. */
async function rank(
  scope: MeaningScope,
  plan: MeaningPlan,
  ranker: Ranker,
  asked: Asked | undefined,
): Promise<RankedPassage[]> {
  const { limit, repeated } = plan;
  for (let depth = Math.max(50, limit * (repeated ? 1 : share)); ; depth *= share) {
    const { ranking, complete } = await rankedTo(depth, scope, plan, ranker, asked);
    const kept = repeated ? ranking : bestOfEach(ranking);
    if (kept.length >= limit || complete || depth >= deepest) return kept.slice(0, limit);
  }
}

async function rankedTo(
  depth: number,
  { driver: { passages }, layout, connectorId }: MeaningScope,
  { column, condition, prompt, limit, repeated }: MeaningPlan,
  ranker: Ranker,
  asked: Asked | undefined,
): Promise<{ readonly ranking: RankedPassage[]; readonly complete: boolean }> {
  const scope: PassageScope = { connectorId, field: column.field, condition, limit: depth };
  // What is not fused needs no more than the caller keeps.
  const enough = ranker === 'dense' && !repeated ? limit : undefined;
  const [byWords, byVector] = await Promise.all([
    ranker === 'dense' ? undefined : passages.lexical(layout, scope, prompt),
    asked && passages.nearest(layout, { ...scope, enough }, asked.embedder.id, asked.vector),
  ]);
  const complete = [byWords, byVector].every((one) => (one?.length ?? 0) < depth);
  if (asked && byWords && byVector) {
    const weight = weightOfWords(byWords, prompt, asked.passages);
    const rankings = [
      { ranking: byWords, weight },
      { ranking: byVector, weight: 1 - weight },
    ];
    return { ranking: fused(rankings), complete };
  }
  return { ranking: byWords ? scored(byWords, 'lexical') : scored(byVector ?? [], 'dense'), complete };
}

async function hitsOf(
  { driver, layout, connectorId }: MeaningScope,
  { contextSize }: MeaningPlan,
  found: readonly RankedPassage[],
): Promise<PassageHit[]> {
  if (found.length === 0) return [];
  const { texts, records } = await driver.passages.read(layout, connectorId, found, contextSize);
  const textOf = new Map(texts.map((text) => [text.passage, text]));
  const recordOf = new Map(records.map(({ id, record }) => [id, record]));
  return found.flatMap(({ passage, record: id, score }) => {
    const [text, record] = [textOf.get(passage), recordOf.get(id)];
    // Either may have gone since it was ranked.
    if (!text || !record) return [];
    return [{ record, score: Math.round(score * 1e6) / 1e6, context: text.context, attribution: text.attribution }];
  });
}
