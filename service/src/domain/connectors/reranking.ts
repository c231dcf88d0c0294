import { ConnectorError } from 'agent-connectors';
import type { PassageHit, SemanticSearchRequest, SemanticSearchResult } from '../../data/records/index.js';
import type { Reranker } from '../../data/search/rerank.js';
import { summaryOfHit } from './hit-summary.js';

/** What a reranker did, where there is one. */
export interface RerankMeta {
  readonly rerank?: {
    /** Whether hits are in its order; otherwise in the order that they had without it. */
    readonly applied: boolean;
    /** Why they are not. */
    readonly message: string | null;
  };
}

/** What was checked before it came here. */
interface SearchParams {
  readonly semantic: { readonly prompt: string };
  readonly limit?: number;
}

/** So many hits are ranked anew for a search that wants fewer. */
const minDepth = 50;

/** Puts hits in the order of the operator's reranker. */
export class Reranking {
  readonly #reranker: Reranker;
  readonly #report: (error: unknown) => void;

  constructor(reranker: Reranker, report: (error: unknown) => void) {
    this.#reranker = reranker;
    this.#report = report;
  }

  /** How many hits to find so that the best `limit` can be chosen from them. */
  depthFor(limit: number): number {
    return Math.max(limit, minDepth);
  }

  /** The hits of a search of one field, the best first. */
  async search(
    request: SemanticSearchRequest,
    find: (request: SemanticSearchRequest) => Promise<SemanticSearchResult>,
  ): Promise<SemanticSearchResult & { readonly meta: RerankMeta }> {
    const started = performance.now();
    const { limit = 10, semantic } = request.params as SearchParams;
    const found = await find({ ...request, params: { ...(request.params as object), limit: this.depthFor(limit) } });
    const passages = found.hits.map((passage) => ({ passage }));
    const { hits, meta } = await this.best(semantic.prompt, passages, limit);
    return {
      ...found,
      hits: hits.map(({ passage }) => passage),
      meta: { ...found.meta, ...meta, took_ms: Math.round(performance.now() - started) },
    };
  }

  /** The best hits; in the order that they have where the reranker fails. */
  async best<Hit extends { readonly passage: PassageHit }>(
    prompt: string,
    hits: readonly Hit[],
    limit: number,
  ): Promise<{ readonly hits: readonly Hit[]; readonly meta: RerankMeta }> {
    if (hits.length === 0) return { hits, meta: { rerank: { applied: true, message: null } } };
    try {
      const documents = hits.map(({ passage }) => documentOf(passage, prompt));
      const order = await this.#reranker.rerank(prompt, documents, Math.min(limit, hits.length));
      const best = order.slice(0, limit).map(({ index, score }) => {
        const hit = hits[index]!;
        return { ...hit, passage: { ...hit.passage, score } };
      });
      return { hits: best, meta: { rerank: { applied: true, message: null } } };
    } catch (error) {
      this.#report(error);
      // Another error's message may repeat what was sent.
      const message = ConnectorError.is(error) ? error.message : 'The reranker failed.';
      return { hits: hits.slice(0, limit), meta: { rerank: { applied: false, message } } };
    }
  }
}

/** What a reranker reads of a hit: what its record is called, and the passage. */
function documentOf({ record, attribution, context }: PassageHit, prompt: string): string {
  const { title } = summaryOfHit(record, attribution, prompt);
  return title === null ? context : `${title}\n${context}`;
}
