/** The bit of a letter: the same for both cases of a letter of ASCII. */
export const letterOf = (codePoint: number): number => 1 << (codePoint & 31);

/** One bit for every letter that a word holds, so that most words are told apart without comparing them. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (const letter of word) letters |= letterOf(letter.codePointAt(0)!);
  return letters;
}

/** How many letters two words do not share; one that was replaced counts twice at most. */
export function differentLetters(one: number, other: number): number {
  const value = one ^ other;
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
