import type { VendorContext } from './vendor.js';

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

/**
 * Seeds in less time where it is done again for the same seed, scale and moment, as tests do that stop the clock: the
 * third time and after, a copy of what the second gave.
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
