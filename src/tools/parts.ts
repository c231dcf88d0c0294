import type { OutputBudget } from './tokens.js';

/** Where the next part of a result starts, and what identifies the result that the previous part came from. */
export interface PartPosition {
  /** Index of the line. */
  readonly line: number;
  /** Characters of that line that were already returned. */
  readonly column: number;
  /** Hash of the whole result. */
  readonly digest: string;
  /** Hash of the last line that was returned in full, or of the line that the previous part ended in. */
  readonly anchor: string;
}

/** A hash that tells texts apart; it protects nothing. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Creates positions in a text. */
export function positionsIn(text: string): (end: number) => PartPosition {
  const digest = hashOf(text);
  return (end) => {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const column = end - start;
    const line = text.slice(0, start).split('\n').length - 1;
    const anchorStart = column > 0 || start === 0 ? start : text.lastIndexOf('\n', start - 2) + 1;
    return { line, column, digest, anchor: hashOf(lineAt(text, anchorStart)) };
  };
}

const lineAt = (text: string, start: number): string => {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
};

/** Where to read on, and whether the text differs from the one that the position belongs to. */
export interface Resumed {
  readonly start: number;
  readonly isChanged: boolean;
}

/** Finds a position again. In a text that has changed, continues after the last line that was returned. */
export function resumeAt(text: string, { line, column, digest, anchor }: PartPosition): Resumed {
  const lines = text.split('\n');
  const startOf = (index: number) => lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0);
  const clamped = (start: number) => Math.min(start, text.length);
  if (hashOf(text) === digest) return { start: clamped(startOf(line) + column), isChanged: false };
  const expected = column > 0 ? line : line - 1;
  const matching = lines.flatMap((content, index) => (hashOf(content) === anchor ? index : []));
  const [nearest] = matching.sort((one, other) => Math.abs(one - expected) - Math.abs(other - expected));
  const start =
    nearest === undefined ? startOf(Math.min(line, lines.length)) : startOf(nearest + (column > 0 ? 0 : 1)) + column;
  return { start: clamped(start), isChanged: true };
}

/**
 * Where to end a part that starts here so that it fits the budget when rendered. Prefers a line break close to the end.
 */
export function endOfPart(
  text: string,
  from: number,
  { max, count }: OutputBudget,
  write: (part: string, end: number) => string,
): number {
  // No more than this can fit, so there is no need to count long texts in full.
  let end = wholeCharacters(text, from, Math.min(text.length, from + max * 8));
  for (;;) {
    const tokens = count(write(text.slice(from, end), end));
    if (tokens <= max) break;
    const overhead = count(write('', end));
    const share = Math.max(0, (max - overhead) / Math.max(1, tokens - overhead));
    // Parts are never empty: an empty part would repeat forever.
    const shorter = wholeCharacters(text, from, from + Math.floor((end - from) * share * 0.98));
    if (shorter === end) break;
    end = shorter;
  }
  if (end === text.length) return end;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > from + (end - from) / 2 ? line : end;
}

/** An end that does not split a character and is after the start. */
function wholeCharacters(text: string, from: number, end: number): number {
  const isHalf = (at: number) => at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  const least = from + 1;
  const wanted = Math.max(least, end);
  return isHalf(wanted) ? (wanted === least ? wanted + 1 : wanted - 1) : wanted;
}
