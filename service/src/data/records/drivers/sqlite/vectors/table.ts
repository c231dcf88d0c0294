import { Best } from './best.js';
import { mostProducts, plainMemory, type VectorMemory } from './memory.js';
import { numbersOf, wholeNumbers } from './packed.js';

const none = -1;
const fewest = 1024;

/** First bytes of many vectors, to be compared with one. */
export class VectorTable {
  readonly #dimensions: number;
  #memory: VectorMemory;
  #blocks: number[] = [];
  #addresses = new Uint32Array(fewest);
  #passages = new Float64Array(fewest);
  #scales = new Float32Array(fewest);
  /** Of each vector; `none` for one that is gone. */
  #records = new Int32Array(fewest);
  /** The vector of the same record that was added before. */
  #before = new Int32Array(fewest);
  /** The vector of each record that was added last. */
  #last = new Int32Array(fewest).fill(none);
  readonly #chosen = new Int32Array(mostProducts);
  readonly #chosenAt = new Uint32Array(mostProducts);
  /** How many vectors it was given, those that are gone included. */
  count = 0;

  constructor(memory: VectorMemory, dimensions: number) {
    this.#memory = memory;
    this.#dimensions = dimensions;
  }

  get bytes(): number {
    const arrays = [this.#addresses, this.#passages, this.#scales, this.#records, this.#before, this.#last];
    return arrays.reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.#blocks.length * this.#memory.perBlock * this.#memory.stride,
    );
  }

  /** Adds vectors, whose codes follow one another. */
  add(passages: readonly number[], records: readonly number[], scales: readonly number[], coarse: Uint8Array): void {
    const codes = numbersOf(coarse);
    for (let from = 0; from < passages.length; ) {
      const address = this.#room();
      const { perBlock, stride } = this.#memory;
      const end = Math.min(passages.length, from + perBlock - (this.count % perBlock));
      this.#memory.write(address, codes.subarray(from * this.#dimensions, end * this.#dimensions));
      for (let next = address; from < end; from++, next += stride) {
        this.#note(next, passages[from]!, records[from]!, scales[from]!);
      }
    }
  }

  #note(address: number, passage: number, record: number, scale: number): void {
    const at = this.count++;
    if (at === this.#addresses.length) this.#grow();
    this.#addresses[at] = address;
    this.#passages[at] = passage;
    this.#scales[at] = scale;
    this.#records[at] = record;
    if (record >= this.#last.length) this.#last = longer(this.#last, 2 * record).fill(none, this.#last.length);
    this.#before[at] = this.#last[record]!;
    this.#last[record] = at;
  }

  #grow(): void {
    const length = 2 * this.#addresses.length;
    this.#addresses = longer(this.#addresses, length);
    this.#passages = longer(this.#passages, length);
    this.#scales = longer(this.#scales, length);
    this.#records = longer(this.#records, length);
    this.#before = longer(this.#before, length);
  }

  /** Where the next vector goes. */
  #room(): number {
    const { perBlock, stride } = this.#memory;
    const within = this.count % perBlock;
    if (within > 0) return this.#blocks.at(-1)! + within * stride;
    const block = this.#memory.take();
    if (block === undefined) return this.#move();
    this.#blocks.push(block);
    return block;
  }

  /** Moves to memory that has room, though products take longer in it, and tells where the next vector goes. */
  #move(): number {
    const [full, blocks] = [this.#memory, this.#blocks];
    const roomy = plainMemory(this.#dimensions);
    [this.#memory, this.#blocks] = [roomy, []];
    for (let at = 0; at < this.count; at++) {
      if (at % roomy.perBlock === 0) this.#blocks.push(roomy.take()!);
      const address = this.#blocks.at(-1)! + (at % roomy.perBlock) * roomy.stride;
      roomy.write(address, full.read(this.#addresses[at]!));
      this.#addresses[at] = address;
    }
    for (const block of blocks) full.give(block);
    return this.#room();
  }

  /** Leaves out passages that are gone. */
  drop(gone: ReadonlySet<number>): void {
    for (let at = 0; at < this.count; at++) if (gone.has(this.#passages[at]!)) this.#records[at] = none;
  }

  /** Gives its memory back; it must not be used any more. */
  release(): void {
    for (const block of this.#blocks) this.#memory.give(block);
  }

  /** The passages that come nearest to a vector, the nearest first; only those of the given records, where any are given. */
  nearest(vector: Float32Array, records: Int32Array | undefined, most: number): number[] {
    const wanted = wholeNumbers(vector);
    const best = new Best(most);
    let count = 0;
    const choose = (at: number): void => {
      this.#chosen[count] = at;
      this.#chosenAt[count++] = this.#addresses[at]!;
      if (count < mostProducts) return;
      this.#compare(wanted, count, best);
      count = 0;
    };
    if (records) {
      // By places: an iterator would leave an object behind for each of them.
      for (let index = 0; index < records.length; index++) {
        const record = records[index]!;
        if (record >= this.#last.length) continue;
        for (let at = this.#last[record]!; at !== none; at = this.#before[at]!) {
          if (this.#records[at] === record) choose(at);
        }
      }
    } else {
      for (let at = 0; at < this.count; at++) if (this.#records[at] !== none) choose(at);
    }
    this.#compare(wanted, count, best);
    return best.sorted();
  }

  #compare(wanted: Int16Array, count: number, best: Best): void {
    const products = this.#memory.products(wanted, this.#chosenAt, count);
    for (let index = 0; index < count; index++) {
      const at = this.#chosen[index]!;
      const score = products[index]! * this.#scales[at]!;
      if (score > best.least) best.add(this.#passages[at]!, score);
    }
  }
}

/** The same numbers with room for more. */
function longer<Numbers extends Int32Array | Uint32Array | Float32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  const made = new (numbers.constructor as new (length: number) => Numbers)(length);
  made.set(numbers);
  return made;
}
