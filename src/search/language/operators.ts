import { isObject } from '../../action/params.js';
import { parseInstant, relativeDate } from './dates.js';
import type { FieldType } from './fields.js';
import { maxElementDepth, maxTextCharacters } from './limits.js';

/** What a condition tests. These are all that a store implements: every operator is made of them. */
export type Test =
  /** The value equals one of these; null matches a missing value. Dates are compared as instants. */
  | { readonly test: 'among'; readonly values: readonly unknown[] }
  /** The value is greater or less than this one. Dates are compared as instants. */
  | { readonly test: 'compare'; readonly sign: '>' | '>=' | '<' | '<='; readonly value: string | number | boolean }
  /** The whole text matches a pattern with the wildcards `%` and `_`, which `\` escapes. */
  | { readonly test: 'like'; readonly pattern: string }
  /** The text contains any of the words (`keyword`), or all of them in order with small misspellings (`fuzzy`). */
  | { readonly test: 'keyword' | 'fuzzy'; readonly text: string }
  /** The value is an array that contains one of these; an object matches elements by its members. */
  | { readonly test: 'holds'; readonly values: readonly unknown[] };

/** Which operands an operator accepts, by field type. */
interface Operand<T> {
  /** The operand in TypeScript; never set. */
  readonly '~type'?: T;
  accepts(value: unknown, type: FieldType): boolean;
  /** The error for any other operand. */
  expected(type: FieldType): string;
  /** The error for an operand that is too large. */
  excess?(value: unknown): string | undefined;
}

/** A filter operator. */
export interface Operator<T = unknown> {
  /** One sentence. */
  readonly description: string;
  /** A few words for lists of operators; undefined if the name says it all. */
  readonly brief?: string;
  /** What the console shows between a field and a value. */
  readonly label: string;
  readonly operand: Operand<T>;
  /** The tests that the operator stands for; a value must pass one of them. */
  readonly tests: (operand: any, type: FieldType) => readonly Test[];
  /** Whether a value must pass none of the tests instead. */
  readonly negated?: boolean;
  /** Whether the reference does not have the operator. */
  readonly extension?: boolean;
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

const isText = (type: FieldType): boolean => type === 'string' || type === 'date-time';

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

const isNullOrOfType = (value: unknown, type: FieldType): boolean =>
  value === null ? type !== 'element' : isOfType(value, type);

const neededValue = (type: FieldType): string =>
  type === 'any'
    ? 'needs a value for this operator, such as "text" or 42'
    : `needs a value for a field of type ${type}, such as ${examples[type]}`;
const neededList = (type: FieldType): string =>
  `needs a list of values${type === 'any' ? '' : ` for a field of type ${type}`}, such as [${examples[type]}]`;
const neededArray = (type: FieldType): string =>
  type === 'array' || type === 'any'
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

const equality: Operand<unknown> = { accepts: isNullOrOfType, expected: neededValue };

/** A value to be greater or less than. */
export const ordered: Operand<string | number> = {
  accepts: (value, type) =>
    type === 'any'
      ? typeof value === 'string' || Number.isFinite(value)
      : type !== 'object' && type !== 'array' && isOfType(value, type),
  expected: (type) => {
    if (type === 'object' || type === 'array') return `is an ${type} and cannot be compared`;
    return type === 'any' ? 'needs a number or string, such as 42 or "text"' : neededValue(type);
  },
};

const list: Operand<readonly unknown[]> = {
  accepts: (value, type) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => isNullOrOfType(item, type)),
  expected: neededList,
};

const text: Operand<string> = {
  accepts: (value, type) => (isText(type) || type === 'any') && typeof value === 'string' && value !== '',
  expected: (type) =>
    isText(type) || type === 'any'
      ? 'needs a non-empty string, such as "text"'
      : `needs a text field, not one of type ${type}`,
  excess: excessText,
};

const element: Operand<unknown> = {
  accepts: (value, type) => (type === 'array' || type === 'any') && value !== undefined,
  expected: neededArray,
  excess: excessDepth,
};

const elements: Operand<readonly unknown[]> = {
  accepts: (value, type) => (type === 'array' || type === 'any') && Array.isArray(value) && value.length > 0,
  expected: neededArray,
  excess: excessDepth,
};

const textOrElement: Operand<unknown> = {
  accepts: (value, type) => (isText(type) ? text : element).accepts(value, type),
  expected: (type) => (isText(type) ? text : element).expected(type),
  excess: (value) => excessText(value) ?? excessDepth(value),
};

