import { isBoundary } from './graphemes.js';

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** How far from the wanted place words without blanks between them are looked for, in code units. */
const wordReach = 64;

/** The best place to divide a text between two places, near to a wanted one: a paragraph, a sentence, a word, at last a grapheme. */
export function divide(text: string, low: number, high: number, wanted: number): number | undefined {
  for (const kind of [paragraphEnds, sentenceEnds, blanks, wordEnds]) {
    const places = [...kind(text, low, high, wanted)];
    // Most places are boundaries, and to ask all of them would take long.
    const place =
      boundary(text, nearest(places, wanted)) ??
      nearest(
        places.filter((at) => isBoundary(text, at)),
        wanted,
      );
    if (place !== undefined) return place;
  }
  return nearestGrapheme(text, low, high, wanted);
}

const boundary = (text: string, place: number | undefined): number | undefined =>
  place !== undefined && isBoundary(text, place) ? place : undefined;

function nearest(places: readonly number[], wanted: number): number | undefined {
  let best: number | undefined;
  for (const place of places) {
    if (best === undefined || Math.abs(place - wanted) < Math.abs(best - wanted)) best = place;
  }
  return best;
}

function nearestGrapheme(text: string, low: number, high: number, wanted: number): number | undefined {
  for (let distance = 0; wanted - distance > low || wanted + distance < high; distance++) {
    for (const place of [wanted - distance, wanted + distance]) {
      if (place > low && place < high && isBoundary(text, place)) return place;
    }
  }
  return undefined;
}

type Places = (text: string, low: number, high: number, wanted: number) => Iterable<number>;

function* matches(text: string, low: number, high: number, pattern: RegExp): Iterable<number> {
  for (const match of text.slice(low, high).matchAll(pattern)) yield low + match.index + match[0].length;
}

const paragraphEnds: Places = (text, low, high) => matches(text, low, high, /\n[^\S\n]*\n/g);

const blanks: Places = (text, low, high) => matches(text, low, high, /\s/gu);

const sentenceEnds: Places = (text, low, high) => startsOf(sentences, text, low, high);

const wordEnds: Places = (text, low, high, wanted) =>
  startsOf(words, text, Math.max(low, wanted - wordReach), Math.min(high, wanted + wordReach));

function* startsOf(segmenter: Intl.Segmenter, text: string, low: number, high: number): Iterable<number> {
  for (const { index } of segmenter.segment(text.slice(low, high))) if (index > 0) yield low + index;
}
