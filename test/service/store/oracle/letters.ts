// Data, not code; languages.slow.test.ts asks for characters of its own.
import { simplifications } from '../../../../service/src/data/records/words/chinese.js';
import { compatible, unknown } from './folding.js';

// Tone marks that Unicode counts as Bopomofo since version 16.
const tones = 'ˇˉˊˋ';
const isDense = (character: string): boolean =>
  !tones.includes(character) &&
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test(character);
const nuktas = '\u093c\u09bc\u0a3c\u0abc\u0b3c\u0c3c\u0cbc';

/** `w` for letters, digits and their marks, `a` for accents, `d` for scripts without spaces, `k` for Korean. */
export function shapeOf(character: string): string {
  if (unknown.test(character)) return '!';
  if (/\p{M}/u.test(character)) {
    if (/[\u3099\u309a\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(character)) return 'd';
    if (nuktas.includes(character)) return 'a';
    const isOptional = /[\p{sc=Zinh}\p{sc=Zyyy}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Cyrl}]/u.test(character);
    return isOptional && /[\p{Mn}\p{Me}]/u.test(character) ? 'a' : 'w';
  }
  if (/\p{N}/u.test(character)) return 'w';
  if (/\p{L}/u.test(character)) return /\p{sc=Hang}/u.test(character) ? 'k' : isDense(character) ? 'd' : 'w';
  return /[-_./:@&+#%=~?'\\·]/.test(character) ? character : '!';
}

const others: Readonly<Record<string, string>> = {
  ł: 'l',
  đ: 'd',
  ø: 'o',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ð: 'd',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ہ: 'ه',
  ة: 'ه',
  ٱ: 'ا',
};

const simple = new Map(
  [...simplifications.matchAll(/(.)(.)/gsu)].map(([, traditional, simplified]) => [traditional!, simplified!]),
);

/** Rows of Devanagari, whose last letter is their nasal; other Indic blocks have the same order. */
const rows = ['कखगघङ', 'चछजझञ', 'टठडढण', 'तथदधन', 'पफबभम'];
const isIndic = (point: number) => point >= 0x900 && point < 0xd80 && !(point >= 0xb80 && point < 0xc00);
const inDevanagari = (character: string): string => {
  const point = character.codePointAt(0)!;
  return isIndic(point) ? String.fromCharCode(0x900 + (point % 0x80)) : character;
};

/** One sign for all nasals in front of a consonant, and for candrabindu. */
function withAnusvara(characters: readonly string[]): string[] {
  const result: string[] = [];
  for (let at = 0; at < characters.length; at++) {
    const own = characters[at]!;
    const [letter, next, last] = characters.slice(at, at + 3).map(inDevanagari);
    const isJoined = next === '\u094d' && rows.some((row) => row.endsWith(letter!) && row.slice(0, -1).includes(last!));
    const isOwnBlock = !isJoined || own.codePointAt(0)! >> 7 === characters[at + 2]!.codePointAt(0)! >> 7;
    const isSign = isIndic(own.codePointAt(0)!) && (letter === '\u0901' || own === '\u0a70');
    const isNasal = isJoined && isIndic(own.codePointAt(0)!) && isOwnBlock;
    result.push(isNasal || isSign ? String.fromCharCode((own.codePointAt(0)! & 0xff80) + 2) : own);
    if (isNasal) at++;
  }
  return result;
}

/** A word without accents and other optional marks, in simplified characters. */
export const bare = (word: string): string =>
  withAnusvara(
    [
      ...[...word.normalize('NFD')]
        .filter((character) => shapeOf(character) !== 'a')
        .map((character) => simple.get(character) ?? character)
        .join('')
        .normalize('NFC'),
    ].map((character) => others[character] ?? character),
  ).join('');

/** The parts of words with capitals inside: all but single letters, with and without digits at their end. */
export function capitalParts(text: string): string[] {
  const kind = (character = ' ') =>
    /[0-9]/.test(character)
      ? '0'
      : !/[a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]/.test(character)
        ? ' '
        : character === character.toLowerCase()
          ? 'a'
          : 'A';
  const words = text
    .normalize('NFC')
    .split('')
    .map((character) => (kind(character) === ' ' ? ' ' : character))
    .join('')
    .split(' ');
  return words
    .filter(({ length }) => length <= 60)
    .flatMap((word) => {
      let divided = '';
      for (let at = 0; at < word.length; at++) {
        const kinds = [-1, 0, 1, 2].map((place) => kind(word[at + place])).join('');
        divided += (/^aA|^0Aa/.test(kinds) || kinds === 'AAaa' ? ' ' : '') + word[at];
      }
      const parts = divided.split(' ');
      const isWord = (part: string) => /^[aA]{2,}0*$/.test([...part].map(kind).join(''));
      if (parts.length === 1) return [];
      return parts.filter(isWord).flatMap((part) => [...new Set([part, part.replace(/[0-9]+$/, '')])].map(compatible));
    });
}

const spelled: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
export const withUmlauts = (word: string): string[] =>
  /[äöüøå]/.test(word) ? [bare([...word].map((letter) => spelled[letter] ?? letter).join(''))] : [];
