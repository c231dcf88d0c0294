import { maxPromptCharacters } from 'agent-connectors/wire';
import { checkFilter } from './check-filter.js';
import { checkSummary, summaryNames } from './check-summary.js';
import type { Collection, StoredRecord } from './entity.js';
import { type FaultCollector, fieldRef } from './faults.js';
import type { Ranker } from './passages/types.js';
import type { Condition, SearchPlan, SortKey, Summary } from './plan.js';
import { type Column, isObject, type Layout } from './schema.js';

const defaultLimit = 1000;
const maxLimit = 10_000;
const maxSortKeys = 16;

const exclusiveKindsMessage = 'query and semantic are mutually exclusive; pass one';

const queryForm = '{} for every record, or conditions such as {"filter": {"eq": {"<field>": "text"}}}';
const sortForm = '{"<field>": "asc" or "desc"}';

/** A checked search whose start position is not resolved yet. */
export interface CheckedSearch {
  readonly plan: SearchPlan;
  readonly cursor: string | undefined;
  /** If set, the search returns a summary instead of records, and the plan's limit applies to groups. */
  readonly summary?: Summary | undefined;
}

/** Checks the parameters of a structured search; a single error reports every problem with its path. */
export function checkSearch(params: unknown, layout: Layout, faults: FaultCollector, now: number): CheckedSearch {
  const checked = checkParams(params, layout, faults, now);
  faults.throwIfAny(layout);
  return checked!;
}

function checkParams(params: unknown, layout: Layout, faults: FaultCollector, now: number): CheckedSearch | undefined {
  if (!isObject(params)) return faults.add('', 'the parameters must be an object');
  if (params.query !== undefined && params.semantic !== undefined) {
    return faults.add('', exclusiveKindsMessage);
  }
  rejectUnknownNames(params, ['query', 'fields', 'limit', 'cursor'], '', faults);
  const { query, fields, limit = defaultLimit, cursor } = params;
  if (!isObject(query))
    return faults.add('query', query === undefined ? `is required: ${queryForm}` : `must be an object: ${queryForm}`);
  rejectUnknownNames(query, ['filter', 'sort', ...summaryNames], 'query.', faults);
  const condition =
    query.filter === undefined ? undefined : checkFilter(query.filter, layout, faults, 'query.filter', now);
  const isSummary = summaryNames.some((name) => query[name] !== undefined && query[name] !== false);
  const sort = isSummary ? [] : sortOf(query.sort, layout, faults);
  const fieldPaths = fieldsOf(fields, layout, faults);
  if (!isIntegerUpTo(limit, maxLimit)) return faults.add('limit', integerMessage(maxLimit));
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor === '')) {
    return faults.add('cursor', 'must be the cursor of a previous page');
  }
  const plan = { condition, sort, limit, fields: fieldPaths };
  if (!isSummary) return { plan, cursor };
  for (const name of ['fields', 'cursor'] as const)
    if (params[name] !== undefined) faults.add(name, 'cannot be combined with count, groupBy or aggregates');
  return { plan, cursor: undefined, summary: checkSummary(query, condition, layout, faults) };
}

