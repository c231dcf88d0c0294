import type { Embedder } from 'agent-connectors-service';

/** Synonyms for the test embedder. */
const meanings: Readonly<Record<string, string>> = {
  car: 'vehicle',
  automobile: 'vehicle',
  invoice: 'payment',
  bill: 'payment',
  crash: 'failure',
  outage: 'failure',
};

/** Numbers from -1 to 1 derived from a text. */
function numbersOf(text: string, count: number): number[] {
  let state = 2166136261;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0)!, 16777619);
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2147483648 - 1;
  });
}

/** A text's vector: the normalized sum of its words' vectors. */
export function vectorOf(text: string, dimensions = 64): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const [index, value] of numbersOf(meanings[word] ?? word, dimensions).entries()) sum[index]! += value;
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** The cosine similarity of two vectors. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    product += one[index]! * other[index]!;
    first += one[index]! ** 2;
    second += other[index]! ** 2;
  }
  return product / (Math.sqrt(first * second) || 1);
}

/** An embedder whose vectors are determined by words; it fails while `fault` is set. */
export class WordEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  fault: Error | undefined;

  constructor(id = 'words-64', dimensions = 64) {
    this.id = id;
    this.dimensions = dimensions;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.fault) throw this.fault;
    return texts.map((text) => vectorOf(text, this.dimensions));
  }
}
