import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IntegerSorter } from '../../../service/src/data/records/drivers/vectors/integer-sorter.js';
import {
  maxProducts,
  openMemory,
  openSimdMemory,
  plainMemory,
} from '../../../service/src/data/records/drivers/vectors/memory.js';
import { normalize, pack, quantizeQuery } from '../../../service/src/data/records/drivers/vectors/packed.js';
import { VectorTable } from '../../../service/src/data/records/drivers/vectors/table.js';
import { caseCount } from '../../cases.js';

afterEach(() => vi.unstubAllGlobals());

const code = fc.oneof(fc.integer({ min: -128, max: 127 }), fc.constantFrom(-128, 127));
const number = fc.oneof(fc.integer({ min: -32_767, max: 32_767 }), fc.constantFrom(-32_767, 32_767));
const vectorOf = <T>(item: fc.Arbitrary<T>, length: number) => fc.array(item, { minLength: length, maxLength: length });

/** A vector to compare with, vectors by position, and the chosen positions. */
const comparison = fc.integer({ min: 1, max: 130 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    wanted: vectorOf(number, dimensions),
    vectors: fc.array(vectorOf(code, dimensions), { minLength: 1, maxLength: 20 }),
    chosen: fc.array(fc.nat({ max: 19 }), { maxLength: 30 }),
  }),
);

const simd = openSimdMemory()!;
/** Bytes of memory with room for one block. */
const oneBlock = 7 * 65_536;

