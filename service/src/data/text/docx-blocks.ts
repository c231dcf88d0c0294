import { hex } from 'dingbat-to-unicode';
import type { Numbering } from './docx-numbering.js';
import { headingLevel, type Styles } from './docx-styles.js';
import { Equations } from './equation.js';
import type { HiddenContent } from './hidden.js';
import { readMarkup } from './markup.js';
import { attribute, descriptionOf, isOn } from './parts.js';
import { rowText } from './table.js';

/** A paragraph, or a table row. */
export interface Block {
  readonly text: string;
  /** Adjacent blocks of the same list or table share a group and have no blank line between them. */
  readonly group?: object;
  /** A heading, list item or row, which needs its own line. */
  readonly isMarked: boolean;
}

/** A footnote, endnote or comment. */
export interface Note {
  readonly author: string;
  readonly blocks: Block[];
}

export interface BlockContext {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly hidden: HiddenContent;
  /** The number of a footnote or endnote, counted from 1 in order of reference. */
  noteNumber(kind: string, id: string): number;
}

/** One of the document's parts. */
export interface BlockPart {
  readonly source: string;
  /** Texts of charts, diagrams, imported and embedded documents, by the ids of their relations; removed when read. */
  readonly graphics: Map<string, string>;
}

interface Paragraph {
  text: string;
  /** Text boxes anchored in the paragraph; their text follows it. */
  readonly boxes: Block[];
  styleId: string;
  numId?: string;
  listLevel?: number;
  isDeleted: boolean;
  /** Whether the text ends with hidden text. */
  endsHidden: boolean;
}

interface Run {
  /** By its own properties, or those of its style. */
  isHidden: boolean | undefined;
  isCounted: boolean;
}

interface Row {
  readonly cells: Block[][];
  isDeleted: boolean;
  isHidden: boolean;
}

/** Skipped: content removed by tracked changes, former properties, field codes, tab stops, and ruby annotations. */
const skippedElements = new Set('del delInstrText delText instrText moveFrom pPrChange rt tabs'.split(' '));
const insertedText = new Map(Object.entries({ br: '\n', cr: '\n', noBreakHyphen: '\u2011', ptab: ' ', tab: ' ' }));
const noteElements = new Set(['footnote', 'endnote', 'comment']);
/** What refers to a chart, a diagram, an imported or an embedded document. */
const graphicElements = new Set(['chart', 'relIds', 'altChunk', 'OLEObject']);
const listGroup = {};
const maxIndent = 8;
/** Word has no tables with more. */
const maxColumns = 63;

/** Appends blocks, the first of them with a label. */
export function appendLabeled(blocks: Block[], label: string, more: readonly Block[]): void {
  for (const [index, block] of more.entries()) {
    blocks.push(index === 0 ? { ...block, text: label + block.text } : block);
  }
}

export const textOfBlocks = (blocks: readonly Block[]): string =>
  blocks.map((block, index) => separatorOf(blocks[index - 1], block) + block.text).join('');

const separatorOf = (previous: Block | undefined, { group }: Block): string =>
  previous === undefined ? '' : group !== undefined && group === previous.group ? '\n' : '\n\n';

/** Spreading a very long list of blocks into `push` would overflow the stack. */
function append(container: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) container.push(block);
}

