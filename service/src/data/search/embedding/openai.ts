import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectorError } from 'agent-connectors';
import pRetry from 'p-retry';
import type { OpenaiOptions } from './request.js';
import { requester } from './request.js';
import type { Embedder } from './types.js';

/** Maximum delay between attempts: short for queries, which users wait for. */
const maxDelayMs = { query: 2000, passage: 30_000 } as const;
const baseDelayMs = 500;

/** An embedder that calls an OpenAI-compatible `/v1/embeddings`; its vectors are normalized to unit length. */
export function openaiEmbedder(options: OpenaiOptions): Embedder {
  const { queryPrefix = '', passagePrefix = '', batch = 64, retries = 2 } = options;
  const request = requester(options);
  const prefixes = { query: queryPrefix, passage: passagePrefix } as const;

  const requestWithRetries = (texts: readonly string[], kind: 'query' | 'passage', signal: AbortSignal | undefined) =>
    pRetry(() => request(texts, signal), {
      retries,
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        if (!ConnectorError.is(error) || !error.retryable || signal?.aborted) return false;
        const backOffMs = Math.random() * baseDelayMs * 2 ** attemptNumber;
        const delayMs = error.retryAfterMs ?? backOffMs;
        if (delayMs > maxDelayMs[kind]) return false;
        // An abort ends the delay; the next attempt then throws the abort error.
        await sleep(delayMs, undefined, { signal }).catch(() => {});
        return true;
      },
    });

  return {
    id: idOf(options),
    async embed(texts, kind, signal) {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batch) {
        const part = texts.slice(start, start + batch).map((text) => prefixes[kind] + text);
        vectors.push(...(await requestWithRetries(part, kind, signal)));
      }
      return vectors;
    },
  };
}

/**
 * Covers everything that the vectors depend on; the address is not included, as the same model produces the same
 * vectors anywhere.
 */
function idOf({ model, dimensions, queryPrefix = '', passagePrefix = '' }: OpenaiOptions): string {
  const hash = createHash('sha256').update(JSON.stringify([model, dimensions ?? null, queryPrefix, passagePrefix]));
  const name = model
    .toLowerCase()
    .replaceAll(/[^a-z\d.]+/g, '-')
    .slice(0, 40);
  return `${name}-${hash.digest('hex').slice(0, 12)}`;
}
