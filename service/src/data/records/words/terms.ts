import { digest } from '../schema.js';
import { Class, classOf } from './classes.js';
import { bareOf, foldWords, isAscii, withoutUmlauts } from './fold.js';
import { type Chunk, type Run, scanFolded, type WordFilter } from './scan.js';
import { stopWords } from './stop-words.js';

/** Maximum length of a word that is indexed literally. */
export const longestWord = 60;
// Neither a letter nor a digit, so it never occurs in a word.
const mark = '\u00b7';

/** A word's term in the index: the word itself unless it is very long. */
export const termOf = (word: string): string =>
  word.length <= longestWord ? word : `${word.slice(0, longestWord)}${mark}${digest(word)}`;

/** Whether a term stands for a truncated word. */
export const isTruncated = (term: string): boolean => term.length > longestWord && term.includes(mark);

/** A sign inside a term: in full width, because indexes treat ASCII signs as spaces and folded words have none. */
const wide = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + 0xfee0);

/** Signs that stand between the main parts of an address or path. */
const separators = new Set(['/', '\\', ':', '://', '@', '?', '=', '#', '%']);

/** Signs that are left out where they stand between letters: `e-mail`, `foo_bar`, `don't`. */
const silent = new Set(['-', '_', "'", '·', '.', '~']);

const endsInDigit = /[0-9]$/;
const startsWithDigit = /^[0-9]/;

/** The form of joined parts that all spellings share. */
function joined(parts: readonly string[], signs: readonly string[]): string {
  let whole = bareOf(parts[0]!);
  for (const [index, sign] of signs.entries()) {
    const next = bareOf(parts[index + 1]!);
    const isNumber = endsInDigit.test(whole) && startsWithDigit.test(next);
    if (sign === ',' || (sign === "'" && isNumber && /^[0-9]{3}$/.test(next))) whole += next;
    else if (sign === '.' && (endsInDigit.test(whole) || startsWithDigit.test(next))) whole += `${wide('.')}${next}`;
    else if (silent.has(sign) && !isNumber) whole += next;
    else whole += `${sign === '\\' || sign === '://' ? wide('/') : sign === '·' ? '' : wide(sign)}${next}`;
  }
  return whole;
}

/** The parts of a chunk between separators. */
export const segmentsOf = (chunk: Chunk): Chunk[] => segmentsAt(chunk, (sign) => separators.has(sign));

function segmentsAt({ parts, joiners }: Chunk, isDivider: (sign: string, index: number) => boolean): Chunk[] {
  const segments: Chunk[] = [];
  let first = 0;
  for (let index = 0; index <= joiners.length; index++) {
    if (index < joiners.length && !isDivider(joiners[index]!, index)) continue;
    segments.push({
      kind: 'chunk',
      parts: parts.slice(first, index + 1),
      joiners: joiners.slice(first, index),
      isDotted: false,
      suffix: '',
      isAttached: false,
    });
    first = index + 1;
  }
  return segments;
}

/** The whole of a chunk: without the scheme and `www` of a URL. */
export function wholeOf({ parts, joiners }: Chunk): string {
  let first = joiners[0] === '://' ? 1 : 0;
  if (parts.length > first + 2 && parts[first] === 'www' && joiners[first] === '.') first++;
  return joined(parts.slice(first), joiners.slice(first));
}

/** Names with signs at their ends, such as `c++`, `c#` and `.net`. */
export function decoratedOf({ parts, isDotted, suffix }: Chunk): string[] {
  const found: string[] = [];
  if (suffix !== '') found.push(bareOf(parts.at(-1)!) + [...suffix].map(wide).join(''));
  if (isDotted) found.push(wide('.') + bareOf(parts[0]!));
  return found;
}

/** The parts of a chunk that are words: `don't` has none, and `it's` has two. */
export const wordsOf = ({ parts, joiners }: Chunk): readonly string[] =>
  parts.length === 2 && joiners[0] === "'" && parts[1] === 't' && parts[0]!.endsWith('n') ? [] : parts;

/** Where a chunk is divided into its segments, one after the other: `a/b_c.d` into `a` and `b_c.d`, then `b_c` and `d`. */
const divides: ReadonlyArray<(sign: string, isNumber: boolean) => boolean> = [
  (sign) => sign !== '@' && separators.has(sign),
  (sign) => sign === '@',
  (sign, isNumber) => sign === '.' && !isNumber,
  (sign) => sign === '_' || sign === '~',
  (sign, isNumber) => (sign === '-' && !isNumber) || sign === '+',
];

