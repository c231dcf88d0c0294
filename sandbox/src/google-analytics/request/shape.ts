import { AnalyticsRefusal, refusals } from '../refusals.js';

/** What a field of a request may hold. */
export type Shape =
  | 'string'
  | 'boolean'
  | 'int64'
  | 'double'
  | { readonly oneOf: readonly string[]; readonly type: string }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

interface Violation {
  field?: string;
  description: string;
}

/** A message with these fields. */
export function message(fields: Readonly<Record<string, Shape>>): { fields: Readonly<Record<string, Shape>> } {
  return { fields };
}

/** Parses a body and checks it against its shape; names come back in camel case, without what is null. */
export function readBody(text: string, shape: Shape): Record<string, unknown> {
  if (text.trim() === '') return {};
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new AnalyticsRefusal(400, 'INVALID_ARGUMENT', `Invalid JSON payload received. ${(error as Error).message}`);
  }
  const violations: Violation[] = [];
  const read = fieldValue(given, shape, '', violations);
  if (violations.length > 0) throw refusals.payload(violations);
  return (read ?? {}) as Record<string, unknown>;
}

function fieldValue(given: unknown, shape: Shape, place: string, violations: Violation[]): unknown {
  if (given === null || given === undefined) return undefined;
  if (typeof shape === 'string') return plainValue(given, shape, place, violations);
  if ('oneOf' in shape) {
    const known = typeof given === 'number' ? shape.oneOf[given] : given;
    if (shape.oneOf.includes(known as string)) return known;
    return wrong(given, `type.googleapis.com/google.analytics.data.v1beta.${shape.type}`, place, violations);
  }
  if ('list' in shape) {
    // One value stands for a list of one, as in all of Google's APIs.
    const entries = Array.isArray(given) ? given : [given];
    return entries.map((one, index) => fieldValue(one, shape.list, `${place}[${index}]`, violations));
  }
  if (typeof given !== 'object' || Array.isArray(given)) {
    return wrong(given, 'Message', place, violations);
  }
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const inner = Object.hasOwn(shape.fields, camel) ? shape.fields[camel] : undefined;
    if (!inner) {
      violations.push({
        ...(place !== '' && { field: place }),
        description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}${place === '' ? '' : ` at '${place}'`}: Cannot find field.`,
      });
      continue;
    }
    const found = fieldValue(value, inner, place === '' ? snake(camel) : `${place}.${snake(camel)}`, violations);
    if (found !== undefined) read[camel] = found;
  }
  return read;
}

function plainValue(given: unknown, shape: Shape & string, place: string, violations: Violation[]): unknown {
  switch (shape) {
    case 'string':
      return typeof given === 'string' ? given : wrong(given, 'TYPE_STRING', place, violations);
    case 'boolean': {
      if (typeof given === 'boolean') return given;
      return given === 'true' || given === 'false' ? given === 'true' : wrong(given, 'TYPE_BOOL', place, violations);
    }
    case 'int64': {
      const isInteger = typeof given === 'number' ? Number.isInteger(given) : /^-?\d+$/.test(String(given));
      const isKept = typeof given === 'number' || typeof given === 'string';
      return isInteger && isKept ? Number(given) : wrong(given, 'TYPE_INT64', place, violations);
    }
    case 'double': {
      const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
      return typeof number === 'number' && !Number.isNaN(number)
        ? number
        : wrong(given, 'TYPE_DOUBLE', place, violations);
    }
  }
}

function wrong(given: unknown, type: string, field: string, violations: Violation[]): undefined {
  violations.push({ field, description: `Invalid value at '${field}' (${type}), ${JSON.stringify(given)}` });
  return undefined;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
