import { en } from './en/index.js';
import type { languages } from './locale.js';
import { locale } from './locale.js';

export { locale } from './locale.js';

/** The text by language. To add a language, add a folder with the same keys. */
const all: Readonly<Record<(typeof languages)[number], typeof en>> = { en };

/** The text in the browser's language if available, otherwise in English. */
export const texts = all[locale.slice(0, 2) as keyof typeof all];
