import type { VendorContext } from './vendor.js';

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

/**
 * Caches seeded data by seed, scale and time, because tests with a fixed clock request the same data repeatedly: from
 * the third call on, returns a copy of the second result.
 */
export function seedOnce<T, Options extends SeedOptions>(
  seed: (options: Options) => T,
  copy: (seeded: T) => T,
): (options: Options) => T {
  let last = '';
  let kept: T | undefined;
  return (options) => {
    const key = `${options.seed} ${options.scale} ${options.start}`;
    if (key !== last) {
      last = key;
      kept = undefined;
      return seed(options);
    }
    kept ??= seed(options);
    return copy(kept);
  };
}
