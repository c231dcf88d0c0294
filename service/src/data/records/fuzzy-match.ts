import { differentLetters, isWithinEdits, lettersOf, maxEditsFor } from './words/edits.js';
import type { Approximate } from './words/question.js';
import { visitWords } from './words/terms.js';

/** Returns a predicate that finds approximate matches of the given words in order, with anything in between. */
export function wordsInOrder(words: readonly Approximate[]): (text: string) => boolean {
  const patterns = words.map((word) => (typeof word === 'string' ? nearTest(word) : word));
  if (patterns.every((one) => typeof one === 'function')) {
    return (text) => {
      let place = 0;
      return visitWords(text, (word) => patterns[place]!(word) && ++place === patterns.length);
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
      if (typeof pattern !== 'function') {
        // Pairs overlap, so that the next word may be in the same run.
        const left = new Set(found.slice(from));
        return pattern.of.filter((pair) => left.has(pair)).length >= pattern.least;
      }
      const index = found.findIndex((word, at) => at >= from && pattern(word));
      from = index + 1;
      return index >= 0;
    });
  };
}

/** Whether another word is within the edit distance of a word. */
function nearTest(word: string): (other: string) => boolean {
  const maxEdits = maxEditsFor(word);
  const letters = lettersOf(word);
  // Cached, since the same words recur from text to text.
  const known = new Map<string, boolean>();
  return (other) => {
    if (Math.abs(other.length - word.length) > 2 * maxEdits) return false;
    // Rules out most words, which costs less than comparing them or looking them up.
    if (differentLetters(lettersOf(other), letters) > 2 * maxEdits) return false;
    let near = known.get(other);
    if (near === undefined) {
      near = isWithinEdits(other, word, maxEdits);
      if (known.size > 20_000) known.clear();
      known.set(other, near);
    }
    return near;
  };
}
