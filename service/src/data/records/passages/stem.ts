// Martin Porter's algorithm for English (1980), written in the terms of his paper.
const consonant = '[^aeiou]';
const vowel = '[aeiouy]';
const consonants = `${consonant}[^aeiouy]*`;
const vowels = `${vowel}[aeiou]*`;

/** At least one, just one, or more than one stretch of vowels that consonants follow. */
const hasMeasure = new RegExp(`^(${consonants})?${vowels}${consonants}`);
const hasMeasureOne = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`);
const hasMeasureAboveOne = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(${consonants})?${vowel}`);
const endsInShortSyllable = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);
const endsInDoubleConsonant = /([^aeiouylsz])\1$/;

type Endings = ReadonlyArray<readonly [ending: string, instead: string]>;

const pairs = (text: string): Endings => text.split(' ').map((pair) => pair.split(':') as [string, string]);

const step2Suffixes = pairs(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ' +
    'ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log',
);
const step3Suffixes = pairs('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:');
const step4Suffixes = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou'.split(' ');

/** Replaces the first ending that the word has, where what stands before it is long enough. */
function replaceSuffix(word: string, endings: Endings, enough: RegExp): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const stem = word.slice(0, -found[0].length);
  return enough.test(stem) ? stem + found[1] : word;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith('eed')) return hasMeasure.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const stem = /^(.+?)(ed|ing)$/.exec(word)?.[1];
  if (stem === undefined || !hasVowel.test(stem)) return word;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant.test(stem)) return stem.slice(0, -1);
  return endsInShortSyllable.test(stem) ? `${stem}e` : stem;
}

function withoutEnding(word: string): string {
  const ending = step4Suffixes.find((candidate) => word.endsWith(candidate));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return hasMeasureAboveOne.test(stem) && (ending !== 'ion' || /[st]$/.test(stem)) ? stem : word;
}

function withoutFinal(word: string): string {
  let left = word;
  if (left.endsWith('e')) {
    const stem = left.slice(0, -1);
    if (hasMeasureAboveOne.test(stem) || (hasMeasureOne.test(stem) && !endsInShortSyllable.test(stem))) left = stem;
  }
  return left.endsWith('ll') && hasMeasureAboveOne.test(left) ? left.slice(0, -1) : left;
}

/** The stem of an English word in small letters, so that its forms are found by each other. */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  // A y that begins a word is a consonant.
  let stem = word.startsWith('y') ? `Y${word.slice(1)}` : word;
  stem = withoutTense(withoutPlural(stem));
  if (stem.endsWith('y') && hasVowel.test(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(replaceSuffix(stem, step2Suffixes, hasMeasure), step3Suffixes, hasMeasure);
  return withoutFinal(withoutEnding(stem)).replace('Y', 'y');
}
