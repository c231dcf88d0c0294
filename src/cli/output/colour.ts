import type { CliEnvironment, Output } from '../environment.js';

/** Text styles. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  /** Text that opens a URL in terminals that can (OSC 8). */
  readonly link: (text: string, url: unknown) => string;
  /** Whether the output is a terminal, with or without styles. */
  readonly isTerminal: boolean;
}

/** Stands in for the escape character until output; external text cannot guess it. */
const escapeMark = `<${crypto.randomUUID()}>`;

/** Colors, if the output is a terminal and the user has not disabled them. */
export function coloursFor(output: Output, { env }: Pick<CliEnvironment, 'env'>): Colours {
  const wanted = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (on: number, off: number) => (text: string) =>
    wanted ? `${escapeMark}[${on}m${text}${escapeMark}[${off}m` : text;
  const link = (text: string, url: unknown) => {
    const isUrl = typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    const target = (address: string) => `${escapeMark}]8;;${address}${escapeMark}\\`;
    return wanted && isUrl ? `${target(new URL(url).href)}${text}${target('')}` : text;
  };
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    link,
    isTerminal: output.isTTY === true,
  };
}

/**
 * Characters that move the cursor, start a terminal command or change the text direction: controls except for tab and
 * line feed, bidirectional marks, and line separators.
 */
const unsafe = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text safe for output: characters that a terminal interprets are escaped as in JSON; only our own colors take effect.
 */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped).replaceAll(escapeMark, '\u001b');

/** A value on one line of readable text. */
export const inLine = (text: string): string => text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(unsafe, escaped);
