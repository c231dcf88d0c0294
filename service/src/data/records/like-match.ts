import type { Pattern } from './plan.js';
import { foldText } from './words/fold.js';

/** Returns a predicate that tests whether an entire text, composed and case-folded, matches a folded pattern. */
export function likeMatcher(pattern: Pattern): (text: string) => boolean {
  const signs = pattern.flatMap((part): readonly string[] =>
    'wildcard' in part ? [part.wildcard === '%' ? 'any' : 'one'] : [...part.literal],
  );
  const [first, middle, last] = pattern;
  const isPart = pattern.length === 3 && isAny(first) && isAny(last) && middle && 'literal' in middle;
  if (isPart) return (text) => foldText(text).includes(middle.literal);
  return (text) => matchSigns([...foldText(text)], signs);
}

const isAny = (part: Pattern[number] | undefined): boolean =>
  part !== undefined && 'wildcard' in part && part.wildcard === '%';

function matchSigns(points: readonly string[], signs: readonly string[]): boolean {
  let [at, sign, resumeAt, resumeSign] = [0, 0, 0, -1];
  while (at < points.length) {
    if (signs[sign] === 'any') {
      resumeSign = sign++;
      resumeAt = at;
    } else if (signs[sign] === 'one' || (sign < signs.length && signs[sign] === points[at])) {
      sign++;
      at++;
    } else if (resumeSign >= 0) {
      // Extend the match of the last wildcard by one character.
      sign = resumeSign + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (signs[sign] === 'any') sign++;
  return sign === signs.length;
}
