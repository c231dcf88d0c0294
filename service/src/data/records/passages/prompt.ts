import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';

const isNetworkError = (error: unknown): boolean =>
  ConnectorError.is(error)
    ? ['network', 'timeout', 'aborted'].includes(error.code)
    : // What a fetch throws that reached nobody, or was given up.
      error instanceof TypeError || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));

/** Failures that one prompt among several may be the reason of. */
const perPromptErrors = new Set(['invalid_params', 'too_large', 'vendor_error', 'invalid_response']);
const isPerPromptError = (error: unknown): boolean => ConnectorError.is(error) && perPromptErrors.has(error.code);

/** So many prompts are remembered: one search of a workspace asks the same of a dozen fields. */
const maxCachedPrompts = 100;
/** So many requests are under way at once with an embedder, and so many prompts go into one. */
const [maxRequests, maxPromptsPerRequest] = [4, 32];

interface PendingPrompt {
  readonly prompt: string;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Prompts that wait for an embedder. */
interface PromptQueue {
  readonly pending: PendingPrompt[];
  requests: number;
}

/** Has prompts made into vectors: the same prompt once, and those that come at once together. */
export class PromptVectors {
  readonly #cache = new Map<string, Promise<Float32Array>>();
  readonly #queues = new Map<string, PromptQueue>();

  /** The vector of a prompt; where the embedder gives none, an error that says so. */
  of(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const name = JSON.stringify([embedder.id, prompt]);
    const cached = this.#cache.get(name);
    // The one that was used last is the last to go.
    this.#cache.delete(name);
    const vector = cached ?? this.#enqueue(embedder, prompt);
    this.#cache.set(name, vector);
    if (cached) return cached;
    vector.catch(() => {
      // What failed may succeed when it is asked for again.
      if (this.#cache.get(name) === vector) this.#cache.delete(name);
    });
    if (this.#cache.size > maxCachedPrompts) this.#cache.delete(this.#cache.keys().next().value!);
    return vector;
  }

  #enqueue(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const queue = this.#queues.get(embedder.id) ?? { pending: [], requests: 0 };
    this.#queues.set(embedder.id, queue);
    return new Promise((resolve, reject) => {
      queue.pending.push({ prompt, resolve, reject });
      // Not at once: what is asked for in the same moment goes along.
      queueMicrotask(() => this.#send(embedder, queue));
    });
  }

  #send(embedder: Embedder, queue: PromptQueue): void {
    while (queue.pending.length > 0 && queue.requests < maxRequests) {
      queue.requests++;
      void embedBatch(embedder, queue.pending.splice(0, maxPromptsPerRequest)).finally(() => {
        queue.requests--;
        this.#send(embedder, queue);
      });
    }
  }
}

/** Gives each its vector or its error; a prompt that the embedder refuses is no fault of others. */
async function embedBatch(embedder: Embedder, batch: readonly PendingPrompt[]): Promise<void> {
  try {
    const vectors = await embedder.embed(
      batch.map(({ prompt }) => prompt),
      'query',
    );
    for (const [index, { resolve, reject }] of batch.entries()) {
      const vector = vectors[index];
      if (vector && vector.length > 0 && vector.every(Number.isFinite)) resolve(vector);
      else reject(embeddingError(embedder, new ConnectorError('vendor_error', 'The embedder gave no vector.')));
    }
  } catch (error) {
    if (batch.length > 1 && isPerPromptError(error)) await Promise.all(batch.map((one) => embedBatch(embedder, [one])));
    else for (const { reject } of batch) reject(embeddingError(embedder, error));
  }
}

function embeddingError({ id }: Embedder, error: unknown): ConnectorError {
  const detail = ConnectorError.is(error) ? ` ${error.message}` : '';
  return new ConnectorError(
    isNetworkError(error) ? 'network' : 'vendor_error',
    `The prompt could not be embedded by ${id}.${detail}`,
    { retryable: true, hint: 'Leave out semantic.mode, or set it to "lexical", to rank by words.', cause: error },
  );
}
