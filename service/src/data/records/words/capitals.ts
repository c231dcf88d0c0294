import { isAscii } from './fold.js';

const [small, capital] = ['a-z\u00df-\u00f6\u00f8-\u00ff', 'A-Z\u00c0-\u00d6\u00d8-\u00de'];
/** A text that may have a border, composed or decomposed; most have none. */
const accent = '\u0300-\u036f';
const mayHaveBorder = new RegExp(
  `[${small}${accent}][${capital}]|[0-9][${capital}][${small}${accent}]|[${capital}${accent}]{2}[${small}${accent}]{2}`,
);
const word = new RegExp(`[${small}${capital}0-9]+`, 'g');
/** Before a capital behind a small letter or number, and before the last capital of several: `getUserName`, `HTTPServer`. */
const borders = new RegExp(
  `(?<=[${small}])(?=[${capital}])|(?<=[0-9])(?=[${capital}][${small}])|(?<=[${capital}])(?=[${capital}][${small}]{2})`,
);
const isPart = new RegExp(`^[${small}${capital}]{2,}[0-9]*$`);

/** Longer words are keys and encoded data. */
const longestDivided = 60;

/** The parts of words with capitals inside, such as the three in `getUserName`; no single letters. */
export function partsByCapitals(text: string): string[] {
  if (!mayHaveBorder.test(text)) return [];
  const parts: string[] = [];
  for (const [found] of (isAscii(text) ? text : text.normalize('NFC')).matchAll(word)) {
    if (found.length > longestDivided) continue;
    const own = found.split(borders);
    if (own.length > 1) for (const part of own) if (isPart.test(part)) parts.push(part);
  }
  return parts;
}
