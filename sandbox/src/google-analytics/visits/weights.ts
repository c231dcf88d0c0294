import type { Random } from '../../random.js';

/** A weighted entry. */
export interface Weighted<Value> {
  weight: number;
  value: Value;
}

/** Creates a weighted sampler. */
export function weightedSampler(entries: readonly Weighted<unknown>[]): (random: Random) => number {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const bounds = entries.map(({ weight }) => {
    sum += weight;
    return sum / total;
  });
  return (random) => {
    const point = random.next();
    const found = bounds.findIndex((bound) => point < bound);
    return found < 0 ? entries.length - 1 : found;
  };
}
