import type { Vocabulary } from '../vocabulary.js';
import { lengthOf, tolerance, within } from '../words.js';

const fewestLetters = 3;
const mostCandidates = 32;

/**
 * Words of a vocabulary that a misspelt one may stand for: those that differ least, then those that differ more.
 * Numbers and very short words are taken as they are: another number is not the same one misspelt.
 */
export function nearestWords(word: string, vocabulary: Vocabulary): string[][] {
  if (lengthOf(word) < fewestLetters || !/^[\p{L}\p{M}]+$/u.test(word)) return [];
  const near = (vocabulary.near(word) ?? []).filter((candidate) => candidate !== word && !/\p{N}/u.test(candidate));
  const groups: string[][] = Array.from({ length: tolerance(word) }, () => []);
  for (const candidate of near) {
    const distance = groups.findIndex((_, index) => within(candidate, word, index + 1));
    groups[distance]?.push(candidate);
  }
  // Of several that differ as much, those with the same beginning are likelier.
  const sharesBeginning = (candidate: string) => Number(candidate[0] === word[0]);
  return groups
    .filter((group) => group.length > 0)
    .map((group) => group.sort((one, other) => sharesBeginning(other) - sharesBeginning(one)).slice(0, mostCandidates));
}
