import { ConnectorError } from 'agent-connectors';
import { endpointOf } from '../endpoint.js';
import { vectorsIn } from './reply.js';

/** Makes the function that asks once for the vectors of some texts; its errors never hold the key. */
export function requester({ url, model, apiKey, dimensions, timeoutMs = 60_000, fetch }: OpenaiOptions) {
  const { address, post } = endpointOf({ name: 'embedder', path: 'embeddings', url, apiKey, timeoutMs, fetch });
  let encoding: 'base64' | 'float' = 'base64';
  let length = dimensions;

  const sendOnce = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    const body = { model, input: texts, encoding_format: encoding, ...(dimensions !== undefined && { dimensions }) };
    const vectors = vectorsIn(address, await post(body, signal), texts.length, length);
    length ??= vectors[0]?.length;
    return vectors;
  };

  return async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    try {
      return await sendOnce(texts, signal);
    } catch (error) {
      if (encoding === 'float' || !ConnectorError.is(error) || !error.message.includes('encoding_format')) throw error;
      // Some servers know numbers alone.
      encoding = 'float';
      return await sendOnce(texts, signal);
    }
  };
}

/** Where an embedder is asked, and for what. */
export interface OpenaiOptions {
  /** Address of the interface, such as `http://127.0.0.1:11434/v1`; `/embeddings` is added where it is missing. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** How long the vectors are to be, for models that leave the choice. */
  readonly dimensions?: number | undefined;
  /** What the model wants to read before a question, such as `query: `. */
  readonly queryPrefix?: string | undefined;
  /** What the model wants to read before a passage, such as `passage: `. */
  readonly passagePrefix?: string | undefined;
  /** How many texts go into one request. (64) */
  readonly batch?: number | undefined;
  /** How long one request may take. (60 s) */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated that failed for a passing reason. (2) */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}
