import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../embedding/types.js';

const isNetwork = (error: unknown): boolean =>
  ConnectorError.is(error)
    ? ['network', 'timeout', 'aborted'].includes(error.code)
    : // What a fetch throws that reached nobody, or was given up.
      error instanceof TypeError || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));

/** So many prompts are remembered: one search of a workspace asks the same of a dozen fields. */
const mostPrompts = 100;

/** Has prompts made into vectors, the same prompt once. */
export class PromptVectors {
  readonly #made = new Map<string, Promise<Float32Array>>();

  /** The vector of a prompt; where the embedder gives none, an error that says so. */
  of(embedder: Embedder, prompt: string): Promise<Float32Array> {
    const name = JSON.stringify([embedder.id, prompt]);
    const known = this.#made.get(name);
    // The one that was used last is the last to go.
    this.#made.delete(name);
    const vector = known ?? vectorOf(embedder, prompt);
    this.#made.set(name, vector);
    if (known) return known;
    vector.catch(() => {
      // What failed may succeed when it is asked for again.
      if (this.#made.get(name) === vector) this.#made.delete(name);
    });
    if (this.#made.size > mostPrompts) this.#made.delete(this.#made.keys().next().value!);
    return vector;
  }
}

async function vectorOf(embedder: Embedder, prompt: string): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([prompt], 'query');
    if (!vector || vector.length === 0 || !vector.every(Number.isFinite)) {
      throw new ConnectorError('vendor_error', 'The embedder gave no vector.');
    }
    return vector;
  } catch (error) {
    const said = ConnectorError.is(error) ? ` ${error.message}` : '';
    throw new ConnectorError(
      isNetwork(error) ? 'network' : 'vendor_error',
      `The prompt could not be embedded by ${embedder.id}.${said}`,
      { retryable: true, hint: 'Leave out semantic.mode, or set it to "lexical", to rank by words.', cause: error },
    );
  }
}
