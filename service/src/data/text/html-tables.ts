import { exceedsLimit } from './normalize.js';
import { cellSeparator } from './table.js';

/** The most columns that a cell can span. */
const maxColumns = 1000;

/** A cell that reaches into the rows below. */
interface Span {
  /** The first row that it does not cover. */
  readonly end: number;
  /** Whether it has a text in one line, unlike cells that are used for layout. */
  isData: boolean;
}

interface Row {
  /** The first column of the open or last cell. */
  column: number;
  /** Columns of that cell. */
  width: number;
  /** Its first piece of text. */
  start: number;
  span: Span | undefined;
  /** Cells with a text so far, and the column after the last of them. */
  filled: number;
  filledTo: number;
  /** Whether a cell starts on a line of its own, as in tables that are used for layout. */
  isLayout: boolean;
  /** Whether data covers the place before the first cell with a text. */
  isBelowData: boolean;
  /** Numbers of empty cells before cells with a text, by the first piece of those. */
  readonly gaps: Array<readonly [start: number, count: number]>;
}

interface Table {
  rowNumber: number;
  row: Row | undefined;
  /** By column. */
  spans: Array<Span | undefined>;
}

/** Adds the empty cells of a page's tables to the pieces of its text, so that other cells stay below their headings. */
export class HtmlTables {
  readonly #pieces: string[];
  readonly #tables: Table[] = [];

  constructor(pieces: string[]) {
    this.#pieces = pieces;
  }

  /** Reads a start tag; hidden rows and cells take no place. */
  open(name: string, { colspan, rowspan }: Readonly<Record<string, string>>, isHidden: boolean): void {
    if (name === 'table') this.#tables.push({ rowNumber: 0, row: undefined, spans: [] });
    else if (name === 'td' || name === 'th') {
      const table = this.#tables.at(-1);
      if (!table?.row) return;
      const { row, spans } = table;
      row.column += row.width;
      row.width = 0;
      row.span = undefined;
      row.start = isHidden ? Number.POSITIVE_INFINITY : this.#pieces.length;
      if (isHidden) return;
      for (let over = spans[row.column]; over && over.end > table.rowNumber; over = spans[row.column]) {
        if (over.isData && row.filled === 0) row.isBelowData = true;
        row.column += 1;
      }
      row.width = colspan === undefined ? 1 : Math.min(maxColumns, Math.max(1, Number(colspan) || 1));
      const rows = rowspan === undefined ? 1 : Number(rowspan);
      if (rows === 1 || !(rows >= 0)) return;
      // A span of 0 ends with the group of rows.
      row.span = { end: rows === 0 ? Number.POSITIVE_INFINITY : table.rowNumber + rows, isData: false };
      const end = Math.min(maxColumns, row.column + row.width);
      for (let column = row.column; column < end; column += 1) spans[column] = row.span;
    } else if (name === 'tr') {
      const table = this.#tables.at(-1);
      if (table) table.row = isHidden ? undefined : newRow();
    } else if (name === 'tbody' || name === 'tfoot') {
      const table = this.#tables.at(-1);
      if (table) table.spans = [];
    }
  }

  /** Reads an end tag, and returns the length of what it added to the pieces. */
  close(name: string): number {
    if (name === 'table') this.#tables.pop();
    const table = this.#tables.at(-1);
    if (!table?.row) return 0;
    if (name === 'td' || name === 'th') this.#endCell(table.row);
    else if (name === 'tr') {
      const added = this.#fillGaps(table.row);
      table.row = undefined;
      table.rowNumber += 1;
      return added;
    }
    return 0;
  }

  #endCell(row: Row): void {
    const first = this.#pieces[row.start];
    if (first === undefined) return;
    if (row.filled > 0 && first.startsWith('\n')) row.isLayout = true;
    if (row.column > row.filledTo) row.gaps.push([row.start, row.column - row.filledTo]);
    if (row.span) row.span.isData = !this.#pieces.slice(row.start).join('').trim().includes('\n');
    row.filled += 1;
    row.filledTo = row.column + 1;
  }

  #fillGaps({ gaps, filled, isLayout, isBelowData }: Row): number {
    // The only text of a row is a line of a layout, unless it is beside data.
    if (gaps.length === 0 || isLayout || (filled === 1 && !isBelowData)) return 0;
    let added = 0;
    for (const [start, count] of gaps) {
      if (exceedsLimit(added)) break;
      const gap = cellSeparator.repeat(Math.min(maxColumns, count));
      this.#pieces[start] = this.#pieces[start]!.replace(/^\n*/, (lines) => lines + gap);
      added += gap.length;
    }
    return added;
  }
}

const newRow = (): Row => ({
  column: 0,
  width: 0,
  start: 0,
  span: undefined,
  filled: 0,
  filledTo: 0,
  isLayout: false,
  isBelowData: false,
  gaps: [],
});
