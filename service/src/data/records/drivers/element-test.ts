import { isObject } from '../schema.js';

/** Whether a value contains all parts of another; missing parts are treated as null. */
function hasParts(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  const part = (name: string) => (Object.hasOwn(value as object, name) ? (value as typeof wanted)[name] : null);
  return isObject(value) && Object.keys(wanted).every((name) => hasParts(part(name), wanted[name]));
}

/**
 * Tests whether a JSON array contains one of the values, each given as canonical text. An object matches any element
 * that contains all its parts.
 */
export function hasElement(wanted: readonly string[]): (text: string) => boolean {
  const values = new Set(wanted);
  const objects = wanted.map((one) => JSON.parse(one)).filter(isObject);
  return (text) => {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return false;
    return value.some((item) => values.has(JSON.stringify(item)) || objects.some((one) => hasParts(item, one)));
  };
}
