import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';
import type { Driver } from '../driver.js';
import type { Layout } from '../schema.js';
import type { PassageCount, PromptVector, SemanticPlan } from './types.js';

const isNetworkError = (error: unknown): boolean =>
  ConnectorError.is(error)
    ? ['network', 'timeout', 'aborted'].includes(error.code)
    : // Errors from `fetch` when the server was unreachable or the request was aborted.
      error instanceof TypeError || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));

/** Errors that a single prompt in a batch may have caused. */
const perPromptErrors = new Set(['invalid_params', 'too_large', 'vendor_error', 'invalid_response']);
const isPerPromptError = (error: unknown): boolean => ConnectorError.is(error) && perPromptErrors.has(error.code);

/** Size of the prompt cache: a workspace search uses the same prompt for a dozen fields. */
const maxCachedPrompts = 100;
/** Maximum concurrent requests to an embedder, and prompts per request. */
const [maxRequests, maxPromptsPerRequest] = [4, 32];

interface PendingPrompt {
  readonly prompt: string;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Prompts waiting for an embedder. */
interface PromptQueue {
  readonly pending: PendingPrompt[];
  requests: number;
}

/** Embeds prompts, caching their vectors and batching concurrent requests. */
export class PromptVectors {
  readonly #cache = new Map<string, Promise<Float32Array>>();
  readonly #queues = new Map<string, PromptQueue>();

  /** The vector of a prompt; rejects if the embedder fails. */
  of(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const name = JSON.stringify([embedder.id, prompt]);
    const cached = this.#cache.get(name);
    // Reinserted to mark it as the most recently used.
    this.#cache.delete(name);
    const vector = cached ?? this.#enqueue(embedder, prompt);
    this.#cache.set(name, vector);
    if (cached) return cached;
    vector.catch(() => {
      // Do not cache failures.
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
      // Deferred to batch prompts from the same tick.
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

/** Resolves or rejects each prompt separately; a prompt that the embedder rejects does not fail the others. */
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
    { retryable: true, hint: 'Omit semantic.mode or set it to "lexical" for lexical ranking.', cause: error },
  );
}

/** Where to search for a prompt, and how to embed it. */
export interface PromptScope {
  readonly layout: Layout;
  readonly connectorId: string;
  readonly embedderSelector: EmbedderSelector;
  readonly prompts: PromptVectors;
}

/** The prompt's vector, unless there is none, and why vectors are incomplete or missing. */
export interface EmbeddedPrompt {
  readonly promptVector?: PromptVector;
  readonly note?: string | undefined;
}

/** The prompt's vector from the embedder that covers a field, or the reason there is none. */
export async function embedPrompt(
  scope: PromptScope,
  { column, prompt, mode }: Pick<SemanticPlan, 'column' | 'prompt' | 'mode'>,
): Promise<EmbeddedPrompt> {
  const coverage = await scope.embedderSelector.of(scope.layout, scope.connectorId, column.field);
  if (coverage?.passages === 0) return {};
  const note = coverage && coverageNote(coverage);
  if (!coverage?.embedder) {
    if (mode === undefined) return { note };
    throw new ConnectorError(
      'invalid_params',
      `${scope.layout.entity}: semantic.mode "${mode}" needs vectors, but there are none.`,
      {
        issues: [{ path: 'semantic.mode', message: 'needs vectors for this field, but it has none yet' }],
        hint: 'Omit semantic.mode or set it to "lexical" for lexical ranking.',
        docs: `actions.${scope.layout.entity}.context_store_search`,
      },
    );
  }
  const { embedder } = coverage;
  try {
    const vector = await scope.prompts.of(embedder, prompt);
    return { promptVector: { embedder: embedder.id, vector, embedded: coverage.embedded }, note };
  } catch (error) {
    if (mode !== undefined) throw error;
    // A lexical search is better than an error.
    const why = error instanceof Error ? error.message : '';
    return { note: `${why} Lexical ranking only.`.trim() };
  }
}

function coverageNote({ passages, embedded }: EmbedderCoverage): string | undefined {
  if (embedded >= passages) return undefined;
  return `${passages - embedded} of ${passages} passages have no vectors yet and are only searched lexically.`;
}

/** A field's passage counts, and the embedder whose vectors to search. */
export interface EmbedderCoverage extends PassageCount {
  /** Undefined if no embedder has processed any of the passages. */
  readonly embedder: Embedder | undefined;
}

/** Maximum delay before changes by other processes are noticed. */
const cacheTtlMs = 5000;

/** Selects the embedder whose vectors to search for a field. */
export class EmbedderSelector {
  readonly #driver: Driver;
  /** The active one comes first. */
  readonly embedders: readonly Embedder[];
  readonly #changes: () => number;
  #changesSeen = 0;
  /** Fields fully covered by the active embedder, with the time of the check. */
  readonly #cache = new Map<string, { readonly coverage: EmbedderCoverage; readonly since: number }>();

  /** `changes` counts changes to passages and vectors. */
  constructor(driver: Driver, embedders: readonly Embedder[], changes: () => number) {
    this.#driver = driver;
    this.embedders = embedders;
    this.#changes = changes;
  }

  /**
   * The embedder that covers the most passages, with ties in favor of the active one; undefined if there are no
   * embedders.
   */
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
