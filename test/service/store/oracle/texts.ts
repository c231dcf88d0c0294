import { folded } from './folding.js';
import { approximateWords, formsOf } from './words.js';

export { folded } from './folding.js';
export { hasKeyword } from './words.js';

/** Whether a pattern with `%`, `_` and `\` matches the whole text, ignoring the case of ASCII letters. */
export function isLike(text: string, pattern: string): boolean {
  const characters = [...folded(text)];
  const signs = [...folded(pattern)];
  // All positions in the text at which the pattern so far can end.
  let positions = new Set([0]);
  for (let index = 0; index < signs.length; index += 1) {
    const sign = signs[index];
    const next = new Set<number>();
    if (sign === '%') {
      for (let position = Math.min(...positions); position <= characters.length; position += 1) next.add(position);
    } else if (sign === '_') {
      for (const position of positions) if (position < characters.length) next.add(position + 1);
    } else {
      let literal = sign;
      if (sign === '\\' && index + 1 < signs.length) {
        index += 1;
        literal = signs[index];
      }
      for (const position of positions) if (characters[position] === literal) next.add(position + 1);
    }
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(characters.length);
}

/** The words in a text that changed words are made of. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{Nd}]+/gu) ?? [];

/** How many characters must be added, removed or replaced to turn one text into the other. */
export function editDistance(first: string, second: string): number {
  const characters = [...first];
  const others = [...second];
  let above = [0, ...others.map((_, index) => index + 1)];
  for (const [row, character] of characters.entries()) {
    const current = [row + 1];
    for (const [column, other] of others.entries()) {
      const replaced = (above[column] ?? 0) + (character === other ? 0 : 1);
      const removed = (above[column + 1] ?? 0) + 1;
      const added = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    above = current;
  }
  return above[others.length] ?? 0;
}

function isNear(word: string, wanted: string): boolean {
  const allowed = [...wanted].length <= 4 ? 1 : 2;
  return editDistance(word, wanted) <= allowed;
}

/** Whether the text has words close to each of the wanted words, in the same order, possibly with others in between. */
export function isFuzzy(text: string, wanted: string): boolean {
  const words = approximateWords(wanted);
  let rest = formsOf(text);
  return (
    words.length > 0 &&
    words.every((word) => {
      if (typeof word !== 'string') return word.filter((pair) => rest.includes(pair)).length >= 0.7 * word.length;
      const place = rest.findIndex((form) => isNear(form, word));
      rest = rest.slice(place + 1);
      return place >= 0;
    })
  );
}
