import { hex } from 'dingbat-to-unicode';
import { readMarkup } from './markup.js';
import { attribute } from './parts.js';

/** A paragraph, or a table row. */
export interface Block {
  readonly text: string;
  /** Adjacent blocks of the same list or table share a group and have no blank line between them. */
  readonly group?: object;
  /** A heading, list item or row, which needs its own line. */
  readonly isMarked: boolean;
}

/** The role of a style's paragraphs. */
export interface Style {
  readonly heading: number | undefined;
  readonly listLevel: number | undefined;
}

export interface BlockContext {
  readonly styles: ReadonlyMap<string, Style>;
  /** The number of a footnote or endnote, counted from 1 in order of reference. */
  noteNumber(kind: string, id: string): number;
}

interface Paragraph {
  text: string;
  /** Text boxes anchored in the paragraph; their text follows it. */
  readonly boxes: Block[];
  styleId: string;
  numId?: string;
  listLevel?: number;
  isDeleted: boolean;
}

interface Row {
  readonly cells: Block[][];
  isDeleted: boolean;
}

/** Skipped: content removed by tracked changes, former properties, field codes, tab stops, and ruby annotations. */
const skippedElements = new Set('del delInstrText delText instrText moveFrom pPrChange rt tabs'.split(' '));
/** `den` is the denominator of a fraction. */
const insertedText = new Map(
  Object.entries({ br: '\n', cr: '\n', den: '/', noBreakHyphen: '\u2011', ptab: ' ', tab: ' ' }),
);
const listGroup = {};
const maxIndent = 8;

/** The heading level of a style, by its id or name. */
export function headingLevel(id: string, name: string): number | undefined {
  const match = /^Heading([1-6]?)$/.exec(id) ?? /^heading(?: ([1-6]))?$/i.exec(name);
  return match ? Number(match[1] || 1) : undefined;
}

/** Spreading a very long list of blocks into `push` would overflow the stack. */
function append(container: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) container.push(block);
}

