import type { PagePosition } from '../../plan.js';
import type { InnerValue } from '../../positions.js';

// A value inside an object is sorted by a single text key, so that one index serves both directions and every
// comparison. Its first character is the rank of the type: numbers, then texts, then booleans.

const digits = '0123456789abcdef';
const complements = 'fedcba9876543210';

/** The sort key of the number, text or boolean in a JSON value, in SQL; null for anything else. */
export function innerKey(value: string): string {
  const text = `(${value} #>> '{}')`;
  const number = `${text}::double precision`;
  // The bytes of positive numbers sort in order, and those of negative numbers in reverse.
  const positive = `'01' || encode(float8send(${number}), 'hex')`;
  const negative = `'00' || translate(encode(float8send(${number}), 'hex'), '${digits}', '${complements}')`;
  return `((case jsonb_typeof(${value}) when 'string' then '1' || ${text} when 'boolean' then '2' || ${text} when 'number' then case when ${number} < 0 then ${negative} else ${positive} end end) collate "C")`;
}

/** The sort key of a value; its text is already escaped. */
export function keyOf(value: string | number | boolean): string {
  if (typeof value === 'string') return `1${value}`;
  if (typeof value === 'boolean') return `2${value}`;
  const bytes = Buffer.alloc(8);
  // Jsonb has no negative zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const hex = bytes.toString('hex');
  return value < 0 ? `00${complement(hex)}` : `01${hex}`;
}

const complement = (hex: string): string => [...hex].map((digit) => complements[digits.indexOf(digit)]).join('');

/** The key that sorts after all values of the same type. */
export const endOf = (value: string | number): string => (typeof value === 'string' ? '2' : '1');

/** The key that sorts before all values of the same type. */
export const startOf = (value: string | number): string => (typeof value === 'string' ? '1' : '0');

export const joinKey = ([rank, number, text]: InnerValue): string =>
  keyOf(rank === 1 ? String(text) : rank === 2 ? Number(number) === 1 : Number(number));

export function splitKey(key: PagePosition['values'][number]): InnerValue {
  const text = String(key);
  if (text.startsWith('1')) return [1, null, text.slice(1)];
  if (text.startsWith('2')) return [2, Number(text === '2true'), null];
  const hex = text.slice(2);
  return [0, Buffer.from(text[1] === '0' ? complement(hex) : hex, 'hex').readDoubleBE(), null];
}
