import { type Colours, inLine } from './colour.js';

type Row = Readonly<Record<string, unknown>>;

const maxColumnWidth = 48;

/** A value in one line: what is simple as it is, the rest as JSON. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return inLine(value);
  return inLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Columns of a terminal that a text takes. */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += /\p{M}/u.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  return width;
}

function fitToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text + ' '.repeat(columns - widthOf(text));
  let cut = '';
  let left = columns - 1;
  for (const letter of text) {
    const width = widthOf(letter);
    if (width > left) break;
    left -= width;
    cut += letter;
  }
  return `${cut}…${' '.repeat(Math.max(0, left))}`;
}

/** Names of the columns that fit: those of simple values first, as the records have them. */
function columnsOf(rows: readonly Row[], maxWidth: number): Array<readonly [string, number]> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const simple = names.filter((name) => rows.some((row) => row[name] !== null && typeof row[name] !== 'object'));
  const chosen: Array<readonly [string, number]> = [];
  let left = maxWidth;
  for (const name of simple.length > 0 ? simple : names) {
    const longest = Math.max(widthOf(inLine(name)), ...rows.map((row) => widthOf(cellText(row[name]))));
    const columns = Math.min(longest, maxColumnWidth);
    if (chosen.length > 0 && columns + 2 > left) continue;
    chosen.push([name, Math.min(columns, maxWidth)]);
    left -= columns + 2;
  }
  return chosen;
}

/** Records as a table no wider than `maxWidth`. */
function table(rows: readonly Row[], maxWidth: number, { bold, dim }: Colours): string {
  if (rows.length === 0) return dim('(none)\n');
  const columns = columnsOf(rows, maxWidth);
  const line = (cells: readonly string[]) => cells.join('  ').trimEnd();
  const head = line(columns.map(([name, width]) => bold(fitToWidth(inLine(name), width))));
  const body = rows.map((row) => line(columns.map(([name, width]) => fitToWidth(cellText(row[name]), width))));
  return `${[head, ...body].join('\n')}\n`;
}

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any result for people: lists as tables, a record as its fields. */
export function formatReadable(value: unknown, maxWidth: number, colours: Colours): string {
  if (Array.isArray(value))
    return value.every(isRecord) ? table(value, maxWidth, colours) : `${value.map(cellText).join('\n')}\n`;
  if (!isRecord(value)) return `${cellText(value)}\n`;
  const width = Math.min(maxColumnWidth, Math.max(0, ...Object.keys(value).map((name) => widthOf(inLine(name)))));
  const parts = Object.entries(value).map(([name, item]) => {
    const records = Array.isArray(item) && item.length > 0 && item.every(isRecord);
    if (records) return `${colours.bold(inLine(name))}\n${indented(table(item, maxWidth - 2, colours))}`;
    if (isRecord(item) && Object.keys(item).length > 0) {
      return `${colours.bold(inLine(name))}\n${indented(formatReadable(item, maxWidth - 2, colours))}`;
    }
    return `${colours.bold(fitToWidth(inLine(name), width))}  ${cellText(item)}\n`;
  });
  return parts.join('');
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
