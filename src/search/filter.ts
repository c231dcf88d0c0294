import * as z from 'zod';
import { nearest, suggestion } from '../call/nearest.js';
import { type IssueWithHint, isObject, unknownNameMessage } from '../manifest/params.js';
import type { FieldTypes } from './types.js';

/** The searchable fields of an entity. */
export interface Searchable {
  readonly names: readonly string[];
  /** Type of what a path leads to; nothing where it leads nowhere. */
  readonly typeAt: (path: string) => FieldType | undefined;
}

/** Inside an object or array the contract knows no types. */
export type FieldType = keyof FieldTypes | 'any';

const scalar: Readonly<Record<FieldType, z.core.$ZodType>> = {
  string: z.string(),
  number: z.number(),
  // A digit string is an integer too large for a double.
  integer: z.union([z.int(), z.string().regex(/^-?\d+$/)]),
  boolean: z.boolean(),
  object: z.record(z.string(), z.unknown()),
  array: z.array(z.unknown()),
  any: z.unknown(),
};

const examples: Readonly<Record<FieldType, string>> = {
  string: '"text"',
  number: '1.5',
  integer: '42',
  boolean: 'true',
  object: '{"name": "text"}',
  array: '["text"]',
  any: '"text"',
};

const text = z.string().min(1);
const comparable = z.union([z.string(), z.number()]);

/** What an operator takes for a field of this type, and how a message calls it. */
type Operand = (type: FieldType) => readonly [schema: z.core.$ZodType, wanted: string];

const describeValue = (type: FieldType): string =>
  type === 'any'
    ? 'a value that this operator takes, such as "text" or 42'
    : `a value for a field of type ${type}, such as ${examples[type]}`;
const describeList = (type: FieldType): string =>
  `a list of values${type === 'any' ? '' : ` for a field of type ${type}`}, such as [${examples[type]}]`;
const orNull = (type: FieldType) => (type === 'any' ? scalar.any : z.union([scalar[type], z.null()]));

const equality: Operand = (type) => [orNull(type), describeValue(type)];
const ordered: Operand = (type) =>
  type === 'any' || type === 'object' || type === 'array'
    ? [comparable, 'a number or a text, such as 42 or "text"']
    : [scalar[type], describeValue(type)];
const textual: Operand = (type) =>
  type === 'string' || type === 'any'
    ? [text, 'a text that is not empty, such as "text"']
    : [z.never(), `a field that holds text, not one of type ${type}`];
const inArray =
  (schema: z.core.$ZodType): Operand =>
  (type) =>
    type === 'array' || type === 'any'
      ? [schema, describeList('any')]
      : [
          z.never(),
          `a field that is an array, not one of type ${type}; a text is searched by contains, keyword, fuzzy, or like with %`,
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
/** As many as fit into a message. */
const maxListed = 12;
const filterHint = 'A filter is {"<operator>": {"<field>": <value>}}, such as {"eq": {"<field>": "text"}}.';

/** Whether this is one of the words that a filter begins with. */
export const isOperator = (name: string): boolean => valid.includes(name);

/** What is wrong with a path that leads to no field, with what to say beside it. */
export function unsearchable(
  path: string,
  { names }: Searchable,
): readonly [message: string, hint: IssueWithHint['hint']] {
  if (names.length <= maxListed)
    return [`is not a searchable field. ${suggestion(path, names, 'fields')}`.slice(0, -1), undefined];
  if (nearest(path, names) === undefined) {
    return ['is not a searchable field', () => `Searchable fields: ${names.join(', ')}.`];
  }
  return [
    `is not a searchable field. ${suggestion(path, names, 'fields', maxListed)}`.slice(0, -1),
    (where) =>
      `\`describe\` lists all ${names.length} fields, in a program and on the command line, and so does section "actions.${where}" of the docs.`,
  ];
}

/** What is wrong with a filter. */
export interface FaultCollector {
  /** Whether there are as many as anybody will be told. */
  readonly full: boolean;
  readonly add: (path: readonly string[], message: string, hint?: IssueWithHint['hint']) => void;
}

/** Checks a filter, at any depth. */
export function checkFilter(
  filter: unknown,
  fields: Searchable,
  faults: FaultCollector,
  at: readonly string[] = [],
): void {
  const entries = isObject(filter) ? Object.entries(filter) : undefined;
  const unknown = entries?.some(([name]) => !isOperator(name));
  const corrected = unknown ? correctedFilter(entries!, fields) : undefined;
  if (!entries) faults.add(at, 'must be an object', () => filterHint);
  else if (entries.length === 0) faults.add(at, 'is empty; leave it out to match every record');
  else if (at.length > 2 * maxDepth) faults.add([], `is nested deeper than ${maxDepth} levels`);
  else if (corrected !== undefined) faults.add(at, `names the field first; the operator comes first: ${corrected}`);
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
  } else if (isOperator(name)) checkConditions(operands[name]!, operand, fields, faults, at);
  else
    faults.add(at, unknownNameMessage(name, valid), nearest(name, valid) === undefined ? () => filterHint : undefined);
}

