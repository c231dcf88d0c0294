import { codesAtOnce, simdCode } from './simd-code.js';

/** A piece of memory for the codes of vectors that all have one length. */
export interface Block {
  /** Writes the codes of vectors that follow one another to the places from this one on; the first is 0. */
  write(place: number, codes: Int8Array): void;
  /** The products of numbers and the vectors at so many places, valid until the next are asked for. */
  products(wanted: Int16Array, places: Int32Array, count: number): Int32Array;
  /** Gives the memory back for others to use. */
  release(): void;
}

/** Gives out blocks. */
export interface Blocks {
  /** One that holds as many vectors as `perBlock` says. */
  block(dimensions: number): Block;
}

const blockBytes = 262_144;
const pageBytes = 65_536;

/** Codes that a vector takes the place of. */
const strideOf = (dimensions: number): number => Math.ceil(dimensions / codesAtOnce) * codesAtOnce;

/** How many vectors of a length go into one block. */
export const perBlock = (dimensions: number): number => Math.max(1, Math.floor(blockBytes / strideOf(dimensions)));

/** Blocks whose products the processor forms several at a time, where it can, and else one by one. */
export function openBlocks(): Blocks {
  return simdBlocks() ?? plainBlocks;
}

/** Blocks whose products are formed one by one. */
export const plainBlocks: Blocks = {
  block(dimensions) {
    const codes = new Int8Array(perBlock(dimensions) * dimensions);
    const results = new Int32Array(perBlock(dimensions));
    return {
      write: (place, given) => codes.set(given, place * dimensions),
      products(wanted, places, count) {
        for (let index = 0; index < count; index++)
          results[index] = product(wanted, codes, places[index]! * dimensions);
        return results;
      },
      release() {},
    };
  },
};

// Quickest where it is plainest.
function product(wanted: Int16Array, codes: Int8Array, from: number): number {
  let sum = 0;
  for (let index = 0; index < wanted.length; index++) {
    sum = (sum + Math.imul(wanted[index]!, codes[from + index]!)) | 0;
  }
  return sum;
}

type Products = (
  places: number,
  end: number,
  codes: number,
  stride: number,
  wanted: number,
  results: number,
) => undefined;

interface Scratch {
  readonly numbers: Int16Array;
  readonly places: Int32Array;
  readonly results: Int32Array;
}

/** Where in the memory the function finds what it is given, and leaves what it finds. */
const [wantedAt, placesAt, resultsAt, scratchBytes] = [0, pageBytes, 2 * pageBytes, 3 * pageBytes];

/** Blocks in one memory of WebAssembly; nothing where the engine or the machine has not what that takes. */
export function simdBlocks(): Blocks | undefined {
  let memory: WebAssembly.Memory;
  let products: Products;
  try {
    memory = new WebAssembly.Memory({ initial: scratchBytes / pageBytes });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(simdCode()), { host: { memory } });
    products = exports.products as Products;
  } catch {
    return undefined;
  }
  let views: Scratch | undefined;
  /** Views of the memory, which are made anew only when it has grown: that takes longer than a few products. */
  const scratch = (): Scratch => {
    const { buffer } = memory;
    if (views?.numbers.buffer !== buffer) {
      views = {
        numbers: new Int16Array(buffer, wantedAt, pageBytes / 2),
        places: new Int32Array(buffer, placesAt, pageBytes / 4),
        results: new Int32Array(buffer, resultsAt, pageBytes / 4),
      };
    }
    return views;
  };
  const free: number[] = [];
  /** A place that is free, or new; nothing where the memory cannot grow any more. */
  const take = (): number | undefined => {
    const known = free.pop();
    if (known !== undefined) return known;
    try {
      return memory.grow(blockBytes / pageBytes) * pageBytes;
    } catch {
      return undefined;
    }
  };
  return {
    block(dimensions) {
      const stride = strideOf(dimensions);
      const from = stride <= pageBytes / 2 ? take() : undefined;
      if (from === undefined) return plainBlocks.block(dimensions);
      // What was there before has numbers where shorter vectors have none.
      new Uint8Array(memory.buffer, from, blockBytes).fill(0);
      return {
        write(place, codes) {
          const all = new Int8Array(memory.buffer, from, blockBytes);
          if (stride === dimensions) {
            all.set(codes, place * stride);
            return;
          }
          for (let at = 0; at * dimensions < codes.length; at++) {
            all.set(codes.subarray(at * dimensions, (at + 1) * dimensions), (place + at) * stride);
          }
        },
        products(given, chosen, count) {
          const { numbers, places, results } = scratch();
          numbers.set(given);
          numbers.fill(0, given.length, stride);
          for (let index = 0; index < count; index++) places[index] = chosen[index]!;
          if (count > 0) products(placesAt, placesAt + 4 * count, from, stride, wantedAt, resultsAt);
          return results.subarray(0, count);
        },
        release: () => free.push(from),
      };
    },
  };
}
