import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../../search/embedding/types.js';
import type { PassageVector, UnembeddedPassage } from './types.js';

/** Result of embedding passages, possibly in smaller batches. */
export interface EmbedResult {
  readonly vectors: readonly PassageVector[];
  /** Passages that failed while others succeeded. */
  readonly rejected: readonly { readonly passage: number; readonly error: ConnectorError }[];
  /** The batch size that worked, if smaller than the given one. */
  readonly maxBatchSize?: number | undefined;
}

/** A result that also indicates whether every passage was accepted unchanged. */
type PartialResult = EmbedResult & { readonly complete: boolean };

/** Passages are not shortened below this many code points. */
const minLength = 50;
/** Errors that a single passage or the batch size may have caused. */
const splittableErrors = new Set(['invalid_params', 'too_large', 'vendor_error', 'invalid_response', 'timeout']);
const sizeErrors = new Set(['invalid_params', 'too_large', 'timeout']);

/** Embeds passages together, splitting them into ever smaller batches on failure so that none blocks the others. */
export async function embedEach(
  embedder: Embedder,
  passages: readonly UnembeddedPassage[],
  signal: AbortSignal,
): Promise<EmbedResult> {
  const embedAll = async (batch: readonly UnembeddedPassage[]): Promise<PartialResult> => {
    const vectors = await embedder.embed(
      batch.map(({ text }) => text),
      'passage',
      signal,
    );
    return {
      vectors: batch.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
      rejected: [],
      complete: true,
    };
  };

  /** If even a trivial text fails, the passages are not the cause. */
  const probe = async (error: ConnectorError) => {
    await embedder.embed(['text'], 'passage', signal).catch(() => {
      throw error;
    });
  };

  const embedShortened = async (
    { passage, text }: UnembeddedPassage,
    error: ConnectorError,
  ): Promise<PartialResult> => {
    const points = Array.from(text);
    for (let length = points.length >> 1; length >= minLength; length >>= 1) {
      const result = await attempt([{ passage, text: points.slice(0, length).join('') }]);
      if (!ConnectorError.is(result)) return { ...result, complete: false };
    }
    await probe(error);
    return { vectors: [], rejected: [{ passage, error }], complete: false };
  };

  const attempt = async (batch: readonly UnembeddedPassage[]): Promise<PartialResult | ConnectorError> => {
    try {
      return await embedAll(batch);
    } catch (error) {
      if (!ConnectorError.is(error) || !splittableErrors.has(error.code)) throw error;
      return error;
    }
  };

  const embedDivided = async (batch: readonly UnembeddedPassage[]): Promise<PartialResult> => {
    const result = await attempt(batch);
    if (!ConnectorError.is(result)) return result;
    if (batch.length === 1) return embedShortened(batch[0]!, result);
    if (batch === passages) await probe(result);
    const middle = Math.ceil(batch.length / 2);
    const halves = [await embedDivided(batch.slice(0, middle)), await embedDivided(batch.slice(middle))] as const;
    const complete = halves.every((half) => half.complete);
    const maxBatchSize = Math.min(...halves.map((half) => half.maxBatchSize ?? middle));
    return {
      vectors: halves.flatMap(({ vectors }) => vectors),
      rejected: halves.flatMap(({ rejected }) => rejected),
      maxBatchSize: complete && sizeErrors.has(result.code) ? maxBatchSize : undefined,
      complete,
    };
  };

  return embedDivided(passages);
}
