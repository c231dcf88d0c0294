import { ConnectorError } from 'agent-connectors';
import * as z from 'zod';

const reply = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.union([z.string(), z.array(z.number())]) })),
});

/** Extracts the vectors from an embedder's response, in text order, normalized to unit length. */
export function vectorsIn(endpoint: string, text: string, count: number, length: number | undefined): Float32Array[] {
  const invalidReply = (what: string, hint = 'Use a server version that is compatible with OpenAI’s /v1/embeddings.') =>
    new ConnectorError('invalid_response', `The embedder at ${endpoint} responded with ${what}.`, {
      retryable: false,
      hint,
    });
  const { success, data } = reply.safeParse(tryParseJson(text));
  if (!success) {
    throw invalidReply(
      'a body that is not a list of vectors',
      'Check that the URL is an OpenAI-compatible /v1/embeddings endpoint, and that the model is an embedding model.',
    );
  }
  if (data.data.length !== count) throw invalidReply(`${data.data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [position, { index = position, embedding }] of data.data.entries()) {
    if (!(index in vectors) || vectors[index]) throw invalidReply('vectors with an invalid index');
    const vector = typeof embedding === 'string' ? decodeVector(embedding) : Float32Array.from(embedding);
    if (!vector || !normalise(vector)) {
      throw invalidReply('a vector that is all zeros or not numeric', 'The model or the server is broken.');
    }
    vectors[index] = vector;
  }
  const wanted = length ?? vectors[0]?.length;
  const mismatched = vectors.find((vector) => vector?.length !== wanted);
  if (mismatched) {
    throw invalidReply(
      `a vector with ${mismatched.length} dimensions instead of ${wanted}`,
      'If you set dimensions, check that the model supports them. If the model was replaced, give it a new name.',
    );
  }
  return vectors as Float32Array[];
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes little-endian 32-bit floats. */
function decodeVector(base64: string): Float32Array | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  const vector = new Float32Array(bytes.length / 4);
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  return vector;
}

/** Normalizes a vector to unit length; returns false if that is impossible. */
function normalise(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) return false;
  for (let index = 0; index < vector.length; index++) vector[index]! /= length;
  return true;
}
