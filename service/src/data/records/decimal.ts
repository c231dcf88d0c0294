/** A decimal number: `digits` divided by ten to the power of `scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Parses a number as JSON, JavaScript or Postgres writes it, such as `-1.50` or `1e+21`. */
function parseDecimal(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** The digits of two numbers at their larger scale. */
function aligned(one: Decimal, other: Decimal): readonly [bigint, bigint, scale: number] {
  const scale = Math.max(one.scale, other.scale);
  const digitsAt = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own);
  return [digitsAt(one), digitsAt(other), scale];
}

/** A number as text without an exponent and without superfluous zeros. */
function formatDecimal({ digits, scale }: Decimal): string {
  const text = `${digits < 0n ? -digits : digits}`.padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** Adds a number to a sum exactly, as its shortest decimal form; the sum is text unless it is a whole number. */
export function addDecimal(sum: number | string, value: number | bigint | string): number | string {
  if (typeof sum === 'number' && typeof value === 'number' && Number.isSafeInteger(value)) {
    const whole = sum + value;
    if (Number.isSafeInteger(whole)) return whole;
  }
  const [one, other, scale] = aligned(parseDecimal(`${sum}`), parseDecimal(`${value}`));
  return formatDecimal({ digits: one + other, scale });
}

/** A sum for a result: text if it is beyond the whole numbers that JSON readers keep exact. */
export function sumOf(text: string): number | string {
  const exact = formatDecimal(parseDecimal(text));
  return Math.abs(Number(exact)) > Number.MAX_SAFE_INTEGER ? exact : Number(exact);
}

/** Significant digits that identify a double. */
const meanDigits = 17;

/** A sum divided by a count, rounded half away from zero to 17 significant digits. */
export function meanOf(sum: string, count: number): number {
  const { digits, scale } = parseDecimal(sum);
  const size = digits < 0n ? -digits : digits;
  const divisor = BigInt(count) * 10n ** BigInt(scale);
  // Enough places for 17 digits; a quotient with more is rounded once, here.
  const places = Math.max(0, meanDigits + `${divisor}`.length - `${size}`.length);
  const shifted = size * 10n ** BigInt(places);
  const quotient = shifted / divisor;
  const drop = Math.max(0, `${quotient}`.length - meanDigits);
  const unit = divisor * 10n ** BigInt(drop);
  const rounded = (2n * shifted + unit) / (2n * unit);
  return Number(`${digits < 0n ? '-' : ''}${rounded}e${drop - places}`);
}

/** Compares results of `sumOf`. */
export function compareSums(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [first, second] = aligned(parseDecimal(`${one}`), parseDecimal(`${other}`));
  return first < second ? -1 : Number(first > second);
}
