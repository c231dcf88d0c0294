import { cellText, fitToWidth, isShort, nearMoment, shortMoment, widthOf, wrapText } from './cell.js';
import { type Colours, inLine } from './colour.js';
import { inReadingOrder, isFault, labels } from './field-order.js';

/** A record in a list. */
export type Row = Readonly<Record<string, unknown>>;

/** Which columns a table shows. */
export interface TableColumns {
  /** Shown first; by default, the id that other commands need. */
  readonly first?: readonly string[] | undefined;
  /** Only these columns, as dotted paths such as `state.name`. */
  readonly only?: readonly string[] | undefined;
}

const maxColumnWidth = 48;

/** Fields with the vendor's page of a record. */
const urlFields = ['url', 'webViewLink', 'web_url', 'setup_url'];

/** Rows used to choose the columns; later rows are fitted to those columns. */
const sampleSize = 50;

const valueAt = (value: unknown, path: readonly string[]): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path));
  if (typeof value !== 'object' || value === null) return undefined;
  return valueAt((value as Record<string, unknown>)[key], rest);
};

/** A record with the selected paths as fields. */
export const flatten = (row: Row, paths: readonly string[] | undefined): Row =>
  paths ? Object.fromEntries(paths.map((path) => [path, valueAt(row, path.split('.'))])) : row;

/** Cell text; on a terminal, moments near now are distances. */
const textIn = (now: number | undefined) => (value: unknown) =>
  now === undefined ? shortMoment(cellText(value)) : nearMoment(cellText(value), now);

const isEmpty = (value: unknown): boolean => cellText(value) === '–';

/** Names and widths of the columns that fit. */
function layoutOf(
  rows: readonly Row[],
  maxWidth: number,
  { first = ['id'], only }: TableColumns,
  textOf: (value: unknown) => string,
) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => !isEmpty(row[name])),
  );
  const all = only ? names : inReadingOrder(names, first);
  const ordered = only || all.every(isFault) ? all : all.filter((name) => !isFault(name));
  const short = ordered.filter((name) => only || rows.every((row) => isShort(row[name])));
  const chosen: Array<readonly [string, number]> = [];
  let left = maxWidth;
  for (const name of short.length > 0 ? short : ordered) {
    const longest = Math.max(widthOf(inLine(name)), ...rows.map((row) => widthOf(textOf(row[name]))));
    const columns = Math.min(longest, maxColumnWidth);
    if (chosen.length > 0 && columns > left) continue;
    chosen.push([name, Math.min(columns, maxWidth)]);
    left -= columns + 2;
  }
  const [leading] = chosen;
  // Later rows may be longer than the sample.
  if (leading && rows.length === sampleSize)
    chosen[0] = [leading[0], Math.min(leading[1] + Math.max(0, left), maxColumnWidth)];
  return chosen;
}

/** What a value says is wrong: texts, or objects with a text, such as gaps and failures. */
function faultTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(faultTexts);
  if (!isRecord(value)) return isEmpty(value) ? [] : [cellText(value)];
  const { detail, message, error, reason, state, cause, id } = value;
  const text = [detail, message, error, reason, cause, state].find((each) => typeof each === 'string');
  return [text === undefined ? cellText(value) : cellText(id === undefined ? text : `${cellText(id)}: ${text}`)];
}

/** Faults shown below a row; the rest are counted. */
const maxFaults = 3;

/**
 * What is wrong with a row, in full below it: columns would truncate or hide it. An error that an earlier row has, such
 * as a rejected key, is not repeated.
 */
function faultLines(
  row: Row,
  maxWidth: number,
  { red, yellow }: Pick<Colours, 'red' | 'yellow'>,
  errors: Set<string>,
): string {
  return Object.entries(row)
    .filter(([name]) => isFault(name))
    .flatMap(([name, value]) => {
      const texts = faultTexts(value);
      const isError = /^(error|failures|disabled)/.test(name);
      const more = texts.length > maxFaults ? [`and ${texts.length - maxFaults} more`] : [];
      return [...texts.slice(0, maxFaults), ...more].map((text) => {
        const mark = isError ? red('✗') : yellow(name === 'hint' ? '→' : '!');
        const isKnown = isError && errors.has(text);
        if (isError) errors.add(text);
        return `  ${mark} ${wrapText(isKnown ? 'Same error.' : text, maxWidth, '    ').trimStart()}\n`;
      });
    })
    .join('');
}

/** A table no wider than `maxWidth`, in chunks, followed by a note on what it omits. */
export async function* tableOf(
  records: AsyncIterable<unknown> | Iterable<unknown>,
  maxWidth: number,
  { bold, dim, red, yellow, link, isTerminal }: Colours,
  columns: TableColumns = {},
): AsyncGenerator<string> {
  const textOf = textIn(isTerminal ? Date.now() : undefined);
  const line = (cells: readonly string[]) => `${cells.join('  ').trimEnd()}\n`;
  let sample: Row[] = [];
  let layout: ReturnType<typeof layoutOf> | undefined;
  /** Index of the column that links to the record. */
  let titleAt = 0;
  const hidden = new Set<string>();
  const errors = new Set<string>();
  const body = (row: Row) => {
    for (const [name, value] of Object.entries(row)) {
      if (isFault(name) && !columns.only) continue;
      if (!isEmpty(value) && !layout!.some(([shown]) => shown === name)) hidden.add(name);
    }
    const cells = layout!.map(([name, width]) => fitToWidth(textOf(row[name]), width));
    const url = urlFields.map((name) => row[name]).find((value) => value !== undefined);
    const cellsLine = line(
      cells.map((cell, index) =>
        index === titleAt ? link(cell.trimEnd(), url) + cell.slice(cell.trimEnd().length) : cell,
      ),
    );
    return columns.only ? cellsLine : cellsLine + faultLines(row, maxWidth, { red, yellow }, errors);
  };
  const begin = () => {
    layout = layoutOf(sample, maxWidth, columns, textOf);
    titleAt = Math.max(
      0,
      layout.findIndex(([name]) => labels.includes(name)),
    );
    const text = line(layout.map(([name, width]) => bold(fitToWidth(inLine(name), width)))) + sample.map(body).join('');
    sample = [];
    return text;
  };
  try {
    for await (const record of records) {
      const row = flatten(isRecord(record) ? record : { value: record }, columns.only);
      if (layout) yield body(row);
      else sample.push(row);
      if (sample.length === sampleSize) yield begin();
    }
  } catch (error) {
    if (sample.length > 0) yield begin();
    throw error;
  }
  if (sample.length > 0) yield begin();
  if (!layout) yield dim('(none)\n');
  if (hidden.size > 0) yield `${dim(wrapText(hiddenNote([...hidden]), maxWidth))}\n`;
}

const hiddenNote = (names: readonly string[]): string => {
  const some = names.slice(0, 12).map(inLine).join(', ');
  return `Not shown: ${some}${names.length > 12 ? ` and ${names.length - 12} more` : ''}. Pass --json to see all fields.`;
};

export const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