/** The segments inside a chunk that are joined words themselves, such as the names in a path without their extensions. */
function* segmentWholes(chunk: Chunk, level = 0): Generator<string> {
  // Two parts are divided into single ones.
  if (chunk.parts.length < 3 || level === divides.length) return;
  const isDivider = (sign: string, index: number): boolean =>
    divides[level]!(sign, endsInDigit.test(chunk.parts[index]!) && startsWithDigit.test(chunk.parts[index + 1]!));
  const segments = segmentsAt(chunk, isDivider);
  for (const segment of segments) {
    if (segments.length > 1 && segment.parts.length > 1) yield* ownWholes(segment);
    yield* segmentWholes(segment, level + 1);
  }
}

/** A chunk as a whole; a version also without its `v`. */
function* ownWholes(chunk: Chunk): Generator<string> {
  yield wholeOf(chunk);
  const plain = withoutVersionMark(chunk);
  if (plain !== undefined) yield plain;
}

/** The whole of a version such as `v1.2` without its `v`. */
export const withoutVersionMark = ({ parts, joiners }: Chunk): string | undefined =>
  /^v[0-9]+$/.test(parts[0]!) && joiners[0] === '.'
    ? joined([parts[0]!.slice(1), ...parts.slice(1)], joiners)
    : undefined;

const isoTime = /^([0-9]{2})t[0-9]{2}$/;

/** Names in a chunk of more than two parts that are no segments. */
function* namesIn({ parts, joiners }: Chunk): Generator<string> {
  for (const [index, sign] of joiners.entries()) {
    const [before, after] = [parts[index]!, parts[index + 1]!];
    if (sign === '-' || sign === '_') {
      // The key of an issue, with more words behind it.
      if (/^[0-9]+$/.test(after) && /^[a-z]+$/.test(before)) yield before + after;
      // A date with a time.
      const day = index > 0 && sign === '-' ? isoTime.exec(after)?.[1] : undefined;
      if (day !== undefined) yield joined([parts[index - 1]!, before, day], joiners.slice(index - 1, index + 1));
    } else if (sign === '/' && before.length === 1 && after.length === 1) {
      // Letters that are one word, as in `A/B-Test`.
      yield joined([before, after], [sign]);
    }
  }
}

/** A chunk as a whole, and the joined words in it. */
function* wholesOf(chunk: Chunk): Generator<string> {
  const { parts, joiners } = chunk;
  if (parts.length > 2) {
    yield* segmentWholes(chunk);
    yield* namesIn(chunk);
  }
  if (parts.length > 1) {
    yield* ownWholes(chunk);
    if (joiners.at(-1) === '.' && /^(?=.*[a-z])[a-z0-9]{1,5}$/.test(parts.at(-1)!)) yield wide('.') + parts.at(-1)!;
  }
  yield* decoratedOf(chunk);
}

/** Overlapping pairs of characters; the character itself if there is only one. */
export function pairsOf(text: string): string[] {
  const letters = [...text];
  return letters.length === 1 ? [text] : letters.slice(1).map((letter, index) => letters[index]! + letter);
}

/** Letters of a run without optional marks. */
export const bareRun = ({ text }: Run): string => bareOf(text);

/** Pairs across the border of a run and the letters or digits next to it. */
export function borderPairs({ kind, text, before, after }: Run): string[] {
  if (kind === 'hangul') return [];
  const letters = [...bareOf(text)];
  return [...(before === '' ? [] : [before + letters[0]!]), ...(after === '' ? [] : [letters.at(-1)! + after])];
}