function checkConditions(
  operand: Operand,
  given: unknown,
  fields: Searchable,
  faults: FaultCollector,
  at: readonly string[],
): void {
  const entries = isObject(given) ? Object.entries(given) : undefined;
  if (!entries) faults.add(at, 'must be an object, {"<field>": <value>}');
  if (entries?.length === 0) faults.add(at, 'names no field');
  for (const [path, value] of entries ?? []) {
    if (faults.full) return;
    const type = fields.typeAt(path);
    if (type === undefined) faults.add([...at, path], ...unsearchable(path, fields));
    else {
      const [schema, wanted] = operand(type);
      if (!z.safeParse(schema, value).success) faults.add([...at, path], `needs ${wanted}`);
    }
  }
}

type Entries = ReadonlyArray<readonly [name: string, value: unknown]>;

/** The filter that somebody meant who wrote the field before the operator, as JSON; nothing where that is not clear. */
function correctedFilter(entries: Entries, { typeAt }: Searchable): string | undefined {
  const corrected: Record<string, unknown> = {};
  const put = (operator: string, path: string, value: unknown): true => {
    corrected[operator] = { ...(corrected[operator] as object), [path]: value };
    return true;
  };
  const read = (path: string, value: unknown, depth: number): boolean => {
    const type = typeAt(path);
    if (type === undefined || depth > 4) return false;
    if (Array.isArray(value)) return put(type === 'array' ? 'any' : 'in', path, value);
    if (!isObject(value)) return put(type === 'array' ? 'contains' : 'eq', path, value);
    const conditions = Object.entries(value);
    return (
      conditions.length > 0 &&
      conditions.length <= maxListed &&
      conditions.every(([name, operand]) => {
        if (!operators.includes(name) && read(`${path}.${name}`, operand, depth + 1)) return true;
        const operator = nearest(name, operators);
        // Elsewhere "contains" is what looks into texts.
        return operator === 'contains' && type === 'string' && typeof operand === 'string'
          ? put('like', path, `%${operand.replaceAll(/[\\%_]/g, '\\$&')}%`)
          : operator !== undefined && put(operator, path, operand);
      })
    );
  };
  const clear =
    entries.length <= maxListed &&
    entries.every(([name, value]) => {
      if (!isOperator(name)) return read(name, value, 0);
      if (operators.includes(name) && !isObject(value)) return false;
      corrected[name] = operators.includes(name) ? { ...(corrected[name] as object), ...(value as object) } : value;
      return true;
    });
  return clear ? shortJson(corrected) : undefined;
}

/** A value as JSON, where it is one and of bearable length. */
function shortJson(value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value);
    return json.length <= 400 ? json : undefined;
  } catch {
    return undefined;
  }
}
