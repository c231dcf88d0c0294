import { scalarCell, tableLines } from './table.js';
import { objectOf } from './text.js';

/** Column names listed in a field of meta. */
const namesIn = (headers: unknown): unknown[] =>
  Array.isArray(headers) ? headers.map((header) => objectOf(header)?.name) : [];

const longFraction = /^-?\d+\.\d{7,}$/;

/** Whether a report has long fractions. */
export const hasLongFractions = (records: unknown): boolean => /"-?\d+\.\d{7,}"/.test(JSON.stringify(records) ?? '');

/** A number with six significant digits. */
const rounded = (value: unknown): unknown =>
  typeof value === 'string' && longFraction.test(value) ? Number(Number(value).toPrecision(6)) : value;

/** Rows of positional values under their column names; undefined if the two do not match. */
export function reportOf(
  records: readonly unknown[],
  meta: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, string>>,
  isRounded: boolean,
): string[] | undefined {
  const fields = Object.entries(columns).map(([field, key]) => ({ field, names: namesIn(meta[key]) }));
  const names = fields.flatMap((field) => field.names);
  const rows: string[][] = [];
  for (const record of records) {
    const cells: string[] = [];
    for (const { field, names: expected } of fields) {
      const values = objectOf(record)?.[field];
      if (!Array.isArray(values) || values.length !== expected.length) return undefined;
      cells.push(
        ...values.map((value) => scalarCell(isRounded ? rounded(objectOf(value)?.value) : objectOf(value)?.value)),
      );
    }
    rows.push(cells);
  }
  if (rows.length === 0 || !names.every((name) => typeof name === 'string')) return undefined;
  return tableLines(names as string[], rows);
}
