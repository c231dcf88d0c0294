import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConnectorError } from 'agent-connectors';
import type { Embedder } from '../types.js';
import { type EmbeddingTable, readTable, tableChecksum } from './table.js';

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

/** The built-in embedder: a text's vector is the mean of its word-piece vectors. */
export const staticEmbedder: Embedder = {
  id: `minilm-l6-v2-static-${tableChecksum.slice(0, 12)}`,
  async embed(texts, kind, signal) {
    const loaded = await table();
    const vectors: Float32Array[] = [];
    for (const [index, text] of texts.entries()) {
      if (index > 0 && index % textsPerTurn === 0) await nextTurn();
      if (signal?.aborted) throw new ConnectorError('aborted', 'Embedding was aborted.');
      const vector = vectorOf(text, loaded);
      if (!vector && kind === 'query')
        throw new ConnectorError('invalid_params', "None of the words is in the model's vocabulary.");
      vectors.push(vector ?? leastMeaning(loaded));
    }
    return vectors;
  },
};

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