describe('memory for vectors', () => {
  it('returns the same products with and without SIMD', () => {
    expect(simd).toBeDefined();
    fc.assert(
      fc.property(comparison, ({ dimensions, wanted, vectors, chosen }) => {
        const known = chosen.filter((place) => place < vectors.length);
        const [one, other] = [simd.of(dimensions)!, plainMemory(dimensions)].map((memory) => {
          const block = memory.allocate()!;
          memory.write(block, Int8Array.from(vectors.flat()));
          const addresses = Uint32Array.from(known, (place) => block + place * memory.stride);
          const products = [...memory.products(Int16Array.from(wanted), addresses, known.length)];
          for (const place of known) expect([...memory.read(block + place * memory.stride)]).toEqual(vectors[place]);
          memory.release(block);
          return products.slice(0, known.length);
        });
        expect(one).toEqual(other);
        expect(one).toEqual(
          known.map((place) => wanted.reduce((sum, value, at) => (sum + value * vectors[place]![at]!) | 0, 0)),
        );
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('computes as many products at a time as declared', () => {
    const memory = simd.of(32)!;
    const block = memory.allocate()!;
    memory.write(
      block,
      Int8Array.from({ length: 32 * maxProducts }, (_, at) => (at >> 5) % 100),
    );
    const addresses = Uint32Array.from({ length: maxProducts }, (_, place) => block + 32 * place);
    const products = [...memory.products(new Int16Array(32).fill(3), addresses, maxProducts)];
    expect(products).toEqual(Array.from({ length: maxProducts }, (_, place) => 32 * 3 * (place % 100)));
    memory.release(block);
  });

  it('is freed, and cleared of previous contents', () => {
    for (const share of [openSimdMemory()!.of, plainMemory]) {
      const first = share(64)!;
      const taken = first.allocate()!;
      first.write(taken, new Int8Array(64 * first.perBlock).fill(-128));
      first.release(taken);
      const second = share === plainMemory ? first : share(40)!;
      const length = share === plainMemory ? 64 : 40;
      const block = second.allocate()!;
      second.write(block + 3 * second.stride, new Int8Array(length).fill(1));
      const other = second.allocate()!;
      second.write(other + 2 * second.stride, new Int8Array(length).fill(2));
      const addresses = Uint32Array.of(block + 2 * second.stride, block + 3 * second.stride);
      const products = second.products(new Int16Array(length).fill(32_767), addresses, 2);
      expect([...products.subarray(0, 2)]).toEqual([0, length * 32_767]);
    }
  });

  it('works without SIMD if the engine or the vector does not support it', () => {
    const dimensions = 40_000;
    expect(simd.of(dimensions)).toBeUndefined();
    const long = openMemory(simd, dimensions);
    const block = long.allocate()!;
    long.write(block, new Int8Array(dimensions).fill(1));
    expect(long.products(new Int16Array(dimensions).fill(1), Uint32Array.of(block), 1)[0]).toBe(dimensions);
    vi.stubGlobal('WebAssembly', undefined);
    expect(openSimdMemory()).toBeUndefined();
    expect(openMemory(null, 3).stride).toBe(3);
  });
});

describe('integer sorting', () => {
  it('sorts any non-negative integers', () => {
    const rising = new IntegerSorter();
    const numbers = fc.oneof(
      fc.uniqueArray(fc.nat({ max: 3000 }), { maxLength: 3000, size: 'max' }),
      fc.uniqueArray(fc.nat({ max: 2 ** 31 - 1 }), { maxLength: 20 }),
      fc.uniqueArray(fc.nat({ max: 100_000 }), { maxLength: 20 }),
    );
    fc.assert(
      fc.property(numbers, (given) => {
        expect([...rising.of(JSON.stringify(given))]).toEqual([...given].sort((one, other) => one - other));
      }),
      { numRuns: caseCount(300) },
    );
  });
});

describe('a table of vectors', () => {
  it('finds the same vectors in every kind of memory, across any number of blocks, and no deleted ones', () => {
    fc.assert(
      fc.property(
        fc.record({
          dimensions: fc.constantFrom(3, 50, 130),
          seed: fc.integer(),
          count: fc.nat({ max: 12_000 }),
          every: fc.constantFrom(1, 3, 100),
        }),
        ({ dimensions, seed, count, every }) => {
          let state = seed;
          const next = () => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
            return state / 2 ** 31;
          };
          const vectors = Array.from({ length: count }, () =>
            normalize(Float32Array.from({ length: dimensions }, next)),
          );
          const wanted = normalize(Float32Array.from({ length: dimensions }, next));
          // For most seeds record numbers increase with vector numbers, as they do if a field has only been split once.
          const recordOf = (index: number) => (seed % 4 === 0 ? (index * 7) % 5001 : index >> 1);
          const wantedRecords = new Set(vectors.flatMap((_, index) => (index % every === 0 ? [recordOf(index)] : [])));
          const records = Int32Array.from(wantedRecords);
          const gone = new Set(seed % 3 === 0 ? [] : [1, 7, count]);
          // The last memory has no room for long or many vectors, so their table has to move.
          const small = openSimdMemory(oneBlock)!;
          const tables = [simd.of(dimensions)!, plainMemory(dimensions), small.of(dimensions)!].map((memory) => {
            const table = new VectorTable(memory, dimensions);
            for (let from = 0, size = 1; from < vectors.length; from += size, size = 3 * size) {
              const part = vectors.slice(from, from + size).map(pack);
              const numbers = part.map((_, index) => from + index);
              table.add(
                numbers.map((index) => index + 1),
                numbers.map(recordOf),
                part.map(({ scale }) => scale),
                Uint8Array.from(part.flatMap(({ coarse }) => [...coarse])),
              );
            }
            table.drop(gone);
            return table;
          });
          const codes = quantizeQuery(wanted);
          const scores = vectors.map((vector) => {
            const { scale, coarse } = pack(vector);
            return (
              new Int8Array(coarse.buffer).reduce((sum, value, at) => sum + value * codes[at]!, 0) * Math.fround(scale)
            );
          });
          for (const among of [undefined, records]) {
            const found = tables.map((table) => table.nearest(wanted, among, 10).sort((one, other) => one - other));
            expect(found[1]).toEqual(found[0]);
            expect(found[2]).toEqual(found[0]);
            const counted = scores
              .map((score, index) => ({ score, passage: index + 1, record: recordOf(index) }))
              .filter(({ passage }) => !gone.has(passage))
              .filter(({ record }) => !among || wantedRecords.has(record));
            const tenth = counted.sort((one, other) => other.score - one.score)[9]?.score ?? Number.NEGATIVE_INFINITY;
            expect(found[0]).toHaveLength(Math.min(10, counted.length));
            for (const passage of found[0]!) expect(scores[passage - 1]).toBeGreaterThanOrEqual(tenth);
          }
          for (const table of tables) table.release();
        },
      ),
      { numRuns: 12 },
    );
  });
});
