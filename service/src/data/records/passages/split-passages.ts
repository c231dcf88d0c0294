import { setImmediate } from 'node:timers/promises';
import { passageSize, plainSegments, type Replica, type Segment } from 'agent-connectors/replication';
import type { StoredEntity, StoredRecord } from '../entity.js';
import { aboutField, isObject } from '../schema.js';
import type { TextsOf } from '../types.js';
import type { FieldText, PassageSpan, Turn } from './types.js';

/** A text and its passages. */
export interface SplitText {
  readonly text: string;
  readonly passages: readonly PassageSpan[];
}

/** An indivisible part of a text: a segment, or part of a long one. */
interface Piece {
  readonly start: TextOffset;
  readonly end: TextOffset;
}

type Attribution = PassageSpan['attribution'];

const { least, most } = passageSize;
/** Target, minimum and maximum overlap between consecutive parts of a long segment, as a share of their length. */
const overlap = { wanted: 0.15, least: 0.05, most: 0.25 } as const;

/** Joins segments into a text and splits it into passages; a passage with several turns has the attribution of each. */
export function splitPassages(segments: Iterable<Segment>): SplitText {
  const all = [...segments];
  const text = all.map((segment) => segment.text).join('\n');
  const index = codePointIndex(text);
  const passages: PassageSpan[] = [];
  const packer = createPacker(text, index);
  const turns: Turn[] = [];
  let start = 0;
  for (const { text: own, attribution = {} } of all) {
    const place = { start: index.at(start).point, attribution };
    // The first turn starts the passage; later ones start where the attribution changes.
    if (turns.length === 0 || !isSame(turns.at(-1)!.attribution, attribution)) turns.push(place);
    packer.add(start, start + own.length);
    start += own.length + 1;
  }
  let at = 0;
  for (const pieces of packer.packs()) {
    const span = { start: pieces[0]!.start.point, end: pieces.at(-1)!.end.point };
    while (at + 1 < turns.length && turns[at + 1]!.start <= span.start) at += 1;
    const own = [turns[at]!];
    for (let next = at + 1; next < turns.length && turns[next]!.start < span.end; next++) own.push(turns[next]!);
    passages.push({ ...span, attribution: own[0]!.attribution, ...(own.length > 1 && { turns: own }) });
  }
  return { text, passages };
}

function isSame(one: Attribution, other: Attribution): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Packs segments with the same attribution. */
function createPacker(text: string, index: CodePointIndex) {
  const packs: Piece[][] = [];
  return {
    add(from: number, to: number): void {
      const end = dropTrailingBlanks(text, from, to);
      if (end === from) return;
      const piece = { start: index.at(skipLeadingBlanks(text, from, end)), end: index.at(end) };
      const pack = packs.at(-1);
      if (pack && piece.end.point - pack[0]!.start.point <= most) {
        pack.push(piece);
      } else if (lengthOf([piece]) <= most) {
        if (pack) rebalance(packs);
        packs.push([piece]);
      } else {
        // A remainder too short to stand alone becomes the start of the first part of a long segment.
        const [first] = pack && lengthOf(pack) < least ? packs.pop()! : [piece];
        const whole = { start: first!.start, end: piece.end };
        for (const part of splitLong(text, index, whole)) packs.push([part]);
      }
    },
    packs(): readonly Piece[][] {
      rebalance(packs);
      return packs;
    },
  };
}

const lengthOf = (pieces: readonly Piece[]): number => pieces.at(-1)!.end.point - pieces[0]!.start.point;

/** Fills a short last pack with segments from the previous one. */
function rebalance(packs: Piece[][]): void {
  const [donor, short] = packs.slice(-2);
  if (!donor || !short) return;
  while (lengthOf(short) < least && donor.length > 1) {
    const shorter = donor.slice(0, -1);
    const longer = [donor.at(-1)!, ...short];
    if (lengthOf(longer) > most || lengthOf(shorter) < Math.min(least, lengthOf(longer))) return;
    short.unshift(donor.pop()!);
  }
}

