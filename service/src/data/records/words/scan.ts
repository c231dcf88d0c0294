import { Class, classOf } from './classes.js';
import { letterOf } from './edits.js';
import { foldWords } from './fold.js';

/** Words joined by signs without spaces, such as an identifier; most have just one part. */
export interface Chunk {
  readonly kind: 'chunk';
  readonly parts: readonly string[];
  /** The signs between the parts. */
  readonly joiners: readonly string[];
  /** Set for `.net`: a dot before the first part. */
  readonly isDotted: boolean;
  /** `+`, `++` or `#` after the last part. */
  readonly suffix: string;
  /** Whether it directly follows the previous one. */
  readonly isAttached: boolean;
}

/** Letters of scripts without spaces, or of Korean, that follow each other. */
export interface Run {
  readonly kind: 'unspaced' | 'hangul';
  readonly text: string;
  /** The Latin letters or digits directly before and after it; empty if there are none. */
  readonly before: string;
  readonly after: string;
  readonly isAttached: boolean;
}

const joiners = new Set("-_./:@&+#%=~?'\\·,");

/** Maximum number of parts joined; more are no identifier. */
const maxParts = 24;

const isPlain = (value: number): boolean => value >= Class.letter && value <= Class.accent;
const startsWord = (value: number): boolean => value >= Class.letter && value <= Class.mark;

/** What may stand before a dot that belongs to the next word. */
const opensWord = (text: string, at: number): boolean => at < 0 || /[\s([{"'`<>,;=|*]/.test(text[at]!);

const isSpace = (code: number): boolean =>
  code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : code >= 0x80 && /\s/.test(String.fromCharCode(code));

/** Bits of Latin letters and digits; 0 for all other characters. */
const letterBits = Int32Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? letterOf(code) : 0,
);

/** Set for punctuation that may follow a word: `.,;:!?)"`. */
const mayFollow = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Number('.,;:!?)"'.includes(String.fromCharCode(code))),
);

/** Whether the plain word between two places of a text is visited; `letters` is the bit set of its letters. */
export type WordFilter = (text: string, start: number, end: number, letters: number) => boolean;

/**
 * Finds the words in a folded text in order; stops if a function returns true. Most words are only letters and digits of
 * ASCII between spaces, with punctuation behind them at most, and are passed to `visitPlain` without classifying each
 * character. Those that the filter rules out are skipped without copying them.
 */
export function scanFolded(
  folded: string,
  visitPlain: (word: string) => boolean,
  visit: (found: Chunk | Run) => boolean,
  filter?: WordFilter,
): boolean {
  const end = folded.length;
  // Words never reach across spaces. Codes past the end would be NaN, which is slow to compare.
  for (let at = 0; at < end; at++) {
    const start = at;
    let letters = 0;
    let code = 0x20;
    for (; at < end; at++) {
      code = folded.charCodeAt(at);
      const bit = code < 0x80 ? letterBits[code]! : 0;
      if (bit === 0) break;
      letters |= bit;
    }
    const wordEnd = at;
    if (wordEnd > start) {
      while (at < end && code < 0x80 && mayFollow[code] === 1) code = ++at < end ? folded.charCodeAt(at) : 0x20;
    }
    const isPlainWord = wordEnd > start && (at >= end || isSpace(code));
    while (at < end && !isSpace(folded.charCodeAt(at))) at++;
    if (at === start) continue;
    if (!isPlainWord) {
      if (scanToken(folded.slice(start, at), visit)) return true;
    } else if ((!filter || filter(folded, start, wordEnd, letters)) && visitPlain(folded.slice(start, wordEnd))) {
      return true;
    }
  }
  return false;
}

/** Finds the words in a text in order; stops if `visit` returns true. */
export const scan = (text: string, visit: (found: Chunk | Run) => boolean): boolean =>
  scanToken(foldWords(text), visit);

function scanToken(folded: string, visit: (found: Chunk | Run) => boolean): boolean {
  const end = folded.length;
  let at = 0;
  let [point, value, size] = [0, 0, 1];
  const read = (index: number): void => {
    point = folded.charCodeAt(index);
    size = 1;
    if ((point & 0xfc00) === 0xd800 && index + 1 < end) {
      point = folded.codePointAt(index)!;
      size = point > 0xffff ? 2 : 1;
    }
    value = index < end ? classOf(point) : Class.none;
  };
  /** Moves behind the characters of a word. */
  const skip = (belongs: (value: number) => boolean): void => {
    while (at < end) {
      read(at);
      if (!belongs(value)) return;
      at += size;
    }
    value = Class.none;
  };
  let lastEnd = -1;
  while (at < end) {
    read(at);
    if (value === Class.none || value === Class.accent || value === Class.ignored) {
      at += size;
      continue;
    }
    const start = at;
    const isAttached = lastEnd === start;
    if (value === Class.unspaced || value === Class.hangul) {
      const kind = value;
      skip((next) => next === kind || next === Class.accent);
      const found: Run = {
        kind: kind === Class.hangul ? 'hangul' : 'unspaced',
        text: folded.slice(start, at),
        before: isAttached ? latinAt(folded, start - 1) : '',
        after: latinAt(folded, at),
        isAttached,
      };
      if (visit(found)) return true;
    } else {
      const parts: string[] = [];
      const signs: string[] = [];
      for (let from = at; ; ) {
        skip(isPlain);
        parts.push(folded.slice(from, at));
        if (at >= end || parts.length > maxParts) break;
        const sign = folded.startsWith('://', at) ? '://' : folded[at]!;
        if (sign.length === 1 && !joiners.has(sign)) break;
        read(at + sign.length);
        if (!startsWord(value) || (sign === ',' && !isBetweenDigits(folded, at))) break;
        signs.push(sign);
        at += sign.length;
        from = at;
      }
      read(at);
      const isDotted = start > 0 && folded[start - 1] === '.' && opensWord(folded, start - 2);
      const suffix = at < end && value === Class.none ? suffixAt(folded, at) : '';
      if (visit({ kind: 'chunk', parts, joiners: signs, isDotted, suffix, isAttached })) return true;
      at += suffix.length;
    }
    lastEnd = at;
  }
  return false;
}

const isBetweenDigits = (text: string, at: number): boolean =>
  /[0-9]/.test(text[at - 1] ?? '') && /^[0-9]{3}(?![0-9])/.test(text.slice(at + 1, at + 5));

/** The character at a place, if it is a Latin letter without accents or a digit. */
const latinAt = (text: string, at: number): string => (/[a-z0-9]/.test(text[at] ?? '') ? text[at]! : '');

/** `+`, `++` or `#` that belongs to the word before it. */
function suffixAt(text: string, at: number): string {
  const sign = text[at];
  if ((sign !== '+' && sign !== '#') || !/[a-z]/.test(text[at - 1]!)) return '';
  const suffix = sign === '+' && text[at + 1] === '+' ? '++' : sign;
  return text[at + suffix.length] === sign ? '' : suffix;
}
