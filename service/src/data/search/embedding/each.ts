import { ConnectorError } from 'agent-connectors';
import type { PassageVector, UnembeddedPassage } from '../../records/passages/types.js';
import type { Embedder } from './types.js';

/** What an embedder made of passages that it may not have taken all at once. */
export interface Outcome {
  readonly vectors: readonly PassageVector[];
  /** Passages that it takes in no way, while it takes others. */
  readonly refused: readonly { readonly passage: number; readonly error: ConnectorError }[];
  /** How many passages it takes at once, where it was found to take fewer than it was given. */
  readonly batch?: number | undefined;
}

/** With whether every passage was taken as it was given. */
type Part = Outcome & { readonly whole: boolean };

/** Below this many code points a passage is not shortened any more. */
const shortest = 50;
/** Failures that may be the fault of one passage, or of their number. */
const divisible = new Set(['invalid_params', 'too_large', 'vendor_error', 'invalid_response', 'timeout']);
const tooMany = new Set(['invalid_params', 'too_large', 'timeout']);

/** Embeds passages together, or in ever smaller parts where that fails, so that none of them holds up the others. */
export async function embedEach(
  embedder: Embedder,
  passages: readonly UnembeddedPassage[],
  signal: AbortSignal,
): Promise<Outcome> {
  const all = async (some: readonly UnembeddedPassage[]): Promise<Part> => {
    const vectors = await embedder.embed(
      some.map(({ text }) => text),
      'passage',
      signal,
    );
    return {
      vectors: some.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
      refused: [],
      whole: true,
    };
  };

  /** An embedder that fails with any text at all fails through no fault of the passages. */
  const probe = async (error: ConnectorError) => {
    await embedder.embed(['text'], 'passage', signal).catch(() => {
      throw error;
    });
  };

  const shortened = async ({ passage, text }: UnembeddedPassage, error: ConnectorError): Promise<Part> => {
    const points = Array.from(text);
    for (let length = points.length >> 1; length >= shortest; length >>= 1) {
      const found = await attempt([{ passage, text: points.slice(0, length).join('') }]);
      if (!ConnectorError.is(found)) return { ...found, whole: false };
    }
    await probe(error);
    return { vectors: [], refused: [{ passage, error }], whole: false };
  };

  const attempt = async (some: readonly UnembeddedPassage[]): Promise<Part | ConnectorError> => {
    try {
      return await all(some);
    } catch (error) {
      if (!ConnectorError.is(error) || !divisible.has(error.code)) throw error;
      return error;
    }
  };

  const divided = async (some: readonly UnembeddedPassage[]): Promise<Part> => {
    const found = await attempt(some);
    if (!ConnectorError.is(found)) return found;
    if (some.length === 1) return shortened(some[0]!, found);
    if (some === passages) await probe(found);
    const middle = Math.ceil(some.length / 2);
    const halves = [await divided(some.slice(0, middle)), await divided(some.slice(middle))] as const;
    const whole = halves.every((half) => half.whole);
    const batch = Math.min(...halves.map((half) => half.batch ?? middle));
    return {
      vectors: halves.flatMap(({ vectors }) => vectors),
      refused: halves.flatMap(({ refused }) => refused),
      batch: whole && tooMany.has(found.code) ? batch : undefined,
      whole,
    };
  };

  return divided(passages);
}