/** Divides a segment too long for one passage into parts of similar length. */
function* splitLong(text: string, index: CodePointIndex, { start: first, end }: Piece): Iterable<Piece> {
  let start = first;
  while (end.point - start.point > most) {
    const even = evenLength(end.point - start.point);
    const low = index.advance(start, least);
    const wanted = index.advance(low, even - least);
    const high = index.advance(wanted, most - even).unit;
    const place = bestBreak(text, low.unit, high, wanted.unit) ?? lastGrapheme(text, start.unit, high, end.unit);
    const part = { start, end: index.at(dropTrailingBlanks(text, start.unit, place)) };
    yield part;
    start = index.at(skipLeadingBlanks(text, overlapStart(text, index, part) ?? place, end.unit));
  }
  if (start.unit < end.unit) yield { start, end };
}

/** Length of each part when `length` is split evenly with overlap. */
function evenLength(length: number): number {
  const shared = most * overlap.wanted;
  const parts = Math.ceil((length - shared) / (most - shared));
  return Math.ceil((length + (parts - 1) * shared) / parts);
}

/** The offset within a part at which the next part starts. */
function overlapStart(text: string, index: CodePointIndex, part: Piece): number | undefined {
  const length = lengthOf([part]);
  if (length < least) return undefined;
  const low = index.advance(part.start, Math.round(length * (1 - overlap.most)));
  const wanted = index.advance(low, Math.round(length * (overlap.most - overlap.wanted)));
  const high = index.advance(wanted, Math.round(length * (overlap.wanted - overlap.least)));
  return bestBreak(text, low.unit, high.unit, wanted.unit);
}

/** An offset in code units and in code points. */
export interface TextOffset {
  readonly unit: number;
  readonly point: number;
}

/** Converts between code units and code points; fast for offsets near the previous one. */
export interface CodePointIndex {
  /** The offset this many code units from the start. */
  at(unit: number): TextOffset;
  /** The offset `points` code points after `place`, or the end if the text is shorter. */
  advance(place: TextOffset, points: number): TextOffset;
}

function codePointIndex(text: string): CodePointIndex {
  const plain = !/[\ud800-\udbff][\udc00-\udfff]/.test(text);
  if (plain) {
    const place = (unit: number): TextOffset => ({ unit, point: unit });
    return { at: place, advance: ({ unit }, points) => place(Math.min(text.length, unit + points)) };
  }
  let last: TextOffset = { unit: 0, point: 0 };
  return {
    at(unit) {
      let { unit: at, point } = last;
      for (; at < unit; at++) if (!isInsideSurrogatePair(text, at)) point += 1;
      for (; at > unit; at--) if (!isInsideSurrogatePair(text, at - 1)) point -= 1;
      last = { unit, point };
      return last;
    },
    advance(place, points) {
      let { unit, point } = place;
      for (; point < place.point + points && unit < text.length; point++)
        unit += isInsideSurrogatePair(text, unit + 1) ? 2 : 1;
      return { unit, point };
    },
  };
}

/** Splits the semantic fields of an entity's records; a field without words has no text. */
export function textsOf(
  { segments = {}, fallbacks = {} }: Pick<Replica, 'segments' | 'fallbacks'>,
  fields: Iterable<string>,
  about?: StoredEntity['about'],
): TextsOf {
  const names = [...fields];
  return (record) => [
    ...names.flatMap((field): FieldText[] => {
      if ((record[field] ?? record[fallbacks[field] ?? field] ?? null) === null) return [];
      const splitText = splitPassages((segments[field] ?? paragraphsOf(field))(record));
      return splitText.passages.length > 0 ? [{ field, ...splitText }] : [];
    }),
    ...(about ? aboutTexts(record, about) : []),
  ];
}

