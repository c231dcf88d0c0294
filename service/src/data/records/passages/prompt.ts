import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';

const isNetwork = (error: unknown): boolean =>
  ConnectorError.is(error)
    ? ['network', 'timeout', 'aborted'].includes(error.code)
    : // What a fetch throws that reached nobody, or was given up.
      error instanceof TypeError || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));

/** Failures that one prompt among several may be the reason of. */
const ofOne = new Set(['invalid_params', 'too_large', 'vendor_error', 'invalid_response']);
const isOfOne = (error: unknown): boolean => ConnectorError.is(error) && ofOne.has(error.code);

/** So many prompts are remembered: one search of a workspace asks the same of a dozen fields. */
const mostRemembered = 100;
/** So many requests are under way at once with an embedder, and so many prompts go into one. */
const [mostRequests, mostPrompts] = [4, 32];

interface Waiting {
  readonly prompt: string;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Prompts that wait for an embedder. */
interface Line {
  readonly waiting: Waiting[];
  requests: number;
}

/** Has prompts made into vectors: the same prompt once, and those that come at once together. */
export class PromptVectors {
  readonly #made = new Map<string, Promise<Float32Array>>();
  readonly #lines = new Map<string, Line>();

  /** The vector of a prompt; where the embedder gives none, an error that says so. */
  of(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const name = JSON.stringify([embedder.id, prompt]);
    const known = this.#made.get(name);
    // The one that was used last is the last to go.
    this.#made.delete(name);
    const vector = known ?? this.#ask(embedder, prompt);
    this.#made.set(name, vector);
    if (known) return known;
    vector.catch(() => {
      // What failed may succeed when it is asked for again.
      if (this.#made.get(name) === vector) this.#made.delete(name);
    });
    if (this.#made.size > mostRemembered) this.#made.delete(this.#made.keys().next().value!);
    return vector;
  }

  #ask(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const line = this.#lines.get(embedder.id) ?? { waiting: [], requests: 0 };
    this.#lines.set(embedder.id, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ prompt, resolve, reject });
      // Not at once: what is asked for in the same moment goes along.
      queueMicrotask(() => this.#send(embedder, line));
    });
  }

  #send(embedder: Embedder, line: Line): void {
    while (line.waiting.length > 0 && line.requests < mostRequests) {
      line.requests++;
      void answer(embedder, line.waiting.splice(0, mostPrompts)).finally(() => {
        line.requests--;
        this.#send(embedder, line);
      });
    }
  }
}

/** Gives each its vector or its error; a prompt that the embedder refuses is no fault of others. */
async function answer(embedder: Embedder, asked: readonly Waiting[]): Promise<void> {
  try {
    const vectors = await embedder.embed(
      asked.map(({ prompt }) => prompt),
      'query',
    );
    for (const [index, { resolve, reject }] of asked.entries()) {
      const vector = vectors[index];
      if (vector && vector.length > 0 && vector.every(Number.isFinite)) resolve(vector);
      else reject(failure(embedder, new ConnectorError('vendor_error', 'The embedder gave no vector.')));
    }
  } catch (error) {
    if (asked.length > 1 && isOfOne(error)) await Promise.all(asked.map((one) => answer(embedder, [one])));
    else for (const { reject } of asked) reject(failure(embedder, error));
  }
}

function failure({ id }: Embedder, error: unknown): ConnectorError {
  const said = ConnectorError.is(error) ? ` ${error.message}` : '';
  return new ConnectorError(
    isNetwork(error) ? 'network' : 'vendor_error',
    `The prompt could not be embedded by ${id}.${said}`,
    { retryable: true, hint: 'Leave out semantic.mode, or set it to "lexical", to rank by words.', cause: error },
  );
}
