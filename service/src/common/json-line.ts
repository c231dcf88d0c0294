/** What a terminal obeys, or what is not seen or turns the writing round. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (characters: string): string =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** A value as one line of the same JSON, in which hidden characters are escapes. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replaceAll(hidden, escaped)}\n`;
