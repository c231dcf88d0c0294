import type { CliEnvironment, Output } from '../environment.js';

/** Ways to set off a piece of text. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Stands for the escape character of a colour until it is written; text from outside cannot contain it by guessing. */
const escapeMark = `<${crypto.randomUUID()}>`;

/** Colours for a terminal, and none for anything else or where the user wants none. */
export function coloursFor(output: Output, { env }: Pick<CliEnvironment, 'env'>): Colours {
  const wanted = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (on: number, off: number) => (text: string) =>
    wanted ? `${escapeMark}[${on}m${text}${escapeMark}[${off}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) };
}

/** What moves the cursor, starts a command of the terminal, or turns the writing round: controls but tab and line feed, marks of direction, separators of lines. */
const unsafe = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text as it may be written: what a terminal would obey stands as an escape, which is the same in JSON; colours alone take effect. */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped).replaceAll(escapeMark, '\u001b');

/** A value in one line of a text for people. */
export const inLine = (text: string): string => text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(unsafe, escaped);
