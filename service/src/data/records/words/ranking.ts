import { stemmer } from 'stemmer';
import type { Column } from '../schema.js';
import { lengthOf, lettersOf } from './edits.js';
import { bareOf, foldWords, withoutUmlauts } from './fold.js';
import { type Chunk, type Run, scanFolded, type WordFilter } from './scan.js';
import { stopWords } from './stop-words.js';
import {
  bareRun,
  decoratedOf,
  isLetters,
  longestWord,
  pairsOf,
  partsByCapitals,
  segmentsOf,
  termOf,
  termsIn,
  wholeOf,
} from './terms.js';

/** A word of a prompt, and its tokens in an index. */
export interface PromptWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

const maxPromptWords = 64;

/** Words that consist only of a suffix, with the stems used in the index; the stemmer would reduce `eed` to `e`. */
const bareEndings = new Map([
  ['eed', 'eed'],
  ['eeds', 'eed'],
  ['ies', 'i'],
  ['sses', 'ss'],
]);

/** The Arabic article, with a conjunction or preposition before it. */
const arabicArticle = /^(?:[وفبك]?ال|لل)(?=[\u0621-\u064a]{3})/;

const stems = new Map<string, string>();

function tokenOf(bare: string): string {
  // Cached, since the same words recur.
  let stem = stems.get(bare);
  if (stem !== undefined) return stem;
  stem = termOf(/^[a-z]+$/.test(bare) ? (bareEndings.get(bare) ?? stemmer(bare)) : bare.replace(arabicArticle, ''));
  if (stems.size > 100_000) stems.clear();
  if (bare.length < 40) stems.set(bare, stem);
  return stem;
}

/** Tokens of an identifier as a whole: its parts alone are often frequent, or single letters. */
function identifierTokens(chunk: Chunk): string[] {
  if (chunk.parts.length === 1) return decoratedOf(chunk).map(termOf);
  const whole = segmentsOf(chunk).filter(
    ({ parts, joiners }) => parts.length > 1 && (joiners.includes('&') || parts.some((part) => /[0-9]/.test(part))),
  );
  // Both spellings of a word with a sign that is often left out.
  const isSilent = chunk.joiners.every((sign) => sign === '·');
  return [...whole.map(wholeOf), ...(isSilent ? [wholeOf(chunk)] : []), ...decoratedOf(chunk)].map(termOf);
}

/** The words of a text, in order, with their tokens; plain words that the filter rules out are skipped. */
function rankedWords(
  text: string,
  visit: (word: string, tokens: readonly string[]) => void,
  filter?: WordFilter,
): void {
  const visitPlain = (word: string): boolean => {
    visit(word, [tokenOf(word)]);
    return false;
  };
  const visitFound = (found: Chunk | Run): boolean => {
    if (found.kind !== 'chunk') {
      const bare = bareRun(found);
      visit(bare, pairsOf(bare));
      return false;
    }
    const { parts } = found;
    for (const [index, part] of parts.entries()) {
      const bare = bareOf(part);
      const spelled = withoutUmlauts(part);
      const tokens = [tokenOf(bare)];
      if (spelled !== undefined) tokens.push(tokenOf(spelled));
      const isIdentifier = parts.length > 1 || found.isDotted || found.suffix !== '';
      if (isIdentifier && index === parts.length - 1) tokens.push(...identifierTokens(found));
      visit(bare, tokens);
    }
    return false;
  };
  scanFolded(foldWords(text), visitPlain, visitFound, filter);
}

/** The words of a text for an index: also the parts of words with capitals inside. */
function indexedWords(text: string, visit: (tokens: readonly string[]) => void, filter?: WordFilter): void {
  rankedWords(text, (_, own) => visit(own), filter);
  for (const part of partsByCapitals(text)) visit([tokenOf(bareOf(foldWords(part)))]);
}

/** Index tokens of a text, in order: stems without accents, and pairs for scripts without spaces. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  indexedWords(text, (own) => {
    for (const token of own) tokens.push(token);
  });
  return tokens;
}

/** The shortest word that is corrected. */
const minCorrectable = 3;

/** Whether a word may be misspelled, or be the correction of one: numbers and very short words are taken literally. */
export const isCorrectable = (word: string): boolean => lengthOf(word) >= minCorrectable && isLetters(word);

