import type { HiddenContent } from './hidden.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { type CellFormat, cellFormat } from './number-formats.js';
import { isOn, unescapeText } from './parts.js';
import { SheetRows } from './table.js';

/** What cells refer to. */
export interface CellContext {
  readonly strings: readonly string[];
  /** By style. */
  readonly formats: readonly CellFormat[];
  readonly hidden: HiddenContent;
}

interface Cell {
  readonly type: string;
  readonly format: CellFormat;
  readonly isHidden: boolean;
  value: string;
}

const general = cellFormat();

/** A sheet's rows with text, one line each, as displayed; its headers and footers are added to `pageTexts`. */
export async function rowsOf(
  source: string,
  { strings, formats, hidden }: CellContext,
  pageTexts: Set<string>,
): Promise<string> {
  const rows = new SheetRows();
  const hiddenColumns: Array<readonly [first: number, last: number]> = [];
  let cells: Array<readonly [column: number, text: string]> = [];
  let cell: Cell | undefined;
  let column = 0;
  let isRowHidden = false;
  let isValue = false;
  /** Choices and hints of cells, each once. */
  const inputs = new Set<string>();
  let isChoice = false;
  let choice = '';
  let pageText: string | undefined;
  let phoneticDepth = 0;
  let length = 0;
  const isColumnHidden = () => hiddenColumns.some(([first, last]) => column >= first && column <= last);
  const endCell = ({ type, format, isHidden, value }: Cell) => {
    // Many cells may refer to the same long text.
    if (value === '' || exceedsLimit(length)) return;
    const isNumber = type === '' || type === 'n';
    const content = isNumber ? value.trim() : contentOf(type, value, strings);
    const text = isNumber
      ? format.number(content)
      : /^(?:s|str|inlineStr)$/.test(type)
        ? format.text(content)
        : content;
    // A zero that is not displayed is not hidden: it means that there is nothing.
    if (content === '' || (content === '0' && text === '')) return;
    const isInvisible = isHidden || text === '';
    if (isInvisible && !isRowHidden && hidden.leaveOut('cells')) return;
    const shown = isInvisible ? `[Hidden] ${text || content}` : text;
    cells.push([column, shown]);
    length += shown.length;
  };
  const addInput = (text: string) => {
    if (!inputs.has(text)) length += text.length;
    inputs.add(text);
  };
  const endRow = () => {
    if (cells.length > 0 && !(isRowHidden && hidden.leaveOut('rows'))) {
      rows.add(isRowHidden ? '[Hidden] ' : '', cells);
    }
    cells = [];
    isRowHidden = false;
  };
  await readMarkup(source, true, {
    open(name, attributes) {
      if (name === 'c') {
        const format = formats[Number(attributes.s ?? 0)] ?? general;
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        cell = { type: attributes.t ?? '', format, isHidden: isColumnHidden(), value: '' };
      } else if (name === 'v' || name === 't') isValue = true;
      else if (name === 'rPh') phoneticDepth += 1;
      else if (name === 'row') {
        column = 0;
        isRowHidden = hasNoSize(attributes.hidden, attributes.ht);
      } else if (name === 'dataValidation') {
        isChoice = attributes.type === 'list';
        const hint = [attributes.promptTitle, attributes.prompt].filter(Boolean).join(': ');
        if (hint !== '') addInput(`Hint: ${cellText(hint)}`);
      } else if (isChoice && /^(?:formula1|f)$/.test(name)) choice = '';
      else if (pageElement.test(name)) pageText = '';
      else if (name === 'col' && hasNoSize(attributes.hidden, attributes.width)) {
        if (hiddenColumns.length < maxColumns) hiddenColumns.push([Number(attributes.min), Number(attributes.max)]);
      }
    },
    text(piece) {
      if (cell && isValue && phoneticDepth === 0) cell.value += piece;
      else if (isChoice) choice += piece;
      else if (pageText !== undefined) pageText += piece;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'rPh') phoneticDepth -= 1;
      else if (name === 'c') {
        if (cell) endCell(cell);
        cell = undefined;
      } else if (name === 'row') endRow();
      else if (name === 'dataValidation') {
        // Other choices are in cells.
        const list = /^\s*"(.*)"\s*$/s.exec(choice)?.[1];
        if (list) addInput(`Choices: ${list.split(',').map(cellText).join(', ')}`);
        [isChoice, choice] = [false, ''];
      } else if (pageText !== undefined && pageElement.test(name)) {
        const words = pageWords(pageText);
        if (words !== '') pageTexts.add(`${name.endsWith('Header') ? 'Header' : 'Footer'}: ${words}`);
        pageText = undefined;
      }
    },
    length: () => length,
  });
  const lines = rows.lines();
  if (lines.length > 0 && inputs.size > 0) lines.push('');
  return [...lines, ...inputs].join('\n').trimEnd();
}

/** Excel writes at most 255 characters. */
const maxPageText = 1000;
const pageElement = /^(?:odd|even|first)(?:Header|Footer)$/;

/** The words of a header or footer without its codes: `&L`, `&C` and `&R` start its left, center and right section. */
const pageWords = (source: string): string =>
  source
    .slice(0, maxPageText)
    .split(/(?<!&(?:&&)*)&[LCR]/i)
    .map((section) =>
      section
        .replace(/&(?:"[^"]*"|K(?:[\dA-F]{6}|\d\d[+-]\d{3})|\d+|(.))/gis, (_, code) => (code === '&' ? '&' : ''))
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((words) => words !== '')
    .join(' | ');

/** More groups of hidden columns would make sheets with many cells slow to read. */
const maxColumns = 100;

const hasNoSize = (isHidden: string | undefined, size: string | undefined): boolean =>
  isOn(isHidden) || (size !== undefined && Number(size) === 0);

/** What is stored in a cell that is not a number. */
function contentOf(type: string, value: string, strings: readonly string[]): string {
  if (type === 's') return /^\s*\d+\s*$/.test(value) ? (strings[Number(value)] ?? '') : '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  return unescapeText(value).replace(/\s+/g, ' ').trim();
}

const cellText = (text: string): string => unescapeText(text).replace(/\s+/g, ' ').trim();

/** The number of a column, such as 28 for `AB7`. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference.slice(0, 4)) {
    const digit = letter.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
  }
  return column;
}
