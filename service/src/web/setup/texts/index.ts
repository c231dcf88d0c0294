import { de } from './de.js';
import { en, type Texts } from './en.js';

export type { Texts } from './en.js';

/** Languages of the setup pages, with the default first. */
const languages: Readonly<Record<string, Texts>> = { en, de };

/** Codes of the available languages. */
export const locales = Object.keys(languages);

/** Texts in the given language, or in the first available language that the browser prefers. */
export function textsFor(locale: string | undefined, request: Pick<Request, 'headers'> | undefined): Texts {
  const accepted = request?.headers.get('accept-language')?.slice(0, 200).split(',') ?? [];
  const wanted = locale === undefined ? accepted : [locale];
  const codes = wanted.map((one) => one.trim().slice(0, 2).toLowerCase());
  const found = codes.find((code) => Object.hasOwn(languages, code)) ?? 'en';
  return languages[found]!;
}
