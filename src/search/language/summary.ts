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

/** A period of time, of a calendar in a time zone; weeks begin on Monday. */
export type Period = (typeof periods)[number];

/** What records are grouped by. */
export interface GroupField extends Field {
  /** Groups by the period in which the field's time lies, instead of by its value. */
  readonly period?: Period | undefined;
}

/** A sort direction. */
export type Direction = 'asc' | 'desc';

/** How a query groups records instead of returning them. */
export interface Grouping {
  /** Records with equal values of these fields form a group; without fields, all records do. */
  readonly groupBy: readonly GroupField[];
  /** Time zone of the periods. */
  readonly timeZone: string;
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
const summaryNames = ['count', 'groupBy', 'timeZone', 'aggregates'];
export const aggregateOperators = ['avg', 'min', 'max', 'sum', 'count_distinct'] as const;
export const periods = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const aggregateForm = '{"<name>": {"avg": "<field>"}}';
const operatorList = aggregateOperators.join(', ');
const periodForm = '{"<field>": "month"} with hour, day, week, month, quarter or year';
const sortForm = '{"count": "asc" or "desc"}';

type SearchQuery = Readonly<Record<string, unknown>>;

/** Whether a query requests groups instead of records. */
export const isSummary = (query: SearchQuery): boolean =>
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
export function parseGrouping(query: SearchQuery, fields: Searchable, issues: Issues): Grouping {
  if (query.count !== undefined && typeof query.count !== 'boolean')
    issues.add(['query', 'count'], 'must be a boolean');
  const groupBy = groupsIn(query.groupBy, fields, issues);
  const timeZone = timeZoneIn(query.timeZone, issues);
  const aggregates = aggregatesIn(query.aggregates, fields, issues);
  const groups = groupBy.map(pathOf);
  for (const { name } of aggregates) {
    if (name === 'count' || groups.includes(name))
      issues.add(['query', 'aggregates', name], 'is already used in the result; use another name');
  }
  // Names that were rejected above can be sorted by, so that one mistake is reported once.
  const keys = [query.groupBy ?? []].flat();
  const named = keys.flatMap((key) => (isObject(key) ? Object.keys(key) : typeof key === 'string' ? key : []));
  const names = ['count', ...named, ...Object.keys(isObject(query.aggregates) ? query.aggregates : {})];
  return { groupBy, timeZone, aggregates, sort: sortOf(query.sort, [...new Set(names)], issues) };
}

/** Checks the zone here, since a zone that the process does not know would fail later. */
function timeZoneIn(timeZone: unknown, issues: Issues): string {
  if (timeZone === undefined) return 'UTC';
  try {
    if (typeof timeZone === 'string' && new Intl.DateTimeFormat('en', { timeZone })) return timeZone;
  } catch {}
  issues.add(['query', 'timeZone'], 'must be a time zone, such as "Europe/Berlin"');
  return 'UTC';
}

function groupsIn(groupBy: unknown, fields: Searchable, issues: Issues): GroupField[] {
  if (groupBy === undefined) return [];
  const at = ['query', 'groupBy'];
  const keys: readonly unknown[] = Array.isArray(groupBy) ? groupBy : [groupBy];
  if (keys.length === 0 || keys.length > maxGroupFields) {
    issues.add(at, `must be a field, or a list of 1 to ${maxGroupFields}`);
    return [];
  }
  const groups = keys.flatMap((key, index) => {
    const place = Array.isArray(groupBy) ? [...at, `${index}`] : at;
    return isObject(key) ? periodIn(key, fields, issues, place) : groupIn(key, fields, issues, place);
  });
  if (new Set(groups.map(pathOf)).size < groups.length) issues.add(at, 'lists a field twice');
  return groups;
}

function groupIn(path: unknown, fields: Searchable, issues: Issues, place: readonly string[]): GroupField[] {
  const field = readPath(path, fields, issues, place);
  if (!field) return [];
  const fault = groupFault(field, fields);
  return fault === undefined ? [field] : (issues.add(place, fault) ?? []);
}

function periodIn(key: SearchQuery, fields: Searchable, issues: Issues, place: readonly string[]): GroupField[] {
  const [entry, ...others] = Object.entries(key);
  const period = periods.find((name) => name === entry?.[1]);
  if (!entry || !period || others.length > 0) return issues.add(place, `must be a field, or ${periodForm}`) ?? [];
  return groupIn(entry[0], fields, issues, [...place, entry[0]]).flatMap((field) =>
    field.type === 'date-time' || field.type === 'string'
      ? { ...field, period }
      : (issues.add([...place, entry[0]], 'is not a date or time') ?? []),
  );
}

function groupFault(field: Field, fields: Searchable, use = 'grouped by'): string | undefined {
  const path = pathOf(field);
  if (path === 'count' && use === 'grouped by') return 'is already used in the result';
  if (field.type === 'object') return `is an object. ${innerFieldAdvice(path, fields)}`;
  return field.type === 'array' || field.type === 'element' ? `is an array and cannot be ${use}` : undefined;
}

function aggregatesIn(aggregates: unknown, fields: Searchable, issues: Issues): ParsedAggregate[] {
  if (aggregates === undefined) return [];
  const entries = isObject(aggregates) ? Object.entries(aggregates) : [];
  if (entries.length === 0 || entries.length > maxAggregates) {
    issues.add(
      ['query', 'aggregates'],
      `must be an object with 1 to ${maxAggregates} members, ${aggregateForm} with ${operatorList}`,
    );
    return [];
  }
  return entries.flatMap(([name, given]): ParsedAggregate[] => {
    const at = ['query', 'aggregates', name];
    const [member, ...others] = isObject(given) ? Object.entries(given) : [];
    const operator = aggregateOperators.find((valid) => valid === member?.[0]);
    if (!operator || others.length > 0)
      return issues.add(at, `must be one of ${operatorList} of a field, ${aggregateForm}`) ?? [];
    if (!/^\w{1,64}$/.test(name)) return issues.add(at, 'must have a name of 1 to 64 letters, digits and _') ?? [];
    const place = [...at, operator];
    const field = readPath(member![1], fields, issues, place);
    if (!field) return [];
    if (operator === 'count_distinct') {
      const fault = groupFault(field, fields, 'counted');
      return fault === undefined ? [{ name, operator, field }] : (issues.add(place, fault) ?? []);
    }
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
