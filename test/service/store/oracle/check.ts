import { instantOf } from './instants.js';
import { isObject, type Kind, kindOf } from './paths.js';
import { editDistance } from './texts.js';
import type { Entity } from './types.js';
import { wholeNumber } from './values.js';

/** An error in a search and its path; for an unknown field, also the closest searchable one. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly nearest?: string;
}

const problem = (path: string, message: string): Problem[] => [{ path, message }];

/** The searchable field with the smallest edit distance. */
function nearestField(entity: Entity, path: string): string {
  const head = path.split('.')[0] ?? '';
  const distance = (name: string) => Math.min(editDistance(name, path), editDistance(name, head));
  const [first = '', ...others] = Object.keys(entity.fields);
  return others.reduce((best, name) => (distance(name) < distance(best) ? name : best), first);
}

const isSearchable = (entity: Entity, path: string) => kindOf(entity, path) !== undefined;
const isProjectable = (entity: Entity, path: string) =>
  isSearchable(entity, path) || (kindOf(entity, path.split('.')[0]!) === 'array' && !/(^|\.)(\.|$)/.test(path));

function checkPath(entity: Entity, path: unknown, at: string, accepts = isSearchable): Problem[] {
  if (typeof path !== 'string') return problem(at, 'a field is named by a string');
  if (accepts(entity, path)) return [];
  const nearest = nearestField(entity, path);
  return [{ path: at, message: `${path} is no searchable field, the nearest is ${nearest}`, nearest }];
}

function isOfKind(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'date-time':
      return instantOf(value) !== undefined;
    case 'integer':
      return wholeNumber(value) !== undefined;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'open':
      return value !== undefined;
    default:
      return typeof value === kind;
  }
}

function checkValue(kind: Kind, value: unknown, at: string): Problem[] {
  return value === null || isOfKind(kind, value) ? [] : problem(at, `not a value of type ${kind}`);
}

function checkList(value: unknown, at: string, checkOne: (value: unknown, at: string) => Problem[]): Problem[] {
  if (!Array.isArray(value)) return problem(at, 'not a list');
  return value.flatMap((one, index) => checkOne(one, `${at}.${index}`));
}

function checkCompared(kind: Kind, value: unknown, at: string): Problem[] {
  if (['boolean', 'object', 'array'].includes(kind)) return problem(at, `a field of type ${kind} has no order`);
  const comparable = kind === 'open' ? typeof value === 'string' || typeof value === 'number' : isOfKind(kind, value);
  return comparable ? [] : problem(at, `not a value of type ${kind} to compare with`);
}

function checkText(kind: Kind, value: unknown, at: string): Problem[] {
  if (!['string', 'date-time', 'open'].includes(kind)) return problem(at, `a field of type ${kind} is no text`);
  return typeof value === 'string' && value !== '' ? [] : problem(at, 'not a string with characters');
}

function checkElement(kind: Kind, value: unknown, at: string): Problem[] {
  if (kind !== 'array' && kind !== 'open') return problem(at, `a field of type ${kind} is no array`);
  return value === undefined ? problem(at, 'no value') : [];
}

function checkElements(kind: Kind, value: unknown, at: string): Problem[] {
  return checkFilledList(value, at, (one, place) => checkElement(kind, one, place));
}

function checkFilledList(value: unknown, at: string, checkOne: (value: unknown, at: string) => Problem[]): Problem[] {
  if (Array.isArray(value) && value.length === 0) return problem(at, 'an empty list');
  return checkList(value, at, checkOne);
}

/** What each operator accepts. */
export const operators = new Map<string, (kind: Kind, value: unknown, at: string) => Problem[]>([
  ['eq', checkValue],
  ['neq', checkValue],
  ['gt', checkCompared],
  ['gte', checkCompared],
  ['lt', checkCompared],
  ['lte', checkCompared],
  ['in', (kind, value, at) => checkFilledList(value, at, (one, place) => checkValue(kind, one, place))],
  ['like', checkText],
  ['keyword', checkText],
  ['fuzzy', checkText],
  ['startswith', checkText],
  ['endswith', checkText],
  ['contains', (kind, ...rest) => (['string', 'date-time'].includes(kind) ? checkText : checkElement)(kind, ...rest)],
  ['array_contains', checkElement],
  ['any', checkElements],
]);

function checkFilter(entity: Entity, filter: unknown, at: string): Problem[] {
  if (!isObject(filter)) return problem(at, 'a filter is an object');
  if (Object.keys(filter).length === 0 && /[^.]\.filter\./.test(at)) return problem(at, 'an empty filter');
  return Object.entries(filter).flatMap(([operator, operand]) => {
    const here = `${at}.${operator}`;
    if (operator === 'not') return checkFilter(entity, operand, here);
    if (operator === 'and' || operator === 'or') {
      if (Array.isArray(operand) && operand.length === 0) return problem(here, 'an empty list of filters');
      return checkList(operand, here, (part, place) => checkFilter(entity, part, place));
    }
    const checkOperand = operators.get(operator);
    if (checkOperand === undefined) return problem(here, `${operator} is no operator`);
    if (!isObject(operand)) return problem(here, 'not an object of field and value');
    if (Object.keys(operand).length === 0) return problem(here, 'has no field');
    return Object.entries(operand).flatMap(([path, value]) => {
      const kind = kindOf(entity, path);
      return kind === undefined
        ? checkPath(entity, path, `${here}.${path}`)
        : checkOperand(kind, value, `${here}.${path}`);
    });
  });
}

function checkSortKey(entity: Entity, key: unknown, at: string): Problem[] {
  const entries = isObject(key) ? Object.entries(key) : [];
  const [path, direction] = entries[0] ?? [];
  if (path === undefined || entries.length > 1) return problem(at, 'a sort key is an object of one field');
  const kind = kindOf(entity, path);
  if (kind === undefined) return checkPath(entity, path, at);
  if (kind === 'object' || kind === 'array') return problem(at, `a field of type ${kind} has no order`);
  return direction === 'asc' || direction === 'desc' ? [] : problem(at, 'the direction is asc or desc');
}

function unknownNames(object: object, known: readonly string[], at: string): Problem[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .flatMap((name) => problem(`${at}${name}`, `${name} is no parameter`));
}

function checkLimit(limit: unknown): Problem[] {
  const allowed = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 10_000;
  return allowed ? [] : problem('limit', 'the limit is a whole number from 1 to 10,000');
}

/** All errors in the parameters of a search; empty if they are valid. */
export function check(entity: Entity, params: unknown): Problem[] {
  if (!isObject(params)) return problem('', 'the parameters are an object');
  const problems = unknownNames(params, ['query', 'limit', 'cursor', 'fields'], '');
  const { query, limit, cursor, fields } = params;
  if (!isObject(query)) problems.push(...problem('query', 'the query is an object'));
  else {
    problems.push(...unknownNames(query, ['filter', 'sort', 'count', 'groupBy', 'timeZone', 'aggregates'], 'query.'));
    if (query.filter !== undefined) problems.push(...checkFilter(entity, query.filter, 'query.filter'));
    if (query.sort !== undefined) {
      problems.push(...checkList(query.sort, 'query.sort', (key, at) => checkSortKey(entity, key, at)));
    }
  }
  if (limit !== undefined) problems.push(...checkLimit(limit));
  if (cursor !== undefined && typeof cursor !== 'string') problems.push(...problem('cursor', 'not a string'));
  if (fields !== undefined) {
    problems.push(...checkList(fields, 'fields', (path, at) => checkPath(entity, path, at, isProjectable)));
  }
  return problems;
}