/** Reads a part's blocks into `blocks`, and its footnotes or endnotes into `notes`. */
export async function readBlocks(
  source: string,
  { styles, noteNumber }: BlockContext,
  blocks: Block[],
  notes = new Map<string, Block[]>(),
): Promise<void> {
  /** Where blocks go: the document, a note, a table cell, or a paragraph's text boxes. */
  const containers: Block[][] = [blocks];
  const paragraphs: Paragraph[] = [];
  const tables: object[] = [];
  const rows: Row[] = [];
  /** The state before each open `AlternateContent`, whose last alternative wins. */
  const alternatives: Array<{ readonly text: string; readonly blockCount: number }> = [];
  const path: string[] = [];
  let skippedDepth = 0;
  let length = 0;
  /** A paragraph whose mark was deleted and that continues in the next one. */
  let continued: Paragraph | undefined;

  const write = (text: string): void => {
    const paragraph = paragraphs.at(-1);
    if (!paragraph) return;
    paragraph.text += text;
    length += text.length;
  };

  const endParagraph = (paragraph: Paragraph): void => {
    const text = paragraph.text
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n[ \n]*/g, '\n')
      .trim();
    const container = containers.at(-1)!;
    if (text !== '') container.push(blockOf(text, paragraph, styles));
    append(container, paragraph.boxes);
  };

  /** A row becomes one line, unless a cell has several lines: such tables are used for layout. */
  const endRow = ({ cells, isDeleted }: Row): void => {
    const filled = cells.filter((cell) => cell.length > 0);
    if (isDeleted || filled.length === 0) return;
    const container = containers.at(-1)!;
    if (filled.every(([first, ...rest]) => rest.length === 0 && !first!.isMarked && !first!.text.includes('\n'))) {
      const text = filled.map(([only]) => only!.text).join(' | ');
      container.push({ text, isMarked: true, group: tables.at(-1) ?? {} });
    } else append(container, filled.flat());
  };

  await readMarkup(source, true, {
    open(name, attributes) {
      const value = (key: string) => attribute(attributes, key) ?? '';
      const paragraph = paragraphs.at(-1);
      if (skippedDepth > 0 || skippedElements.has(name)) {
        skippedDepth += 1;
        const owner = path.at(-1) === 'rPr' ? paragraph : path.at(-1) === 'trPr' ? rows.at(-1) : undefined;
        if (owner && name === 'del') owner.isDeleted = true;
        return;
      }
      path.push(name);
      if (insertedText.has(name)) write(insertedText.get(name)!);
      else if (name === 'sym') write(symbolOf(value('font'), value('char')));
      else if (name === 'footnoteReference') write(`[${noteNumber('footnote', value('id'))}]`);
      else if (name === 'endnoteReference') write(`[${noteNumber('endnote', value('id'))}]`);
      else if (name === 'pStyle' && paragraph) paragraph.styleId = value('val');
      else if (name === 'numId' && paragraph) paragraph.numId = value('val');
      else if (name === 'ilvl' && paragraph) paragraph.listLevel = Number(value('val'));
      else if (name === 'p') {
        const { text, boxes } = continued ?? { text: '', boxes: [] };
        continued = undefined;
        paragraphs.push({ text, boxes, styleId: '', isDeleted: false });
        containers.push(boxes);
      } else if (name === 'tbl') tables.push({});
      else if (name === 'tr') rows.push({ cells: [], isDeleted: false });
      else if (name === 'tc') {
        const cell: Block[] = [];
        rows.at(-1)?.cells.push(cell);
        containers.push(cell);
      } else if (name === 'footnote' || name === 'endnote') {
        const note: Block[] = [];
        notes.set(`${name} ${value('id')}`, note);
        containers.push(note);
      } else if (name === 'AlternateContent') {
        alternatives.push({ text: paragraph?.text ?? '', blockCount: containers.at(-1)!.length });
      } else if (name === 'Choice' || name === 'Fallback') {
        const before = alternatives.at(-1);
        if (before && paragraph) paragraph.text = before.text;
        if (before) containers.at(-1)!.length = before.blockCount;
      }
    },
    text(text) {
      if (skippedDepth === 0 && path.at(-1) === 't') write(text.replaceAll('\n', ' '));
    },
    close(name) {
      if (skippedDepth > 0) {
        skippedDepth -= 1;
        return;
      }
      path.pop();
      if (name === 'p') {
        const paragraph = paragraphs.pop()!;
        containers.pop();
        if (paragraph.isDeleted) continued = paragraph;
        else endParagraph(paragraph);
      } else if (name === 'tc' || name === 'footnote' || name === 'endnote') containers.pop();
      else if (name === 'tr') endRow(rows.pop()!);
      else if (name === 'tbl') tables.pop();
      else if (name === 'AlternateContent') alternatives.pop();
    },
    length: () => length,
  });
  if (continued) endParagraph(continued);
}

function blockOf(text: string, { styleId, numId, listLevel }: Paragraph, styles: BlockContext['styles']): Block {
  const style = styles.get(styleId);
  const heading = style ? style.heading : headingLevel(styleId, '');
  if (heading !== undefined) return { text: `${'#'.repeat(heading)} ${text}`, isMarked: true };
  // List id 0 removes a paragraph from its style's list.
  const level =
    numId === undefined ? style?.listLevel : numId === '0' ? undefined : (listLevel ?? style?.listLevel ?? 0);
  if (level === undefined) return { text, isMarked: false };
  return { text: `${'  '.repeat(Math.min(level, maxIndent))}- ${text}`, isMarked: true, group: listGroup };
}

/** A character specified by its number in a font such as Wingdings. */
function symbolOf(font: string, code: string): string {
  const known = hex(font, code) ?? (/^F0..$/i.test(code) ? hex(font, code.slice(2)) : undefined);
  if (known) return known.string;
  const character = /^[\da-f]{1,4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : '';
  return character.replace(/[\p{Private_Use}\p{Surrogate}]/u, '');
}
