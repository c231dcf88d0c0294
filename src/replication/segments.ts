import type { Segment } from '../manifest/replication.js';

/** Passage lengths in code points: text up to the maximum is not split. */
export const passageSize = {
  /** Minimum, except at the end of the text. */
  least: 400,
  /** Maximum. */
  most: 800,
} as const;

/** Splits plain text into paragraphs. Joining the segments with "\n" restores the text. */
export function* plainSegments(text: string): Iterable<Segment> {
  let lines: string[] = [];
  let begun = false;
  let ended = false;
  for (const line of text.split('\n')) {
    const blank = isBlank(line);
    if (ended && !blank) {
      yield segment(lines);
      lines = [];
      ended = false;
    }
    begun ||= !blank;
    ended = begun && blank;
    lines.push(line);
  }
  yield segment(lines);
}

/**
 * Splits Markdown into blocks, keeping each heading with what follows. Lists, tables and code too long for one passage are
 * split into items, rows and lines. Joining the segments with "\n" restores the text.
 */
export function* markdownSegments(text: string): Iterable<Segment> {
  let heading: string[] = [];
  for (const block of blocksOf(text.split('\n'))) {
    if (block.kind === 'heading') {
      heading.push(...block.lines);
      continue;
    }
    const [first = [], ...rest] = piecesOf(block, heading);
    yield segment([...heading, ...first]);
    for (const lines of rest) yield segment(lines);
    heading = [];
  }
  if (heading.length > 0) yield segment(heading);
}

interface Block {
  kind: 'heading' | 'text' | 'list' | 'table' | 'code';
  readonly lines: string[];
  /** Lines at which items start. */
  readonly items: number[];
}

const segment = (lines: readonly string[]): Segment => ({ text: lines.join('\n') });
const isBlank = (line: string): boolean => line.trim() === '';

const fence = /^(\s*)(?:(`{3,})[^`]*|(~{3,}).*)$/;
const headingLine = /^ {0,3}#{1,6}(\s|$)/;
const underline = /^ {0,3}(=+|-+)\s*$/;
const rule = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])(\s|$)/;
const isTableRule = (line: string): boolean => line.includes('|') && line.includes('-') && /^[\s|:-]+$/.test(line);

/** Groups lines into blocks; blank lines belong to the previous block. */
function* blocksOf(lines: readonly string[]): Iterable<Block> {
  let block: Block = { kind: 'text', lines: [], items: [] };
  let empty = true;
  let fenceMark: string | undefined;
  /** Whether the next non-blank line starts a new block rather than continuing a list. */
  let gap = false;

  for (const line of lines) {
    if (fenceMark !== undefined) {
      block.lines.push(line);
      if (closesFence(line, fenceMark)) {
        fenceMark = undefined;
        gap = block.kind === 'code';
      }
      continue;
    }
    if (isBlank(line)) {
      block.lines.push(line);
      gap ||= !empty;
      continue;
    }
    if (block.kind === 'text' && !gap && !empty && underline.test(line)) {
      block.kind = 'heading';
      block.lines.push(line);
      gap = true;
      continue;
    }
    if (rule.test(line)) {
      block.lines.push(line);
      gap = true;
      empty = false;
      continue;
    }
    const kind = kindOf(line, block.kind, gap);
    const goesOn = kind === block.kind && (kind === 'list' || (!gap && kind !== 'heading' && kind !== 'code'));
    if (!goesOn) {
      if (!empty) yield block;
      block = { kind, lines: empty ? [...block.lines] : [], items: [] };
    }
    empty = false;
    const found = fence.exec(line.replace(item, ''));
    if (found) fenceMark = found[2] ?? found[3];
    if (block.kind === 'list' && beginsItem(line, block)) block.items.push(block.lines.length);
    else if (block.kind === 'text' && isTableRule(line)) block.kind = 'table';
    block.lines.push(line);
    gap = kind === 'heading';
  }
  yield block;
}

/** The kind of block that a non-blank line belongs to. */
function kindOf(line: string, current: Block['kind'], gap: boolean): Block['kind'] {
  const indented = /^(\t| {2,})/.test(line);
  if (current === 'list' && indented) return 'list';
  if (fence.test(line)) return 'code';
  if (headingLine.test(line)) return 'heading';
  if (item.test(line)) return 'list';
  return !gap && (current === 'list' || current === 'table') ? current : 'text';
}

const closesFence = (line: string, mark: string): boolean => {
  const closing = line.trim();
  return closing.length >= mark.length && closing === mark[0]!.repeat(closing.length);
};

/** Whether a line starts a top-level item. */
function beginsItem(line: string, { lines, items }: Block): boolean {
  const indent = item.exec(line)?.[1];
  const [first] = items;
  if (indent === undefined || first === undefined) return indent !== undefined;
  return indent.length <= item.exec(lines[first]!)![1]!.length;
}

/** The lines of a block, whole or in pieces. */
function piecesOf({ kind, lines, items }: Block, heading: readonly string[]): string[][] {
  const whole = [...heading, ...lines].join('\n');
  if (kind === 'text' || kind === 'heading' || !isLong(whole)) return [lines];
  if (kind !== 'list') return lines.map((line) => [line]);
  return items.map((start, index) => lines.slice(index === 0 ? 0 : start, items[index + 1]));
}

const isLong = (text: string): boolean => text.length > passageSize.most && [...text].length > passageSize.most;
