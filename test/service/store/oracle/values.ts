import { compareInstants, instantOf } from './instants.js';
import { isObject, type Kind } from './paths.js';
import type { Value } from './types.js';

/** The integer denoted by a number or a digit string, or undefined. */
export function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) return BigInt(value);
  return undefined;
}

/** Whether two JSON values are equal, ignoring the order of object keys. */
export function same(first: unknown, second: unknown): boolean {
  if (Array.isArray(first) && Array.isArray(second)) {
    return first.length === second.length && first.every((element, index) => same(element, second[index]));
  }
  if (isObject(first) && isObject(second)) {
    const names = Object.keys(first);
    return (
      names.length === Object.keys(second).length &&
      names.every((name) => Object.hasOwn(second, name) && same(first[name], second[name]))
    );
  }
  return first === second;
}

/** Compares two strings code point by code point. */
function compareTexts(first: string, second: string): number {
  const others = [...second];
  for (const [index, character] of [...first].entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return [...first].length - others.length;
}

function difference(first: number | bigint, second: number | bigint): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** The order of two values of a kind, or undefined if they have none, for example for null or a value of the wrong type. */
export function order(kind: Kind, first: Value, second: Value): number | undefined {
  if (kind === 'date-time') {
    const [before, after] = [instantOf(first), instantOf(second)];
    return before === undefined || after === undefined ? undefined : compareInstants(before, after);
  }
  if (kind === 'integer') {
    const [before, after] = [wholeNumber(first), wholeNumber(second)];
    return before === undefined || after === undefined ? undefined : difference(before, after);
  }
  if (typeof first === 'string' && typeof second === 'string') return compareTexts(first, second);
  if (typeof first === 'number' && typeof second === 'number') return difference(first, second);
  if (typeof first === 'boolean' && typeof second === 'boolean') return Number(first) - Number(second);
  return undefined;
}

/** Whether two values of a kind are equal; null equals only null. */
export function equal(kind: Kind, first: Value, second: Value): boolean {
  if (first === null || second === null) return first === second;
  if (kind === 'date-time' || kind === 'integer') return order(kind, first, second) === 0;
  return same(first, second);
}
