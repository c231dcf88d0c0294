import { differentLetters, lettersOf } from './letters.js';
import { isCut, lengthOf, longestWord, tolerance, within } from './words.js';

interface Entry {
  readonly term: string;
  readonly letters: number;
}

/** The words that one field of one connector's records holds or has held. */
export class Vocabulary {
  readonly #byLength = new Map<number, Entry[]>();
  readonly #terms: string[] = [];
  readonly #cut: string[] = [];
  #newest = 0;

  /** Number of the newest term that had come when it was brought up to date. */
  get newest(): number {
    return this.#newest;
  }

  /** Adds terms that have come since it was brought up to date, and tells it how far it is now. */
  learn(terms: readonly NumberedTerm[], newest: number): void {
    for (const { n, term } of terms) if (n > this.#newest) this.#add(term);
    this.#newest = Math.max(this.#newest, newest);
  }

  #add(term: string): void {
    if (isCut(term)) {
      this.#cut.push(term);
      return;
    }
    this.#terms.push(term);
    const length = lengthOf(term);
    const entries = this.#byLength.get(length);
    const entry = { term, letters: lettersOf(term) };
    if (entries) entries.push(entry);
    else this.#byLength.set(length, [entry]);
  }

  /** Terms within the tolerance of a word; nothing where the word is too long to say. */
  near(word: string): string[] | undefined {
    const length = lengthOf(word);
    const most = tolerance(word);
    if (word.length + 2 * most > longestWord) return undefined;
    const letters = lettersOf(word);
    const found: string[] = [];
    for (let candidate = length - most; candidate <= length + most; candidate++) {
      for (const entry of this.#byLength.get(candidate) ?? []) {
        if (differentLetters(entry.letters, letters) <= 2 * most && within(entry.term, word, most))
          found.push(entry.term);
      }
    }
    return found;
  }

  /** Terms that hold a piece of a word, or may do so; nothing where there are more than `most`. */
  containing(piece: string, most: number): string[] | undefined {
    const found = [...this.#cut];
    for (const term of this.#terms) {
      if (term.includes(piece)) found.push(term);
      if (found.length > most) return undefined;
    }
    return found;
  }
}

/** A term, and the number by which it came. */
export interface NumberedTerm {
  readonly n: number;
  readonly term: string;
}

/** The vocabularies of a database, each under its own scope. */
export class Vocabularies {
  readonly #scopes = new Map<string, Vocabulary>();

  /** The vocabulary of a scope; an empty one where nothing has been loaded. */
  of(scope: string): Vocabulary {
    let vocabulary = this.#scopes.get(scope);
    if (!vocabulary) {
      vocabulary = new Vocabulary();
      this.#scopes.set(scope, vocabulary);
    }
    return vocabulary;
  }
}
