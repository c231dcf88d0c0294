import * as z from 'zod';
import { type IssueWithHint, isObject } from '../action/params.js';
import { suggestion } from '../errors/nearest.js';
import { innerFieldAdvice } from './advice.js';
import { type FieldType, type Searchable, unsearchable } from './fields.js';

/** Parameters that request a summary instead of records. */
const summaryNames: readonly string[] = ['count', 'groupBy', 'aggregates'];

/** Whether a query requests groups instead of records. */
export const isSummary = (query: unknown): boolean =>
  isObject(query) && summaryNames.some((name) => query[name] !== undefined && query[name] !== false);

type AddFault = (path: readonly string[], message: string, hint?: IssueWithHint['hint']) => undefined;

const maxGroupFields = 4;
const maxAggregates = 16;
const operators = ['avg', 'min', 'max', 'sum'];
const aggregateForm = '{"<name>": {"avg": "<field>"}} with avg, min, max or sum';

/** Checks the summary parameters of a query. */
const checked = (check: (value: unknown, add: AddFault) => undefined) =>
  z.unknown().superRefine((value, context) => {
    check(value, (path, message, hint) => {
      context.addIssue({ code: 'custom', path: [...path], message, ...(hint && { params: { hint } }) });
      return undefined;
    });
  });

function typeOfPath(path: unknown, fields: Searchable, at: readonly string[], add: AddFault): FieldType | undefined {
  if (typeof path !== 'string') add(at, 'must be a field, such as "name"');
  else {
    const type = fields.typeAt(path);
    if (type === undefined) add(at, ...unsearchable(path, fields));
    return type;
  }
  return undefined;
}

function checkGroupBy(groupBy: unknown, fields: Searchable, add: AddFault): undefined {
  const isList = Array.isArray(groupBy);
  const paths: readonly unknown[] = isList ? groupBy : [groupBy];
  if (paths.length === 0 || paths.length > maxGroupFields)
    return add([], `must be a field, or a list of 1 to ${maxGroupFields}`);
  for (const [index, path] of paths.entries()) {
    const at = isList ? [`${index}`] : [];
    const type = typeOfPath(path, fields, at, add);
    if (type === 'object') add(at, `is an object. ${innerFieldAdvice(path as string, fields)}`);
    if (type === 'array' || type === 'element') add(at, 'is an array and cannot be grouped by');
  }
}

function checkAggregates(aggregates: unknown, fields: Searchable, add: AddFault): undefined {
  const entries = isObject(aggregates) ? Object.entries(aggregates) : [];
  if (entries.length === 0 || entries.length > maxAggregates)
    return add([], `must be an object with 1 to ${maxAggregates} members, ${aggregateForm}`);
  for (const [name, given] of entries) {
    const members = isObject(given) ? Object.entries(given) : [];
    const [operator, path] = members[0] ?? [];
    if (members.length !== 1 || !operators.includes(operator!)) {
      add([name], `must be one of avg, min, max, sum of a field, ${aggregateForm}`);
      continue;
    }
    const type = typeOfPath(path, fields, [name, operator!], add);
    const sums = operator === 'avg' || operator === 'sum';
    const fits = ['number', 'integer', 'any', ...(sums ? [] : ['string'])];
    if (type !== undefined && !fits.includes(type))
      add([name, operator!], `cannot be applied to a field of type ${type}`);
  }
}

function checkSort(sort: unknown, query: Readonly<Record<string, unknown>>, add: AddFault): undefined {
  const { groupBy = [], aggregates } = query;
  const names = ['count', ...[groupBy].flat(), ...Object.keys(isObject(aggregates) ? aggregates : {})].map(String);
  if (!Array.isArray(sort)) return add([], 'must be an array of {"count": "asc" or "desc"}');
  for (const [index, key] of sort.entries()) {
    const entries = isObject(key) ? Object.entries(key) : [];
    const [name, direction] = entries[0] ?? [];
    const at = [`${index}`, ...(name === undefined ? [] : [name])];
    if (entries.length !== 1) add([`${index}`], 'must have one name, {"count": "asc" or "desc"}');
    else if (!names.includes(name!)) add(at, `cannot sort groups. ${suggestion(name, names, 'names')}`.slice(0, -1));
    else if (direction !== 'asc' && direction !== 'desc') add(at, 'must be one of "asc", "desc"');
  }
}

/** Parameters of a query for groups. */
export function summaryParameters(
  query: Readonly<Record<string, unknown>>,
  fields: Searchable,
  filter: z.core.$ZodType,
): z.core.$ZodType {
  return z.strictObject({
    query: z.strictObject({
      filter,
      count: z.boolean().optional(),
      groupBy: checked((value, add) => checkGroupBy(value, fields, add)).optional(),
      aggregates: checked((value, add) => checkAggregates(value, fields, add)).optional(),
      sort: checked((value, add) => checkSort(value, query, add)).optional(),
    }),
    limit: z.int().min(1).max(10_000).optional(),
  });
}
