import { stemmer } from 'stemmer';
import type { Column } from './schema.js';
import { digest } from './schema.js';

const wordRun = /[\p{L}\p{Nd}]+/gu;

/** The words of a text: its runs of letters and digits, each lower-cased. */
export const wordsOf = (text: string): string[] => (text.match(wordRun) ?? []).map((word) => word.toLowerCase());

/** The same, one by one. */
export function* eachWord(text: string): Generator<string> {
  for (const [word] of text.matchAll(wordRun)) yield word.toLowerCase();
}

/** Longest word that the index holds as it is. */
const longestWord = 60;
// No word holds it, being neither letter nor digit.
const mark = '\u00b7';

/** The name of a word in the index: itself, unless it is very long. */
export const termOf = (word: string): string =>
  word.length <= longestWord ? word : `${word.slice(0, longestWord)}${mark}${digest(word)}`;

/** Whether a term stands for a word that was too long to be held. */
export const isTruncated = (term: string): boolean => term.length > longestWord && term.includes(mark);

/** How many letters of a wanted word may be added, left out or replaced. */
export const maxEditsFor = (word: string): number => (lengthOf(word) <= 4 ? 1 : 2);

/** Length in characters. */
export const lengthOf = (text: string): number => (isPlain(text) ? text.length : [...text].length);

// Half a pair of surrogates is a unit of a string but no character.
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

// Taken again for every two words: making lists anew takes longer than comparing.
let [above, below]: [number[], number[]] = [[], []];