/** Maximum number of characters for a title and for its identifiers. */
const [maxTitle, maxWords] = [800, 2000];

/**
 * A record's title and identifiers: the first line is the title, which embedders receive as a passage; the identifiers
 * follow.
 */
function aboutTexts(record: StoredRecord, { title = [], words = [] }: NonNullable<StoredEntity['about']>): FieldText[] {
  const lineOf = (paths: readonly string[], most: number) =>
    [...new Set(paths.flatMap((path) => valuesAt(record, path.split('.'))))]
      .join(' · ')
      .replaceAll(/\s+/g, ' ')
      .slice(0, most)
      .trim();
  const titleLine = lineOf(title, maxTitle);
  const text = [titleLine, lineOf(words, maxWords)].filter((line) => line !== '').join('\n');
  const end = lengthInPoints(titleLine || text);
  return end > 0 ? [{ field: aboutField, text, passages: [{ start: 0, end, attribution: {} }] }] : [];
}

const lengthInPoints = (text: string): number => codePointIndex(text).at(text.length).point;

/** Texts and numbers at a path; for a list, the ones in all its elements. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]));
  if (name !== undefined) return isObject(value) && Object.hasOwn(value, name) ? valuesAt(value[name], rest) : [];
  return typeof value === 'string' || typeof value === 'number' ? [String(value)].filter((text) => text.trim()) : [];
}

const paragraphsOf =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    if (typeof text === 'string') return plainSegments(text);
    throw new TypeError(`${field} is not a text field, and the replication does not define segments for it.`);
  };

/**
 * Records per transaction: a smaller batch makes indexing more expensive, and a larger one makes other writers wait
 * longer.
 */
const batchSize = 2000;
/** Characters of text per transaction. */
const maxBatchCharacters = 1_000_000;
/** How long splitting texts may block the event loop, in milliseconds. */
const yieldIntervalMs = 8;

/** Records written together, with their texts if any are searched semantically. */
interface RecordBatch {
  readonly records: readonly StoredRecord[];
  readonly texts: ReadonlyArray<readonly FieldText[]> | undefined;
}

export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize);
}

/** Batches records, splitting each record's texts only once. */
export async function* batchRecords(
  records: readonly StoredRecord[],
  textsOf: TextsOf | undefined,
): AsyncGenerator<RecordBatch> {
  if (!textsOf) {
    for (const part of batches(records)) yield { records: part, texts: undefined };
    return;
  }
  let [part, texts, characters]: [StoredRecord[], Array<readonly FieldText[]>, number] = [[], [], 0];
  let since = performance.now();
  for (const record of records) {
    const cut = textsOf(record);
    part.push(record);
    texts.push(cut);
    characters += cut.reduce((sum, { text }) => sum + text.length, 0);
    if (part.length >= batchSize || characters >= maxBatchCharacters) {
      yield { records: part, texts };
      [part, texts, characters] = [[], [], 0];
    }
    if (performance.now() - since > yieldIntervalMs) {
      await setImmediate();
      since = performance.now();
    }
  }
  if (part.length > 0) yield { records: part, texts };
}

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

const isInsideSurrogatePair = (text: string, at: number): boolean =>
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
function skipLeadingBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text[at]!) && !(at + 1 < end && isOneGrapheme(text[at]!, codePointFrom(text, at + 1))))
    at += 1;
  return at;
}

/** End offset of the text before trailing whitespace, or `start` if there is only whitespace. */
function dropTrailingBlanks(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text[at - 1]!)) at -= 1;
  return at > start && at < end && isOneGrapheme(codePointBefore(text, at), text[at]!) ? at + 1 : at;
}

/** The last grapheme boundary up to `limit`, or the end of the first grapheme if it extends further. */
function lastGrapheme(text: string, start: number, limit: number, end: number): number {
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
function bestBreak(text: string, low: number, high: number, target: number): number | undefined {
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
