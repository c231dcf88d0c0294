import { isAscii } from './fold.js';

const [lower, upper] = ['a-z\u00df-\u00f6\u00f8-\u00ff', 'A-Z\u00c0-\u00d6\u00d8-\u00de'];
/** Where a word is divided; a decomposed letter counts, too. */
const border = new RegExp(`[${lower}\u0300-\u036f][${upper}]|[${upper}]{2}[${lower}]{2}`);
const word = new RegExp(`[${lower}${upper}0-9]+`, 'g');
/** At a capital behind a small letter or digit, and at the last capital of several: `getUserName`, `HTTPServer`. */
const borders = new RegExp(`(?<=[${lower}0-9])(?=[${upper}])|(?<=[${upper}])(?=[${upper}][${lower}]{2})`);
const isPart = new RegExp(`^[${lower}${upper}]{2,}[0-9]*$`);

/** Longer words are keys and encoded data. */
const longestDivided = 60;

/** The parts of words with capitals inside, such as the three in `getUserName`; no single letters. */
export function partsByCapitals(text: string): string[] {
  // Most texts have none.
  if (!border.test(text)) return [];
  const parts: string[] = [];
  for (const [found] of (isAscii(text) ? text : text.normalize('NFC')).matchAll(word)) {
    if (found.length > longestDivided) continue;
    const own = found.split(borders);
    if (own.length > 1) for (const part of own) if (isPart.test(part)) parts.push(part);
  }
  return parts;
}
