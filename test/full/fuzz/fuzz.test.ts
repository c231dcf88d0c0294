import { describe, test } from 'vitest';
import { fuzzes } from '../../security/fuzz/all.js';
import { seed } from '../../security/fuzz/run.js';

const cases = Number(process.env.FUZZ_CASES ?? 100_000);

describe(`${cases} cases of`, () => {
  test.each(Object.entries(fuzzes))('%s', { timeout: 3_600_000 }, async (name, fuzz) => {
    const started = performance.now();
    console.log(`${name}: seed ${seed}`);
    await fuzz(cases);
    console.log(`${name}: ${cases} cases in ${Math.round((performance.now() - started) / 1000)} s`);
  });
});
