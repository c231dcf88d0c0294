import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';
import type { SemanticPlan } from '../check-search.js';
import type { Driver } from '../drivers/driver.js';
import type { Layout } from '../schema.js';
import type { PassageCount } from './types.js';

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
      else reject(embeddingError(embedder, new ConnectorError('vendor_error', 'The embedder returned no vector.')));
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

/** Where a prompt is asked, and what turns it into a vector. */
export interface PromptScope {
  readonly layout: Layout;
  readonly connectorId: string;
  readonly embedderSelector: EmbedderSelector;
  readonly prompts: PromptVectors;
}

/** An embedder that serves, and the vector that it made of the prompt. */
export interface PromptEmbedding extends EmbedderCoverage {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

/** The vector of a prompt for a field, by the embedder that serves it; or why there is none. */
export async function embedPrompt(
  scope: PromptScope,
  { column, prompt, mode }: Pick<SemanticPlan, 'column' | 'prompt' | 'mode'>,
): Promise<{ readonly promptEmbedding?: PromptEmbedding; readonly note?: string | undefined }> {
  const coverage = await scope.embedderSelector.of(scope.layout, scope.connectorId, column.field);
  if (coverage?.passages === 0) return {};
  const note = coverage && coverageNote(coverage);
  if (!coverage?.embedder) {
    if (mode === undefined) return { note };
    throw new ConnectorError(
      'invalid_params',
      `${scope.layout.entity}: semantic.mode "${mode}" needs vectors, and there are none.`,
      {
        issues: [{ path: 'semantic.mode', message: 'needs vectors of the field, and there are none yet' }],
        hint: 'Leave out semantic.mode, or set it to "lexical", to rank by words.',
        docs: `actions.${scope.layout.entity}.context_store_search`,
      },
    );
  }
  const { embedder } = coverage;
  try {
    return { promptEmbedding: { ...coverage, embedder, vector: await scope.prompts.of(embedder, prompt) }, note };
  } catch (error) {
    if (mode !== undefined) throw error;
    // Words alone find more than an error does.
    const why = error instanceof Error ? error.message : '';
    return { note: `${why} Ranked by words only.`.trim() };
  }
}

function coverageNote({ passages, embedded }: EmbedderCoverage): string | undefined {
  if (embedded >= passages) return undefined;
  return `${passages - embedded} of ${passages} passages have no vectors yet and match by words only.`;
}

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
  /** The current one first. */
  readonly embedders: readonly Embedder[];
  readonly #changes: () => number;
  #changesSeen = 0;
  /** Fields of which the current embedder has been given every passage, and since when that is known. */
  readonly #cache = new Map<string, { readonly coverage: EmbedderCoverage; readonly since: number }>();

  /** `changes` counts how often passages or vectors have changed. */
  constructor(driver: Driver, embedders: readonly Embedder[], changes: () => number) {
    this.#driver = driver;
    this.embedders = embedders;
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
    for (const embedder of this.embedders) {
      const count = await this.#driver.passages.count(layout, connectorId, field, embedder.id);
      if (!best || count.embedded > best.embedded) {
        best = { ...count, embedder: count.embedded > 0 ? embedder : undefined };
      }
      if (count.embedded < count.passages) continue;
      if (count.passages > 0 && embedder === this.embedders[0]) {
        this.#cache.set(name, { coverage: best, since: performance.now() });
      }
      break;
    }
    return best;
  }
}
