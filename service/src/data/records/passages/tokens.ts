import { termOf } from '../words.js';
import { stemOf } from './stem.js';
import { stopWords } from './stop-words.js';

const run = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that write words without anything between them. */
const unparted = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
// Plain letters and digits stand before all of these scripts.
const mayBeUnparted = /[\u0e00-\u{3ffff}]/u;
const plain = /^[a-z0-9]+$/;

/** A word of a prompt, and the tokens that stand for it in an index. */
export interface PromptWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

const mostWords = 64;

/** A word without its accents. */
const folded = (word: string): string =>
  word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

const stems = new Map<string, string>();

function tokenOf(word: string): string {
  // The same words come again and again.
  let stem = stems.get(word);
  if (stem !== undefined) return stem;
  const bare = plain.test(word) ? word : folded(word);
  stem = termOf(/^[a-z]+$/.test(bare) ? stemOf(bare) : bare);
  if (stems.size > 100_000) stems.clear();
  if (word.length < 40) stems.set(word, stem);
  return stem;
}

/** Each two letters that stand together: what a script that parts no words is searched by. */
function pairsOf(part: string): string[] {
  const letters = [...part];
  return letters.length === 1 ? [part] : letters.slice(1).map((letter, index) => letters[index]! + letter);
}

function* piecesOf(word: string): Generator<PromptWord> {
  if (!mayBeUnparted.test(word)) {
    yield { word, tokens: [tokenOf(word)] };
    return;
  }
  let at = 0;
  for (const { 0: part, index } of word.matchAll(unparted)) {
    if (index > at) yield { word: word.slice(at, index), tokens: [tokenOf(word.slice(at, index))] };
    yield { word: part, tokens: pairsOf(part) };
    at = index + part.length;
  }
  if (at < word.length) yield { word: word.slice(at), tokens: [tokenOf(word.slice(at))] };
}

/** The tokens that a text is indexed by, in their order: stems of words without accents, and pairs of letters where nothing parts the words. */
export const tokensOf = (text: string): string[] =>
  (text.match(run) ?? []).flatMap((word) => {
    const small = word.toLowerCase();
    return mayBeUnparted.test(small) ? [...piecesOf(small)].flatMap(({ tokens }) => tokens) : tokenOf(small);
  });

/** The words of a prompt that say something, or all where none does, each once. */
export function promptWords(prompt: string): PromptWord[] {
  const all = (prompt.match(run) ?? []).flatMap((word) => [...piecesOf(word.toLowerCase())]);
  const telling = all.filter(({ word }) => !stopWords.has(word));
  const words = telling.length > 0 ? telling : all;
  return [...new Map(words.map((one) => [one.tokens.join(' '), one])).values()].slice(0, mostWords);
}
