import { Best } from './best.js';
import { type Block, type Blocks, perBlock } from './blocks.js';
import type { NumberSet } from './number-set.js';
import { numbersOf, wholeNumbers } from './packed.js';

interface Part {
  readonly codes: Block;
  readonly passages: Float64Array;
  /** Of each vector; -1 for one that is gone. */
  readonly records: Int32Array;
  readonly scales: Float32Array;
  /** How many vectors it was given. */
  count: number;
  /** Whether no record has a lower number than the one before, and none is gone. */
  rising: boolean;
}

/** So many times as many vectors as wanted records have to be there for the records to be looked up one by one. */
const muchMore = 8;

/** First bytes of many vectors, to be compared with one. */
export class VectorTable {
  readonly #blocks: Blocks;
  readonly #dimensions: number;
  readonly #perBlock: number;
  readonly #places: Int32Array;
  readonly #parts: Part[] = [];
  /** How many vectors it was given, those that are gone included. */
  count = 0;

  constructor(blocks: Blocks, dimensions: number) {
    this.#blocks = blocks;
    this.#dimensions = dimensions;
    this.#perBlock = perBlock(dimensions);
    this.#places = new Int32Array(this.#perBlock);
  }

  get bytes(): number {
    return this.#parts.length * this.#perBlock * (this.#dimensions + 16);
  }

  /** Adds vectors, whose codes follow one another. */
  add(passages: readonly number[], records: readonly number[], scales: readonly number[], coarse: Uint8Array): void {
    const codes = numbersOf(coarse);
    for (let from = 0; from < passages.length; ) {
      const part = this.#partWithRoom();
      const end = Math.min(passages.length, from + this.#perBlock - part.count);
      part.codes.write(part.count, codes.subarray(from * this.#dimensions, end * this.#dimensions));
      for (; from < end; from++) {
        const at = part.count++;
        part.passages[at] = passages[from]!;
        part.records[at] = records[from]!;
        part.scales[at] = scales[from]!;
        if (at > 0 && part.records[at]! < part.records[at - 1]!) part.rising = false;
      }
    }
    this.count += passages.length;
  }

  #partWithRoom(): Part {
    let part = this.#parts.at(-1);
    if (!part || part.count === this.#perBlock) {
      part = {
        codes: this.#blocks.block(this.#dimensions),
        passages: new Float64Array(this.#perBlock),
        records: new Int32Array(this.#perBlock).fill(-1),
        scales: new Float32Array(this.#perBlock),
        count: 0,
        rising: true,
      };
      this.#parts.push(part);
    }
    return part;
  }

  /** Leaves out passages that are gone. */
  drop(gone: ReadonlySet<number>): void {
    for (const part of this.#parts) {
      for (let at = 0; at < part.count; at++) {
        if (!gone.has(part.passages[at]!)) continue;
        part.records[at] = -1;
        part.rising = false;
      }
    }
  }

  /** Gives its memory back; it must not be used any more. */
  release(): void {
    for (const { codes } of this.#parts) codes.release();
  }

  /** The passages that come nearest to a vector, the nearest first; only those of the given records, where any are given. */
  nearest(vector: Float32Array, records: NumberSet | undefined, most: number): number[] {
    const wanted = wholeNumbers(vector);
    const places = this.#places;
    const best = new Best(most);
    const few = records && records.size * muchMore < this.count;
    for (const part of this.#parts) {
      const { codes, passages, records: of, scales } = part;
      const count = !records
        ? placesOf(of, places)
        : few && part.rising
          ? records.placesInRising(of, part.count, places)
          : records.placesIn(of, places);
      if (count === 0) continue;
      const products = codes.products(wanted, places, count);
      for (let index = 0; index < count; index++) {
        const at = places[index]!;
        const score = products[index]! * scales[at]!;
        if (score > best.least) best.add(passages[at]!, score);
      }
    }
    return best.sorted();
  }
}

/** Writes to `places` where there is a record, and tells how many that are. */
function placesOf(records: Int32Array, places: Int32Array): number {
  let found = 0;
  for (let place = 0; place < records.length; place++) if (records[place]! >= 0) places[found++] = place;
  return found;
}
