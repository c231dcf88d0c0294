const whiteSpace = /\s/u;

/**
 * Code points that can join with their neighbors: marks, joiners, regional indicators, Hangul jamo, and the letters
 * that Unicode treats like them. There is always a boundary between any two other code points.
 */
const joinable =
  /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f\u0e33\u0eb3\u0d4e\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isLead = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isTrail = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

export const isInsideSurrogatePair = (text: string, at: number): boolean =>
  isTrail(text.charCodeAt(at)) && isLead(text.charCodeAt(at - 1));

/** The code point that ends at an offset. */
const codePointBefore = (text: string, at: number): string =>
  text.slice(isInsideSurrogatePair(text, at - 1) ? at - 2 : at - 1, at);

/** The code point that starts at an offset. */
const codePointFrom = (text: string, at: number): string =>
  text.slice(at, isInsideSurrogatePair(text, at + 1) ? at + 2 : at + 1);

const isBlank = (point: string): boolean => whiteSpace.test(point);
const mayExtendGrapheme = (point: string): boolean => joinable.test(point) && !isBlank(point);

/** Whether an offset is definitely a grapheme boundary; some boundaries are not recognized. */
const isBoundary = (text: string, at: number): boolean =>
  !isInsideSurrogatePair(text, at) &&
  !mayExtendGrapheme(codePointBefore(text, at)) &&
  !mayExtendGrapheme(codePointFrom(text, at));

/**
 * Whether two adjacent code points, at least one of which is whitespace, form a single grapheme. They rarely do, because
 * few letters and marks combine with whitespace.
 */
const isOneGrapheme = (point: string, next: string): boolean =>
  (mayExtendGrapheme(point) || mayExtendGrapheme(next)) && [...graphemes.segment(point + next)].length === 1;

/** Offset of the text after leading whitespace, or `end` if there is only whitespace. */
export function skipLeadingBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text[at]!) && !(at + 1 < end && isOneGrapheme(text[at]!, codePointFrom(text, at + 1))))
    at += 1;
  return at;
}

/** End offset of the text before trailing whitespace, or `start` if there is only whitespace. */
export function dropTrailingBlanks(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text[at - 1]!)) at -= 1;
  return at > start && at < end && isOneGrapheme(codePointBefore(text, at), text[at]!) ? at + 1 : at;
}

/** The last grapheme boundary up to `limit`, or the end of the first grapheme if it extends further. */
export function lastGrapheme(text: string, start: number, limit: number, end: number): number {
  for (let reach = limit - start + 1; ; reach *= 2) {
    const stop = Math.min(end, start + reach);
    const part = text.slice(start, isInsideSurrogatePair(text, stop) ? stop + 1 : stop);
    let last = start;
    for (const { index, segment } of graphemes.segment(part)) {
      const next = start + index + segment.length;
      if (next <= limit) last = next;
      // A grapheme at the end of the part may continue beyond it.
      else if (last > start || next < start + part.length || next === end) return last > start ? last : next;
      else break;
    }
    if (last > start) return last;
  }
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Search radius, in code units, for word boundaries in text without spaces. */
const wordSearchRadius = 64;

/**
 * The best place to break a text between two offsets, near the target: a paragraph, sentence, word, or else grapheme
 * boundary.
 */
export function bestBreak(text: string, low: number, high: number, target: number): number | undefined {
  for (const kind of [paragraphEnds, sentenceEnds, blanks, wordEnds]) {
    const places = [...kind(text, low, high, target)];
    // Most offsets are boundaries, so the nearest one is tested first; testing all of them would be slow.
    const place =
      ifBoundary(text, nearest(places, target)) ??
      nearest(
        places.filter((at) => isBoundary(text, at)),
        target,
      );
    if (place !== undefined) return place;
  }
  return nearestGrapheme(text, low, high, target);
}

const ifBoundary = (text: string, place: number | undefined): number | undefined =>
  place !== undefined && isBoundary(text, place) ? place : undefined;

function nearest(places: readonly number[], target: number): number | undefined {
  let best: number | undefined;
  for (const place of places) {
    if (best === undefined || Math.abs(place - target) < Math.abs(best - target)) best = place;
  }
  return best;
}

function nearestGrapheme(text: string, low: number, high: number, target: number): number | undefined {
  for (let distance = 0; target - distance > low || target + distance < high; distance++) {
    for (const place of [target - distance, target + distance]) {
      if (place > low && place < high && isBoundary(text, place)) return place;
    }
  }
  return undefined;
}

type BreakFinder = (text: string, low: number, high: number, target: number) => Iterable<number>;

function* matches(text: string, low: number, high: number, pattern: RegExp): Iterable<number> {
  for (const match of text.slice(low, high).matchAll(pattern)) yield low + match.index + match[0].length;
}

const paragraphEnds: BreakFinder = (text, low, high) => matches(text, low, high, /\n[^\S\n]*\n/g);

const blanks: BreakFinder = (text, low, high) => matches(text, low, high, /\s/gu);

const sentenceEnds: BreakFinder = (text, low, high) => startsOf(sentences, text, low, high);

const wordEnds: BreakFinder = (text, low, high, target) =>
  startsOf(words, text, Math.max(low, target - wordSearchRadius), Math.min(high, target + wordSearchRadius));

function* startsOf(segmenter: Intl.Segmenter, text: string, low: number, high: number): Iterable<number> {
  for (const { index } of segmenter.segment(text.slice(low, high))) if (index > 0) yield low + index;
}
