import { AnalyticsApiError, apiErrors } from '../errors.js';

/** Allowed contents of a request field. */
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

/** Parses a body and validates its shape; returns camelCase names without nulls. */
export function readBody(text: string, shape: Shape): Record<string, unknown> {
  if (text.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new AnalyticsApiError(400, 'INVALID_ARGUMENT', `Invalid JSON payload received. ${(error as Error).message}`);
  }
  const violations: Violation[] = [];
  const read = fieldValue(parsed, shape, '', violations);
  if (violations.length > 0) throw apiErrors.payload(violations);
  return (read ?? {}) as Record<string, unknown>;
}

function fieldValue(input: unknown, shape: Shape, path: string, violations: Violation[]): unknown {
  if (input === null || input === undefined) return undefined;
  if (typeof shape === 'string') return plainValue(input, shape, path, violations);
  if ('oneOf' in shape) {
    const enumValue = typeof input === 'number' ? shape.oneOf[input] : input;
    if (shape.oneOf.includes(enumValue as string)) return enumValue;
    return addViolation(input, `type.googleapis.com/google.analytics.data.v1beta.${shape.type}`, path, violations);
  }
  if ('list' in shape) {
    // A single value represents a list of one, as in all Google APIs.
    const entries = Array.isArray(input) ? input : [input];
    return entries.map((one, index) => fieldValue(one, shape.list, `${path}[${index}]`, violations));
  }
  if (typeof input !== 'object' || Array.isArray(input)) {
    return addViolation(input, 'Message', path, violations);
  }
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const inner = Object.hasOwn(shape.fields, camel) ? shape.fields[camel] : undefined;
    if (!inner) {
      violations.push({
        ...(path !== '' && { field: path }),
        description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}${path === '' ? '' : ` at '${path}'`}: Cannot find field.`,
      });
      continue;
    }
    const found = fieldValue(
      value,
      inner,
      path === '' ? toSnakeCase(camel) : `${path}.${toSnakeCase(camel)}`,
      violations,
    );
    if (found !== undefined) read[camel] = found;
  }
  return read;
}

function plainValue(input: unknown, shape: Shape & string, path: string, violations: Violation[]): unknown {
  switch (shape) {
    case 'string':
      return typeof input === 'string' ? input : addViolation(input, 'TYPE_STRING', path, violations);
    case 'boolean': {
      if (typeof input === 'boolean') return input;
      return input === 'true' || input === 'false'
        ? input === 'true'
        : addViolation(input, 'TYPE_BOOL', path, violations);
    }
    case 'int64': {
      const isInteger = typeof input === 'number' ? Number.isInteger(input) : /^-?\d+$/.test(String(input));
      const isScalar = typeof input === 'number' || typeof input === 'string';
      return isInteger && isScalar ? Number(input) : addViolation(input, 'TYPE_INT64', path, violations);
    }
    case 'double': {
      const number = typeof input === 'string' && input.trim() !== '' ? Number(input) : input;
      return typeof number === 'number' && !Number.isNaN(number)
        ? number
        : addViolation(input, 'TYPE_DOUBLE', path, violations);
    }
  }
}

function addViolation(input: unknown, type: string, field: string, violations: Violation[]): undefined {
  violations.push({ field, description: `Invalid value at '${field}' (${type}), ${JSON.stringify(input)}` });
  return undefined;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const systemParameters = [
  'alt',
  'prettyPrint',
  'fields',
  'key',
  'quotaUser',
  'uploadType',
  'upload_protocol',
  'callback',
];
const knownParameters = new Set([
  ...systemParameters,
  'access_token',
  'oauth_token',
  '$.xgafv',
  '$alt',
  '$prettyPrint',
  '$fields',
]);

/** Rejects unknown query parameters. */
export function rejectUnknownParameters(search: URLSearchParams): void {
  const violations = [...new Set(search.keys())]
    .filter((name) => !knownParameters.has(name))
    .map((name) => ({
      description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}: Cannot bind query parameter. Field '${name}' could not be found in request message.`,
    }));
  if (violations.length > 0) throw apiErrors.payload(violations);
}
