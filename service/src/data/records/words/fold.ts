import { simplifications } from './chinese.js';
import { Class, classOf, rangesOf } from './classes.js';
import { classRuns, decimalZeros, foldExceptions, foldedRuns, unassignedRuns } from './unicode.js';

/** Whether a text is ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII, too.
export const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

/** Whether a text is ASCII with typographic quotes and dashes, which no normalization changes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII, too.
export const isTypewritten = (text: string): boolean => /^[\u0000-\u007f\u2010\u2012-\u2016\u2018-\u201f]*$/.test(text);

const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/**
 * Characters that Unicode had not assigned when the tables were written. Later versions may decompose or lower-case
 * them, depending on Node's version, so they stay as they are. Everything else is stable by Unicode's policies.
 */
const unassigned = new RegExp(`([${rangesOf(unassignedRuns, 1, escaped)}]+)`, 'u');

const exceptions = new Map<string, string>();
const listed = foldExceptions.split(' ');
for (let index = 0; index < listed.length; index += 2) exceptions.set(listed[index]!, listed[index + 1]!);
const exceptional = new RegExp(`[${[...exceptions.keys()].join('')}]`, 'gu');

/** Full case folding, as far as it can be seen after both sides are folded. */
const foldCase = (text: string): string =>
  text.toLowerCase().replaceAll(exceptional, (character) => exceptions.get(character)!);

const stable = (text: string, change: (part: string) => string): string =>
  unassigned.test(text)
    ? text
        .split(unassigned)
        .map((part, index) => (index % 2 === 0 ? change(part) : part))
        .join('')
    : change(text);

/** Composes a text (NFC) and folds its case, as `like`, `contains`, `startswith` and `endswith` compare texts. */
export const foldText = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : stable(text, (part) => foldCase(part.normalize('NFD')).normalize('NFC'));

/** Inside of an SQL character class with the characters that `foldText` may change, besides ASCII letters. */
export const foldedCharacters = rangesOf(foldedRuns, 1, (point) => String.fromCodePoint(point));

const ignored = new RegExp(`[${rangesOf(classRuns, Class.ignored, escaped)}]+`, 'gu');

/** Forms of the apostrophe, including those used as letters and in Hebrew abbreviations, and of the hyphen. */
const [apostrophes, hyphens] = [/[\u2018\u2019\u201b\u2032\u02b9-\u02bd\u05f3\u05f4]/g, /[\u2010\u2011]/g];

/** A zero-width sign inside an Arabic word, such as before an ending in Persian. */
const arabicBorder = /(?<=[\u0620-\u06ff])\u200c+(?=[\u0620-\u06ff])/g;
/** Quotes inside Hebrew abbreviations. */
const hebrewQuotes = /(?<=[\u05d0-\u05ea])["\u201c\u201d](?=[\u05d0-\u05ea])/g;
/** The Greek iota below a letter, which is often left out; folding would make it a letter. */
const [mayHaveIota, iota] = [/[\u0345\u1f80-\u1ffc]/, /\u0345/g];
/** Short names with spaces around the sign between them: `R & D`. */
const spacedAmpersand = /(?<![a-z0-9])([a-z0-9]{1,2}) & ([a-z0-9]{1,2})(?![a-z0-9])/g;

const digits = new Map<string, string>();
for (const zero of decimalZeros.split(' ')) {
  const first = Number.parseInt(zero, 16);
  for (let digit = 0; digit < 10; digit++) digits.set(String.fromCodePoint(first + digit), String(digit));
}
const otherDigit = new RegExp(`[${[...digits.keys()].join('')}]`, 'gu');

/** Characters that other rules than those of Unicode may apply to: none of Latin and East Asian letters. */
const mayHaveRules = /[\u0345\u037a\u0590-\u1fff\ua620-\uabff\ud800-\udfff\ufb00-\ufeff]/;

function foldCompatible(part: string): string {
  if (!mayHaveRules.test(part)) return foldCase(part.normalize('NFKC').replaceAll(ignored, '')).normalize('NFKC');
  let text = part.replaceAll(arabicBorder, '\u00b7').normalize('NFKC').replaceAll(ignored, '');
  if (mayHaveIota.test(text)) text = text.normalize('NFD').replaceAll(iota, '').normalize('NFC');
  return foldCase(text)
    .normalize('NFKC')
    .replaceAll(hebrewQuotes, "'")
    .replaceAll(otherDigit, (digit) => digits.get(digit)!);
}

/** Compatible forms (NFKC), folded case, ASCII digits, no ignored characters: the form in which words are found. */
export function foldWords(text: string): string {
  const folded = isAscii(text)
    ? text.toLowerCase()
    : (isTypewritten(text) ? text.toLowerCase() : stable(text, foldCompatible))
        .replaceAll(apostrophes, "'")
        .replaceAll(hyphens, '-')
        .replaceAll('\u2044', '/');
  return folded.includes(' & ') ? folded.replaceAll(spacedAmpersand, '$1&$2') : folded;
}

/** Letters that contain what other letters have as an accent, or that are written for each other. */
const plainLetters = new Map(
  'łl đd øo ħh ŧt ıi ðd æae œoe þth ىي یي کك ہه ةه ٱا'.split(' ').map((pair) => [pair[0]!, pair.slice(1)]),
);
const otherLetter = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'gu');

