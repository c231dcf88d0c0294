import type { FieldType } from './fields.js';

/** What a condition tests. These are all that a store implements: every operator is made of them. */
export type Test =
  | {
      /** The value equals one of these. */
      readonly test: 'among';
      /** Null matches a missing value. Dates are compared as instants. */
      readonly values: readonly unknown[];
    }
  | {
      /** The value is greater or less than this one. */
      readonly test: 'compare';
      /** How they compare. */
      readonly sign: '>' | '>=' | '<' | '<=';
      /** Dates are compared as instants. */
      readonly value: string | number | boolean;
    }
  | {
      /** The whole text matches a pattern. */
      readonly test: 'like';
      /** With the wildcards `%` and `_`, which `\` escapes. */
      readonly pattern: string;
    }
  | {
      /** The text contains any of the words (`keyword`), or all of them in order with small misspellings (`fuzzy`). */
      readonly test: 'keyword' | 'fuzzy';
      /** The words. */
      readonly text: string;
    }
  | {
      /** The value is an array that contains one of these. */
      readonly test: 'holds';
      /** An object matches elements by its members. */
      readonly values: readonly unknown[];
    };

/** What operators compare a field's value with. */
export interface OperandTypes {
  /** A value like the field's, or null. */
  value: unknown;
  /** A value like the field's that others are greater or less than. */
  ordered: string | number;
  /** Several values like the field's, or null. */
  list: readonly unknown[];
  /** A text to search for in a text. */
  text: string;
  /** A text to search for in a text, or an element of an array. */
  part: unknown;
  /** An element of an array. */
  element: unknown;
  /** Several elements of an array. */
  elements: readonly unknown[];
}

/** The kind of an operator's operand; `operands.ts` says which values are accepted. */
export type OperandKind = keyof OperandTypes;

/** A filter operator. */
export interface Operator {
  /** One sentence. */
  readonly description: string;
  /** A few words for lists of operators; undefined if the name says it all. */
  readonly brief?: string;
  /** What the console shows between a field and a value. */
  readonly label: string;
  /** What the operator compares with. */
  readonly operand: OperandKind;
  /** The tests that the operator stands for; a value must pass one of them. */
  readonly tests: (operand: any, type: FieldType) => readonly Test[];
  /** Whether a value must pass none of the tests instead. */
  readonly negated?: boolean;
  /** Whether the reference does not have the operator. */
  readonly extension?: boolean;
}

const among = (values: readonly unknown[]): Test[] => [{ test: 'among', values }];
const holds = (values: readonly unknown[]): Test[] => [{ test: 'holds', values }];
const like = (pattern: string): Test[] => [{ test: 'like', pattern }];
const compare =
  (sign: '>' | '>=' | '<' | '<=') =>
  (value: string | number): Test[] => [{ test: 'compare', sign, value }];
/** Whether values of this type are text. Here, because programs that never search do not load the parser. */
export const isText = (type: FieldType): boolean => type === 'string' || type === 'date-time';
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
    operand: 'value',
    tests: (value) => among([value]),
  },
  /** Not equal. */
  neq: {
    description: 'Not equal.',
    label: 'is not',
    operand: 'value',
    tests: (value) => among([value]),
    negated: true,
  },
  /** Greater than. */
  gt: { description: 'Greater than.', label: 'is greater than', operand: 'ordered', tests: compare('>') },
  /** Greater than or equal. */
  gte: { description: 'Greater than or equal.', label: 'is at least', operand: 'ordered', tests: compare('>=') },
  /** Less than. */
  lt: { description: 'Less than.', label: 'is less than', operand: 'ordered', tests: compare('<') },
  /** Less than or equal. */
  lte: { description: 'Less than or equal.', label: 'is at most', operand: 'ordered', tests: compare('<=') },
  /** The value is in the list. */
  in: {
    description: 'The value is in the list.',
    label: 'is one of',
    operand: 'list',
    tests: among,
  },
  /** Contains any of these words. */
  keyword: {
    description: 'Contains any of these words.',
    brief: 'any word',
    label: 'contains any of these words',
    operand: 'text',
    tests: (words) => [{ test: 'keyword', text: words }],
  },
  /** Contains these words in this order, allowing small misspellings. */
  fuzzy: {
    description: 'Contains these words in this order, allowing small misspellings.',
    brief: 'words in order',
    label: 'has words similar to',
    operand: 'text',
    tests: (words) => [{ test: 'fuzzy', text: words }],
  },
  /** The array contains this value, or the text contains this substring; case is ignored. */
  contains: {
    description: 'The array contains this value, or the text contains this substring; case is ignored.',
    brief: 'text or element',
    label: 'contains',
    operand: 'part',
    tests: (part, type) => [
      ...(isText(type) ? [] : holds([part])),
      ...(isText(type) || (type === 'any' && typeof part === 'string') ? like(`%${escaped(part)}%`) : []),
    ],
    extension: true,
  },
  /** The text starts with this value; case is ignored. */
  startswith: {
    description: 'The text starts with this value; case is ignored.',
    label: 'starts with',
    operand: 'text',
    tests: (start) => like(`${escaped(start)}%`),
    extension: true,
  },
  /** The text ends with this value; case is ignored. */
  endswith: {
    description: 'The text ends with this value; case is ignored.',
    label: 'ends with',
    operand: 'text',
    tests: (end) => like(`%${escaped(end)}`),
    extension: true,
  },
  /** The whole value matches a pattern with the wildcards % and _. */
  like: {
    description: 'The whole value matches a pattern with the wildcards % and _.',
    brief: '% and _',
    label: 'matches pattern (% = any text)',
    operand: 'text',
    tests: like,
  },
  /** The array contains this value. */
  array_contains: {
    description: 'The array contains this value.',
    label: 'contains the element',
    operand: 'element',
    tests: (value) => holds([value]),
    extension: true,
  },
  /** The array contains one of these values. */
  any: {
    description: 'The array contains one of these values.',
    brief: 'arrays',
    label: 'contains one of',
    operand: 'elements',
    tests: holds,
    extension: true,
  },
} as const satisfies Readonly<Record<string, Operator>>;

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
