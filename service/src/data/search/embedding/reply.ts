import { ConnectorError } from 'agent-connectors';
import * as z from 'zod';

const reply = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.union([z.string(), z.array(z.number())]) })),
});

/** Reads the vectors out of an embedder's answer, in the order of the texts, each of the length 1. */
export function vectorsIn(place: string, text: string, count: number, length: number | undefined): Float32Array[] {
  const refuse = (what: string, hint = 'Use a server, or a version of it, that follows OpenAI’s /v1/embeddings.') =>
    new ConnectorError('invalid_response', `The embedder at ${place} answered with ${what}.`, {
      retryable: false,
      hint,
    });
  const { success, data } = reply.safeParse(parsed(text));
  if (!success) {
    throw refuse(
      'something that is no list of vectors',
      'Check that the address is that of an interface like OpenAI’s /v1/embeddings, and that the model is one for embeddings.',
    );
  }
  if (data.data.length !== count) throw refuse(`${data.data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [position, { index = position, embedding }] of data.data.entries()) {
    if (!(index in vectors) || vectors[index])
      throw refuse('vectors of which it is not clear to which text they belong');
    const vector = typeof embedding === 'string' ? decoded(embedding) : Float32Array.from(embedding);
    if (!vector || !normalise(vector)) {
      throw refuse(
        'a vector that holds something else than numbers, or none but zeros',
        'The model, or the server, is broken.',
      );
    }
    vectors[index] = vector;
  }
  const wanted = length ?? vectors[0]?.length;
  const odd = vectors.find((vector) => vector?.length !== wanted);
  if (odd) {
    throw refuse(
      `a vector of ${odd.length} dimensions in place of ${wanted}`,
      'If dimensions are set, the model must support them; if another model was put in place of the old one, give it a name of its own.',
    );
  }
  return vectors as Float32Array[];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Floats of four bytes each, the lowest first. */
function decoded(base64: string): Float32Array | undefined {
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
