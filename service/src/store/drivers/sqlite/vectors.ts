/** A vector of length 1 in two bytes for each of its numbers: a first approach, and what it lacks. */
export interface PackedVector {
  readonly scale: number;
  readonly coarse: Uint8Array;
  readonly fine: Uint8Array;
}

const largest = 127;
/** So many steps of the second byte are one of the first. */
const steps = 254;

const bytesOf = (numbers: Int8Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
const numbersOf = (bytes: Uint8Array): Int8Array => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The vector of the same direction whose length is 1; one of length 0 stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += vector[index]! ** 2;
  if (!Number.isFinite(sum)) throw new Error('A vector has a number that is none.');
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}

/** Packs a vector of length 1. */
export function packed(vector: Float32Array): PackedVector {
  let most = 0;
  for (let index = 0; index < vector.length; index++) most = Math.max(most, Math.abs(vector[index]!));
  const scale = most / largest || 1;
  const coarse = new Int8Array(vector.length);
  const fine = new Int8Array(vector.length);
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index]! / scale;
    coarse[index] = Math.round(value);
    fine[index] = Math.round((value - coarse[index]!) * steps);
  }
  return { scale, coarse: bytesOf(coarse), fine: bytesOf(fine) };
}

/** The cosine of a vector of length 1 and a packed one. */
export function cosineOf(vector: Float32Array, { scale, coarse, fine }: PackedVector): number {
  const [first, second] = [numbersOf(coarse), numbersOf(fine)];
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    sum += vector[index]! * (first[index]! + second[index]! / steps);
  }
  return sum * scale;
}

/** A vector of length 1 as whole numbers, so small that the products of it and first bytes add up to one of 32 bits. */
function wholeNumbers(vector: Float32Array): Int32Array {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const reach = Math.min(32_767, Math.floor(2 ** 31 / (128 * vector.length)) - 1);
  return Int32Array.from(vector, (value) => Math.round((value / (most || 1)) * reach));
}

/** A set of whole numbers. */
export class NumberSet {
  readonly #bits: Uint8Array;

  constructor(numbers: readonly number[]) {
    let most = 0;
    for (const number of numbers) if (number > most) most = number;
    this.#bits = new Uint8Array((most >> 3) + 1);
    for (const number of numbers) this.#bits[number >> 3]! |= 1 << (number & 7);
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}

const perBlock = 4096;

interface Block {
  /** Of each vector; 0 for one that is gone. */
  readonly passages: Float64Array;
  readonly records: Int32Array;
  readonly scales: Float32Array;
  readonly codes: Int8Array;
}

/** First bytes of many vectors, to be compared with one. */
export class VectorTable {
  readonly dimensions: number;
  readonly #blocks: Block[] = [];
  /** How many vectors it was given, those that are gone included. */
  count = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  get bytes(): number {
    return this.#blocks.length * perBlock * (this.dimensions + 16);
  }

  add(passage: number, record: number, scale: number, coarse: Uint8Array): void {
    const at = this.count % perBlock;
    if (at === 0) {
      this.#blocks.push({
        passages: new Float64Array(perBlock),
        records: new Int32Array(perBlock),
        scales: new Float32Array(perBlock),
        codes: new Int8Array(perBlock * this.dimensions),
      });
    }
    const block = this.#blocks.at(-1)!;
    block.passages[at] = passage;
    block.records[at] = record;
    block.scales[at] = scale;
    block.codes.set(numbersOf(coarse), at * this.dimensions);
    this.count += 1;
  }

  /** Leaves out passages that are gone. */
  drop(gone: ReadonlySet<number>): void {
    for (const { passages } of this.#blocks) {
      for (let at = 0; at < perBlock; at++) if (gone.has(passages[at]!)) passages[at] = 0;
    }
  }

  /** The passages that come nearest to a vector, in no particular order; only those of the given records, where any are given. */
  nearest(vector: Float32Array, records: NumberSet | undefined, most: number): number[] {
    const wanted = wholeNumbers(vector);
    const best = new Best(most);
    let left = this.count;
    for (const { passages, records: of, scales, codes } of this.#blocks) {
      const filled = Math.min(left, perBlock);
      for (let at = 0; at < filled; at++) {
        const passage = passages[at]!;
        if (passage === 0 || (records && !records.has(of[at]!))) continue;
        const score = product(wanted, codes, at * this.dimensions) * scales[at]!;
        if (score > best.least) best.add(passage, score);
      }
      left -= filled;
    }
    return best.passages;
  }
}

// The one loop that takes time, and quickest where it is plainest.
function product(wanted: Int32Array, codes: Int8Array, from: number): number {
  let sum = 0;
  for (let index = 0; index < wanted.length; index++) {
    sum = (sum + Math.imul(wanted[index]!, codes[from + index]!)) | 0;
  }
  return sum;
}

/** The best of many, kept as a heap whose first is the least of them. */
class Best {
  readonly #most: number;
  readonly #scores: number[] = [];
  readonly passages: number[] = [];
  /** What a score has to exceed to be among the best. */
  least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(passage: number, score: number): void {
    if (this.passages.length < this.#most) this.#rise(this.passages.push(passage) - 1, passage, score);
    else this.#sink(passage, score);
    if (this.passages.length === this.#most) this.least = this.#scores[0]!;
  }

  #put(at: number, passage: number, score: number): void {
    this.passages[at] = passage;
    this.#scores[at] = score;
  }

  #rise(from: number, passage: number, score: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#scores[above]! <= score) break;
      this.#put(at, this.passages[above]!, this.#scores[above]!);
      at = above;
    }
    this.#put(at, passage, score);
  }

  #sink(passage: number, score: number): void {
    const length = this.passages.length;
    let at = 0;
    for (let below = 1; below < length; below = 2 * at + 1) {
      if (below + 1 < length && this.#scores[below + 1]! < this.#scores[below]!) below += 1;
      if (this.#scores[below]! >= score) break;
      this.#put(at, this.passages[below]!, this.#scores[below]!);
      at = below;
    }
    this.#put(at, passage, score);
  }
}
