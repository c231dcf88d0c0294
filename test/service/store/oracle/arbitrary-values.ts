import fc from 'fast-check';
import { instantOf } from './instants.js';
import { wordsOf } from './texts.js';
import type { Value } from './types.js';
import { wholeNumber } from './values.js';

const pieces = [
  'alpha',
  'Alpha',
  'ALPHA',
  'alpah',
  'beta',
  'bet',
  'report',
  'Reports',
  'x',
  'Z',
  'zz',
  '7',
  '42',
  '042',
  '１２',
  'Straße',
  'STRASSE',
  'strasse',
  'İstanbul',
  'istanbul',
  'Istanbul',
  'ı',
  'Größe',
  'größe',
  'GRÖSSE',
  'Ünlü',
  'café',
  'cafe\u0301',
  'e\u0301cole',
  'Å',
  'A\u030A',
  '漢字',
  '\uFFFD',
  '\uFF21',
  '😀',
  '👩‍👩‍👧',
  '𝒳𝒴',
  '𐐀',
  '𐐨',
  '100%',
  '%',
  'a_b',
  '_',
  'C:\\temp\\x',
  '\\',
  "O'Brien",
  "''",
  '"quoted"',
  '* OR NEAR(',
  '-- ;',
  '{"a":1}',
  '$.a',
  'long'.repeat(80),
  `${'long'.repeat(80)}x`,
  `long${'long'.repeat(80)}`,
];
const separators = [' ', ' ', ' ', '  ', '-', ', ', '\n', '\t', '.', ''];

const assembled = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...separators)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([piece, separator], index) => (index === 0 ? piece : separator + piece)).join(''));

/** Short texts from a small vocabulary, so that records share them, and occasionally arbitrary characters. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: assembled, weight: 6 },
  { arbitrary: fc.constantFrom(...pieces), weight: 6 },
  { arbitrary: fc.constant(''), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 6 }), weight: 1 },
);

const changes = ['none', 'upper', 'lower', 'drop', 'insert', 'replace', 'swap', 'start', 'end'] as const;

function changed(text: string, change: (typeof changes)[number], place: number, letter: string): string {
  const characters = [...text];
  const at = characters.length === 0 ? 0 : place % characters.length;
  const [before, here, after] = [characters.slice(0, at), characters[at] ?? '', characters.slice(at + 1)];
  switch (change) {
    case 'none':
      return text;
    case 'upper':
      return text.toUpperCase();
    case 'lower':
      return text.toLowerCase();
    case 'drop':
      return [...before, ...after].join('');
    case 'insert':
      return [...before, letter, here, ...after].join('');
    case 'replace':
      return [...before, letter, ...after].join('');
    case 'swap':
      return [...before, after[0] ?? '', here, ...after.slice(1)].join('');
    case 'start':
      return before.join('');
    case 'end':
      return [here, ...after].join('');
  }
}

const letters = fc.constantFrom('a', 'B', '9', 'ß', 'ü', '漢', '😀', ' ');

/** The text itself, or the text with one small change. */
export function textsNear(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...changes), fc.nat(1000), letters)
    .map(([change, place, letter]) => changed(text, change, place, letter));
}

/** `like` patterns that match the text, or nearly do. */
export function patternsNear(text: string): fc.Arbitrary<string> {
  const escaped = (characters: readonly string[]) => characters.map((one) => one.replace(/[%_\\]/, '\\$&')).join('');
  return fc
    .tuple(textsNear(text), fc.constantFrom('whole', 'middle', 'part', 'one', 'raw'), fc.nat(1000), fc.nat(1000))
    .map(([near, form, first, second]) => {
      const characters = [...near];
      const [from = 0, to = 0] = [first, second].map((place) => place % (characters.length + 1)).sort((a, b) => a - b);
      switch (form) {
        case 'middle':
          return `${escaped(characters.slice(0, from))}%${escaped(characters.slice(to))}`;
        case 'part':
          return `%${escaped(characters.slice(from, to))}%`;
        case 'one':
          return `${escaped(characters.slice(0, from))}_${escaped(characters.slice(from + 1))}`;
        case 'raw':
          return near.replace(/\\+$/, '');
        default:
          return escaped(characters);
      }
    });
}

