import { codesAtOnce, simdCode } from './simd-code.js';

/** A piece of memory for the codes of vectors that all have one length. */
export interface Block {
  /** Writes the codes of one vector to its place, the first of which is 0. */
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
        write: (place, codes) => new Int8Array(memory.buffer, from + place * stride, stride).set(codes),
        products(wanted, places, count) {
          const { buffer } = memory;
          const numbers = new Int16Array(buffer, wantedAt, stride);
          numbers.fill(0, wanted.length);
          numbers.set(wanted);
          new Int32Array(buffer, placesAt, count).set(places.subarray(0, count));
          if (count > 0) products(placesAt, placesAt + 4 * count, from, stride, wantedAt, resultsAt);
          return new Int32Array(buffer, resultsAt, count);
        },
        release: () => free.push(from),
      };
    },
  };
}
