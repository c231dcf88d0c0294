import { ConnectorError } from 'agent-connectors';
import type { PassageHit, SemanticSearchRequest, SemanticSearchResult } from '../../data/records/index.js';
import type { Reranker } from '../../data/search/rerank.js';
import { titleOfHit } from './hit-summary.js';

/** Result of reranking, if a reranker is configured. */
export interface RerankMeta {
  readonly rerank?: {
    /** Whether hits are in the reranker's order; otherwise they keep their original order. */
    readonly applied: boolean;
    /** Why reranking was not applied. */
    readonly message: string | null;
  };
}

/** Minimum number of hits to rerank. */
const minDepth = 50;

/** Reorders hits with the operator's reranker. */
export class Reranking {
  readonly #reranker: Reranker;
  readonly #report: (error: unknown) => void;

  constructor(reranker: Reranker, report: (error: unknown) => void) {
    this.#reranker = reranker;
    this.#report = report;
  }

  /** Number of hits to fetch before choosing the best `limit`. */
  depthFor(limit: number): number {
    return Math.max(limit, minDepth);
  }

  /** Hits of a search over one field, best first. */
  async search(
    request: SemanticSearchRequest,
    find: (request: SemanticSearchRequest) => Promise<SemanticSearchResult>,
  ): Promise<SemanticSearchResult & { readonly meta: RerankMeta }> {
    const started = performance.now();
    const { limit, prompt } = request.search;
    const found = await find({ ...request, search: { ...request.search, limit: this.depthFor(limit) } });
    const passages = found.hits.map((passage) => ({ passage }));
    const { hits, meta } = await this.best(prompt, passages, limit);
    return {
      ...found,
      hits: hits.map(({ passage }) => passage),
      meta: { ...found.meta, ...meta, took_ms: Math.round(performance.now() - started) },
    };
  }

  /** The best hits; in their original order if the reranker fails. */
  async best<Hit extends { readonly passage: PassageHit }>(
    prompt: string,
    hits: readonly Hit[],
    limit: number,
  ): Promise<{ readonly hits: readonly Hit[]; readonly meta: RerankMeta }> {
    if (hits.length === 0) return { hits, meta: { rerank: { applied: true, message: null } } };
    try {
      const documents = hits.map(({ passage }) => documentOf(passage));
      const order = await this.#reranker.rerank(prompt, documents, Math.min(limit, hits.length));
      const best = order.slice(0, limit).map(({ index, score }) => {
        const hit = hits[index]!;
        return { ...hit, passage: { ...hit.passage, score } };
      });
      return { hits: best, meta: { rerank: { applied: true, message: null } } };
    } catch (error) {
      this.#report(error);
      // Messages of other errors may quote what was sent.
      const message = ConnectorError.is(error) ? error.message : 'The reranker failed.';
      return { hits: hits.slice(0, limit), meta: { rerank: { applied: false, message } } };
    }
  }
}

/** The text sent to the reranker: the record's title and the passage. */
function documentOf({ record, attribution, context }: PassageHit): string {
  const title = titleOfHit(record, attribution);
  return title === null ? context : `${title}\n${context}`;
}
