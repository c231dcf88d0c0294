import fc from 'fast-check';

/** One property with as many cases as are asked for; it fails by throwing. */
export type Fuzz = (cases: number) => Promise<void>;

const given = process.env.FUZZ_SEED;

/** Seed of all runs of this process: the one that is asked for, or another every time. */
export const seed = given === undefined ? Date.now() % 0x7fff_ffff : Number(given);

/** Milliseconds that one case may take, on a machine that is busy with other things. */
const longestCase = 30_000;

/** Runs a property; the seed is told with what fails, and is all that is needed to see it again. */
export const check = async <T>(
  cases: number,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void> | void,
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const started = performance.now();
      await holds(value);
      const ms = performance.now() - started;
      if (ms > longestCase) throw new Error(`The case took ${Math.round(ms)} ms.`);
    }),
    // A case that never ends would have nothing to be measured by.
    { numRuns: cases, seed, timeout: 2 * longestCase, endOnFailure: cases > 10_000 },
  );
};