/** Phone numbers: in international form, with a leading zero or bracket, or in groups, but not the end of other groups. */
const phone =
  /(?<=^|[\s(["'<,;:>|])(?:\+[0-9]{1,3}[ .-][0-9](?=[ .-][0-9]{2})|\+[0-9]|(?<![0-9] )0[0-9]|\([0-9+]|[0-9]{3}[ .-][0-9]{3}(?=[ .-]?[0-9]{4}))[0-9]*(?:[ ()./-]{1,3}[0-9]{2,})*(?=$|[\s)\]"'>,;.!?|])/g;
const mayBePhone = /[0-9][0-9 ()./-]{5,}[0-9]/;
/** Digits compared, from the end: without country code and leading zero, which are often left out. */
const phoneDigits = 8;

/** The phone numbers in a folded text, with the terms that stand for them. */
export function phonesIn(folded: string): Array<{ readonly text: string; readonly term: string }> {
  if (!mayBePhone.test(folded)) return [];
  return [...folded.matchAll(phone)].flatMap(({ 0: text }) => {
    const digits = text.replaceAll(/[^0-9]/g, '');
    const term = phoneTermOf(digits);
    return term === undefined || /^[0-9]*\.[0-9]*$/.test(text.trim()) ? [] : [{ text, term }];
  });
}

/** The term of a phone number with these digits; undefined if it has too few or too many. */
export const phoneTermOf = (digits: string): string | undefined =>
  digits.length >= 7 && digits.length <= 15 ? `${wide('#')}${digits.slice(-phoneDigits)}` : undefined;

const [small, capital, accent] = ['a-z\u00df-\u00f6\u00f8-\u00ff', 'A-Z\u00c0-\u00d6\u00d8-\u00de', '\u0300-\u036f'];
/** A text that may have a border, composed or decomposed; most have none. */
const mayHaveBorder = new RegExp(
  `[${small}${accent}][${capital}]|[0-9][${capital}][${small}${accent}]|[${capital}${accent}]{2}[${small}${accent}]{2}`,
);
/** Before a capital behind a small letter or number, and before the last capital of several: `getUserName`, `HTTPServer`. */
const borders = new RegExp(
  `(?<=[${small}])(?=[${capital}])|(?<=[0-9])(?=[${capital}][${small}])|(?<=[${capital}])(?=[${capital}][${small}]{2})`,
  'g',
);
/** Set for the characters of words that are divided. */
const divisible = Uint8Array.from({ length: 0x100 }, (_, code) =>
  Number(new RegExp(`[${small}${capital}0-9]`).test(String.fromCharCode(code))),
);
/** A part with and without the number at its end. */
const isPart = new RegExp(`^([${small}${capital}]{2,})[0-9]*$`);

/** Longer words are keys and encoded data. */
const longestDivided = 60;

/** The parts of words with capitals inside, such as the three in `getUserName`; no single letters, and no numbers. */
export function partsByCapitals(text: string): string[] {
  if (!mayHaveBorder.test(text)) return [];
  const composed = isAscii(text) ? text : text.normalize('NFC');
  const parts: string[] = [];
  // Only words with borders are looked at.
  let end = 0;
  for (const { index } of composed.matchAll(borders)) {
    if (index < end) continue;
    let start = index;
    while (divisible[composed.charCodeAt(start - 1)] === 1) start--;
    end = index;
    while (divisible[composed.charCodeAt(end)] === 1) end++;
    if (end - start > longestDivided) continue;
    for (const one of composed.slice(start, end).split(borders)) {
      const part = isPart.exec(one);
      if (part) parts.push(...new Set(part));
    }
  }
  return parts;
}

/**
 * Visits the words of a text in order, in all forms that are indexed; stops if `visit` returns true. Skips plain words
 * that the filter rules out.
 */
export function visitWords(text: string, visit: (word: string) => boolean, filter?: WordFilter): boolean {
  const folded = foldWords(text);
  const visitWord = (word: string): boolean => {
    if (visit(bareOf(word))) return true;
    const spelled = withoutUmlauts(word);
    return spelled !== undefined && visit(spelled);
  };
  const visitFound = (found: Chunk | Run): boolean => {
    if (found.kind !== 'chunk') {
      for (const pair of pairsOf(bareRun(found))) if (visit(pair)) return true;
      for (const pair of borderPairs(found)) if (visit(pair)) return true;
      return false;
    }
    for (const part of wordsOf(found)) if (visitWord(part)) return true;
    if (found.parts.length === 1 && !found.isDotted && found.suffix === '') return false;
    for (const whole of wholesOf(found)) if (visit(whole)) return true;
    return false;
  };
  if (scanFolded(folded, visit, visitFound, filter)) return true;
  for (const part of partsByCapitals(text)) if (visitWord(foldWords(part))) return true;
  return phonesIn(folded).some(({ term }) => visit(term));
}

/** The distinct terms of a text. */
export function termsIn(text: string): Set<string> {
  const terms = new Set<string>();
  visitWords(text, (word) => {
    terms.add(termOf(word));
    return false;
  });
  return terms;
}

/** Whether a term consists of letters alone. */
export function isLetters(term: string): boolean {
  for (const letter of term) if (classOf(letter.codePointAt(0)!) !== Class.letter) return false;
  return true;
}

/** A word this long can be part of a compound. */
export const minCompoundPart = 5;
/** Length of the shortest word that it is joined with. */
export const minRest = 3;

const latin = /^[a-z\u00e0-\u024f]+$/;
/** Whether compounds with a word are found, too. */
export const isCompoundPart = (bare: string): boolean =>
  bare.length >= minCompoundPart && latin.test(bare) && !stopWords.has(bare);

/** Whether a term is a compound with a word, at its beginning or later, or the word followed by a number. */
export const isCompoundOf = (term: string, word: string): boolean =>
  (term.length >= word.length + minRest &&
    (term.startsWith(word) || term.includes(word, minRest)) &&
    isLetters(term)) ||
  (term.startsWith(word) && /^[0-9]+$/.test(term.slice(word.length)));

/** A hash as it is often shortened, such as a commit's, and one in full; very long terms end in a digest. */
export const shortHash = /^[0-9a-f]{7,39}$/;
const fullHash = /^[0-9a-f]{40,}(?:\u00b7|$)/;

/** Whether a term is a hash that begins with a shortened one. */
export const isHashOf = (term: string, start: string): boolean => term.startsWith(start) && fullHash.test(term);
