import { classRuns } from './unicode.js';

/** What a character does to a word. */
export const Class = {
  /** Ends a word. */
  none: 0,
  letter: 1,
  digit: 2,
  /** Part of the word, such as a vowel sign of an Indic script. */
  mark: 3,
  /** Optional: accents, vowel points, nuktas. */
  accent: 4,
  /** Letters and marks of scripts without spaces between words. */
  unspaced: 5,
  /** Not visible, or decorative; removed before words are found. */
  ignored: 6,
  /** Korean syllables and letters. */
  hangul: 7,
} as const;

/** Code points above this belong to no word. */
const lastPoint = 0x323af;

const decode = (runs: string): Uint8Array => {
  const classes = new Uint8Array(lastPoint + 1);
  let at = 0;
  for (const run of runs.split(' ')) {
    const end = at + Number.parseInt(run.slice(1), 36);
    if (at > lastPoint) break;
    classes.fill(Number(run[0]), at, end);
    at = end;
  }
  return classes;
};

const classes = decode(classRuns);

/** The class of a code point. */
export const classOf = (point: number): number => (point <= lastPoint ? classes[point]! : Class.none);

/** Ranges of the code points whose run has a value, as the inside of a character class; `written` writes one of them. */
export function rangesOf(runs: string, value: number, written: (point: number) => string): string {
  let [at, ranges] = [0, ''];
  for (const run of runs.split(' ')) {
    const length = Number.parseInt(run.slice(1), 36);
    if (Number(run[0]) === value) ranges += `${written(at)}-${written(at + length - 1)}`;
    at += length;
  }
  return ranges;
}
