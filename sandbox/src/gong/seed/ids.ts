import { Random } from '../../random.js';

/** A new id in Gong's format: nineteen digits, more than a double can represent. */
export function idFrom(random: Random): string {
  return `${random.between(1, 8)}${nineDigits(random)}${nineDigits(random)}`;
}

/** A separate generator per row, so ids do not depend on the number of rows. */
export function randomFor(seed: number, table: string, index: number): Random {
  let hash = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  for (const character of table) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  const random = new Random(hash ^ (hash >>> 15));
  random.next();
  return random;
}

function nineDigits(random: Random): string {
  return String(random.between(0, 999_999_999)).padStart(9, '0');
}
