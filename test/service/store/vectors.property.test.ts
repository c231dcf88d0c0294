import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  openBlocks,
  perBlock,
  plainBlocks,
  simdBlocks,
} from '../../../service/src/store/drivers/sqlite/vectors/blocks.js';
import { NumberSet } from '../../../service/src/store/drivers/sqlite/vectors/number-set.js';
import { packed, unit, wholeNumbers } from '../../../service/src/store/drivers/sqlite/vectors/packed.js';
import { VectorTable } from '../../../service/src/store/drivers/sqlite/vectors/table.js';

afterEach(() => vi.unstubAllGlobals());

const code = fc.oneof(fc.integer({ min: -128, max: 127 }), fc.constantFrom(-128, 127));
const number = fc.oneof(fc.integer({ min: -32_767, max: 32_767 }), fc.constantFrom(-32_767, 32_767));
const vectorOf = <T>(item: fc.Arbitrary<T>, length: number) => fc.array(item, { minLength: length, maxLength: length });

/** A vector to compare with, vectors by their places, and the places that are wanted. */
const comparison = fc.integer({ min: 1, max: 130 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    wanted: vectorOf(number, dimensions),
    vectors: fc.array(vectorOf(code, dimensions), { minLength: 1, maxLength: 20 }),
    chosen: fc.array(fc.nat({ max: 19 }), { maxLength: 30 }),
  }),
);

const simd = simdBlocks()!;

describe('blocks of vectors', () => {
  it('give the same products, whether they are formed several at a time or one by one', () => {
    expect(simd).toBeDefined();
    fc.assert(
      fc.property(comparison, ({ dimensions, wanted, vectors, chosen }) => {
        const places = Int32Array.from(chosen.filter((place) => place < vectors.length));
        const [one, other] = [simd, plainBlocks].map((blocks) => {
          const block = blocks.block(dimensions);
          for (const [place, codes] of vectors.entries()) block.write(place, Int8Array.from(codes));
          const products = [...block.products(Int16Array.from(wanted), places, places.length)];
          block.release();
          return products.slice(0, places.length);
        });
        expect(one).toEqual(other);
        expect(one).toEqual(
          [...places].map((place) => wanted.reduce((sum, value, at) => (sum + value * vectors[place]![at]!) | 0, 0)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are given back, and hold nothing of what was there before', () => {
    const blocks = simdBlocks()!;
    const first = blocks.block(64);
    for (let place = 0; place < perBlock(64); place++) first.write(place, new Int8Array(64).fill(-128));
    first.release();
    const second = blocks.block(40);
    second.write(
      3,
      Int8Array.from({ length: 40 }, () => 1),
    );
    const wanted = new Int16Array(40).fill(32_767);
    expect([...second.products(wanted, Int32Array.of(2, 3), 2)]).toEqual([0, 40 * 32_767]);
    const third = blocks.block(40);
    third.write(
      2,
      Int8Array.from({ length: 40 }, () => 2),
    );
    expect([...second.products(wanted, Int32Array.of(2, 3), 2)]).toEqual([0, 40 * 32_767]);
  });

  it('do without instructions for several at a time where the engine or the vector does not allow them', () => {
    const dimensions = 40_000;
    const long = simd.block(dimensions);
    long.write(0, new Int8Array(dimensions).fill(1));
    expect(long.products(new Int16Array(dimensions).fill(1), Int32Array.of(0), 1)[0]).toBe(dimensions);
    vi.stubGlobal('WebAssembly', undefined);
    expect(openBlocks()).toBe(plainBlocks);
  });
});

describe('a table of vectors', () => {
  it('finds the same in both kinds of blocks, over as many of them as it takes, and leaves out what is gone', () => {
    fc.assert(
      fc.property(
        fc.record({
          dimensions: fc.constantFrom(3, 32, 50),
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
          const vectors = Array.from({ length: count }, () => unit(Float32Array.from({ length: dimensions }, next)));
          const wanted = unit(Float32Array.from({ length: dimensions }, next));
          // Of most seeds records rise with their vectors, as they do where a field was cut once and not again.
          const recordOf = (index: number) => (seed % 4 === 0 ? (index * 7) % 5001 : index >> 1);
          const wantedRecords = new Set(vectors.flatMap((_, index) => (index % every === 0 ? [recordOf(index)] : [])));
          const records = new NumberSet([...wantedRecords]);
          const gone = new Set(seed % 3 === 0 ? [] : [1, 7, count]);
          const tables = [simd, plainBlocks].map((blocks) => {
            const table = new VectorTable(blocks, dimensions);
            for (let from = 0, size = 1; from < vectors.length; from += size, size = 3 * size) {
              const part = vectors.slice(from, from + size).map(packed);
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
          const codes = wholeNumbers(wanted);
          const scores = vectors.map((vector) => {
            const { scale, coarse } = packed(vector);
            return (
              new Int8Array(coarse.buffer).reduce((sum, value, at) => sum + value * codes[at]!, 0) * Math.fround(scale)
            );
          });
          for (const among of [undefined, records]) {
            const found = tables.map((table) => table.nearest(wanted, among, 10).sort((one, other) => one - other));
            expect(found[0]).toEqual(found[1]);
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
