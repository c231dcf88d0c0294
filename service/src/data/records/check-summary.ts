import { type FaultCollector, fieldRef } from './faults.js';
import type { Aggregate, Condition, FieldRef, GroupOrder, Summary } from './plan.js';
import { isObject, type Layout } from './schema.js';

/** Parameters that request a summary instead of records. */
export const summaryNames = ['count', 'groupBy', 'aggregates'] as const;

const maxGroupFields = 4;
const maxAggregates = 16;
const operators = ['avg', 'min', 'max', 'sum'] as const;
const aggregateForm = '{"<name>": {"avg": "<field>"}} with avg, min, max or sum';

type Query = Readonly<Record<string, unknown>>;

/** Checks the summary parameters of a query. */
export function checkSummary(
  query: Query,
  condition: Condition | undefined,
  layout: Layout,
  faults: FaultCollector,
): Summary {
  if (query.count !== undefined && typeof query.count !== 'boolean') faults.add('query.count', 'must be a boolean');
  const groupBy = groupsOf(query.groupBy, layout, faults);
  const aggregates = aggregatesOf(query.aggregates, layout, faults);
  const groupNames = groupBy.map(pathOf);
  for (const { name } of aggregates) {
    if (name === 'count' || groupNames.includes(name))
      faults.add(`query.aggregates.${name}`, 'is already used in the result; use another name');
  }
  return { condition, groupBy, aggregates, sort: sortOf(query.sort, groupNames, aggregates, faults) };
}

const pathOf = ({ column, path }: FieldRef): string => [column.field, ...path].join('.');
const kindOf = ({ column, path }: FieldRef) => (path.length > 0 ? 'any' : column.kind);

function groupsOf(groupBy: unknown, layout: Layout, faults: FaultCollector): FieldRef[] {
  if (groupBy === undefined) return [];
  const isList = Array.isArray(groupBy);
  const paths: readonly unknown[] = isList ? groupBy : [groupBy];
  if (paths.length === 0 || paths.length > maxGroupFields)
    faults.add('query.groupBy', `must be a field or a list of 1 to ${maxGroupFields} fields`);
  if (new Set(paths).size < paths.length) faults.add('query.groupBy', 'lists a field twice');
  return paths.slice(0, maxGroupFields).flatMap((path, index) => {
    const at = isList ? `query.groupBy.${index}` : 'query.groupBy';
    const ref = fieldRef(path, at, layout, faults);
    if (!ref) return [];
    if (path === 'count') return faults.add(at, 'is already used in the result') ?? [];
    const kind = kindOf(ref);
    if (kind === 'object')
      return faults.add(at, `is an object. Specify an inner field: "${innerPath(ref, layout)}"`) ?? [];
    return kind === 'array' ? (faults.add(at, 'is an array and cannot be used for grouping') ?? []) : [ref];
  });
}

function innerPath({ column: { field } }: FieldRef, { known }: Layout): string {
  const preferred = ['name', 'title', 'email'].map((name) => `${field}.${name}`).find((path) => known.includes(path));
  return preferred ?? known.find((path) => path.startsWith(`${field}.`)) ?? `${field}.name`;
}

function aggregatesOf(aggregates: unknown, layout: Layout, faults: FaultCollector): Aggregate[] {
  const at = 'query.aggregates';
  if (aggregates === undefined) return [];
  const entries = isObject(aggregates) ? Object.entries(aggregates) : [];
  if (entries.length === 0 || entries.length > maxAggregates)
    return faults.add(at, `must be an object with 1 to ${maxAggregates} members, ${aggregateForm}`) ?? [];
  return entries.flatMap(([name, given]) => {
    const [operator, path] = isObject(given) ? (Object.entries(given)[0] ?? []) : [];
    const known = operators.find((one) => one === operator);
    if (!known || Object.keys(given as object).length > 1)
      return faults.add(`${at}.${name}`, `must be the avg, min, max or sum of a field, ${aggregateForm}`) ?? [];
    if (!/^\w{1,64}$/.test(name))
      return faults.add(`${at}.${name}`, 'must have a name that contains only letters, digits and _') ?? [];
    const ref = fieldRef(path, `${at}.${name}.${known}`, layout, faults);
    if (!ref) return [];
    const kind = kindOf(ref);
    const isNumeric = kind === 'number' || kind === 'integer' || kind === 'any';
    const fits = isNumeric || ((known === 'min' || known === 'max') && (kind === 'string' || kind === 'date-time'));
    if (!fits) return faults.add(`${at}.${name}.${known}`, `cannot be applied to a field of type ${kind}`) ?? [];
    return [{ name, operator: known, ref }];
  });
}

function sortOf(
  sort: unknown,
  groupNames: readonly string[],
  aggregates: readonly Aggregate[],
  faults: FaultCollector,
): Summary['sort'] {
  if (sort === undefined) return [];
  const names = ['count', ...groupNames, ...aggregates.map(({ name }) => name)];
  if (!Array.isArray(sort) || sort.length > names.length)
    return faults.add('query.sort', 'must be an array of {"count": "asc" or "desc"}') ?? [];
  return sort.flatMap((key, index) => {
    const at = `query.sort.${index}`;
    const [name, direction] = (isObject(key) && Object.keys(key).length === 1 && Object.entries(key)[0]) || [];
    if (name === undefined) return faults.add(at, 'must have one name, {"count": "asc" or "desc"}') ?? [];
    if (!names.includes(name)) return faults.unknownName(name, names, `${at}.${name}`) ?? [];
    if (direction !== 'asc' && direction !== 'desc')
      return faults.add(`${at}.${name}`, 'must be one of "asc", "desc"') ?? [];
    const group = groupNames.indexOf(name);
    const by: GroupOrder =
      name === 'count'
        ? 'count'
        : group >= 0
          ? { group }
          : { aggregate: aggregates.findIndex((aggregate) => aggregate.name === name) };
    return [{ by, direction } as const];
  });
}
