import { ConnectorError } from 'agent-connectors';
import { endpointOf } from '../endpoint.js';
import { vectorsIn } from './reply.js';

/** Creates a function that requests vectors without retrying; errors never contain the key. */
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
      // Some servers support only plain numbers.
      encoding = 'float';
      return await sendOnce(texts, signal);
    }
  };
}

/** An embedder's endpoint, and what to request from it. */
export interface OpenaiOptions {
  /** Base URL of the API, such as `http://127.0.0.1:11434/v1`; `/embeddings` is appended if missing. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Requested dimensions, for models that support several. */
  readonly dimensions?: number | undefined;
  /** Prefix that the model expects before a query, such as `query: `. */
  readonly queryPrefix?: string | undefined;
  /** Prefix that the model expects before a passage, such as `passage: `. */
  readonly passagePrefix?: string | undefined;
  /** Texts per request. (64) */
  readonly batch?: number | undefined;
  /** Request timeout. (60 s) */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries after a transient failure. (2) */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}
