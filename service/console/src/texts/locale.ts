/** Languages of the texts, English first. */
export const languages = ['en'] as const;

/** The first of the browser's locales whose language has texts, so that words, dates and numbers go together. */
export const locale: string =
  navigator.languages.find((code) => languages.some((language) => code.slice(0, 2) === language)) ?? languages[0];

/** A number with its digits grouped, and so many decimals. */
export const number = (value: number, decimals = 0): string =>
  value.toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
