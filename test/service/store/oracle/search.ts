import { check, type Problem } from './check.js';
import { instantOf } from './instants.js';
import { matches } from './matches.js';
import { isObject, isUnknown, type Kind, kindOf, valueAt } from './paths.js';
import { ranking } from './relevance.js';
import type { Entity, Filter, Item, Params, Value } from './types.js';
import { order, wholeNumber } from './values.js';

/** The whole result of a search, across all its pages. */
export interface SearchResult {
  /** The values of the key fields of each hit. */
  readonly ids: readonly (readonly Value[])[];
  readonly rows: readonly Item[];
}

// The rank of a value among values of other types; undefined for values that sort last, with the nulls.
function rank(kind: Kind, value: Value): number | undefined {
  if (kind === 'date-time') return instantOf(value) === undefined ? undefined : 0;
  if (kind === 'integer') return wholeNumber(value) === undefined ? undefined : 0;
  const index = ['number', 'string', 'boolean'].indexOf(typeof value);
  return index === -1 ? undefined : index;
}

export function compareBy(entity: Entity, path: string, sign: 1 | -1, first: Item, second: Item): number {
  const kind = kindOf(entity, path) ?? 'open';
  const [one, other] = [valueAt(first, path), valueAt(second, path)];
  const [rankOfOne, rankOfOther] = [rank(kind, one), rank(kind, other)];
  if (rankOfOne === undefined || rankOfOther === undefined) {
    return Number(rankOfOne === undefined) - Number(rankOfOther === undefined);
  }
  if (rankOfOne !== rankOfOther) return sign * (rankOfOne - rankOfOther);
  return sign * (order(kind, one, other) ?? 0);
}

function compareRecords(entity: Entity, sort: Params['query']['sort'], first: Item, second: Item): number {
  for (const key of sort ?? []) {
    for (const [path, direction] of Object.entries(key)) {
      const found = compareBy(entity, path, direction === 'desc' ? -1 : 1, first, second);
      if (found !== 0) return found;
    }
  }
  for (const path of entity.key) {
    const found = compareBy(entity, path, 1, first, second);
    if (found !== 0) return found;
  }
  return 0;
}

type Draft = Record<string, Value>;

/**
 * The part of a value that the paths select; the whole value if a path ends at it, and nothing for values other than
 * objects and arrays.
 */
function partOf(value: Value, paths: ReadonlyArray<readonly string[]>): Value {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) {
    return value.map((item) => (typeof item === 'object' && item !== null ? partOf(item, paths) : item));
  }
  if (!isObject(value)) return null;
  const parts: Draft = {};
  for (const [name, below] of Object.entries(value as Item)) {
    const inner = paths.filter(([head]) => head === name).map((path) => path.slice(1));
    if (inner.length > 0) parts[name] = partOf(below, inner);
  }
  return parts;
}

/** The parts of a record that the paths select, in their original places; a missing top-level field is null. */
function project(record: Item, paths: readonly string[]): Item {
  const blank = Object.fromEntries(paths.map((path) => [path.split('.')[0]!, null]));
  return {
    ...blank,
    ...(partOf(
      record,
      paths.map((path) => path.split('.')),
    ) as Item),
  };
}

/** Paths in a valid search that point into object fields but exist in no record. */
function unknownPaths(records: readonly Item[], entity: Entity, { query, fields = [] }: Params): Problem[] {
  const pathsIn = ({ and = [], or = [], not, ...tests }: Filter): string[] => [
    ...[...and, ...or, ...(not ? [not] : [])].flatMap(pathsIn),
    ...Object.values(tests).flatMap((byField) => Object.keys(byField)),
  ];
  const paths = [...pathsIn(query.filter ?? {}), ...(query.sort ?? []).flatMap((key) => Object.keys(key))];
  const unknown = (path: string, isProjection: boolean) =>
    path.includes('.') && entity.fields[path.split('.')[0]!] === 'object' && isUnknown(records, path, isProjection);
  return [...paths.filter((path) => unknown(path, false)), ...fields.filter((path) => unknown(path, true))].map(
    (path) => ({ path, message: 'no record has it' }),
  );
}

/** Searches the records: the hits in order, each with its key and projected row; throws for invalid parameters. */
export function search(records: readonly Item[], entity: Entity, params: Params): SearchResult {
  const [problem] = [...check(entity, params), ...unknownPaths(records, entity, params)];
  if (problem !== undefined) throw new TypeError(`${problem.path}: ${problem.message}`);
  const { filter, sort } = params.query;
  const rank = (sort ?? []).length === 0 && filter !== undefined ? ranking(entity, records, filter) : () => 0;
  const hits = records
    .filter((record) => filter === undefined || matches(entity, record, filter))
    .map((record) => ({ record, rank: rank(record) }))
    .sort((first, second) => first.rank - second.rank || compareRecords(entity, sort, first.record, second.record))
    .map(({ record }) => record);
  const paths = params.fields ?? Object.keys(entity.fields);
  return {
    ids: hits.map((record) => entity.key.map((path) => valueAt(record, path))),
    rows: hits.map((record) => project(record, paths)),
  };
}
