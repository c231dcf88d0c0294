import { type Issues, isObject } from '../../action/params.js';
import { suggestion } from '../../errors/nearest.js';
import { innerFieldAdvice } from './advice.js';
import { type Field, readPath, type Searchable } from './fields.js';
import { maxAggregates, maxGroupFields } from './limits.js';

/** A field's values in a group, combined. */
export interface ParsedAggregate {
  /** Its name in the groups. */
  readonly name: string;
  /** How it combines values. */
  readonly operator: AggregateOperator;
  /** The field, or the path inside it. */
  readonly field: Field;
}

/** How an aggregate combines values. */
export type AggregateOperator = (typeof aggregateOperators)[number];

/** A sort direction. */
export type Direction = 'asc' | 'desc';

/** How a query groups records instead of returning them. */
export interface Grouping {
  /** Records with equal values of these fields form a group; without fields, all records do. */
  readonly groupBy: readonly Field[];
  /** What each group contains besides its number of records. */
  readonly aggregates: readonly ParsedAggregate[];
  /** What groups are sorted by, most important first. */
  readonly sort: readonly GroupSortKey[];
}

/** What groups are sorted by. */
export interface GroupSortKey {
  /** `count`, the path of a group field, or the name of an aggregate. */
  readonly name: string;
  /** Nulls are last in both directions. */
  readonly direction: Direction;
}

/** Parameters that request a summary instead of records. */
const summaryNames = ['count', 'groupBy', 'aggregates'];
const aggregateOperators = ['avg', 'min', 'max', 'sum'] as const;
const aggregateForm = '{"<name>": {"avg": "<field>"}} with avg, min, max or sum';
const sortForm = '{"count": "asc" or "desc"}';

type Query = Readonly<Record<string, unknown>>;

/** Whether a query requests groups instead of records. */
export const isSummary = (query: Query): boolean =>
  summaryNames.some((name) => query[name] !== undefined && query[name] !== false);

/** A field's path, as in the parameters. */
export const pathOf = ({ name, inner }: Field): string => [name, ...inner].join('.');

/** Whether this is a sort direction; reports it if not. */
export function isDirection(value: unknown, issues: Issues, at: readonly string[]): value is Direction {
  if (value === 'asc' || value === 'desc') return true;
  issues.add(at, 'must be one of "asc", "desc"');
  return false;
}

/** Parses the summary parameters of a query. */
export function parseGrouping(query: Query, fields: Searchable, issues: Issues): Grouping {
  if (query.count !== undefined && typeof query.count !== 'boolean')
    issues.add(['query', 'count'], 'must be a boolean');
  const groupBy = groupsIn(query.groupBy, fields, issues);
  const aggregates = aggregatesIn(query.aggregates, fields, issues);
  const groups = groupBy.map(pathOf);
  for (const { name } of aggregates) {
    if (name === 'count' || groups.includes(name))
      issues.add(['query', 'aggregates', name], 'is already used in the result; use another name');
  }
  // Names that were rejected above can be sorted by, so that one mistake is reported once.
  const named = [query.groupBy ?? []].flat().filter((path) => typeof path === 'string');
  const names = ['count', ...named, ...Object.keys(isObject(query.aggregates) ? query.aggregates : {})];
  return { groupBy, aggregates, sort: sortOf(query.sort, [...new Set(names)], issues) };
}

function groupsIn(groupBy: unknown, fields: Searchable, issues: Issues): Field[] {
  if (groupBy === undefined) return [];
  const at = ['query', 'groupBy'];
  const paths: readonly unknown[] = Array.isArray(groupBy) ? groupBy : [groupBy];
  if (paths.length === 0 || paths.length > maxGroupFields) {
    issues.add(at, `must be a field, or a list of 1 to ${maxGroupFields}`);
    return [];
  }
  if (new Set(paths).size < paths.length) issues.add(at, 'lists a field twice');
  return paths.flatMap((path, index) => {
    const place = Array.isArray(groupBy) ? [...at, `${index}`] : at;
    const field = readPath(path, fields, issues, place);
    if (!field) return [];
    const fault = groupFault(field, fields);
    return fault === undefined ? [field] : (issues.add(place, fault) ?? []);
  });
}

function groupFault(field: Field, fields: Searchable): string | undefined {
  const path = pathOf(field);
  if (path === 'count') return 'is already used in the result';
  if (field.type === 'object') return `is an object. ${innerFieldAdvice(path, fields)}`;
  return field.type === 'array' || field.type === 'element' ? 'is an array and cannot be grouped by' : undefined;
}

function aggregatesIn(aggregates: unknown, fields: Searchable, issues: Issues): ParsedAggregate[] {
  if (aggregates === undefined) return [];
  const entries = isObject(aggregates) ? Object.entries(aggregates) : [];
  if (entries.length === 0 || entries.length > maxAggregates) {
    issues.add(['query', 'aggregates'], `must be an object with 1 to ${maxAggregates} members, ${aggregateForm}`);
    return [];
  }
  return entries.flatMap(([name, given]) => {
    const at = ['query', 'aggregates', name];
    const [member, ...others] = isObject(given) ? Object.entries(given) : [];
    const operator = aggregateOperators.find((valid) => valid === member?.[0]);
    if (!operator || others.length > 0)
      return issues.add(at, `must be one of avg, min, max, sum of a field, ${aggregateForm}`) ?? [];
    if (!/^\w{1,64}$/.test(name)) return issues.add(at, 'must have a name of 1 to 64 letters, digits and _') ?? [];
    const place = [...at, operator];
    const field = readPath(member![1], fields, issues, place);
    if (!field) return [];
    const comparable = operator === 'min' || operator === 'max' ? ['string', 'date-time'] : [];
    if (!['number', 'integer', 'any', ...comparable].includes(field.type))
      return issues.add(place, `cannot be applied to a field of type ${field.type}`) ?? [];
    return [{ name, operator, field }];
  });
}

function sortOf(sort: unknown, names: readonly string[], issues: Issues): Grouping['sort'] {
  if (sort === undefined) return [];
  const at = ['query', 'sort'];
  if (!Array.isArray(sort)) return issues.add(at, `must be an array of ${sortForm}`) ?? [];
  if (sort.length > names.length) return issues.add(at, `must have at most ${names.length} keys`) ?? [];
  return sort.flatMap((key, index) => {
    const place = [...at, `${index}`];
    const [entry, ...others] = isObject(key) ? Object.entries(key) : [];
    if (!entry || others.length > 0) return issues.add(place, `must have one name, ${sortForm}`) ?? [];
    const [name, direction] = entry;
    if (!names.includes(name)) {
      const message = `cannot sort groups. ${suggestion(name, names, 'names')}`.slice(0, -1);
      return issues.add([...place, name], message) ?? [];
    }
    return isDirection(direction, issues, [...place, name]) ? [{ name, direction }] : [];
  });
}
