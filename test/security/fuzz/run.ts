import fc from 'fast-check';

/** One property with a given number of cases; it fails by throwing. */
export type Fuzz = (cases: number) => Promise<void>;

const seedOverride = process.env.FUZZ_SEED;

/** Seed for all runs in this process: the given one, or a new one each time. */
export const seed = seedOverride === undefined ? Date.now() % 0x7fff_ffff : Number(seedOverride);

/** Maximum time in ms for one case, on a busy machine. */
const maxCaseMs = 30_000;

/** Runs a property; the seed is part of any failure, and is all that is needed to reproduce it. */
export const check = async <T>(
  cases: number,
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<void> | void,
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const started = performance.now();
      await property(value);
      const ms = performance.now() - started;
      if (ms > maxCaseMs) throw new Error(`The case took ${Math.round(ms)} ms.`);
    }),
    // A case that never ends would never be measured.
    { numRuns: cases, seed, timeout: 2 * maxCaseMs, endOnFailure: cases > 10_000 },
  );
};
