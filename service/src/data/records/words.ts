import { digest } from './values.js';

const run = /[\p{L}\p{Nd}]+/gu;

/** The words of a text: its runs of letters and digits, each lower-cased. */
export const wordsOf = (text: string): string[] => (text.match(run) ?? []).map((word) => word.toLowerCase());

/** The same, one by one. */
export function* eachWord(text: string): Generator<string> {
  for (const [word] of text.matchAll(run)) yield word.toLowerCase();
}

/** Longest word that the index holds as it is. */
export const longestWord = 60;
// No word holds it, being neither letter nor digit.
const mark = '\u00b7';

/** The name of a word in the index: itself, unless it is very long. */
export const termOf = (word: string): string =>
  word.length <= longestWord ? word : `${word.slice(0, longestWord)}${mark}${digest(word)}`;

/** Whether a term stands for a word that was too long to be held. */
export const isCut = (term: string): boolean => term.length > longestWord && term.includes(mark);

/** How many letters of a wanted word may be added, left out or replaced. */
export const tolerance = (word: string): number => (lengthOf(word) <= 4 ? 1 : 2);

/** Length in characters. */
export const lengthOf = (text: string): number => (isPlain(text) ? text.length : [...text].length);

// Half a pair of surrogates is a unit of a string but no character.
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

// Taken again for every two words: making lists anew takes longer than comparing.
let [above, below]: [number[], number[]] = [[], []];

/** Whether one text becomes the other by at most `most` letters added, left out or replaced. */
export function within(one: string, other: string, most: number): boolean {
  if (one === other) return true;
  const from = isPlain(one) ? one : [...one];
  const to = isPlain(other) ? other : [...other];
  if (Math.abs(from.length - to.length) > most) return false;
  for (let column = 0; column <= to.length; column++) above[column] = column;
  for (let index = 1; index <= from.length; index++) {
    // What lies further from the diagonal takes more changes than there may be.
    const first = Math.max(1, index - most);
    const last = Math.min(to.length, index + most);
    below[first - 1] = first === 1 ? index : most + 1;
    let least = below[first - 1]!;
    for (let column = first; column <= last; column++) {
      const replaced = above[column - 1]! + (from[index - 1] === to[column - 1] ? 0 : 1);
      const added = Math.min(below[column - 1]!, column < index + most ? above[column]! : most) + 1;
      const value = Math.min(replaced, added);
      below[column] = value;
      if (value < least) least = value;
    }
    if (least > most) return false;
    [above, below] = [below, above];
  }
  return above[to.length]! <= most;
}

/** Whether any of the wanted words is a word of the text. */
export function hasAny(text: string, wanted: ReadonlySet<string>): boolean {
  for (const word of eachWord(text)) if (wanted.has(word)) return true;
  return false;
}
