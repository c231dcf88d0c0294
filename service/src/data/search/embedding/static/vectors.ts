import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EmbeddingTable, readTable } from './table.js';

/** Shared by all services in the process; loaded on first use. */
let reading: Promise<EmbeddingTable> | undefined;

async function table(): Promise<EmbeddingTable> {
  reading ??= readTable();
  return reading.catch((error) => {
    reading = undefined;
    throw error;
  });
}

/** Texts embedded before yielding to other work: about 5 ms. */
const textsPerTurn = 16;

/** The vectors of texts; `isKnown` says whether any of a text's words is in the vocabulary. */
export interface StaticVectors {
  readonly vectors: Float32Array[];
  readonly isKnown: boolean[];
}

/** Computes vectors, yielding to other work in between; `checkAborted` is called for each text. */
export async function vectorsOf(
  texts: readonly string[],
  checkAborted: () => void = () => undefined,
): Promise<StaticVectors> {
  const loaded = await table();
  const vectors: Float32Array[] = [];
  const isKnown: boolean[] = [];
  for (const [index, text] of texts.entries()) {
    if (index > 0 && index % textsPerTurn === 0) await nextTurn();
    checkAborted();
    const vector = vectorOf(text, loaded);
    isKnown.push(vector !== undefined);
    vectors.push(vector ?? leastMeaning(loaded));
  }
  return { vectors, isKnown };
}

/** The mean of a text's word-piece vectors, normalized to unit length; undefined if none of the pieces are known. */
function vectorOf(text: string, { pieces, dimensions, rows, scales }: EmbeddingTable): Float32Array | undefined {
  const sum = new Float64Array(dimensions);
  for (const id of pieces.idsOf(text)) {
    const scale = scales[id]!;
    const start = id * dimensions;
    for (let index = 0; index < dimensions; index++) sum[index]! += scale * rows[start + index]!;
  }
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares);
  return length > 0 ? Float32Array.from(sum, (value) => value / length) : undefined;
}

/**
 * Placeholder vector, because a passage needs one to be considered embedded. It uses the last dimension, which
 * distinguishes texts the least.
 */
const leastMeaning = ({ dimensions }: EmbeddingTable): Float32Array => {
  const vector = new Float32Array(dimensions);
  vector[dimensions - 1] = 1;
  return vector;
};
