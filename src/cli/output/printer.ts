import type { CliEnvironment, Output } from '../environment.js';
import { type Colours, coloursFor, printable } from './colour.js';
import { formatReadable } from './table.js';

/** Thrown when nobody reads any more: no failure, and nothing to report. */
export class OutputClosed extends Error {
  override readonly name = 'ReaderGone';
}

/** Writes results to standard output. */
export interface Printer {
  readonly pretty: boolean;
  readonly colours: Colours;
  /** A result: JSON, or for people. */
  result(value: unknown): Promise<void>;
  /** One record of many, as a line of JSON. */
  line(value: unknown): Promise<void>;
  /** Text that is no result, such as help. */
  text(text: string): Promise<void>;
}

/** Writes, and waits until it has been taken: the one way to an output, by which nothing from outside steers a terminal. */
export const write = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(printable(text), (error) => {
      if (!error) resolve();
      else reject(isClosedPipe(error) ? new OutputClosed('Nobody reads any more.') : error);
    });
  });

const isClosedPipe = (error: Error): boolean =>
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'EOF'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Makes the printer of one command. */
export function printerFor({ stdout, env }: Pick<CliEnvironment, 'stdout' | 'env'>, pretty: boolean): Printer {
  const colours = coloursFor(stdout, { env });
  const indent = stdout.isTTY === true ? 2 : undefined;
  const maxWidth = stdout.columns ?? 100;
  return {
    pretty,
    colours,
    result: (value) =>
      write(
        stdout,
        pretty ? formatReadable(value, maxWidth, colours) : `${JSON.stringify(value, undefined, indent)}\n`,
      ),
    line: (value) => write(stdout, `${JSON.stringify(value)}\n`),
    text: (text) => write(stdout, text),
  };
}
