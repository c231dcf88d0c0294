import { objectOf, onOneLine } from './text.js';

/** A row's cells by column. */
type Row = Map<string, string>;

/** A cell's text with the separator escaped, so that no value can start another column or row. */
const cell = (text: string): string => onOneLine(text).replaceAll('|', '\\|');
const jsonCell = (value: unknown): string => JSON.stringify(value).replaceAll('|', '\\|');

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

/** Lines of a table: column names, then rows, with `|` between cells. */
export const tableLines = (columns: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] => [
  columns.map(cell).join('|'),
  ...rows.map((cells) => cells.join('|')),
];

/** A scalar as a cell; null becomes an empty cell unless nulls are shown, and an empty string is marked as such. */
export function scalarCell(value: unknown, showsNulls = false): string {
  if (value === null || value === undefined) return showsNulls ? 'null' : '';
  return value === '' || (showsNulls && value === 'null') ? JSON.stringify(value) : cell(String(value));
}

/** Adds a value's cells; returns false if the value is not made of scalars. */
function addCells(row: Row, path: string, value: unknown, showsNulls: boolean): boolean {
  if (isScalar(value)) {
    row.set(path, scalarCell(value, showsNulls));
    return true;
  }
  if (!Array.isArray(value)) {
    const entries = Object.entries(value as object);
    if (entries.length === 0) row.set(path, '');
    return entries.every(([key, item]) => addCells(row, path === '' ? key : `${path}.${key}`, item, showsNulls));
  }
  if (value.every(isScalar)) {
    row.set(path, value.length === 0 && !showsNulls ? '' : jsonCell(value));
    return true;
  }
  const [first] = value;
  const keys = Object.keys(objectOf(first) ?? {});
  const [key] = keys;
  const isNarrow = value.every((item) => {
    const object = objectOf(item);
    return object && Object.keys(object).length === 1 && key !== undefined && isScalar(object[key] ?? {});
  });
  if (isNarrow) row.set(`${path}.${key}`, jsonCell(value.map((item) => item[key!])));
  return isNarrow;
}

const maxColumns = 60;

/** Records as a table, if each consists of scalars and lists of them; otherwise undefined. */
export function tableOf(records: readonly unknown[], showsNulls: boolean): string[] | undefined {
  if (records.length < 2) return undefined;
  const rows: Row[] = [];
  for (const record of records) {
    const row: Row = new Map();
    if (!objectOf(record) || !addCells(row, '', record, showsNulls)) return undefined;
    rows.push(row);
  }
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isObjectElsewhere = (name: string) => names.some((other) => other.startsWith(`${name}.`));
  const filled = names.filter((name) =>
    rows.some((row) => row.get(name) && (row.get(name) !== 'null' || !isObjectElsewhere(name))),
  );
  // The parts of a null object are null.
  const empty = names.filter((name) => !filled.includes(name) && !filled.some((other) => other.startsWith(`${name}.`)));
  if (filled.length === 0 || filled.length > maxColumns) return undefined;
  const lines = tableLines(
    filled,
    rows.map((row) => filled.map((name) => row.get(name) ?? (showsNulls ? 'null' : ''))),
  );
  return empty.length === 0 ? lines : [`null or empty in all: ${empty.map(cell).join(', ')}`, ...lines];
}