/** Whether one text becomes the other by at most `most` letters added, left out or replaced. */
export function isWithinEdits(one: string, other: string, maxEdits: number): boolean {
  if (one === other) return true;
  const from = isPlain(one) ? one : [...one];
  const to = isPlain(other) ? other : [...other];
  if (Math.abs(from.length - to.length) > maxEdits) return false;
  for (let column = 0; column <= to.length; column++) above[column] = column;
  for (let index = 1; index <= from.length; index++) {
    // What lies further from the diagonal takes more changes than there may be.
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

/** Whether any of the wanted words is a word of the text. */
export function hasAny(text: string, wanted: ReadonlySet<string>): boolean {
  for (const word of eachWord(text)) if (wanted.has(word)) return true;
  return false;
}

/** The bit of a letter: the same for both cases of a letter of ASCII. */
export const letterOf = (codePoint: number): number => 1 << (codePoint & 31);

/** One bit for every letter that a word holds, so that most words are told apart without comparing them. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (const letter of word) letters |= letterOf(letter.codePointAt(0)!);
  return letters;
}

/** How many letters two words do not share; one that was replaced counts twice at most. */
export function differentLetters(one: number, other: number): number {
  const value = one ^ other;
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

interface Entry {
  readonly term: string;
  readonly letters: number;
}

/** The words that one field of one connector's records holds or has held. */
export class Vocabulary {
  readonly #byLength = new Map<number, Entry[]>();
  readonly #terms: string[] = [];
  readonly #truncated: string[] = [];
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
    if (isTruncated(term)) {
      this.#truncated.push(term);
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
    const maxEdits = maxEditsFor(word);
    if (word.length + 2 * maxEdits > longestWord) return undefined;
    const letters = lettersOf(word);
    const found: string[] = [];
    for (let candidate = length - maxEdits; candidate <= length + maxEdits; candidate++) {
      for (const entry of this.#byLength.get(candidate) ?? []) {
        if (differentLetters(entry.letters, letters) <= 2 * maxEdits && isWithinEdits(entry.term, word, maxEdits))
          found.push(entry.term);
      }
    }
    return found;
  }

  /** Terms that hold a piece of a word, or may do so; nothing where there are more than `most`. */
  containing(piece: string, limit: number): string[] | undefined {
    const found = [...this.#truncated];
    for (const term of this.#terms) {
      if (term.includes(piece)) found.push(term);
      if (found.length > limit) return undefined;
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

const tokenRun = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that write words without anything between them. */
const unsegmented =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
// Plain letters and digits stand before all of these scripts.
const mayBeUnsegmented = /[\u0e00-\u{3ffff}]/u;
const plain = /^[a-z0-9]+$/;

/** A word of a prompt, and the tokens that stand for it in an index. */
export interface PromptWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

const maxPromptWords = 64;

/** A word without its accents. */
const stripAccents = (word: string): string =>
  word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

/** Words that are an ending and no more, as indexes hold them; the library would take `eed` for `e`. */
const bareEndings = new Map([
  ['eed', 'eed'],
  ['eeds', 'eed'],
  ['ies', 'i'],
  ['sses', 'ss'],
]);

const stems = new Map<string, string>();

function tokenOf(word: string): string {
  // The same words come again and again.
  let stem = stems.get(word);
  if (stem !== undefined) return stem;
  const bare = plain.test(word) ? word : stripAccents(word);
  stem = termOf(/^[a-z]+$/.test(bare) ? (bareEndings.get(bare) ?? stemmer(bare)) : bare);
  if (stems.size > 100_000) stems.clear();
  if (word.length < 40) stems.set(word, stem);
  return stem;
}

/** Each two letters that stand together: what a script that parts no words is searched by. */
function bigrams(part: string): string[] {
  const letters = [...part];
  return letters.length === 1 ? [part] : letters.slice(1).map((letter, index) => letters[index]! + letter);
}

function* segmentWord(word: string): Generator<PromptWord> {
  if (!mayBeUnsegmented.test(word)) {
    yield { word, tokens: [tokenOf(word)] };
    return;
  }
  let at = 0;
  for (const { 0: part, index } of word.matchAll(unsegmented)) {
    if (index > at) yield { word: word.slice(at, index), tokens: [tokenOf(word.slice(at, index))] };
    yield { word: part, tokens: bigrams(part) };
    at = index + part.length;
  }
  if (at < word.length) yield { word: word.slice(at), tokens: [tokenOf(word.slice(at))] };
}

/** The tokens that a text is indexed by, in their order: stems of words without accents, and pairs of letters where nothing parts the words. */
export const tokensOf = (text: string): string[] =>
  (text.match(tokenRun) ?? []).flatMap((word) => {
    const small = word.toLowerCase();
    return mayBeUnsegmented.test(small) ? [...segmentWord(small)].flatMap(({ tokens }) => tokens) : tokenOf(small);
  });

/** How often each word of a title counts, beside those below it that tell what else a record is known by. */
const titleWeight = 2;

/** The tokens of a passage, as it is ranked; of what a record is called the whole `text` counts, its first line above others. */
export function passageTokens({ about }: Pick<Column, 'about'>, text: string, passage: string): string[] {
  if (!about) return tokensOf(passage);
  const all = tokensOf(text);
  if (!about.titled) return all;
  const title = tokensOf(text.split('\n', 1)[0]!);
  return [...Array.from({ length: titleWeight - 1 }, () => title).flat(), ...all];
}

/** The words of a prompt that say something, or all where none does, each once. */
export function promptWords(prompt: string): PromptWord[] {
  const all = (prompt.match(tokenRun) ?? []).flatMap((word) => [...segmentWord(word.toLowerCase())]);
  const contentWords = all.filter(({ word }) => !stopWords.has(word));
  const words = contentWords.length > 0 ? contentWords : all;
  return [...new Map(words.map((one) => [one.tokens.join(' '), one])).values()].slice(0, maxPromptWords);
}

/** What a token is called in the index: no field of one connector shares its words with another. */
export const termIn = (field: number, token: string): string => `${field}z${token}`;

/** What all terms of one field of one connector begin with. */
export const scopeOf = (connector: number, { code }: Column): string => `${connector}z${code}`;

/** English words that say nothing of what a text is about. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are aren as at be because been before being below between ' +
    'both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had ' +
    'hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself ll m ' +
    'me more most mustn my myself no nor not of off on once only or other our ours ourselves out over own re s same shan ' +
    'she should shouldn so some such t than that the their theirs them themselves then there these they this those ' +
    'through to too under until up us ve very was wasn we were weren what when where which while who whom whose why will ' +
    'with won would wouldn you your yours yourself yourselves'
  ).split(' '),
);
