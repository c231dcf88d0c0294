import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseCount } from '../cases.js';
import { failure } from '../failure.js';
import { fakeFetch } from './fake-fetch.js';
import { shelf } from './shelf.js';

/** The result of parsing a response with this text. */
async function received(text: string): Promise<any> {
  const { fetch } = fakeFetch(() => new Response(`{"id":"b1","value":${text}}`));
  const { data } = await shelf(fetch).execute('books', 'get', { id: 'b1' }, { raw: true });
  return (data as any).value;
}

describe('numbers in responses', () => {
  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['1000000000000000', 1e15],
    ['1234567890123456', 1234567890123456],
    ['12345678901234567890.5', Number('12345678901234567890.5')],
    ['0.12345678901234567890', Number('0.12345678901234567890')],
    ['1e400', Number.POSITIVE_INFINITY],
    ['12345678901234567890e-5', Number('12345678901234567890e-5')],
    ['1E+20', 1e20],
    ['-0', -0],
    ['"12345678901234567890"', '12345678901234567890'],
    ['"a \\"12345678901234567890\\" b"', 'a "12345678901234567890" b'],
    ['"\\\\"', '\\'],
    ['["\\\\", 12345678901234567890, "\\\\"]', ['\\', '12345678901234567890', '\\']],
    ['{"12345678901234567890": 12345678901234567890}', { '12345678901234567890': '12345678901234567890' }],
    ['[1, 22222222222222222, {"x": [33333333333333333]}]', [1, '22222222222222222', { x: ['33333333333333333'] }]],
  ])('are converted from %s to %j', async (text, value) => {
    expect(await received(text)).toEqual(value);
  });

  it.each(['012345678901234567890', '12345678901234567890-', '-', '--12345678901234567890'])(
    'are rejected if they are invalid JSON: %s',
    async (text) => {
      const { fetch } = fakeFetch(() => new Response(`{"id": ${text}}`));
      const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'get', { id: 'b1' }));
      expect(error.code).toBe('invalid_response');
    },
  );

  it('are parsed correctly next to a string with many escapes', async () => {
    const text = '\\n"'.repeat(200_000);
    const value = await received(JSON.stringify([text]).replace(/\]$/, ',12345678901234567890]'));
    expect(value[0]).toBe(text);
    expect(value[1]).toBe('12345678901234567890');
  });

  it('are parsed correctly next to a string with millions of escapes', async () => {
    const text = '\\\n'.repeat(2_500_000);
    const value = await received(JSON.stringify([text]).replace(/\]$/, ',12345678901234567890]'));
    expect(value[0] === text).toBe(true);
    expect(value[1]).toBe('12345678901234567890');
  });

  it('match JSON.parse in any document, except for unsafe integers, which become strings of digits', async () => {
    const big = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), big);
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      big.map(String),
      fc.constantFrom('"', '\\', '\\"', '1234567890123456789"'),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        number,
        texts,
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }),
      object: fc.dictionary(texts, tie('tree'), { maxKeys: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(tree, async (value) => {
        expect(await received(written(value))).toEqual(expected(value));
      }),
      { numRuns: caseCount(300) },
    );
  });
});

/** JSON text with big integers as numbers. */
function written(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(written).join(' , ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}:${written(item)}`)
    .join(',')}}`;
}

/**
 * The expected result: that of `JSON.parse`, except that an integer that a double cannot represent becomes a string of
 * digits.
 */
function expected(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') {
    const text = JSON.stringify(value);
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : JSON.parse(text);
  }
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expected(item)]));
}
