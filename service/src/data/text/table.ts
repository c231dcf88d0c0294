import { exceedsLimit } from './normalize.js';

/** Separates the cells of a row. */
export const cellSeparator = ' | ';

/** A row of a table in one line: empty cells keep their places, so that the others stay below their headings. */
export function rowText(cells: readonly string[]): string {
  let end = cells.length;
  while (end > 0 && !cells[end - 1]) end -= 1;
  return cells.slice(0, end).join(cellSeparator);
}

/** The cells of a row that have a text. */
type SheetCells = ReadonlyArray<readonly [column: number, text: string]>;

/** The rows of a sheet, each in one line as in `rowText`, without the columns that are empty in all of them. */
export class SheetRows {
  readonly #rows: Array<readonly [label: string, cells: SheetCells]> = [];
  readonly #columns = new Set<number>();

  /** Adds a row, whose line starts with the label. */
  add(label: string, cells: SheetCells): void {
    this.#rows.push([label, cells]);
    for (const [column] of cells) this.#columns.add(column);
  }

  lines(): string[] {
    const columns = [...this.#columns].sort((one, other) => one - other);
    const places = new Map(columns.map((column, place) => [column, place]));
    const lines: string[] = [];
    let length = 0;
    for (const [label, cells] of this.#rows) {
      if (exceedsLimit(length)) break;
      let line = label;
      let at = 0;
      for (const [index, [column, text]] of cells.entries()) {
        const place = places.get(column)!;
        // Damaged workbooks have cells in any order.
        line += cellSeparator.repeat(Math.max(index === 0 ? 0 : 1, place - at)) + text;
        at = Math.max(at, place);
      }
      lines.push(line);
      length += line.length;
    }
    return lines;
  }
}
