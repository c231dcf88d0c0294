import { stemmer } from 'stemmer';
import type { Column } from './schema.js';
import { digest } from './schema.js';

const wordRun = /[\p{L}\p{Nd}]+/gu;

/** The words in a text: lowercased runs of letters and digits. */
export const wordsOf = (text: string): string[] => (text.match(wordRun) ?? []).map((word) => word.toLowerCase());

/** Yields the words in a text one at a time. */
export function* eachWord(text: string): Generator<string> {
  for (const [word] of text.matchAll(wordRun)) yield word.toLowerCase();
}

/** Maximum length of a word that is indexed literally. */
const longestWord = 60;
// Neither a letter nor a digit, so it never occurs in a word.
const mark = '\u00b7';

/** A word's term in the index: the word itself unless it is very long. */
export const termOf = (word: string): string =>
  word.length <= longestWord ? word : `${word.slice(0, longestWord)}${mark}${digest(word)}`;

/** Whether a term stands for a truncated word. */
export const isTruncated = (term: string): boolean => term.length > longestWord && term.includes(mark);

/** Maximum edit distance for a word. */
export const maxEditsFor = (word: string): number => (lengthOf(word) <= 4 ? 1 : 2);

/** Length in characters. */
export const lengthOf = (text: string): number => (isPlain(text) ? text.length : [...text].length);

// Any surrogate means that code units and characters differ.
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

// Reused for every pair: allocating lists takes longer than comparing.
let [above, below]: [number[], number[]] = [[], []];

/** Whether two texts are within an edit distance of `maxEdits`. */
export function isWithinEdits(one: string, other: string, maxEdits: number): boolean {
  if (one === other) return true;
  const from = isPlain(one) ? one : [...one];
  const to = isPlain(other) ? other : [...other];
  if (Math.abs(from.length - to.length) > maxEdits) return false;
  for (let column = 0; column <= to.length; column++) above[column] = column;
  for (let index = 1; index <= from.length; index++) {
    // Cells further from the diagonal exceed the maximum distance.
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

/** Whether the text contains any of the words. */
export function hasAny(text: string, wanted: ReadonlySet<string>): boolean {
  for (const word of eachWord(text)) if (wanted.has(word)) return true;
  return false;
}

/** A letter's bit in a bit set; ASCII letters have the same bit in both cases. */
export const letterOf = (codePoint: number): number => 1 << (codePoint & 31);

/** A bit set of a word's letters, which rules out most words without comparing them. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (const letter of word) letters |= letterOf(letter.codePointAt(0)!);
  return letters;
}

/** Number of letters not shared by two words; a replaced letter counts at most twice. */
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

/** The words that a field of one connector's records contains or has contained. */
export class Vocabulary {
  readonly #byLength = new Map<number, Entry[]>();
  readonly #terms: string[] = [];
  readonly #truncated: string[] = [];
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

  /** Terms within the edit distance of a word; undefined if the word is too long. */
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

const tokenRun = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces between words. */
const unsegmented =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
// ASCII letters and digits sort before all of these scripts.
const mayBeUnsegmented = /[\u0e00-\u{3ffff}]/u;
const plain = /^[a-z0-9]+$/;

/** A word of a prompt, and its tokens in an index. */
export interface PromptWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

const maxPromptWords = 64;

const stripAccents = (word: string): string =>
  word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

/** Words that consist only of a suffix, with the stems used in the index; the stemmer would reduce `eed` to `e`. */
const bareEndings = new Map([
  ['eed', 'eed'],
  ['eeds', 'eed'],
  ['ies', 'i'],
  ['sses', 'ss'],
]);

const stems = new Map<string, string>();

function tokenOf(word: string): string {
  // Cached, since the same words recur.
  let stem = stems.get(word);
  if (stem !== undefined) return stem;
  const bare = plain.test(word) ? word : stripAccents(word);
  stem = termOf(/^[a-z]+$/.test(bare) ? (bareEndings.get(bare) ?? stemmer(bare)) : bare);
  if (stems.size > 100_000) stems.clear();
  if (word.length < 40) stems.set(word, stem);
  return stem;
}

/** Bigrams, used to search scripts without spaces. */
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

/** Index tokens of a text, in order: stems without accents, and bigrams for scripts without spaces. */
export const tokensOf = (text: string): string[] =>
  (text.match(tokenRun) ?? []).flatMap((word) => {
    const small = word.toLowerCase();
    return mayBeUnsegmented.test(small) ? [...segmentWord(small)].flatMap(({ tokens }) => tokens) : tokenOf(small);
  });

/** Weight of title words relative to the identifiers below them. */
const titleWeight = 2;

/** Tokens of a passage for ranking; for titles, all of `text` is used and its first line has more weight. */
export function passageTokens({ about }: Pick<Column, 'about'>, text: string, passage: string): string[] {
  if (!about) return tokensOf(passage);
  const all = tokensOf(text);
  if (!about.titled) return all;
  const title = tokensOf(text.split('\n', 1)[0]!);
  return [...Array.from({ length: titleWeight - 1 }, () => title).flat(), ...all];
}

/** The distinct significant words in a prompt, or all distinct words if none are significant. */
export function promptWords(prompt: string): PromptWord[] {
  const all = (prompt.match(tokenRun) ?? []).flatMap((word) => [...segmentWord(word.toLowerCase())]);
  const contentWords = all.filter(({ word }) => !stopWords.has(word));
  const words = contentWords.length > 0 ? contentWords : all;
  return [...new Map(words.map((one) => [one.tokens.join(' '), one])).values()].slice(0, maxPromptWords);
}

/** A token's name in the index; fields of different connectors never share one. */
export const termIn = (field: number, token: string): string => `${field}z${token}`;

/** Common prefix of all terms of one field of one connector. */
export const scopeOf = (connector: number, { code }: Column): string => `${connector}z${code}`;

/** English stop words. */
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
