import type { PassageSpan } from '../../../passages/types.js';
import { slicer } from '../../../rows.js';
import type { Column } from '../../../schema.js';
import { passageTokens, termOf, wordsOf } from '../../../words.js';
import { lexeme } from '../dialect.js';

/** What leads to a passage. */
export interface PassageTerms {
  /** How many tokens it has. */
  readonly length: number;
  /** Its tokens and their places, as Postgres writes them. */
  readonly terms: string;
}

// Neither letter nor digit, so that no token begins with it.
const mark = '\u00b7';

/** The term of all passages of one field of one connector: an index that is asked for it passes over those of others. */
export const fieldTerm = (field: number): string => lexeme(`${mark}${field}`);

/** Under what the words of a field's passages are known; begins as all scopes of the connector do. */
export const vocabularyScope = (connector: number, field: number): string => `${connector}z${mark}${field}`;

/** Words that a misspelt one may stand for. */
const correctableWord = /^\p{L}{3,}$/u;

/** What leads to each passage of a text, and the words that the text is known by. */
export function passageTerms(
  field: number,
  column: Column,
  text: string,
  spans: readonly PassageSpan[],
): { readonly passages: readonly PassageTerms[]; readonly words: readonly string[] } {
  const slice = slicer(text);
  const passages = spans.map(({ start, end }) => termsOf(field, passageTokens(column, text, slice(start, end))));
  const words = new Set(wordsOf(text).filter((word) => correctableWord.test(word)));
  return { passages, words: [...words].map(termOf) };
}

function termsOf(field: number, tokens: readonly string[]): PassageTerms {
  const places = new Map<string, number[]>();
  for (const [index, token] of tokens.entries()) {
    const found = places.get(token);
    if (found) found.push(index + 1);
    else places.set(token, [index + 1]);
  }
  const terms = [...places].map(([token, list]) => `${lexeme(token)}:${list.join(',')}`);
  return { length: tokens.length, terms: [fieldTerm(field), ...terms].join(' ') };
}