/** Reads a part's blocks into `blocks`, and its footnotes, endnotes or comments into `notes`. */
export async function readBlocks(
  { source, graphics }: BlockPart,
  context: BlockContext,
  blocks: Block[],
  notes = new Map<string, Note>(),
): Promise<void> {
  const { styles, hidden, noteNumber } = context;
  /** Where blocks go: the document, a note, a table cell, or a paragraph's text boxes. */
  const containers: Block[][] = [blocks];
  const paragraphs: Paragraph[] = [];
  const tables: object[] = [];
  const rows: Row[] = [];
  const runs: Run[] = [];
  const equations = new Equations();
  /** The state before each open `AlternateContent`, whose first alternative with a text counts. */
  const alternatives: Array<{ readonly text: string; readonly blockCount: number }> = [];
  /** The open drop-down list of a form, which has no other text. */
  let choices: { readonly texts: string[]; chosen: number } | undefined;
  const path: string[] = [];
  let skippedDepth = 0;
  let length = 0;
  /** A paragraph whose mark was deleted and that continues in the next one. */
  let continued: Paragraph | undefined;

  const write = (text: string): void => {
    const paragraph = paragraphs.at(-1);
    if (!paragraph) return;
    const run = runs.at(-1);
    const isHidden = run?.isHidden ?? styles.paragraph.get(paragraph.styleId)?.isHidden ?? false;
    if (isHidden && run && !run.isCounted) {
      run.isCounted = true;
      hidden.leaveOut('pieces of text');
    }
    if (isHidden && !hidden.isIndexed) return;
    if (isHidden !== paragraph.endsHidden) paragraph.text += isHidden ? '[Hidden: ' : ']';
    paragraph.endsHidden = isHidden;
    paragraph.text += text;
    length += text.length;
  };

  const endParagraph = (paragraph: Paragraph): void => {
    const text = `${paragraph.text}${paragraph.endsHidden ? ']' : ''}`
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n[ \n]*/g, '\n')
      .trim();
    const container = containers.at(-1)!;
    const block = blockOf(text, paragraph, context);
    if (text !== '') container.push(block);
    length += block.text.length - text.length;
    append(container, paragraph.boxes);
  };

  /** A row becomes one line, unless a cell has several lines: such tables are used for layout. */
  const endRow = ({ cells, isDeleted, isHidden }: Row): void => {
    const filled = cells.filter((cell) => cell.length > 0);
    if (isDeleted || filled.length === 0 || (isHidden && hidden.leaveOut('rows'))) return;
    const container = containers.at(-1)!;
    if (filled.every(([first, ...rest]) => rest.length === 0 && !first!.isMarked && !first!.text.includes('\n'))) {
      const text = `${isHidden ? '[Hidden] ' : ''}${rowText(cells.map(([only]) => only?.text ?? ''))}`;
      container.push({ text, isMarked: true, group: tables.at(-1) ?? {} });
    } else append(container, filled.flat());
  };

  const hasAlternative = (): boolean => {
    const before = alternatives.at(-1);
    if (!before) return false;
    return (paragraphs.at(-1)?.text ?? '') !== before.text || containers.at(-1)!.length > before.blockCount;
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
      if ((name === 'Choice' || name === 'Fallback') && hasAlternative()) {
        skippedDepth = 1;
        return;
      }
      path.push(name);
      if (equations.includes(name)) equations.open(name, attributes, paragraph?.text ?? '');
      if (insertedText.has(name)) write(insertedText.get(name)!);
      else if (name === 'sym') write(symbolOf(value('font'), value('char')));
      else if (name === 'footnoteReference') write(`[${noteNumber('footnote', value('id'))}]`);
      else if (name === 'endnoteReference') write(`[${noteNumber('endnote', value('id'))}]`);
      else if (name === 'r') runs.push({ isHidden: undefined, isCounted: false });
      else if (name === 'rStyle' && runs.length > 0 && path.at(-3) === 'r') {
        if (styles.character.get(value('val'))?.isHidden) runs.at(-1)!.isHidden = true;
      } else if (name === 'vanish' && runs.length > 0 && path.at(-3) === 'r') {
        runs.at(-1)!.isHidden = value('val') === '' || isOn(value('val'));
      } else if (name === 'hidden' && path.at(-2) === 'trPr') {
        const row = rows.at(-1);
        if (row) row.isHidden = value('val') === '' || isOn(value('val'));
      } else if (graphicElements.has(name)) {
        const id = value(name === 'relIds' ? 'dm' : 'id');
        const text = graphics.get(id) ?? '';
        graphics.delete(id);
        if (text !== '') containers.at(-1)!.push({ text, isMarked: false });
        length += text.length;
      } else if (name === 'docPr' && descriptionOf(attributes) !== '') write(` ${descriptionOf(attributes)} `);
      else if (attributes.alt !== undefined) write(` ${descriptionOf({ descr: attributes.alt })} `);
      else if (name === 'textpath') write(` ${value('string')} `);
      else if (name === 'ddList') choices = { texts: [], chosen: 0 };
      else if (name === 'listEntry') choices?.texts.push(value('val'));
      else if (name === 'result' && choices) choices.chosen = Number(value('val'));
      else if (name === 'pStyle' && paragraph) paragraph.styleId = value('val');
      // The number of an item, or the character of a symbol font, as Word 2003 displays it.
      else if (name === 't' && path.at(-2) === 'listPr') write(/\w/.test(value('val')) ? `${value('val')} ` : '- ');
      else if (name === 'numId' && paragraph) paragraph.numId = value('val');
      else if (name === 'ilvl' && paragraph) paragraph.listLevel = Number(value('val'));
      else if (name === 'p') {
        const { text, boxes, endsHidden } = continued ?? { text: '', boxes: [], endsHidden: false };
        continued = undefined;
        paragraphs.push({ text, boxes, styleId: '', isDeleted: false, endsHidden });
        containers.push(boxes);
      } else if (name === 'tbl') tables.push({});
      else if (name === 'tr') rows.push({ cells: [], isDeleted: false, isHidden: false });
      else if (name === 'tc') {
        const cell: Block[] = [];
        rows.at(-1)?.cells.push(cell);
        containers.push(cell);
      } else if ((name === 'gridSpan' && path.at(-3) === 'tc') || (name === 'gridBefore' && path.at(-3) === 'tr')) {
        // The cell itself is already among the row's.
        const cells = rows.at(-1)?.cells ?? [];
        const end = cells.length + (Number(value('val')) || 0) - (name === 'gridSpan' ? 1 : 0);
        while (cells.length < Math.min(maxColumns, end)) cells.push([]);
      } else if (noteElements.has(name)) {
        const note: Note = { author: value('author'), blocks: [] };
        const id = value('id');
        // Before Word 2007, a note has no id: it is where it is referred to.
        if (id === '') write(`[${notes.size + 1}]`);
        notes.set(id === '' ? String(notes.size + 1) : `${name} ${id}`, note);
        containers.push(note.blocks);
      } else if (name === 'AlternateContent') {
        alternatives.push({ text: paragraph?.text ?? '', blockCount: containers.at(-1)!.length });
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
      if (equations.includes(name)) {
        const paragraph = paragraphs.at(-1);
        const line = equations.close(paragraph?.text ?? '');
        if (paragraph) paragraph.text = line;
      }
      if (name === 'p') {
        const paragraph = paragraphs.pop()!;
        containers.pop();
        if (paragraph.isDeleted) continued = paragraph;
        else endParagraph(paragraph);
      } else if (name === 'ddList') {
        write(choices?.texts[choices.chosen] ?? '');
        choices = undefined;
      } else if (name === 'r') runs.pop();
      else if (name === 'tc' || noteElements.has(name)) containers.pop();
      else if (name === 'tr') endRow(rows.pop()!);
      else if (name === 'tbl') tables.pop();
      else if (name === 'AlternateContent') alternatives.pop();
    },
    length: () => length,
  });
  if (continued) endParagraph(continued);
}

