import { ConnectorError } from 'agent-connectors';
import * as z from 'zod';
import { checkKey, checkUrl } from './embedding/options.js';
import { endpointOf } from './endpoint.js';

/** Sorts texts by how well they answer a prompt. */
export interface Reranker {
  /** Returns the indexes of the best `limit` documents, best first, with scores from 0 to 1. */
  rerank(prompt: string, documents: readonly string[], limit: number): Promise<readonly RerankedDocument[]>;
}

/** A document's relevance. */
export interface RerankedDocument {
  /** Zero-based index of the document. */
  readonly index: number;
  /** Higher is better. */
  readonly score: number;
}

/** A reranker's endpoint, and what to request from it. */
export interface RerankOptions {
  /** Base URL of the API, such as `https://api.jina.ai/v1`; `/rerank` is appended if missing. */
  readonly url: string;
  /** Model name; omit if the server has only one. */
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  /** How long a search waits for the reranker. (2 s) */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Documents are truncated to this many code units: rerankers charge per token, and most read about 500. */
const maxDocumentLength = 4000;

/**
 * Response format used by Cohere and Jina: https://docs.cohere.com/reference/rerank, https://api.jina.ai/redoc
 * (`/v1/rerank`).
 */
const reply = z.object({ results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })) });

/** A reranker that calls a Cohere- or Jina-compatible `/rerank` endpoint. */
export function httpReranker({ model, timeoutMs = 2000, ...options }: RerankOptions): Reranker {
  const { address, post } = endpointOf({ ...options, name: 'reranker', path: 'rerank', timeoutMs });
  return {
    async rerank(prompt, documents, limit) {
      const texts = documents.map((text) => text.slice(0, maxDocumentLength));
      const text = await post({ model, query: prompt, documents: texts, top_n: Math.min(limit, texts.length) });
      const { success, data } = reply.safeParse(tryParseJson(text));
      const results = success ? data.results : [];
      const places = new Set(results.map(({ index }) => index).filter((index) => index < texts.length));
      if (places.size !== results.length || places.size < Math.min(limit, texts.length)) {
        throw new ConnectorError('invalid_response', `The reranker at ${address} returned no ranking.`, {
          hint: 'Use a server compatible with Cohere’s or Jina’s /rerank.',
        });
      }
      return results
        .sort((one, other) => other.relevance_score - one.relevance_score)
        .map(({ index, relevance_score }) => ({ index, score: Math.min(1, Math.max(0, relevance_score)) }));
    },
  };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const prefix = 'AGENT_CONNECTORS_RERANK';

/** The reranker configured in the environment, if any; errors name the variable, never its value. */
export function rerankerFrom(environment: Readonly<Record<string, string | undefined>>): Reranker | undefined {
  const read = (name: string) => environment[`${prefix}_${name}`]?.trim() || undefined;
  const url = read('URL');
  if (url === undefined) {
    const other = ['MODEL', 'KEY', 'TIMEOUT_MS'].find((name) => read(name) !== undefined);
    if (other !== undefined) throw new Error(`${prefix}_${other} is set, so ${prefix}_URL must be set as well.`);
    return undefined;
  }
  const timeout = read('TIMEOUT_MS');
  if (timeout !== undefined && !/^[1-9]\d{0,4}$/.test(timeout))
    throw new RangeError(`${prefix}_TIMEOUT_MS must be a whole number from 1 to 99999.`);
  return httpReranker({
    url: checkUrl(url, `${prefix}_URL`),
    model: read('MODEL'),
    apiKey: checkKey(read('KEY'), `${prefix}_KEY`),
    timeoutMs: timeout === undefined ? undefined : Number(timeout),
  });
}
