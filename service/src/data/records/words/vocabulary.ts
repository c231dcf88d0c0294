import { differentLetters, isWithinEdits, lengthOf, lettersOf, maxEditsFor } from './edits.js';
import { isAscii } from './fold.js';
import type { Variant } from './question.js';
import { isCompoundOf, isHashOf, isLetters, isTruncated, longestWord, minCompoundPart, minRest } from './terms.js';

/** Terms in order, sorted when they are next read. */
class SortedTerms {
  #sorted: string[] = [];
  #added: string[] = [];

  add(term: string): void {
    this.#added.push(term);
  }

  startingWith(beginning: string): string[] {
    if (this.#added.length > 0) {
      this.#sorted = [...this.#sorted, ...this.#added].sort();
      this.#added = [];
    }
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! < beginning) low = middle + 1;
      else high = middle;
    }
    const first = low;
    while (low < this.#sorted.length && this.#sorted[low]!.startsWith(beginning)) low++;
    return this.#sorted.slice(first, low);
  }
}

interface Entry {
  readonly term: string;
  readonly letters: number;
}

/** Maximum number of words whose near terms are remembered. */
const maxNearWords = 500;

/** The words that a field of one connector's records contains or has contained. */
export class Vocabulary {
  readonly #byLength = new Map<number, Entry[]>();
  readonly #terms: string[] = [];
  readonly #truncated: string[] = [];
  /** Longer terms. */
  readonly #longer = new SortedTerms();
  /** Terms of letters that may be compounds, each behind a line break and before one. */
  #compounds = '\n';
  /** Terms of one or two characters, by character. */
  readonly #withCharacter = new Map<string, string[]>();
  /** Terms near a word and compounds with it, until terms are added. */
  readonly #near = new Map<string, string[]>();
  readonly #compoundsWith = new Map<string, string[]>();
  #newest = 0;

  /** Number of the newest term at the last update. */
  get newest(): number {
    return this.#newest;
  }

  /** Adds terms created since the last update, and records the new position. */
  learn(terms: readonly NumberedTerm[], newest: number): void {
    for (const { n, term } of terms) if (n > this.#newest) this.#add(term);
    this.#newest = Math.max(this.#newest, newest);
  }

  #add(term: string): void {
    this.#near.clear();
    this.#compoundsWith.clear();
    if (isTruncated(term)) {
      this.#truncated.push(term);
      this.#longer.add(term);
      return;
    }
    this.#terms.push(term);
    this.#addVariants(term);
    const length = lengthOf(term);
    const entries = this.#byLength.get(length);
    const entry = { term, letters: lettersOf(term) };
    if (entries) entries.push(entry);
    else this.#byLength.set(length, [entry]);
  }

  #addVariants(term: string): void {
    if (term.length > minCompoundPart) {
      this.#longer.add(term);
      if (term.length >= minCompoundPart + minRest && isLetters(term)) this.#compounds += `${term}\n`;
    } else if (term.length <= 4 && !isAscii(term)) {
      const letters = [...new Set(term)];
      if ([...term].length > 2) return;
      for (const letter of letters) {
        const known = this.#withCharacter.get(letter);
        if (known) known.push(term);
        else this.#withCharacter.set(letter, [term]);
      }
    }
  }

  /** Terms within the edit distance of a word; undefined if the word is too long. */
  near(word: string): readonly string[] | undefined {
    const length = lengthOf(word);
    const maxEdits = maxEditsFor(word);
    if (word.length + 2 * maxEdits > longestWord) return undefined;
    const known = this.#near.get(word);
    if (known) return known;
    const letters = lettersOf(word);
    const found: string[] = [];
    for (let candidate = length - maxEdits; candidate <= length + maxEdits; candidate++) {
      for (const entry of this.#byLength.get(candidate) ?? []) {
        if (differentLetters(entry.letters, letters) <= 2 * maxEdits && isWithinEdits(entry.term, word, maxEdits))
          found.push(entry.term);
      }
    }
    if (this.#near.size >= maxNearWords) this.#near.clear();
    this.#near.set(word, found);
    return found;
  }

  /** Terms with a wanted character, compounds with a wanted word, or hashes with a wanted beginning. */
  variants(wanted: Variant): readonly string[] {
    if ('within' in wanted) return this.#withCharacter.get(wanted.within) ?? [];
    if ('startOf' in wanted) {
      return this.#longer.startingWith(wanted.startOf).filter((term) => isHashOf(term, wanted.startOf));
    }
    const word = wanted.partOf;
    const known = this.#compoundsWith.get(word);
    if (known) return known;
    const found = this.#longer.startingWith(word).filter((term) => isCompoundOf(term, word));
    const all = this.#compounds;
    for (let [at, end] = [all.indexOf(word), 0]; at >= 0; at = all.indexOf(word, end)) {
      end = all.indexOf('\n', at);
      const term = all.slice(all.lastIndexOf('\n', at) + 1, end);
      if (!term.startsWith(word) && isCompoundOf(term, word)) found.push(term);
    }
    if (this.#compoundsWith.size >= maxNearWords) this.#compoundsWith.clear();
    this.#compoundsWith.set(word, found);
    return found;
  }

  /** Terms that contain, or may contain, a substring; undefined if there are more than `limit`. */
  containing(piece: string, limit: number): string[] | undefined {
    const found = [...this.#truncated];
    for (const term of this.#terms) {
      if (term.includes(piece)) found.push(term);
      if (found.length > limit) return undefined;
    }
    return found;
  }
}

/** A term and its sequence number. */
export interface NumberedTerm {
  readonly n: number;
  readonly term: string;
}

/** A database's vocabularies by scope. */
export class Vocabularies {
  readonly #scopes = new Map<string, Vocabulary>();

  /** The vocabulary of a scope; empty if none has been loaded. */
  of(scope: string): Vocabulary {
    let vocabulary = this.#scopes.get(scope);
    if (!vocabulary) {
      vocabulary = new Vocabulary();
      this.#scopes.set(scope, vocabulary);
    }
    return vocabulary;
  }
}
