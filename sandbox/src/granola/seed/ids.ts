import type { Random } from '../../random.js';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new id in Granola's format: a prefix and fourteen letters or digits. */
export function idFrom(random: Random, prefix: string): string {
  return `${prefix}_${Array.from({ length: 14 }, () => random.pick([...letters])).join('')}`;
}
