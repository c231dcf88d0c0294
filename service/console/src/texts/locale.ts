/** Languages that the text is available in, English first. */
export const languages = ['en'] as const;

/** The browser's first supported locale, so that words, dates and numbers match. */
export const locale: string =
  navigator.languages.find((code) => languages.some((language) => code.slice(0, 2) === language)) ?? languages[0];

/** Formats a number with the given number of decimal places. */
export const number = (value: number, decimals = 0): string =>
  value.toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
