import { differentLetters, isWithinEdits, lengthOf, lettersOf, maxEditsFor } from './edits.js';
import { isAscii } from './fold.js';
import { isCompoundOf, minCompoundPart, type Variant } from './question.js';
import { isTruncated, longestWord } from './terms.js';

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
  /** Longer terms, and their letters in reverse order. */
  readonly #forwards = new SortedTerms();
  readonly #backwards = new SortedTerms();
  /** Terms of one or two characters, by character. */
  readonly #withCharacter = new Map<string, string[]>();
  /** Terms near a word, until terms are added. */
  readonly #near = new Map<string, string[]>();
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
    if (isTruncated(term)) {
      this.#truncated.push(term);
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
      this.#forwards.add(term);
      this.#backwards.add([...term].reverse().join(''));
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

  /** Terms with a wanted character, or compounds with a wanted word. */
  variants(wanted: Variant): string[] {
    if ('within' in wanted) return (this.#withCharacter.get(wanted.within) ?? []).slice();
    const word = wanted.partOf;
    const isCompound = (term: string) => isCompoundOf(term, word);
    const backwards = [...word].reverse().join('');
    return [
      ...this.#forwards.startingWith(word).filter(isCompound),
      ...this.#backwards
        .startingWith(backwards)
        .map((term) => [...term].reverse().join(''))
        .filter((term) => isCompound(term) && !term.startsWith(word)),
    ];
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
