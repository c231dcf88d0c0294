import { en } from './en.js';

/** The languages of the console, by code. Another one is a file with the same texts. */
const languages: Readonly<Record<string, typeof en>> = { en };

/** The texts in the first language of the browser that there is, else in English. */
export const texts = navigator.languages.map((code) => languages[code.slice(0, 2)]).find(Boolean) ?? en;
