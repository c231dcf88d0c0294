import type { PassageSpan } from '../../passages/types.js';
import { slicer } from '../../rows.js';
import type { Column } from '../../schema.js';
import { passageTokens } from '../../words/ranking.js';
import { lexeme } from './dialect.js';

/** Search terms of a passage. */
export interface PassageTerms {
  /** Number of tokens. */
  readonly length: number;
  /** The tokens and their positions as a Postgres `tsvector`. */
  readonly terms: string;
}

// Neither a letter nor a digit, so no token starts with it.
const mark = '\u00b7';

/** The term shared by all passages of one field in one connector; the index uses it to skip all other passages. */
export const fieldTerm = (field: number): string => lexeme(`${mark}${field}`);

/** The search terms of each passage in a text. */
export function passageTerms(
  field: number,
  column: Column,
  text: string,
  spans: readonly PassageSpan[],
): PassageTerms[] {
  const slice = slicer(text);
  return spans.map(({ start, end }) => termsOf(field, passageTokens(column, text, slice(start, end))));
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