/** The words of a text that a misspelled word may stand for. */
export const correctableIn = (text: string): Set<string> => new Set([...termsIn(text)].filter(isCorrectable));

/** Weight of title words relative to the identifiers below them. */
const titleWeight = 2;

/** The first line. */
const titleOf = (text: string): string => text.split('\n', 1)[0]!;

/** The texts by which a passage is ranked; for titles, all of `text`, whose first line has more weight. */
function rankedTexts({ about }: Pick<Column, 'about'>, text: string, passage: string): string[] {
  if (!about) return [passage];
  return about.titled ? [...Array.from({ length: titleWeight - 1 }, () => titleOf(text)), text] : [text];
}

/** Tokens of a passage for ranking. */
export const passageTokens = (column: Pick<Column, 'about'>, text: string, passage: string): string[] =>
  rankedTexts(column, text, passage).flatMap(tokensOf);

/** Number of codes of plain words: of ASCII. */
const plainCodes = 128;
/** A letter that no word has. */
const noLetter = 1;
/** The stemmer replaces at most this many letters at the end of what it keeps. */
const replacedLetters = 2;

/** Finds a few tokens in many texts: most words are ruled out by their letters, without copying them. */
export class TokenFinder {
  readonly #tokens: ReadonlySet<string>;
  /** By a word's first two letters, those that it has if it may have one of the tokens. */
  readonly #letters = new Int32Array(plainCodes * plainCodes).fill(noLetter);

  constructor(tokens: Iterable<string>) {
    this.#tokens = new Set(tokens);
    for (const token of this.#tokens) {
      const [first, second] = [token.charCodeAt(0), token.charCodeAt(1)];
      if (!(first < plainCodes)) continue;
      // The second letter is replaced only in the shortest words: `eyed` becomes `ei`.
      const seconds = token.length > 2 ? [second % plainCodes] : Array.from({ length: plainCodes }, (_, code) => code);
      const kept = Math.min(Math.max(token.length > 2 ? 2 : 1, token.length - replacedLetters), longestWord);
      const letters = lettersOf(token.slice(0, kept));
      for (const next of seconds) {
        const at = first * plainCodes + next;
        this.#letters[at] = this.#letters[at] === noLetter ? letters : this.#letters[at]! & letters;
      }
    }
  }

  /** Calls `visit` for each occurrence of the tokens, in order, and returns the number of all tokens in the text. */
  scan(text: string, visit: (token: string) => void): number {
    let count = 0;
    const filter: WordFilter = (folded, start, end, letters) => {
      const second = end - start > 1 ? folded.charCodeAt(start + 1) : 0;
      const wanted = this.#letters[folded.charCodeAt(start) * plainCodes + second]!;
      if ((letters & wanted) === wanted) return true;
      count += 1;
      return false;
    };
    const visitWord = (own: readonly string[]): void => {
      count += own.length;
      for (const token of own) if (this.#tokens.has(token)) visit(token);
    };
    indexedWords(text, visitWord, filter);
    return count;
  }

  /** Which of the tokens a text contains. */
  in(text: string): Set<string> {
    const found = new Set<string>();
    this.scan(text, (token) => found.add(token));
    return found;
  }

  /** Frequencies in a passage, whose tokens are those of `passageTokens`. */
  termsOf(column: Pick<Column, 'about'>, text: string, passage: string) {
    const counts = new Map<string, number>();
    const add = (token: string) => counts.set(token, (counts.get(token) ?? 0) + 1);
    let length = 0;
    for (const ranked of rankedTexts(column, text, passage)) length += this.scan(ranked, add);
    return { counts: [...counts], length };
  }
}

/** The distinct significant words in a prompt, or all distinct words if none are significant. */
export function promptWords(prompt: string): PromptWord[] {
  const all: PromptWord[] = [];
  rankedWords(prompt, (word, tokens) => all.push({ word, tokens }));
  const contentWords = all.filter(({ word }) => !stopWords.has(word));
  const words = contentWords.length > 0 ? contentWords : all;
  return [...new Map(words.map((one) => [one.tokens.join(' '), one])).values()].slice(0, maxPromptWords);
}

/** A token's name in the index; fields of different connectors never share one. */
export const termIn = (field: number, token: string): string => `${field}z${token}`;

/** Common prefix of all terms of one field of one connector. */
export const scopeOf = (connector: number, { code }: Column): string => `${connector}z${code}`;