const isIntegerUpTo = (value: unknown, maximum: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum;

const integerMessage = (maximum: number): string => `must be a whole number from 1 to ${maximum}`;

/** Reports every unknown property. */
function rejectUnknownNames(object: object, known: readonly string[], at: string, faults: FaultCollector): void {
  for (const [name, value] of Object.entries(object)) {
    if (!known.includes(name) && value !== undefined) faults.unknownName(name, known, `${at}${name}`);
  }
}

function sortOf(sort: unknown, layout: Layout, faults: FaultCollector): SortKey[] {
  if (sort === undefined) return [];
  if (!Array.isArray(sort)) return faults.add('query.sort', `must be an array of ${sortForm}`) ?? [];
  if (sort.length > maxSortKeys) return faults.add('query.sort', `must have at most ${maxSortKeys} keys`) ?? [];
  return sort.flatMap((entry, index) => {
    const at = `query.sort.${index}`;
    const entries = isObject(entry) ? Object.entries(entry) : [];
    const [path, direction] = entries[0] ?? [];
    if (path === undefined || entries.length > 1) return faults.add(at, `must have one field: ${sortForm}`) ?? [];
    const ref = fieldRef(path, `${at}.${path}`, layout, faults);
    if (!ref) return [];
    if (ref.path.length === 0 && (ref.column.kind === 'object' || ref.column.kind === 'array')) {
      return faults.add(`${at}.${path}`, `cannot sort by a field of type ${ref.column.kind}`) ?? [];
    }
    if (direction !== 'asc' && direction !== 'desc') {
      return faults.add(`${at}.${path}`, 'must be one of "asc", "desc"') ?? [];
    }
    return [{ ref, direction } as const];
  });
}

/** Paths selected by `fields`; all if undefined. */
function fieldsOf(fields: unknown, layout: Layout, faults: FaultCollector): string[][] | undefined {
  if (fields === undefined) return undefined;
  if (!Array.isArray(fields)) return faults.add('fields', 'must be an array');
  if (fields.length === 0) return faults.add('fields', 'must not be empty');
  return fields.flatMap((path, index) => {
    const ref = fieldRef(path, `fields.${index}`, layout, faults, { throughArrays: true });
    return ref ? [[ref.column.field, ...ref.path]] : [];
  });
}

const rankers = ['dense', 'lexical', 'hybrid'] as const satisfies readonly Ranker[];
const dedups = ['max', 'none'] as const;
const defaultHits = 10;
const maxHits = 100;
const maxContextSize = 2048;

/** A checked semantic search. */
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

/** Checks the parameters of a semantic search; a single error reports every problem with its path. */
export function checkSemanticSearch(
  params: unknown,
  layout: Layout,
  faults: FaultCollector,
  now: number,
): SemanticPlan {
  const plan = semanticPlan(params, layout, faults, now);
  faults.throwIfAny(layout);
  return plan!;
}

function semanticPlan(params: unknown, layout: Layout, faults: FaultCollector, now: number): SemanticPlan | undefined {
  if (!isObject(params)) return faults.add('', 'the parameters must be an object');
  if (params.query !== undefined && params.semantic !== undefined) return faults.add('', exclusiveKindsMessage);
  const { semantic, fields, limit = defaultHits, cursor, ...unknown } = params;
  if (cursor !== undefined) faults.add('cursor', 'applies only to query: semantic search returns one page');
  rejectUnknownNames(unknown, ['semantic', 'fields', 'limit'], '', faults);
  if (!isObject(semantic)) {
    const example = '{"prompt": "what to look for"}';
    return faults.add('semantic', semantic === undefined ? `is required: ${example}` : `must be an object: ${example}`);
  }
  const { sort, ...semanticParams } = semantic;
  if (sort !== undefined) faults.add('semantic.sort', 'is not supported: hits are ordered by relevance');
  rejectUnknownNames(
    semanticParams,
    ['field', 'prompt', 'filter', 'context_size', 'dedup', 'mode'],
    'semantic.',
    faults,
  );
  const column = columnOf(semanticParams.field, layout, faults);
  const { prompt, context_size: contextSize = maxContextSize, dedup = 'max', mode } = semanticParams;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    faults.add('semantic.prompt', prompt === undefined ? 'is required (string)' : 'must be a non-empty string');
  } else if (prompt.length > maxPromptCharacters) {
    faults.add('semantic.prompt', `has more than ${maxPromptCharacters} characters`);
  }
  const { filter } = semanticParams;
  const condition = filter === undefined ? undefined : checkFilter(filter, layout, faults, 'semantic.filter', now);
  if (!isIntegerUpTo(contextSize, maxContextSize)) faults.add('semantic.context_size', integerMessage(maxContextSize));
  if (!dedups.includes(dedup as 'max')) faults.add('semantic.dedup', oneOf(dedups));
  if (mode !== undefined && !rankers.includes(mode as Ranker)) faults.add('semantic.mode', oneOf(rankers));
  fieldsOf(fields, layout, faults);
  if (!isIntegerUpTo(limit, maxHits)) return faults.add('limit', integerMessage(maxHits));
  return {
    column: column!,
    prompt: prompt as string,
    condition,
    contextSize: contextSize as number,
    allowRepeats: dedup === 'none',
    mode: mode as Ranker | undefined,
    limit,
  };
}

const oneOf = (values: readonly string[]): string => `must be one of ${values.map((value) => `"${value}"`).join(', ')}`;

function columnOf(field: unknown, { semantic }: Layout, faults: FaultCollector): Column | undefined {
  const fields = semantic.filter((column) => !column.about);
  const names = fields.map((column) => column.field);
  if (names.length === 0) return faults.add('semantic', 'is not supported: search this entity with query');
  if (field === undefined && names.length === 1) return fields[0];
  if (field === undefined) return faults.add('semantic.field', `is required: ${oneOf(names).replace('must be ', '')}`);
  const column = fields.find((one) => one.field === field);
  return column ?? faults.add('semantic.field', oneOf(names));
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

/** Combines two optional conditions. */
export const bothOf = (one: Condition | undefined, other: Condition | undefined): Condition | undefined =>
  one && other ? { test: 'all', parts: [one, other] } : (one ?? other);

/** Whether a record is visible to one of the readers. */
export function isVisible({ readers: column }: Layout, { readers }: Collection, record: StoredRecord): boolean {
  if (!readers) return true;
  const own = column && record[column.field];
  return Array.isArray(own) && own.some((reader) => readers.includes(reader));
}
