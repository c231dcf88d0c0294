import { productsWasm } from './products-wasm.js';

/** Memory for the codes of vectors that all have one length, handed out in blocks of as many as `perBlock` says. */
export interface VectorMemory {
  /** Bytes from the beginning of a vector to that of the next. */
  readonly stride: number;
  readonly perBlock: number;
  /** The address of a block that is free, all zeros; nothing where there is no more. */
  allocate(): number | undefined;
  /** Takes a block back for others to use. */
  release(block: number): void;
  /** Writes codes of vectors that follow one another, from an address on. */
  write(address: number, codes: Int8Array): void;
  /** The codes of the vector at an address. */
  read(address: number): Int8Array;
  /** The products of numbers and the vectors at so many addresses, at most `maxProducts`, valid until the next are asked for. */
  products(wanted: Int16Array, addresses: Uint32Array, count: number): Int32Array;
}

const blockBytes = 262_144;
const pageBytes = 65_536;
/** `products.wat` multiplies so many codes at a time: the length of a vector is padded to a multiple of it. */
const codesPerStep = 32;

/** So many products are formed at once. */
export const maxProducts = 4096;

/** Memory whose products the processor forms several at a time, where it can, and else one by one. */
export function openMemory(simd: SimdMemory | null, dimensions: number): VectorMemory {
  return simd?.of(dimensions) ?? plainMemory(dimensions);
}

/** Memory whose products are formed one by one. */
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

// Quickest where it is plainest.
function product(wanted: Int16Array, codes: Int8Array, from: number): number {
  let sum = 0;
  for (let index = 0; index < wanted.length; index++) {
    sum = (sum + Math.imul(wanted[index]!, codes[from + index]!)) | 0;
  }
  return sum;
}

type Products = (addresses: number, end: number, stride: number, wanted: number, results: number) => number;

/** Memory of WebAssembly that vectors of several lengths share. */
export interface SimdMemory {
  /** Its part for vectors of a length; nothing where they are too long for it. */
  of(dimensions: number): VectorMemory | undefined;
}

interface Scratch {
  readonly numbers: Int16Array;
  readonly addresses: Uint32Array;
  readonly results: Int32Array;
  readonly codes: Int8Array;
}

/** Where in the memory the function finds what it is given, and leaves what it finds. */
const [numbersAt, addressesAt, resultsAt, scratchBytes] = [0, pageBytes, 2 * pageBytes, 3 * pageBytes];

/** Opens a memory of WebAssembly that grows by blocks, up to so many bytes; nothing where the engine or the machine has not what that takes. */
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
  /** Views of the memory, which are made anew only when it has grown: that takes longer than a few products. */
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
      // What was there before has numbers where shorter vectors have none.
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
        // Quicker than to copy the part of it that counts.
        addresses.set(given);
        if (count > 0) form(addressesAt, addressesAt + 4 * count, stride, numbersAt, resultsAt);
        return results;
      },
    };
  };
  return { of };
}
