import { isObject } from '../../action/params.js';
import { parseInstant, relativeDate } from './dates.js';
import type { FieldType } from './fields.js';
import { maxElementDepth, maxTextCharacters } from './limits.js';
import { isText, type OperandKind } from './operators.js';

/** Which values an operator accepts, by field type. */
export interface Operand {
  /** Whether there is an operand for fields of this type. */
  appliesTo(type: FieldType): boolean;
  /** Whether this is an operand for a field of a type to which the operator applies. */
  accepts(value: unknown, type: FieldType): boolean;
  /** The error for any other operand. */
  expected(type: FieldType): string;
  /** The error for an operand that is too large. */
  excess?(value: unknown): string | undefined;
  /** Whether it is a list of values. */
  readonly isList?: boolean;
}

const examples: Readonly<Record<FieldType, string>> = {
  string: '"text"',
  'date-time': '"2026-01-31", "2026-01-31T09:30:00Z" or "now-7d"',
  number: '1.5',
  integer: '42',
  boolean: 'true',
  object: '{"name": "text"}',
  array: '["text"]',
  any: '"text"',
  element: '"text"',
};

const isTextOrAny = (type: FieldType): boolean => isText(type) || type === 'any';
const isArrayOrAny = (type: FieldType): boolean => type === 'array' || type === 'any';

/** Whether a field of this type can contain the value, which is not null. */
function isOfType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'date-time':
      return parseInstant(relativeDate(value, Date.now()) ?? value) !== undefined;
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      // A digit string is an integer too large for a double.
      return Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,9999}$/.test(value));
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'any':
      return value !== undefined;
    default:
      return false;
  }
}

const isNullOrOfType = (value: unknown, type: FieldType): boolean => value === null || isOfType(value, type);

const neededValue = (type: FieldType): string =>
  type === 'any'
    ? 'needs a value for this operator, such as "text" or 42'
    : `needs a value for a field of type ${type}, such as ${examples[type]}`;
const neededList = (type: FieldType): string =>
  `needs a list of values${type === 'any' ? '' : ` for a field of type ${type}`}, such as [${examples[type]}]`;
const neededArray = (type: FieldType): string =>
  isArrayOrAny(type)
    ? neededList('any')
    : `needs an array field, not one of type ${type}; search text with contains, keyword, fuzzy, or like with %`;

const isWithinDepth = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => isWithinDepth(part, depth - 1)));

const excessDepth = (value: unknown): string | undefined =>
  isWithinDepth(value, maxElementDepth) ? undefined : `is nested deeper than ${maxElementDepth} levels`;
const excessText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > maxTextCharacters
    ? `has more than ${maxTextCharacters} characters`
    : undefined;

const value: Operand = {
  appliesTo: (type) => type !== 'element',
  accepts: isNullOrOfType,
  expected: neededValue,
};

const ordered: Operand = {
  appliesTo: (type) => !['object', 'array', 'element'].includes(type),
  accepts: (value, type) =>
    type === 'any' ? typeof value === 'string' || Number.isFinite(value) : isOfType(value, type),
  expected: (type) => {
    if (type === 'object' || type === 'array') return `is an ${type} and cannot be compared`;
    return type === 'any' ? 'needs a number or string, such as 42 or "text"' : neededValue(type);
  },
};

const list: Operand = {
  appliesTo: value.appliesTo,
  accepts: (value, type) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => isNullOrOfType(item, type)),
  expected: neededList,
  isList: true,
};

const text: Operand = {
  appliesTo: isTextOrAny,
  accepts: (value) => typeof value === 'string' && value !== '',
  expected: (type) =>
    isTextOrAny(type) ? 'needs a non-empty string, such as "text"' : `needs a text field, not one of type ${type}`,
  excess: excessText,
};

const element: Operand = {
  appliesTo: isArrayOrAny,
  accepts: (value) => value !== undefined,
  expected: neededArray,
  excess: excessDepth,
};

const elements: Operand = {
  appliesTo: isArrayOrAny,
  accepts: (value) => Array.isArray(value) && value.length > 0,
  expected: neededArray,
  excess: excessDepth,
  isList: true,
};

const part: Operand = {
  appliesTo: (type) => isText(type) || isArrayOrAny(type),
  accepts: (value, type) => (isText(type) ? text : element).accepts(value, type),
  expected: (type) => (isText(type) ? text : element).expected(type),
  excess: (value) => excessText(value) ?? excessDepth(value),
};

/** Every kind of operand. */
export const operands: Readonly<Record<OperandKind, Operand>> = { value, ordered, list, text, part, element, elements };
