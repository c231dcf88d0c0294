import { maxProducts, plainMemory, type VectorMemory } from './memory.js';
import { numbersOf, quantizeQuery } from './packed.js';
import { TopK } from './top-k.js';

const noVector = -1;
const minCapacity = 1024;
/** Calls for products between two pauses. */
const productsPerStep = 10;

/** Stores the coarse bytes of many vectors and compares them with a query vector. */
export class VectorTable {
  readonly #dimensions: number;
  #memory: VectorMemory;
  #blocks: number[] = [];
  #addresses = new Uint32Array(minCapacity);
  #passages = new Float64Array(minCapacity);
  #scales = new Float32Array(minCapacity);
  /** The record of each vector; `noVector` if deleted. */
  #records = new Int32Array(minCapacity);
  /** The record's previously added vector. */
  #previousOfRecord = new Int32Array(minCapacity);
  /** The record's most recently added vector. */
  #latestOfRecord = new Int32Array(minCapacity).fill(noVector);
  readonly #selected = new Int32Array(maxProducts);
  readonly #selectedAddresses = new Uint32Array(maxProducts);
  /** Number of vectors added, including deleted ones. */
  count = 0;

  constructor(memory: VectorMemory, dimensions: number) {
    this.#memory = memory;
    this.#dimensions = dimensions;
  }

  get bytes(): number {
    const arrays = [
      this.#addresses,
      this.#passages,
      this.#scales,
      this.#records,
      this.#previousOfRecord,
      this.#latestOfRecord,
    ];
    return arrays.reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.#blocks.length * this.#memory.perBlock * this.#memory.stride,
    );
  }

  /** Adds vectors from consecutive codes. */
  add(passages: readonly number[], records: readonly number[], scales: readonly number[], coarse: Uint8Array): void {
    const codes = numbersOf(coarse);
    for (let from = 0; from < passages.length; ) {
      const address = this.#nextAddress();
      const { perBlock, stride } = this.#memory;
      const end = Math.min(passages.length, from + perBlock - (this.count % perBlock));
      this.#memory.write(address, codes.subarray(from * this.#dimensions, end * this.#dimensions));
      for (let next = address; from < end; from++, next += stride) {
        this.#register(next, passages[from]!, records[from]!, scales[from]!);
      }
    }
  }

  #register(address: number, passage: number, record: number, scale: number): void {
    const at = this.count++;
    if (at === this.#addresses.length) this.#grow();
    this.#addresses[at] = address;
    this.#passages[at] = passage;
    this.#scales[at] = scale;
    this.#records[at] = record;
    if (record >= this.#latestOfRecord.length)
      this.#latestOfRecord = grow(this.#latestOfRecord, 2 * record).fill(noVector, this.#latestOfRecord.length);
    this.#previousOfRecord[at] = this.#latestOfRecord[record]!;
    this.#latestOfRecord[record] = at;
  }

  #grow(): void {
    const length = 2 * this.#addresses.length;
    this.#addresses = grow(this.#addresses, length);
    this.#passages = grow(this.#passages, length);
    this.#scales = grow(this.#scales, length);
    this.#records = grow(this.#records, length);
    this.#previousOfRecord = grow(this.#previousOfRecord, length);
  }

  /** Address for the next vector. */
  #nextAddress(): number {
    const { perBlock, stride } = this.#memory;
    const within = this.count % perBlock;
    if (within > 0) return this.#blocks.at(-1)! + within * stride;
    const block = this.#memory.allocate();
    if (block === undefined) return this.#moveToPlainMemory();
    this.#blocks.push(block);
    return block;
  }

  /** Moves to plain memory, which is slower but has room; returns the address for the next vector. */
  #moveToPlainMemory(): number {
    const [full, blocks] = [this.#memory, this.#blocks];
    const roomy = plainMemory(this.#dimensions);
    [this.#memory, this.#blocks] = [roomy, []];
    for (let at = 0; at < this.count; at++) {
      if (at % roomy.perBlock === 0) this.#blocks.push(roomy.allocate()!);
      const address = this.#blocks.at(-1)! + (at % roomy.perBlock) * roomy.stride;
      roomy.write(address, full.read(this.#addresses[at]!));
      this.#addresses[at] = address;
    }
    for (const block of blocks) full.release(block);
    return this.#nextAddress();
  }

  /** Removes deleted passages. */
  drop(removed: ReadonlySet<number>): void {
    for (let at = 0; at < this.count; at++) if (removed.has(this.#passages[at]!)) this.#records[at] = noVector;
  }

  /** Frees the memory; the table must not be used afterwards. */
  release(): void {
    for (const block of this.#blocks) this.#memory.release(block);
  }

  /** The passages nearest to a vector, nearest first, optionally restricted to the given records. */
  nearest(vector: Float32Array, records: Int32Array | undefined, limit: number): number[] {
    const steps = this.nearestInSteps(vector, records, limit);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Like `nearest`, with a pause after every few milliseconds of work; the table must not change meanwhile. */
  *nearestInSteps(
    vector: Float32Array,
    records: Int32Array | undefined,
    limit: number,
  ): Generator<undefined, number[], void> {
    const wanted = quantizeQuery(vector);
    const best = new TopK(limit);
    let count = 0;
    let compared = 0;
    const select = (at: number): boolean => {
      this.#selected[count] = at;
      this.#selectedAddresses[count++] = this.#addresses[at]!;
      if (count < maxProducts) return false;
      this.#compare(wanted, count, best);
      count = 0;
      compared += 1;
      return compared % productsPerStep === 0;
    };
    if (records) {
      // Indexed loop: an iterator would allocate an object per element.
      for (let index = 0; index < records.length; index++) {
        const record = records[index]!;
        if (record >= this.#latestOfRecord.length) continue;
        for (let at = this.#latestOfRecord[record]!; at !== noVector; at = this.#previousOfRecord[at]!) {
          if (this.#records[at] === record && select(at)) yield;
        }
      }
    } else {
      for (let at = 0; at < this.count; at++) if (this.#records[at] !== noVector && select(at)) yield;
    }
    this.#compare(wanted, count, best);
    return best.sorted();
  }

  #compare(wanted: Int16Array, count: number, best: TopK): void {
    const products = this.#memory.products(wanted, this.#selectedAddresses, count);
    for (let index = 0; index < count; index++) {
      const at = this.#selected[index]!;
      const score = products[index]! * this.#scales[at]!;
      if (score > best.threshold) best.add(this.#passages[at]!, score);
    }
  }
}

/** Copies the numbers into a larger array. */
function grow<Numbers extends Int32Array | Uint32Array | Float32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  const grown = new (numbers.constructor as new (length: number) => Numbers)(length);
  grown.set(numbers);
  return grown;
}
