import { differentLetters, eachWord, lengthOf, letterOf, lettersOf, tolerance, within } from './words.js';

/** One of several words that a text should have. */
interface Wanted {
  readonly word: string;
  readonly length: number;
  readonly letters: number;
  readonly most: number;
  /** What has been found out of other words: the same come again in text after text. */
  readonly known: Map<string, boolean>;
}

const wantedOf = (word: string): Wanted => ({
  word,
  length: lengthOf(word),
  letters: lettersOf(word),
  most: tolerance(word),
  known: new Map(),
});

function isNear({ word, most, known }: Wanted, found: string): boolean {
  let near = known.get(found);
  if (near === undefined) {
    near = within(found, word, most);
    if (known.size > 20_000) known.clear();
    known.set(found, near);
  }
  return near;
}

/** Says of texts whether they have words near each of the wanted ones, in their order, with anything between. */
export function inOrder(words: readonly string[]): (text: string) => boolean {
  const wanted = words.map(wantedOf);
  return (text) => inPlain(text, wanted) ?? inAny(text, wanted);
}

function inAny(text: string, wanted: readonly Wanted[]): boolean {
  let place = 0;
  for (const word of eachWord(text)) if (isNear(wanted[place]!, word) && ++place === wanted.length) return true;
  return false;
}

/** For every character of ASCII the bit of its letter, or nothing where it is in no word. */
const letters = Int32Array.from({ length: 128 }, (_, code) =>
  /[0-9a-z]/i.test(String.fromCharCode(code)) ? letterOf(code) : 0,
);

/**
 * The same for a text of ASCII, without taking out words that cannot be near, which takes longest of all; nothing where
 * the text has other characters.
 */
function inPlain(text: string, wanted: readonly Wanted[]): boolean | undefined {
  let place = 0;
  let start = 0;
  let found = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = at < text.length ? letters[text.charCodeAt(at)] : 0;
    if (letter === undefined) return undefined;
    found |= letter;
    if (letter !== 0) continue;
    const next = wanted[place]!;
    const alike =
      found !== 0 &&
      Math.abs(at - start - next.length) <= next.most &&
      differentLetters(found, next.letters) <= 2 * next.most;
    if (alike && isNear(next, text.slice(start, at).toLowerCase()) && ++place === wanted.length) return true;
    found = 0;
    start = at + 1;
  }
  return false;
}
