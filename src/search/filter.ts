import * as z from 'zod';
import { type IssueWithHint, isObject, unknownNameMessage } from '../action/params.js';
import { nearest } from '../errors/nearest.js';
import { correctedFilter, structureFault } from './advice.js';
import { type FieldType, type Searchable, unsearchable } from './fields.js';

const scalar: Readonly<Record<FieldType, z.core.$ZodType>> = {
  string: z.string(),
  number: z.number(),
  // A digit string is an integer too large for a double.
  integer: z.union([z.int(), z.string().regex(/^-?\d+$/)]),
  boolean: z.boolean(),
  object: z.record(z.string(), z.unknown()),
  array: z.array(z.unknown()),
  any: z.unknown(),
  element: z.never(),
};

const examples: Readonly<Record<FieldType, string>> = {
  string: '"text"',
  number: '1.5',
  integer: '42',
  boolean: 'true',
  object: '{"name": "text"}',
  array: '["text"]',
  any: '"text"',
  element: '"text"',
};

const text = z.string().min(1);
const comparable = z.union([z.string(), z.number()]);

/** An operator's operand for a field of this type, and how messages describe it. */
type Operand = (type: FieldType) => readonly [schema: z.core.$ZodType, wanted: string];

const describeValue = (type: FieldType): string =>
  type === 'any'
    ? 'a value for this operator, such as "text" or 42'
    : `a value for a field of type ${type}, such as ${examples[type]}`;
const describeList = (type: FieldType): string =>
  `a list of values${type === 'any' ? '' : ` for a field of type ${type}`}, such as [${examples[type]}]`;
const orNull = (type: FieldType) => (type === 'any' ? scalar.any : z.union([scalar[type], z.null()]));

const equality: Operand = (type) => [orNull(type), describeValue(type)];
const ordered: Operand = (type) =>
  type === 'any' ? [comparable, 'a number or string, such as 42 or "text"'] : [scalar[type], describeValue(type)];
const textual: Operand = (type) =>
  type === 'string' || type === 'any'
    ? [text, 'a non-empty string, such as "text"']
    : [z.never(), `a text field, not one of type ${type}`];
const inArray =
  (schema: z.core.$ZodType): Operand =>
  (type) =>
    type === 'array' || type === 'any'
      ? [schema, describeList('any')]
      : [
          z.never(),
          `an array field, not one of type ${type}; search text with contains, keyword, fuzzy, or like with %`,
        ];
const arrayElement = inArray(scalar.any);

const operands: Readonly<Record<string, Operand>> = {
  eq: equality,
  neq: equality,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: (type) => [z.array(orNull(type)).min(1), describeList(type)],
  like: textual,
  fuzzy: textual,
  keyword: textual,
  startswith: textual,
  endswith: textual,
  contains: (type) => (type === 'string' ? textual : arrayElement)(type),
  array_contains: arrayElement,
  any: inArray(z.array(z.unknown()).min(1)),
};
const operators = Object.keys(operands);
const valid = [...operators, 'not', 'and', 'or'];

const maxDepth = 50;
const filterHint = 'A filter is {"<operator>": {"<field>": <value>}}, such as {"eq": {"<field>": "text"}}.';

/** Whether this is a filter operator. */
export const isOperator = (name: string): boolean => valid.includes(name);

/** Collects the errors in a filter. */
export interface FaultCollector {
  /** Whether no more errors will be reported. */
  readonly full: boolean;
  readonly add: (path: readonly string[], message: string, hint?: IssueWithHint['hint']) => void;
}

/** Checks a filter recursively. */
export function checkFilter(
  filter: unknown,
  fields: Searchable,
  faults: FaultCollector,
  at: readonly string[] = [],
): void {
  const entries = isObject(filter) ? Object.entries(filter) : undefined;
  const unknown = entries?.some(([name]) => !isOperator(name));
  const isValid = (meant: object) => {
    let valid = true;
    checkFilter(meant, fields, { full: false, add: () => (valid = false) }, at);
    return valid;
  };
  const corrected = unknown ? correctedFilter(entries!, fields, operators, isValid) : undefined;
  if (!entries) faults.add(at, 'must be an object', () => filterHint);
  else if (entries.length === 0 && at.length > 0) faults.add(at, 'is empty');
  else if (at.length > 2 * maxDepth) faults.add([], `is nested deeper than ${maxDepth} levels`);
  else if (corrected !== undefined)
    faults.add(at, `has the field first, but the operator must come first: ${corrected}`);
  else {
    for (const [name, operand] of entries) {
      if (faults.full) return;
      if (operand !== undefined) checkOperator(name, operand, fields, faults, [...at, name]);
    }
  }
}

function checkOperator(
  name: string,
  operand: unknown,
  fields: Searchable,
  faults: FaultCollector,
  at: readonly string[],
) {
  if (name === 'not') checkFilter(operand, fields, faults, at);
  else if (name === 'and' || name === 'or') {
    if (!Array.isArray(operand)) faults.add(at, 'must be an array of filters');
    else if (operand.length === 0) faults.add(at, 'must not be empty');
    else {
      for (const [index, part] of operand.entries()) {
        if (faults.full) return;
        checkFilter(part, fields, faults, [...at, `${index}`]);
      }
    }
  } else if (isOperator(name)) checkConditions(name, operand, fields, faults, at);
  else
    faults.add(at, unknownNameMessage(name, valid), nearest(name, valid) === undefined ? () => filterHint : undefined);
}

function checkConditions(
  operator: string,
  given: unknown,
  fields: Searchable,
  faults: FaultCollector,
  at: readonly string[],
): void {
  const entries = isObject(given) ? Object.entries(given) : undefined;
  if (!entries) faults.add(at, 'must be an object, {"<field>": <value>}');
  if (entries?.length === 0) faults.add(at, 'has no field');
  for (const [path, value] of entries ?? []) {
    if (faults.full) return;
    const type = fields.typeAt(path);
    if (type === undefined) faults.add([...at, path], ...unsearchable(path, fields));
    else {
      const fault = valueFault(operator, path, value, type, fields);
      if (fault !== undefined) faults.add([...at, path], fault);
    }
  }
}

function valueFault(
  operator: string,
  path: string,
  value: unknown,
  type: FieldType,
  fields: Searchable,
): string | undefined {
  if (type === 'array' && ordered === operands[operator]) return 'is an array and cannot be compared';
  const [schema, wanted] = operands[operator]!(type);
  if (type !== 'element' && z.safeParse(schema, value).success) return undefined;
  return structureFault(operator, path, value, type, fields) ?? `needs ${wanted}`;
}
