import { cellText, isShort, widthOf, wrapText } from './cell.js';
import { type Colours, inLine } from './colour.js';
import { inReadingOrder } from './field-order.js';
import { flatten, isRecord, type Row, type TableColumns, tableOf } from './table.js';

const maxLabelWidth = 24;

/** Formats any result for reading: lists as tables, records as fields. */
export async function formatReadable(
  value: unknown,
  maxWidth: number,
  colours: Colours,
  columns: TableColumns = {},
): Promise<string> {
  if (Array.isArray(value)) {
    return value.every(isRecord) ? tableText(value, maxWidth, colours, columns) : `${value.map(cellText).join('\n')}\n`;
  }
  if (!isRecord(value)) return `${cellText(value)}\n`;
  const { data, ...rest } = value;
  if (!isRecord(data) && !Array.isArray(data)) return fieldsText(value, maxWidth, colours, columns);
  const about = Object.fromEntries(Object.entries(rest).filter(([, item]) => !isNothing(item)));
  const shown = await formatReadable(data, maxWidth, colours, columns);
  return Object.keys(about).length === 0 ? shown : `${shown}\n${await fieldsText(about, maxWidth, colours)}`;
}

const isNothing = (value: unknown): boolean => value === null || (isRecord(value) && Object.keys(value).length === 0);

async function tableText(rows: readonly Row[], maxWidth: number, colours: Colours, columns?: TableColumns) {
  let text = '';
  for await (const piece of tableOf(rows, maxWidth, colours, columns)) text += piece;
  return text;
}

async function fieldsText(
  record: Row,
  maxWidth: number,
  colours: Colours,
  { first, only }: TableColumns = {},
): Promise<string> {
  const { bold } = colours;
  const fields = flatten(record, only);
  const names = only ? Object.keys(fields) : inReadingOrder(Object.keys(fields), first);
  const width = Math.min(maxLabelWidth, Math.max(0, ...names.map((name) => widthOf(inLine(name)))));
  const parts = names.map(async (name) => {
    const item = fields[name];
    const label = inLine(name);
    const block = async () =>
      `${bold(label)}\n${(await formatReadable(item, maxWidth - 2, colours)).replaceAll(/^(?=.)/gm, '  ')}`;
    if (isRecord(item) && Object.keys(item).length > 0) return block();
    if (Array.isArray(item) && item.length > 0 && (item.every(isRecord) || !isShort(item))) return block();
    // Sentences get one line each; names and numbers share one.
    const texts = Array.isArray(item) && item.some((each) => /\.$/.test(String(each))) ? item : [item];
    const indent = ' '.repeat(width + 2);
    const text = texts
      .map((each) => wrapText(cellText(each), maxWidth, indent))
      .join('\n')
      .trimStart();
    return `${bold(label + ' '.repeat(Math.max(0, width - widthOf(label))))}  ${text}\n`;
  });
  return (await Promise.all(parts)).join('');
}
