import { digest } from './values.js';

const run = /[\p{L}\p{Nd}]+/gu;

/** The words of a text: its runs of letters and digits, each lower-cased. */
export const wordsOf = (text: string): string[] => (text.match(run) ?? []).map((word) => word.toLowerCase());

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

/** Whether one text becomes the other by at most `most` letters added, left out or replaced. */
export function within(one: string, other: string, most: number): boolean {
  if (one === other) return true;
  const from = isPlain(one) ? one : [...one];
  const to = isPlain(other) ? other : [...other];
  if (Math.abs(from.length - to.length) > most) return false;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 1; index <= from.length; index++) {
    const next = [index];
    let least = index;
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[index - 1] === to[column - 1] ? 0 : 1);
      const value = Math.min(replaced, row[column]! + 1, next[column - 1]! + 1);
      next.push(value);
      if (value < least) least = value;
    }
    if (least > most) return false;
    row = next;
  }
  return row[to.length]! <= most;
}

/** Whether any of the wanted words is a word of the text. */
export function hasAny(text: string, wanted: ReadonlySet<string>): boolean {
  for (const [word] of text.matchAll(run)) if (wanted.has(word.toLowerCase())) return true;
  return false;
}

/** Says of texts whether they have words near each of the wanted ones, in their order, with anything between. */
export function inOrder(wanted: readonly string[]): (text: string) => boolean {
  // The same words come again in text after text.
  const known = wanted.map(() => new Map<string, boolean>());
  const near = (place: number, word: string): boolean => {
    let found = known[place]!.get(word);
    if (found === undefined) {
      found = within(word, wanted[place]!, tolerance(wanted[place]!));
      if (known[place]!.size > 20_000) known[place]!.clear();
      known[place]!.set(word, found);
    }
    return found;
  };
  return (text) => {
    let place = 0;
    for (const [word] of text.matchAll(run)) {
      if (near(place, word.toLowerCase()) && ++place === wanted.length) return true;
    }
    return false;
  };
}
