import { differentLetters, eachWord, isWithinEdits, lengthOf, letterOf, lettersOf, maxEditsFor } from './words.js';

/** One of several words that a text should contain. */
interface WordPattern {
  readonly word: string;
  readonly length: number;
  readonly letters: number;
  readonly maxEdits: number;
  /** Cached results for other words, which recur from text to text. */
  readonly known: Map<string, boolean>;
}

const wordPattern = (word: string): WordPattern => ({
  word,
  length: lengthOf(word),
  letters: lettersOf(word),
  maxEdits: maxEditsFor(word),
  known: new Map(),
});

function matchesWord({ word, maxEdits, known }: WordPattern, found: string): boolean {
  let near = known.get(found);
  if (near === undefined) {
    near = isWithinEdits(found, word, maxEdits);
    if (known.size > 20_000) known.clear();
    known.set(found, near);
  }
  return near;
}

/** Returns a predicate that finds approximate matches of the given words in order, with anything in between. */
export function wordsInOrder(words: readonly string[]): (text: string) => boolean {
  const patterns = words.map(wordPattern);
  return (text) => matchAscii(text, patterns) ?? matchUnicode(text, patterns);
}

function matchUnicode(text: string, patterns: readonly WordPattern[]): boolean {
  let place = 0;
  for (const word of eachWord(text))
    if (matchesWord(patterns[place]!, word) && ++place === patterns.length) return true;
  return false;
}

/** Letter bit of each ASCII character; 0 if it cannot be part of a word. */
const letterBits = Int32Array.from({ length: 128 }, (_, code) =>
  /[0-9a-z]/i.test(String.fromCharCode(code)) ? letterOf(code) : 0,
);

/**
 * Like `matchUnicode`, but for ASCII text only: it skips extracting the words first, which is the slowest part. Returns
 * undefined if the text contains other characters.
 */
function matchAscii(text: string, patterns: readonly WordPattern[]): boolean | undefined {
  let place = 0;
  let start = 0;
  let found = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = at < text.length ? letterBits[text.charCodeAt(at)] : 0;
    if (letter === undefined) return undefined;
    found |= letter;
    if (letter !== 0) continue;
    const next = patterns[place]!;
    const mayMatch =
      found !== 0 &&
      Math.abs(at - start - next.length) <= next.maxEdits &&
      differentLetters(found, next.letters) <= 2 * next.maxEdits;
    if (mayMatch && matchesWord(next, text.slice(start, at).toLowerCase()) && ++place === patterns.length) return true;
    found = 0;
    start = at + 1;
  }
  return false;
}
