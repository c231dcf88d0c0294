import { ConnectorError } from 'agent-connectors';
import * as z from 'zod';

const reply = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.union([z.string(), z.array(z.number())]) })),
});

/** Reads the vectors out of an embedder's answer, in the order of the texts, each of the length 1. */
export function vectorsIn(endpoint: string, text: string, count: number, length: number | undefined): Float32Array[] {
  const invalidReply = (
    what: string,
    hint = 'Use a server, or a version of it, that follows OpenAI’s /v1/embeddings.',
  ) =>
    new ConnectorError('invalid_response', `The embedder at ${endpoint} answered with ${what}.`, {
      retryable: false,
      hint,
    });
  const { success, data } = reply.safeParse(tryParseJson(text));
  if (!success) {
    throw invalidReply(
      'something that is no list of vectors',
      'Check that the address is that of an interface like OpenAI’s /v1/embeddings, and that the model is one for embeddings.',
    );
  }
  if (data.data.length !== count) throw invalidReply(`${data.data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [position, { index = position, embedding }] of data.data.entries()) {
    if (!(index in vectors) || vectors[index])
      throw invalidReply('vectors of which it is not clear to which text they belong');
    const vector = typeof embedding === 'string' ? decodeVector(embedding) : Float32Array.from(embedding);
    if (!vector || !normalise(vector)) {
      throw invalidReply(
        'a vector that holds something else than numbers, or none but zeros',
        'The model, or the server, is broken.',
      );
    }
    vectors[index] = vector;
  }
  const wanted = length ?? vectors[0]?.length;
  const mismatched = vectors.find((vector) => vector?.length !== wanted);
  if (mismatched) {
    throw invalidReply(
      `a vector of ${mismatched.length} dimensions in place of ${wanted}`,
      'If dimensions are set, the model must support them; if another model was put in place of the old one, give it a name of its own.',
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

/** Floats of four bytes each, the lowest first. */
function decodeVector(base64: string): Float32Array | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  const vector = new Float32Array(bytes.length / 4);
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  return vector;
}

/** Brings a vector to the length 1, and says whether it has one. */
function normalise(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) return false;
  for (let index = 0; index < vector.length; index++) vector[index]! /= length;
  return true;
}
