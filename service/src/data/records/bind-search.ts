import { type Field, type ParsedPrompt, type ParsedQuery, type ParsedSummary, pathOf } from 'agent-connectors/search';
import type { Binder } from './bind-filter.js';
import type { Collection, StoredRecord } from './entity.js';
import type { Ranker } from './passages/types.js';
import type { Condition, GroupOrder, SearchPlan, Summary } from './plan.js';
import type { Column, Layout } from './schema.js';

/** Binds a search for records to a table. */
export function bindQuery({ condition, sort, limit, fields }: ParsedQuery, binder: Binder): SearchPlan {
  return {
    condition: binder.filter(condition, ['query', 'filter']),
    sort: sort.map(({ field, direction, at }) => ({ ref: binder.ref(field, at), direction })),
    limit,
    fields: bindFields(fields, binder),
  };
}

/** Binds a search for groups to a table. */
export function bindSummary(search: ParsedSummary, binder: Binder): Summary {
  const { condition, groupBy, aggregates, sort } = search;
  const groups = groupBy.map(pathOf);
  const orderBy = (name: string): GroupOrder => {
    if (name === 'count') return name;
    const group = groups.indexOf(name);
    return group >= 0 ? { group } : { aggregate: aggregates.findIndex((aggregate) => aggregate.name === name) };
  };
  return {
    condition: binder.filter(condition, ['query', 'filter']),
    groupBy: groupBy.map((field, index) => binder.ref(field, ['query', 'groupBy', `${index}`])),
    aggregates: aggregates.map(({ name, operator, field }) => ({
      name,
      operator,
      ref: binder.ref(field, ['query', 'aggregates', name, operator]),
    })),
    sort: sort.map(({ name, direction }) => ({ by: orderBy(name), direction })),
  };
}

/** Paths selected by `fields`; all if undefined. */
function bindFields(fields: readonly Field[] | undefined, binder: Binder): string[][] | undefined {
  return fields?.map((field, index) => {
    const { column, path } = binder.ref(field, ['fields', `${index}`]);
    return [column.field, ...path];
  });
}

/** A semantic search with its fields and values bound to a table. */
export interface SemanticPlan {
  readonly column: Column;
  readonly prompt: string;
  readonly condition: Condition | undefined;
  /** Context size in code points. */
  readonly contextSize: number;
  /** Whether a record may appear more than once. */
  readonly allowRepeats: boolean;
  /** The requested ranker, if any. */
  readonly mode: Ranker | undefined;
  readonly limit: number;
}

/** Binds a semantic search to a table. */
export function bindPrompt(search: ParsedPrompt, { semantic }: Layout, binder: Binder): SemanticPlan {
  const { field, prompt, contextSize, dedup, mode, limit, fields } = search;
  const condition = binder.filter(search.condition, ['semantic', 'filter']);
  // Only reports paths that no record has: hits contain whole records.
  bindFields(fields, binder);
  const column = semantic.find((one) => one.field === field)!;
  return { column, prompt, condition, contextSize, allowRepeats: dedup === 'none', mode, limit };
}

/** Restricts a search to records visible to one of the readers; undefined means no restriction. */
export function visibleTo(
  { readers: column }: Layout,
  { readers }: Pick<Collection, 'readers'>,
): Condition | undefined {
  if (!readers) return undefined;
  const isVisibleToSome = column && readers.length > 0;
  return isVisibleToSome ? { test: 'holds', ref: { column, path: [] }, values: readers } : { test: 'some', parts: [] };
}

/** Whether a record is visible to one of the readers. */
export function isVisible({ readers: column }: Layout, { readers }: Collection, record: StoredRecord): boolean {
  if (!readers) return true;
  const own = column && record[column.field];
  return Array.isArray(own) && own.some((reader) => readers.includes(reader));
}