function blockOf(text: string, paragraph: Paragraph, { styles, numbering }: BlockContext): Block {
  const { styleId, numId, listLevel } = paragraph;
  const style = styles.paragraph.get(styleId);
  const heading = style ? style.heading : headingLevel(styleId, '');
  // List id 0 removes a paragraph from its style's list.
  const list = numId ?? style?.list ?? '0';
  const level = listLevel ?? style?.level ?? numbering.levelOf(list, style?.listStyle ?? styleId);
  const label = list === '0' ? '' : numbering.next(list, level);
  if (heading !== undefined) {
    const number = label === '' || label === '-' ? '' : `${label} `;
    return { text: `${'#'.repeat(heading)} ${number}${text}`, isMarked: true };
  }
  if (label === '') return { text, isMarked: false };
  return { text: `${'  '.repeat(Math.min(level, maxIndent))}${label} ${text}`, isMarked: true, group: listGroup };
}

/** A character specified by its number in a font such as Wingdings. */
function symbolOf(font: string, code: string): string {
  const known = hex(font, code) ?? (/^F0..$/i.test(code) ? hex(font, code.slice(2)) : undefined);
  if (known) return known.string;
  const character = /^[\da-f]{1,4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : '';
  return character.replace(/[\p{Private_Use}\p{Surrogate}]/u, '');
}