/** By traditional character, the simplified one. */
const simplified = new Uint16Array(0x10000);
for (let index = 0; index < simplifications.length; index += 2) {
  simplified[simplifications.charCodeAt(index)] = simplifications.charCodeAt(index + 1);
}

/**
 * What Indic scripts write in either way: candrabindu and anusvara, and anusvara and the nasal that belongs to the next
 * consonant. These scripts have their letters at the same places in blocks of 128.
 */
const indic = /[\u0900-\u0d7f]/;
const indicBlocks = [0x900, 0x980, 0xa00, 0xa80, 0xb00, 0xc00, 0xc80, 0xd00];
const nasals = new RegExp(
  indicBlocks
    .flatMap((block) => {
      const at = (place: number) => String.fromCharCode(block + place);
      // Nasals with the first and last of the other consonants in their row.
      const rows = [
        [0x19, 0x15, 0x18],
        [0x1e, 0x1a, 0x1d],
        [0x23, 0x1f, 0x22],
        [0x28, 0x24, 0x27],
        [0x2e, 0x2a, 0x2d],
      ] as const;
      const joined = rows.map(([nasal, first, last]) => `${at(nasal)}${at(0x4d)}(?=[${at(first)}-${at(last)}])`);
      return [at(0x01), ...joined];
    })
    .concat('\u0a70')
    .join('|'),
  'g',
);
const anusvaraOf = (nasal: string): string => String.fromCharCode((nasal.charCodeAt(0) & ~0x7f) + 0x02);

const bareWords = new Map<string, string>();
const maxRemembered = 50_000;

/** A folded word without its optional marks, in simplified Chinese characters. */
export function bareOf(word: string): string {
  if (isAscii(word)) return word;
  let bare = bareWords.get(word);
  if (bare !== undefined) return bare;
  bare = '';
  for (const character of word.normalize('NFD')) {
    const point = character.codePointAt(0)!;
    if (classOf(point) === Class.accent) continue;
    const simple = point < 0x10000 ? simplified[point]! : 0;
    bare += simple > 0 ? String.fromCharCode(simple) : character;
  }
  bare = bare.normalize('NFC').replaceAll(otherLetter, (letter) => plainLetters.get(letter)!);
  if (indic.test(bare)) bare = bare.replaceAll(nasals, anusvaraOf);
  if (bareWords.size >= maxRemembered) bareWords.clear();
  if (word.length < 40) bareWords.set(word, bare);
  return bare;
}

const umlauts = new Map(Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }));

/** A folded word with its umlauts written as two letters; undefined if it has none. */
export const withoutUmlauts = (word: string): string | undefined =>
  /[äöüøå]/.test(word) ? bareOf(word.replaceAll(/[äöüøå]/g, (letter) => umlauts.get(letter)!)) : undefined;
