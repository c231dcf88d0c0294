/** Maximum edit distance for a word. */
export const maxEditsFor = (word: string): number => (lengthOf(word) <= 4 ? 1 : 2);

/** Length in characters. */
export const lengthOf = (text: string): number => (isPlain(text) ? text.length : [...text].length);

// Any surrogate means that code units and characters differ.
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

// Reused for every pair: allocating lists takes longer than comparing.
let [above, below]: [number[], number[]] = [[], []];

/** Whether two texts are within an edit distance of `maxEdits`. */
export function isWithinEdits(one: string, other: string, maxEdits: number): boolean {
  if (one === other) return true;
  const from = isPlain(one) ? one : [...one];
  const to = isPlain(other) ? other : [...other];
  if (Math.abs(from.length - to.length) > maxEdits) return false;
  for (let column = 0; column <= to.length; column++) above[column] = column;
  for (let index = 1; index <= from.length; index++) {
    // Cells further from the diagonal exceed the maximum distance.
    const first = Math.max(1, index - maxEdits);
    const last = Math.min(to.length, index + maxEdits);
    below[first - 1] = first === 1 ? index : maxEdits + 1;
    let least = below[first - 1]!;
    for (let column = first; column <= last; column++) {
      const replaced = above[column - 1]! + (from[index - 1] === to[column - 1] ? 0 : 1);
      const added = Math.min(below[column - 1]!, column < index + maxEdits ? above[column]! : maxEdits) + 1;
      const value = Math.min(replaced, added);
      below[column] = value;
      if (value < least) least = value;
    }
    if (least > maxEdits) return false;
    [above, below] = [below, above];
  }
  return above[to.length]! <= maxEdits;
}

/** A letter's bit in a bit set; ASCII letters have the same bit in both cases. */
export const letterOf = (codePoint: number): number => 1 << (codePoint & 31);

/** A bit set of a word's letters, which rules out most words without comparing them. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) {
    const point = word.codePointAt(at)!;
    letters |= letterOf(point);
    if (point > 0xffff) at++;
  }
  return letters;
}

/** Number of letters not shared by two words; a replaced letter counts at most twice. */
export function differentLetters(one: number, other: number): number {
  const value = one ^ other;
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** A word with which others are compared. */
export interface NearWord {
  /** In code units. */
  readonly length: number;
  readonly letters: number;
  readonly maxEdits: number;
}

/** Rules out most words, which costs less than comparing them or looking them up. */
export const mayBeNear = (
  { length, letters, maxEdits }: NearWord,
  otherLength: number,
  otherLetters: number,
): boolean => Math.abs(otherLength - length) <= 2 * maxEdits && differentLetters(otherLetters, letters) <= 2 * maxEdits;
