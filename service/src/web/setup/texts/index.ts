import type { locales } from 'agent-connectors/wire';
import { de } from './de.js';
import { en, type Texts } from './en.js';

export type { Texts } from './en.js';

const languages = { en, de } satisfies Record<(typeof locales)[number], Texts>;

const isAvailable = (code: string): code is keyof typeof languages => Object.hasOwn(languages, code);

/** Texts in the given language, or in the first available language that the browser prefers. */
export function textsFor(locale: string | undefined, request: Pick<Request, 'headers'> | undefined): Texts {
  const accepted = request?.headers.get('accept-language')?.slice(0, 200).split(',') ?? [];
  const wanted = locale === undefined ? accepted : [locale];
  const codes = wanted.map((one) => one.trim().slice(0, 2).toLowerCase());
  return languages[codes.find(isAvailable) ?? 'en'];
}