const among = (values: readonly unknown[]): Test[] => [{ test: 'among', values }];
const holds = (values: readonly unknown[]): Test[] => [{ test: 'holds', values }];
const like = (pattern: string): Test[] => [{ test: 'like', pattern }];
const compare =
  (sign: '>' | '>=' | '<' | '<=') =>
  (value: string | number): Test[] => [{ test: 'compare', sign, value }];
/** Escapes the wildcards of a pattern. */
const escaped = (part: string): string => part.replaceAll(/[\\%_]/g, '\\$&');

/**
 * All filter operators. Types, schemas, the documentation for agents and the console's forms are derived from this
 * table; editors show an operator's comment, which repeats its description.
 */
export const operators = {
  /** Equal; null matches a missing value. */
  eq: {
    description: 'Equal; null matches a missing value.',
    label: 'is',
    operand: equality,
    tests: (value) => among([value]),
  },
  /** Not equal. */
  neq: {
    description: 'Not equal.',
    label: 'is not',
    operand: equality,
    tests: (value) => among([value]),
    negated: true,
  },
  /** Greater than. */
  gt: { description: 'Greater than.', label: 'is greater than', operand: ordered, tests: compare('>') },
  /** Greater than or equal. */
  gte: { description: 'Greater than or equal.', label: 'is at least', operand: ordered, tests: compare('>=') },
  /** Less than. */
  lt: { description: 'Less than.', label: 'is less than', operand: ordered, tests: compare('<') },
  /** Less than or equal. */
  lte: { description: 'Less than or equal.', label: 'is at most', operand: ordered, tests: compare('<=') },
  /** The value is in the list. */
  in: {
    description: 'The value is in the list.',
    brief: 'a list',
    label: 'is one of',
    operand: list,
    tests: among,
  },
  /** The whole value matches a pattern with the wildcards % and _. */
  like: {
    description: 'The whole value matches a pattern with the wildcards % and _.',
    brief: 'the whole value, with % and _',
    label: 'matches pattern (% = any text)',
    operand: text,
    tests: like,
  },
  /** Contains these words in this order, allowing small misspellings. */
  fuzzy: {
    description: 'Contains these words in this order, allowing small misspellings.',
    brief: 'words in order, misspellings allowed',
    label: 'has words similar to',
    operand: text,
    tests: (words) => [{ test: 'fuzzy', text: words }],
  },
  /** Contains any of these words. */
  keyword: {
    description: 'Contains any of these words.',
    brief: 'any of the words',
    label: 'contains any of these words',
    operand: text,
    tests: (words) => [{ test: 'keyword', text: words }],
  },
  /** The text starts with this value; ASCII case is ignored. */
  startswith: {
    description: 'The text starts with this value; ASCII case is ignored.',
    label: 'starts with',
    operand: text,
    tests: (start) => like(`${escaped(start)}%`),
    extension: true,
  },
  /** The text ends with this value; ASCII case is ignored. */
  endswith: {
    description: 'The text ends with this value; ASCII case is ignored.',
    label: 'ends with',
    operand: text,
    tests: (end) => like(`%${escaped(end)}`),
    extension: true,
  },
  /** The array contains this value, or the text contains this substring; ASCII case is ignored. */
  contains: {
    description: 'The array contains this value, or the text contains this substring; ASCII case is ignored.',
    brief: 'part of a text, or an array element',
    label: 'contains',
    operand: textOrElement,
    tests: (part, type) => [
      ...(isText(type) ? [] : holds([part])),
      ...(isText(type) || (type === 'any' && typeof part === 'string') ? like(`%${escaped(part)}%`) : []),
    ],
    extension: true,
  },
  /** The array contains this value. */
  array_contains: {
    description: 'The array contains this value.',
    brief: 'an element',
    label: 'contains the element',
    operand: element,
    tests: (value) => holds([value]),
    extension: true,
  },
  /** The array contains one of these values. */
  any: {
    description: 'The array contains one of these values.',
    brief: 'one of several elements',
    label: 'contains one of',
    operand: elements,
    tests: holds,
    extension: true,
  },
} satisfies Readonly<Record<string, Operator>>;

/** The name of a filter operator. */
export type OperatorName = keyof typeof operators;

/** The names of all filter operators. */
export const operatorNames = Object.keys(operators) as OperatorName[];

/** What combines filters. */
export const combinators = ['not', 'and', 'or'];

/** Whether this is an operator or combines filters. */
export const isOperator = (name: string): boolean => Object.hasOwn(operators, name) || combinators.includes(name);

/** The operators in a sentence: `eq, neq, in (a list)`. */
export const operatorList = (): string =>
  operatorNames
    .map((name) => {
      const { brief }: Operator = operators[name];
      return brief === undefined ? name : `${name} (${brief})`;
    })
    .join(', ');
