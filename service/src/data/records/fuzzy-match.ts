import { isWithinEdits, lettersOf, maxEditsFor, mayBeNear, type NearWord } from './words/edits.js';
import type { Approximate } from './words/question.js';
import { visitWords } from './words/terms.js';

/** Returns a predicate that finds approximate matches of the given words in order, with anything in between. */
export function wordsInOrder(words: readonly Approximate[]): (text: string) => boolean {
  const patterns = words.map((word) => (typeof word === 'string' ? new NearTest(word) : word));
  const tests = patterns.filter((one) => one instanceof NearTest);
  if (tests.length === patterns.length && tests.length > 0) {
    return (text) => {
      let place = 0;
      const visit = (word: string): boolean => {
        if (tests[place]!.matches(word)) place++;
        return place === tests.length;
      };
      return visitWords(text, visit, (_, start, end, letters) => mayBeNear(tests[place]!.word, end - start, letters));
    };
  }
  return (text) => {
    const found: string[] = [];
    visitWords(text, (word) => {
      found.push(word);
      return false;
    });
    let from = 0;
    return patterns.every((pattern) => {
      if (!(pattern instanceof NearTest)) {
        // Pairs overlap, so that the next word may be in the same run.
        const left = new Set(found.slice(from));
        return pattern.of.filter((pair) => left.has(pair)).length >= pattern.least;
      }
      const index = found.findIndex((word, at) => at >= from && pattern.matches(word));
      from = index + 1;
      return index >= 0;
    });
  };
}

/** Tests whether other words are within the edit distance of a word. */
class NearTest {
  readonly word: NearWord;
  readonly #text: string;
  /** Cached, since the same words recur from text to text. */
  readonly #known = new Map<string, boolean>();

  constructor(text: string) {
    this.#text = text;
    this.word = { length: text.length, letters: lettersOf(text), maxEdits: maxEditsFor(text) };
  }

  matches(other: string): boolean {
    let near = this.#known.get(other);
    if (near === undefined) {
      near =
        mayBeNear(this.word, other.length, lettersOf(other)) && isWithinEdits(other, this.#text, this.word.maxEdits);
      if (this.#known.size > 20_000) this.#known.clear();
      this.#known.set(other, near);
    }
    return near;
  }
}
