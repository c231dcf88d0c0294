import type { StoredRecord } from '../entity.js';
import { type Column, digest, escapeText, type Layout } from '../schema.js';
import type { FieldText } from './types.js';

/** Part of a text, in code points; the end is behind the last. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** How far the edge of a window moves to find the beginning or end of a word, in code points. */
const maxBoundaryShift = 40;

const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The window of a size around a passage: the passage in its middle, or nearer to an end of the text where it must be. */
export function windowAround({ start, end }: TextSpan, size: number, length: number): TextSpan {
  const wanted = Math.max(size, end - start);
  const from = Math.max(0, Math.min(start - Math.floor((wanted - (end - start)) / 2), length - wanted));
  return { start: from, end: Math.min(length, from + wanted) };
}

/** What has to be read of a text for `contextOf` to find the words at the edges of a window. */
export const withMargins = ({ start, end }: TextSpan, length: number): TextSpan => ({
  start: Math.max(0, start - maxBoundaryShift),
  end: Math.min(length, end + maxBoundaryShift),
});

/** Place of a code point, in code units. */
function codeUnitOffset(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

/**
 * The text in a window around a passage, without words that the window cuts, where that takes away little.
 * `text` is the part of the whole that `read` names.
 */
export function contextOf(text: string, read: TextSpan, window: TextSpan, passage: TextSpan): string {
  const unit = (point: number): number => codeUnitOffset(text, point - read.start);
  const start = firstWord(text, unit(window.start), unit(Math.min(passage.start, window.start + maxBoundaryShift)));
  const end = lastWord(text, unit(window.end), unit(Math.max(passage.end, window.end - maxBoundaryShift)));
  return text.slice(start, end);
}

/** The first place from `from` up to `limit` where a word begins, or else a character. */
function firstWord(text: string, from: number, limit: number): number {
  if (from === 0 || from >= limit) return from;
  const base = Math.max(0, from - 2 * maxBoundaryShift);
  const part = text.slice(base, limit + 2 * maxBoundaryShift);
  for (const kind of [words, graphemes]) {
    for (const { index, segment } of kind.segment(part)) {
      const place = base + index;
      if (place > limit) break;
      if (place >= from && segment.trim() !== '') return place;
    }
  }
  return limit;
}

/** The last place from `from` down to `limit` where a word ends, or else a character. */
function lastWord(text: string, from: number, limit: number): number {
  if (from === text.length || from <= limit) return from;
  const base = Math.max(0, limit - 2 * maxBoundaryShift);
  const part = text.slice(base, from + 2 * maxBoundaryShift);
  for (const kind of [words, graphemes]) {
    let last: number | undefined;
    for (const { index, segment } of kind.segment(part)) {
      const place = base + index + segment.length;
      if (place > from) break;
      if (place >= limit && segment.trim() !== '') last = place;
    }
    if (last !== undefined) return last;
  }
  return limit;
}

/** A text as it is kept beside the records: as many code points, none of which a database refuses. */
const sanitizeText = (text: string): string =>
  // Every half of a surrogate pair becomes a character of its own.
  Buffer.from(text.replaceAll('\u0000', '\ufffd')).toString();

/** A text that is searched by meaning, as a record's row in the tables has it. */
export interface ColumnText {
  readonly column: Column;
  readonly text: string;
  /** Whether the record's own column holds the text, so that it need not be kept a second time. */
  readonly inColumn: boolean;
  readonly passages: FieldText['passages'];
  /** Tells whether anything of it differs from before. */
  readonly digest: string;
}

/** The texts of a record by the columns of their fields; fields without passages are left out. */
export function columnTexts(layout: Layout, record: StoredRecord, texts: readonly FieldText[]): ColumnText[] {
  return texts.flatMap(({ field, text, passages }) => {
    const column = layout.semantic.find((one) => one.field === field);
    if (!column) throw new Error(`${layout.type}.${layout.entity} is not searched by the meaning of '${field}'.`);
    if (passages.length === 0) return [];
    const inColumn = column.kind === 'string' && record[field] === text && escapeText(text) === text;
    const storedText = inColumn ? text : sanitizeText(text);
    return [
      {
        column,
        text: storedText,
        inColumn,
        passages,
        digest: digest(JSON.stringify([inColumn, storedText, passages])),
      },
    ];
  });
}

/** Cuts parts out of a text by places in code points. */
export function slicer(text: string): (start: number, end: number) => string {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
  const points = [...text];
  return (start, end) => points.slice(start, end).join('');
}
