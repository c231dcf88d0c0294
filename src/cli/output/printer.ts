import type { CliEnvironment, Output } from '../environment.js';
import { cellText, isShort, nearMoment, widthOf, wrapText } from './cell.js';
import { type Colours, coloursFor, inLine, printable } from './colour.js';
import { inReadingOrder } from './field-order.js';
import { flatten, isRecord, type Row, type TableColumns, tableOf } from './table.js';

/** Thrown when the output was closed; not reported as a failure. */
export class OutputClosed extends Error {
  override readonly name = 'ReaderGone';
}

/** Writes results to standard output. */
export interface Printer {
  readonly pretty: boolean;
  readonly colours: Colours;
  /** Prints a result: JSON, or readable text. */
  result(value: unknown, columns?: TableColumns): Promise<void>;
  /** Prints records as they arrive: as JSON lines, or as rows of a table. */
  records(records: AsyncIterable<unknown>, columns?: TableColumns): Promise<void>;
  /** Prints text that is not a result, such as help. */
  text(text: string): Promise<void>;
}

/** All output goes through here, so that external text cannot control the terminal. Resolves once it is written. */
export const write = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(printable(text), (error) => {
      if (!error) resolve();
      else reject(isClosedPipe(error) ? new OutputClosed('Output closed by the reader.') : error);
    });
  });

const isClosedPipe = (error: Error): boolean =>
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'EOF'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Creates the printer for a command. */
export function printerFor({ stdout, env }: Pick<CliEnvironment, 'stdout' | 'env'>, pretty: boolean): Printer {
  const colours = coloursFor(stdout, { env });
  const indent = stdout.isTTY === true ? 2 : undefined;
  const maxWidth = stdout.columns || 80;
  return {
    pretty,
    colours,
    result: async (value, columns) =>
      write(
        stdout,
        pretty
          ? await formatReadable(value, maxWidth, colours, columns)
          : `${JSON.stringify(value, undefined, indent)}\n`,
      ),
    records: async (records, columns) => {
      const pieces = pretty ? tableOf(records, maxWidth, colours, columns) : linesOf(records);
      for await (const piece of pieces) await write(stdout, piece);
    },
    text: (text) => write(stdout, text),
  };
}

async function* linesOf(records: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

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
  const { bold, isTerminal } = colours;
  const textOf = (item: unknown) => (isTerminal ? nearMoment(cellText(item), Date.now()) : cellText(item));
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
      .map((each) => wrapText(textOf(each), maxWidth, indent))
      .join('\n')
      .trimStart();
    return `${bold(label + ' '.repeat(Math.max(0, width - widthOf(label))))}  ${text}\n`;
  });
  return (await Promise.all(parts)).join('');
}

/** An error, a warning or a note as text if `isRead` and on a terminal, otherwise as JSON. */
export function formatReport(
  report: Readonly<Record<string, unknown>>,
  isRead: boolean,
  environment: Pick<CliEnvironment, 'stderr' | 'env'>,
): string {
  const { stderr } = environment;
  if (!isRead || stderr.isTTY !== true) return `${JSON.stringify(report)}\n`;
  const { red, yellow, dim } = coloursFor(stderr, environment);
  const { type, message, hint, idempotency_key } = report;
  const maxWidth = Math.min(stderr.columns || 80, 80);
  const folded = (value: unknown) => wrapText(inLine(String(value)), maxWidth, '  ').trimStart();
  const mark = type === 'warning' || type === 'note' ? yellow('!') : red('✗');
  const isNamed = idempotency_key === undefined || String(hint).includes(String(idempotency_key));
  const key = isNamed ? '' : `  ${dim(`idempotency_key: ${inLine(String(idempotency_key))}`)}\n`;
  return `${mark} ${folded(message)}\n${hint ? `${yellow('→')} ${folded(hint)}\n` : ''}${key}`;
}
