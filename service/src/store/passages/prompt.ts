import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../embedding/types.js';

const isNetwork = (error: unknown): boolean =>
  ConnectorError.is(error)
    ? ['network', 'timeout', 'aborted'].includes(error.code)
    : // What a fetch throws that reached nobody, or was given up.
      error instanceof TypeError || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));

/** The vector of a prompt; where the embedder gives none, an error that says so. */
export async function vectorOfPrompt(embedder: Embedder, prompt: string): Promise<Float32Array> {
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
