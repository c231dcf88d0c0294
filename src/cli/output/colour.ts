import type { CliEnvironment, Output } from '../environment.js';

/** Ways to set off a piece of text. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Colours for a terminal, and none for anything else or where the user wants none. */
export function coloursFor(output: Output, { env }: Pick<CliEnvironment, 'env'>): Colours {
  const wanted = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (on: number, off: number) => (text: string) => (wanted ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) };
}

/** Text of others, fit for a terminal: nothing in it can move the cursor, or turn the writing round. */
export const sanitizeForTerminal = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ');
