import { isObject } from '../schema.js';

/** Whether a value has all that another one names; what it lacks is null. */
function hasParts(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  const part = (name: string) => (Object.hasOwn(value as object, name) ? (value as typeof wanted)[name] : null);
  return isObject(value) && Object.keys(wanted).every((name) => hasParts(part(name), wanted[name]));
}

/** Tells JSON of arrays that hold one of some values, each as canonical text; an object stands for all that have its parts. */
export function hasElement(wanted: readonly string[]): (text: string) => boolean {
  const values = new Set(wanted);
  const objects = wanted.map((one) => JSON.parse(one)).filter(isObject);
  return (text) => {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return false;
    return value.some((item) => values.has(JSON.stringify(item)) || objects.some((one) => hasParts(item, one)));
  };
}
