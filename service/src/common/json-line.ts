/** Control, formatting and line separator characters: a terminal may interpret or hide them, or reverse the text. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (characters: string): string =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A value as single-line JSON with invisible characters escaped. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replaceAll(hidden, escaped)}\n`;
