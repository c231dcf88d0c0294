import { en } from './en/index.js';
import type { languages } from './locale.js';
import { locale } from './locale.js';

export { locale } from './locale.js';

/** The texts of each language. Another one is a folder with the same texts. */
const all: Readonly<Record<(typeof languages)[number], typeof en>> = { en };

/** The texts in the browser's language if there are any, else in English. */
export const texts = all[locale.slice(0, 2) as keyof typeof all];
