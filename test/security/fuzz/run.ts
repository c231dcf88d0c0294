import fc from 'fast-check';

/** One property with as many cases as are asked for; it fails by throwing. */
export type Fuzz = (cases: number) => Promise<void>;

const seedOverride = process.env.FUZZ_SEED;

/** Seed of all runs of this process: the one that is asked for, or another every time. */
export const seed = seedOverride === undefined ? Date.now() % 0x7fff_ffff : Number(seedOverride);

/** Milliseconds that one case may take, on a machine that is busy with other things. */
const maxCaseMs = 30_000;

/** Runs a property; the seed is told with what fails, and is all that is needed to see it again. */
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
    // A case that never ends would have nothing to be measured by.
    { numRuns: cases, seed, timeout: 2 * maxCaseMs, endOnFailure: cases > 10_000 },
  );
};
