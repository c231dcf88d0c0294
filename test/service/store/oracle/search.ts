import { check } from './check.js';
import { instantOf } from './instants.js';
import { matches } from './matches.js';
import { isObject, type Kind, kindOf, valueAt } from './paths.js';
import type { Entity, Item, Params, Value } from './types.js';
import { order, wholeNumber } from './values.js';

/** The whole result of a search, over all its pages. */
export interface SearchResult {
  /** The values of the key fields of each hit. */
  readonly ids: readonly (readonly Value[])[];
  readonly rows: readonly Item[];
}

// Where a value stands among values of another type; undefined for what stands at the end, with the nulls.
function rank(kind: Kind, value: Value): number | undefined {
  if (kind === 'date-time') return instantOf(value) === undefined ? undefined : 0;
  if (kind === 'integer') return wholeNumber(value) === undefined ? undefined : 0;
  const index = ['number', 'string', 'boolean'].indexOf(typeof value);
  return index === -1 ? undefined : index;
}

function compareBy(entity: Entity, path: string, sign: 1 | -1, first: Item, second: Item): number {
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

function copyPath(from: Item, segments: readonly string[], to: Draft): void {
  const [name = '', ...inner] = segments;
  const value = Object.hasOwn(from, name) ? (from[name] ?? null) : undefined;
  if (value === undefined) return;
  if (inner.length === 0 || !isObject(value)) {
    to[name] = inner.length === 0 ? value : null;
    return;
  }
  const started = Object.hasOwn(to, name) ? to[name] : undefined;
  const draft: Draft = isObject(started) ? { ...(started as Item) } : {};
  copyPath(value as Item, inner, draft);
  to[name] = draft;
}

/** The parts of a record that the paths name, in their places; a missing top-level field is null. */
function project(record: Item, paths: readonly string[]): Item {
  const row: Draft = {};
  // Shorter paths last, so that a whole object wins over a part of it.
  for (const path of [...paths].sort((first, second) => second.length - first.length)) {
    const [head = '', ...inner] = path.split('.');
    if (Object.hasOwn(record, head)) copyPath(record, [head, ...inner], row);
    else row[head] = null;
  }
  return row;
}

/** Searches the records: the hits in order, each with its key and its projected row; invalid parameters throw. */
export function search(records: readonly Item[], entity: Entity, params: Params): SearchResult {
  const [problem] = check(entity, params);
  if (problem !== undefined) throw new TypeError(`${problem.path}: ${problem.message}`);
  const { filter, sort } = params.query;
  const hits = records
    .filter((record) => filter === undefined || matches(entity, record, filter))
    .sort((first, second) => compareRecords(entity, sort, first, second));
  const paths = params.fields ?? Object.keys(entity.fields);
  return {
    ids: hits.map((record) => entity.key.map((path) => valueAt(record, path))),
    rows: hits.map((record) => project(record, paths)),
  };
}
