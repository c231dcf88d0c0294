import { FilterCheck } from './check-filter.js';
import type { Faults } from './faults.js';
import type { SearchPlan, SortKey } from './plan.js';
import type { Layout } from './schema.js';
import { isObject } from './values.js';

const defaultLimit = 1000;
const highestLimit = 10_000;
const mostKeys = 16;

/** What is said of parameters that ask for both kinds of search. */
export const bothKinds = 'query and semantic exclude each other; pass one of them';

const whole = '{} for every record, or conditions such as {"filter": {"eq": {"<field>": "text"}}}';
const order = '{"<field>": "asc" or "desc"}';

/** A checked search that does not yet know where its page begins. */
export interface CheckedSearch {
  readonly plan: SearchPlan;
  readonly cursor: string | undefined;
}

/** Checks the parameters of a structured search; every fault goes into one error, each with its path. */
export function checkSearch(params: unknown, layout: Layout, faults: Faults): CheckedSearch {
  const checked = parts(params, layout, faults);
  faults.settle(layout);
  return checked!;
}

function parts(params: unknown, layout: Layout, faults: Faults): CheckedSearch | undefined {
  if (!isObject(params)) return faults.add('', 'the parameters must be an object');
  if (params.query !== undefined && params.semantic !== undefined) {
    return faults.add('', bothKinds);
  }
  onlyNames(params, ['query', 'fields', 'limit', 'cursor'], '', faults);
  const { query, fields, limit = defaultLimit, cursor } = params;
  if (!isObject(query))
    return faults.add('query', query === undefined ? `is required: ${whole}` : `must be an object: ${whole}`);
  onlyNames(query, ['filter', 'sort'], 'query.', faults);
  const check = new FilterCheck(layout, faults, 'query.filter');
  const condition = check.filter(query.filter);
  const sort = sortOf(query.sort, check, faults);
  const kept = fieldsOf(fields, check, faults);
  if (!isWhole(limit, highestLimit)) return faults.add('limit', wholeNumber(highestLimit));
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor === '')) {
    return faults.add('cursor', 'must be the cursor of a page before');
  }
  return { plan: { condition, sort, limit, fields: kept }, cursor };
}

/** Whether a value is a whole number from 1 to `most`. */
export const isWhole = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;

/** What is said of a value that is no such number. */
export const wholeNumber = (most: number): string => `must be a whole number from 1 to ${most}`;

/** Notes every member that is not known. */
export function onlyNames(given: object, known: readonly string[], at: string, faults: Faults): void {
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name) && value !== undefined) faults.unknownName(name, known, `${at}${name}`);
  }
}

function sortOf(sort: unknown, check: FilterCheck, faults: Faults): SortKey[] {
  if (sort === undefined) return [];
  if (!Array.isArray(sort)) return faults.add('query.sort', `must be an array, [${order}]`) ?? [];
  if (sort.length > mostKeys) return faults.add('query.sort', `must have at most ${mostKeys} keys`) ?? [];
  return sort.flatMap((entry, index) => {
    const at = `query.sort.${index}`;
    const entries = isObject(entry) ? Object.entries(entry) : [];
    const [path, direction] = entries[0] ?? [];
    if (path === undefined || entries.length > 1)
      return faults.add(at, `must be an object of one field, ${order}`) ?? [];
    const place = check.place(path, `${at}.${path}`);
    if (!place) return [];
    if (place.path.length === 0 && (place.column.kind === 'object' || place.column.kind === 'array')) {
      return faults.add(`${at}.${path}`, `cannot order a field of type ${place.column.kind}`) ?? [];
    }
    if (direction !== 'asc' && direction !== 'desc') {
      return faults.add(`${at}.${path}`, 'must be one of "asc", "desc"') ?? [];
    }
    return [{ place, direction } as const];
  });
}

/** The paths that `fields` keeps; all when left out. */
export function fieldsOf(fields: unknown, check: FilterCheck, faults: Faults): string[][] | undefined {
  if (fields === undefined) return undefined;
  if (!Array.isArray(fields)) return faults.add('fields', 'must be an array');
  if (fields.length === 0) return faults.add('fields', 'must not be empty');
  return fields.flatMap((path, index) => {
    const place = check.place(path, `fields.${index}`);
    return place ? [[place.column.field, ...place.path]] : [];
  });
}
