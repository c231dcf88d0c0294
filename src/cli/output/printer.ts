import type { CliEnvironment, Output } from '../environment.js';
import { type Colours, coloursFor, printable } from './colour.js';
import { formatReadable } from './readable.js';
import { type TableColumns, tableOf } from './table.js';

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
  const maxWidth = stdout.columns ?? 80;
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