function withTypo(word: string): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constant(word), weight: 2 },
    { arbitrary: textsNear(word), weight: 2 },
    { arbitrary: textsNear(word).chain(textsNear), weight: 1 },
  );
}

/** Words from the text, possibly slightly changed; at least one. */
export function wordsNear(text: string): fc.Arbitrary<string> {
  const words = wordsOf(text);
  const chosen =
    words.length === 0
      ? fc.constant(['alpha'])
      : fc.subarray(words, { minLength: 1, maxLength: Math.min(3, words.length) });
  return chosen
    .chain((kept) => fc.tuple(...kept.map(withTypo)))
    .chain((kept) => fc.constantFrom(kept.join(' '), kept.join(' - '), [...kept].reverse().join(' ')))
    .map((near) => (wordsOf(near).length === 0 ? 'alpha' : near));
}

const moments = ['1969-12-31T23:59:59', '2024-02-29T00:00:00', '2024-03-01T00:00:00', '2024-03-01T10:30:00'];
const offsets = [0, 0, 0, 120, -330, 840, -60];

function spellDateTime(seconds: number, fraction: string, offset: number, plain: boolean): string {
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  const minutes = Math.abs(offset);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = offset === 0 && plain ? 'Z' : `${offset < 0 ? '-' : '+'}${digits}`;
  return `${local}${fraction === '' ? '' : `.${fraction}`}${zone}`;
}

const clocks = fc
  .tuple(
    fc.constantFrom(...moments),
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom('', '', '0', '5', '50', '500000', '123', '123000000', '1234', '123456789'),
    fc.constantFrom(...offsets),
    fc.boolean(),
  )
  .map(([moment, later, fraction, offset, plain]) =>
    spellDateTime(Date.parse(`${moment}Z`) / 1000 + later, fraction, offset, plain),
  );

/** Date-times close to each other, with various offsets and fractions. */
export const dateTimes: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: clocks, weight: 9 },
  { arbitrary: fc.constantFrom('2024-02-29', '2024-03-01'), weight: 1 },
);

/** Strings that are not date-times, though some look like them. */
export const notDateTimes = [
  'yesterday',
  '',
  'March 7, 2024',
  '2024-13-01T00:00:00Z',
  '2024-02-30T00:00:00Z',
  '2024-03-01T25:00:00Z',
  '1709289000000',
];

/** Other spellings of the same instant, nearby instants, and other date-times. */
export function dateTimesNear(text: string): fc.Arbitrary<string> {
  const instant = instantOf(text);
  if (instant === undefined) return dateTimes;
  const respelled = fc
    .tuple(fc.constantFrom(0, 0, 0, 1, -1), fc.constantFrom('', '0', '000'), fc.constantFrom(...offsets), fc.boolean())
    .map(([later, zeros, offset, plain]) =>
      spellDateTime(instant.seconds + later, instant.fraction + zeros, offset, plain),
    );
  return fc.oneof({ arbitrary: respelled, weight: 4 }, { arbitrary: dateTimes, weight: 1 });
}

/** Numbers, including those that are hard to store. */
export const numbers: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.1, 0.30000000000000004, 1.5, 1e21, 1e-7, 2 ** 53, -2.5, 10, 9),
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
);

const wholes = fc.oneof(
  fc.bigInt({ min: -12n, max: 120n }),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, -(2n ** 53n) - 1n, 90071992547409921n, 2n ** 63n - 1n),
);

function writtenWhole(value: bigint, asDigits: boolean): number | string {
  return asDigits || value >= 2n ** 53n || value <= -(2n ** 53n) ? String(value) : Number(value);
}

/** Integers; all large ones and some small ones are digit strings. */
export const integers: fc.Arbitrary<number | string> = fc
  .tuple(wholes, fc.boolean())
  .map(([value, asDigits]) => writtenWhole(value, asDigits));

/** The same integer or an adjacent one, as a number or digits. */
export function integersNear(value: Value): fc.Arbitrary<number | string> {
  return fc
    .tuple(fc.constantFrom(0n, 0n, 1n, -1n), fc.boolean())
    .map(([more, asDigits]) => writtenWhole((wholeNumber(value) ?? 0n) + more, asDigits));
}

/** Strings, numbers and booleans; some have the same characters but different types. */
export const scalars: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(true, false, 'true', 1, '1', 0, '0', 1.5, '1.5', '', 'null', '42', 42),
  texts,
);
