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
}

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

  add(passage: number, record: number, scale: number, coarse: Uint8Array): void {
    const at = this.count % this.#perBlock;
    if (at === 0) {
      this.#parts.push({
        codes: this.#blocks.block(this.#dimensions),
        passages: new Float64Array(this.#perBlock),
        records: new Int32Array(this.#perBlock).fill(-1),
        scales: new Float32Array(this.#perBlock),
      });
    }
    const part = this.#parts.at(-1)!;
    part.passages[at] = passage;
    part.records[at] = record;
    part.scales[at] = scale;
    part.codes.write(at, numbersOf(coarse));
    this.count += 1;
  }

  /** Leaves out passages that are gone. */
  drop(gone: ReadonlySet<number>): void {
    for (const { passages, records } of this.#parts) {
      for (let at = 0; at < passages.length; at++) if (gone.has(passages[at]!)) records[at] = -1;
    }
  }

  /** Gives its memory back; it must not be used any more. */
  release(): void {
    for (const { codes } of this.#parts) codes.release();
  }

  /** The passages that come nearest to a vector, in no particular order; only those of the given records, where any are given. */
  nearest(vector: Float32Array, records: NumberSet | undefined, most: number): number[] {
    const wanted = wholeNumbers(vector);
    const places = this.#places;
    const best = new Best(most);
    for (const { codes, passages, records: of, scales } of this.#parts) {
      const count = records ? records.placesIn(of, places) : placesOf(of, places);
      const products = codes.products(wanted, places, count);
      for (let index = 0; index < count; index++) {
        const at = places[index]!;
        const score = products[index]! * scales[at]!;
        if (score > best.least) best.add(passages[at]!, score);
      }
    }
    return best.passages;
  }
}

/** Writes to `places` where there is a record, and tells how many that are. */
function placesOf(records: Int32Array, places: Int32Array): number {
  let found = 0;
  for (let place = 0; place < records.length; place++) if (records[place]! >= 0) places[found++] = place;
  return found;
}
