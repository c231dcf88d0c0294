import { de } from './de.js';
import { en, type Texts } from './en.js';

export type { Texts } from './en.js';

/** The languages of the setup pages, the one for everybody else first. */
const languages: Readonly<Record<string, Texts>> = { en, de };

/** Codes of the languages that there are. */
export const locales = Object.keys(languages);

/** The texts of a language that was named or, without one, of the first that the browser asks for. */
export function textsFor(locale: string | undefined, request: Pick<Request, 'headers'> | undefined): Texts {
  const accepted = request?.headers.get('accept-language')?.slice(0, 200).split(',') ?? [];
  const wanted = locale === undefined ? accepted : [locale];
  const codes = wanted.map((one) => one.trim().slice(0, 2).toLowerCase());
  const found = codes.find((code) => Object.hasOwn(languages, code)) ?? 'en';
  return languages[found]!;
}
