import { productsWasm } from './products-wasm.js';

/** Memory for vector codes of equal length, allocated in blocks of `perBlock`. */
export interface VectorMemory {
  /** Distance in bytes from the start of one vector to the start of the next. */
  readonly stride: number;
  readonly perBlock: number;
  /** Address of a free, zeroed block; undefined if memory is exhausted. */
  allocate(): number | undefined;
  /** Frees a block. */
  release(block: number): void;
  /** Writes consecutive codes starting at an address. */
  write(address: number, codes: Int8Array): void;
  /** The code at an address. */
  read(address: number): Int8Array;
  /** Dot products with the vectors at `count` addresses (at most `maxProducts`), valid until the next call. */
  products(wanted: Int16Array, addresses: Uint32Array, count: number): Int32Array;
}

const blockBytes = 262_144;
const pageBytes = 65_536;
/** `products.wat` multiplies this many codes per step; vectors are padded to a multiple. */
const codesPerStep = 32;

/** Products computed per call. */
export const maxProducts = 4096;

/** SIMD memory if the machine supports it, otherwise plain memory. */
export function openMemory(simd: SimdMemory | null, dimensions: number): VectorMemory {
  return simd?.of(dimensions) ?? plainMemory(dimensions);
}

/** Memory whose products are computed one at a time. */
export function plainMemory(dimensions: number): VectorMemory {
  const perBlock = Math.max(1, Math.floor(blockBytes / dimensions));
  const size = perBlock * dimensions;
  const blocks: Int8Array[] = [];
  const free: number[] = [];
  const results = new Int32Array(maxProducts);
  const at = (address: number): [Int8Array, number] => [blocks[Math.floor(address / size)]!, address % size];
  return {
    stride: dimensions,
    perBlock,
    allocate() {
      const reused = free.pop();
      if (reused === undefined) return (blocks.push(new Int8Array(size)) - 1) * size;
      at(reused)[0].fill(0);
      return reused;
    },
    release: (block) => free.push(block),
    write(address, codes) {
      const [block, from] = at(address);
      block.set(codes, from);
    },
    read(address) {
      const [block, from] = at(address);
      return block.subarray(from, from + dimensions);
    },
    products(wanted, addresses, count) {
      for (let index = 0; index < count; index++) results[index] = product(wanted, ...at(addresses[index]!));
      return results;
    },
  };
}

// The simplest loop is the fastest.
function product(wanted: Int16Array, codes: Int8Array, from: number): number {
  let sum = 0;
  for (let index = 0; index < wanted.length; index++) {
    sum = (sum + Math.imul(wanted[index]!, codes[from + index]!)) | 0;
  }
  return sum;
}

type Products = (addresses: number, end: number, stride: number, wanted: number, results: number) => number;

/** WebAssembly memory shared by vectors of different lengths. */
export interface SimdMemory {
  /** The memory for vectors of one length; undefined if they are too long. */
  of(dimensions: number): VectorMemory | undefined;
}

interface Scratch {
  readonly numbers: Int16Array;
  readonly addresses: Uint32Array;
  readonly results: Int32Array;
  readonly codes: Int8Array;
}

/** Offsets of the function's inputs and outputs in memory. */
const [numbersAt, addressesAt, resultsAt, scratchBytes] = [0, pageBytes, 2 * pageBytes, 3 * pageBytes];

/**
 * Opens a WebAssembly memory that grows up to `maxBytes`; undefined if the engine does not support it or memory is
 * short.
 */
export function openSimdMemory(maxBytes = 2 ** 32 - pageBytes): SimdMemory | undefined {
  let memory: WebAssembly.Memory;
  let form: Products;
  try {
    memory = new WebAssembly.Memory({
      initial: scratchBytes / pageBytes,
      maximum: Math.floor(Math.max(scratchBytes, maxBytes) / pageBytes),
    });
    const module = new WebAssembly.Module(Buffer.from(productsWasm, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { host: { memory } });
    form = exports.products as Products;
  } catch {
    return undefined;
  }
  let views: Scratch | undefined;
  /** Views of the memory, recreated only after it grows: creating them takes longer than computing a few products. */
  const scratch = (): Scratch => {
    const { buffer } = memory;
    if (views?.numbers.buffer !== buffer) {
      views = {
        numbers: new Int16Array(buffer, numbersAt, pageBytes / 2),
        addresses: new Uint32Array(buffer, addressesAt, maxProducts),
        results: new Int32Array(buffer, resultsAt, maxProducts),
        codes: new Int8Array(buffer),
      };
    }
    return views;
  };
  const free: number[] = [];
  const allocate = (): number | undefined => {
    const reused = free.pop();
    if (reused !== undefined) {
      // Old data may fill the padding of shorter vectors.
      scratch().codes.fill(0, reused, reused + blockBytes);
      return reused;
    }
    try {
      return memory.grow(blockBytes / pageBytes) * pageBytes;
    } catch {
      return undefined;
    }
  };
  const of = (dimensions: number): VectorMemory | undefined => {
    const stride = Math.ceil(dimensions / codesPerStep) * codesPerStep;
    if (stride > pageBytes / 2) return undefined;
    return {
      stride,
      perBlock: Math.floor(blockBytes / stride),
      allocate,
      release: (block) => free.push(block),
      write(address, given) {
        const { codes } = scratch();
        if (stride === dimensions) {
          codes.set(given, address);
          return;
        }
        for (let from = 0, to = address; from < given.length; from += dimensions, to += stride) {
          codes.set(given.subarray(from, from + dimensions), to);
        }
      },
      read: (address) => scratch().codes.subarray(address, address + dimensions),
      products(wanted, given, count) {
        const { numbers, addresses, results } = scratch();
        numbers.set(wanted);
        numbers.fill(0, wanted.length, stride);
        // Copying the whole array is faster than copying only the used part.
        addresses.set(given);
        if (count > 0) form(addressesAt, addressesAt + 4 * count, stride, numbersAt, resultsAt);
        return results;
      },
    };
  };
  return { of };
}
