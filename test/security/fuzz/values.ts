import fc from 'fast-check';

/** The planted secret, which must not appear in any output. */
export const canary = 'CANARY-7f3a9b-0123456789';

/** Strings that have broken programs before. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  '\r\nx-evil: 1',
  '\ud800',
  '\u202e\u200b\ufeff',
  '__proto__',
  'constructor',
  'toString',
  'a.b.__proto__.c',
  "' or 1=1 --",
  '"; drop table x; --',
  '{{7*7}}',
  '%00%2e%2e%2f',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  `Bearer ${canary}`,
  canary,
  '9'.repeat(400),
  '2026-13-45T99:99:99Z',
  'NaN',
  '\\',
  '%',
  '*',
  'x'.repeat(5_000),
];

/** Any string, including unusual ones. */
export const texts = fc.oneof(
  { arbitrary: fc.string({ maxLength: 20 }), weight: 3 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 2 },
  { arbitrary: fc.constantFrom(...oddTexts), weight: 3 },
);

const oddNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e300, 5e-324, Number.MAX_VALUE];

/** Any JSON value, including property names that every object inherits. */
export const trees: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    texts,
    fc.oneof(fc.constantFrom(...oddNumbers), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.constantFrom<unknown>(null, true, false, [], {}),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(texts, tie('tree')), { maxLength: 4 }).map(objectOf),
  ),
})).tree;

/** An object with exactly these members, including `__proto__` as a name. */
export function objectOf(entries: ReadonlyArray<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** Arbitrary bytes. */
export const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => new Uint8Array(some));

/** A valid header value. */
export const headerTexts = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  fc.constantFrom(...oddTexts.filter((text) => /^[\x20-\xff]*$/.test(text))),
);
