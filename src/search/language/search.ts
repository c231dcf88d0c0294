import { type Issue, Issues, isObject, misplacedMessage } from '../../action/params.js';
import { type Field, readPath, type Searchable } from './fields.js';
import { type Condition, parseFilter } from './filter.js';
import {
  defaultHits,
  defaultLimit,
  maxContextSize,
  maxHits,
  maxLimit,
  maxPromptCharacters,
  maxSortKeys,
} from './limits.js';
import { isOperator } from './operators.js';
import { type Direction, type Grouping, isDirection, isSummary, parseGrouping } from './summary.js';

/** A search whose parameters are valid. */
export type ParsedSearch = ParsedQuery | ParsedSummary | ParsedPrompt;

interface ParsedFilter {
  /** What records must match; undefined without a filter. */
  readonly condition: Condition | undefined;
  /** Maximum number of records, groups or hits. */
  readonly limit: number;
}

/** A search for records. */
export interface ParsedQuery extends ParsedFilter {
  /** Returns records. */
  readonly kind: 'query';
  /** Most important first; ties break by id. */
  readonly sort: readonly SortKey[];
  /** Paths to return; all fields if undefined. */
  readonly fields: readonly Field[] | undefined;
  /** `cursor` from the previous page. */
  readonly cursor: string | undefined;
  /** The query as in the parameters, to which a cursor belongs. */
  readonly source: unknown;
}

/** What records are sorted by. */
export interface SortKey {
  /** The field, or the path inside it. */
  readonly field: Field;
  /** Nulls are last in both directions. */
  readonly direction: Direction;
  /** Where the key is in the parameters. */
  readonly at: readonly string[];
}

/** A search for groups of records. */
export interface ParsedSummary extends ParsedFilter, Grouping {
  /** Returns groups, or only their number of records. */
  readonly kind: 'summary';
}

/** A semantic search. */
export interface ParsedPrompt extends ParsedFilter {
  /** Returns hits. */
  readonly kind: 'semantic';
  /** The semantic field to search. */
  readonly field: string;
  /** What to look for, in plain words. */
  readonly prompt: string;
  /** Characters of text around a hit. */
  readonly contextSize: number;
  /** `max` returns only the best hit per record. */
  readonly dedup: 'max' | 'none';
  /** How passages are ranked; the best available method if undefined. */
  readonly mode: RankingMode | undefined;
  /** Paths of the hit's record to return; the fields of the manifest if undefined. */
  readonly fields: readonly Field[] | undefined;
}

/** Names of the fields that a search depends on: without their values, it may miss records or return them elsewhere. */
export function fieldsRead(search: ParsedSearch): ReadonlySet<string> {
  const names = conditionFields(search.condition);
  const read = (fields: readonly Field[] | undefined = []) => names.push(...fields.map(({ name }) => name));
  if (search.kind === 'summary') {
    read(search.groupBy);
    read(search.aggregates.map(({ field }) => field));
  } else read(search.fields);
  if (search.kind === 'query') read(search.sort.map(({ field }) => field));
  if (search.kind === 'semantic') names.push(search.field);
  return new Set(names);
}

function conditionFields(condition: Condition | undefined): string[] {
  if (!condition) return [];
  if ('field' in condition) return [condition.field.name];
  if ('not' in condition) return conditionFields(condition.not);
  return ('all' in condition ? condition.all : condition.some).flatMap(conditionFields);
}

/** How passages are ranked. */
export type RankingMode = (typeof modes)[number];

const modes = ['dense', 'lexical', 'hybrid'] as const;
const dedups = ['max', 'none'] as const;

/** The result of parsing a search. */
export type SearchParse =
  | {
      /** The valid search. */
      readonly search: ParsedSearch;
    }
  | {
      /** Everything that is wrong with the search. */
      readonly issues: readonly Issue[];
    };

/** Parses the parameters of a search, or reports everything that is wrong with them. */
export function parseSearch(params: unknown, fields: Searchable): SearchParse {
  const issues = new Issues();
  const search = isObject(params) ? readSearch(params, fields, issues) : issues.add([], 'must be an object');
  return search && issues.list.length === 0 ? { search } : { issues: issues.list };
}

type Params = Readonly<Record<string, unknown>>;

/** How each kind of search starts. */
const searchForms = {
  query: '{} for every record, or conditions such as {"filter": {"eq": {"<field>": "text"}}}',
  semantic: '{"prompt": "what to look for"}',
};

function readSearch(params: Params, fields: Searchable, issues: Issues): ParsedSearch | undefined {
  const { query, semantic } = params;
  const hasSemantic = fields.semantic.length > 0;
  if (query !== undefined && semantic !== undefined && hasSemantic)
    return issues.add([], 'query and semantic are mutually exclusive; pass one');
  const isSemantic = semantic !== undefined || (query === undefined && params.prompt !== undefined);
  const kind = isSemantic && hasSemantic ? 'semantic' : 'query';
  const main = params[kind];
  let search: ParsedSearch | undefined;
  if (!isObject(main)) {
    const also = kind === 'query' && hasSemantic;
    // An entity without semantic search reports that instead, below.
    if (hasSemantic || semantic === undefined || main !== undefined)
      issues.add(
        [kind],
        `${main === undefined ? 'is required' : 'must be an object'}: ${searchForms[kind]}` +
          (also ? `; for semantic search pass semantic instead: ${searchForms.semantic}` : ''),
      );
  } else if (kind === 'semantic') search = readPrompt(params, main, fields, issues);
  else search = isSummary(main) ? readSummary(params, main, fields, issues) : readQuery(params, main, fields, issues);
  rejectUnknown(params, kind, fields, issues);
  return search;
}

function readQuery(params: Params, query: Params, fields: Searchable, issues: Issues): ParsedQuery {
  const { cursor } = params;
  const isCursor = typeof cursor === 'string' && cursor !== '';
  if (cursor !== undefined && !isCursor) issues.add(['cursor'], 'must be the cursor of a previous page');
  return {
    kind: 'query',
    condition: readFilter(query.filter, fields, issues, ['query', 'filter']),
    sort: readSort(query.sort, fields, issues),
    fields: readFields(params.fields, fields, issues),
    limit: readInteger(params.limit, defaultLimit, maxLimit, issues, ['limit']),
    cursor: isCursor ? cursor : undefined,
    source: query,
  };
}

function readSummary(params: Params, query: Params, fields: Searchable, issues: Issues): ParsedSummary {
  const condition = readFilter(query.filter, fields, issues, ['query', 'filter']);
  const grouping = parseGrouping(query, fields, issues);
  const limit = readInteger(params.limit, defaultLimit, maxLimit, issues, ['limit']);
  for (const name of ['fields', 'cursor'])
    if (params[name] !== undefined) issues.add([name], 'cannot be combined with count, groupBy or aggregates');
  return { kind: 'summary', condition, ...grouping, limit };
}

function readPrompt(params: Params, semantic: Params, fields: Searchable, issues: Issues): ParsedPrompt {
  const { field, prompt } = semantic;
  const isOnly = field === undefined && fields.semantic.length === 1;
  if (typeof prompt !== 'string' || prompt.trim() === '')
    issues.add(['semantic', 'prompt'], prompt === undefined ? 'is required (string)' : 'must be a non-empty string');
  else if (prompt.length > maxPromptCharacters)
    issues.add(['semantic', 'prompt'], `has more than ${maxPromptCharacters} characters`);
  return {
    kind: 'semantic',
    field: isOnly ? fields.semantic[0]! : readChoice(field, fields.semantic, issues, 'field')!,
    prompt: prompt as string,
    condition: readFilter(semantic.filter, fields, issues, ['semantic', 'filter']),
    contextSize: readInteger(semantic.context_size, maxContextSize, maxContextSize, issues, [
      'semantic',
      'context_size',
    ]),
    dedup: readChoice(semantic.dedup ?? 'max', dedups, issues, 'dedup')!,
    mode: semantic.mode === undefined ? undefined : readChoice(semantic.mode, modes, issues, 'mode'),
    fields: readFields(params.fields, fields, issues),
    limit: readInteger(params.limit, defaultHits, maxHits, issues, ['limit']),
  };
}

const readFilter = (filter: unknown, fields: Searchable, issues: Issues, at: readonly string[]) =>
  filter === undefined ? undefined : parseFilter(filter, fields, issues, at);

function readSort(sort: unknown, fields: Searchable, issues: Issues): SortKey[] {
  if (sort === undefined) return [];
  const form = '{"<field>": "asc" or "desc"}';
  if (!Array.isArray(sort)) return issues.add(['query', 'sort'], `must be an array of ${form}`) ?? [];
  if (sort.length > maxSortKeys) return issues.add(['query', 'sort'], `must have at most ${maxSortKeys} keys`) ?? [];
  return sort.flatMap((key, index) => {
    const place = ['query', 'sort', `${index}`];
    const [entry, ...others] = isObject(key) ? Object.entries(key) : [];
    if (!entry || others.length > 0) return issues.add(place, `must have one field: ${form}`) ?? [];
    const [path, direction] = entry;
    const at = [...place, path];
    const field = readPath(path, fields, issues, at);
    if (!field) return [];
    if (field.type === 'element') return issues.add(at, 'is inside an array and cannot be sorted by') ?? [];
    if (field.type === 'object' || field.type === 'array')
      return issues.add(at, `is an ${field.type} and cannot be sorted by`) ?? [];
    return isDirection(direction, issues, at) ? [{ field, direction, at }] : [];
  });
}

function readFields(given: unknown, fields: Searchable, issues: Issues): Field[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) return issues.add(['fields'], 'must be an array');
  if (given.length === 0) return issues.add(['fields'], 'must not be empty');
  return given.flatMap((path, index) => readPath(path, fields, issues, ['fields', `${index}`]) ?? []);
}

function readInteger(value: unknown, preset: number, maximum: number, issues: Issues, at: readonly string[]): number {
  if (value === undefined) return preset;
  const isValid = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum;
  if (!isValid) issues.add(at, `must be a whole number from 1 to ${maximum}`);
  return value as number;
}

function readChoice<T extends string>(value: unknown, choices: readonly T[], issues: Issues, name: string) {
  const choice = choices.find((valid) => valid === value);
  const listed = `one of ${choices.map((valid) => `"${valid}"`).join(', ')}`;
  if (choice === undefined)
    issues.add(['semantic', name], value === undefined ? `is required (${listed})` : `must be ${listed}`);
  return choice;
}

/** Names of the parameters, by the path of the object that contains them. */
const parameterNames: Readonly<Record<'query' | 'semantic', Readonly<Record<string, readonly string[]>>>> = {
  query: {
    '': ['query', 'fields', 'limit', 'cursor'],
    query: ['filter', 'sort', 'count', 'groupBy', 'timeZone', 'aggregates'],
  },
  semantic: {
    '': ['semantic', 'fields', 'limit'],
    semantic: ['field', 'prompt', 'filter', 'context_size', 'dedup', 'mode'],
  },
};

/** Reports every unknown parameter, and where it belongs. */
function rejectUnknown(params: Params, kind: 'query' | 'semantic', fields: Searchable, issues: Issues): void {
  const namesAt = (path: readonly string[]) => parameterNames[kind][path.join('.')] ?? [];
  const explain = (name: string, path: readonly string[]): string => {
    if (name === 'semantic') return fields.semantic.length > 0 ? 'replaces query' : notSemantic;
    if (isOperator(name) || (kind === 'query' && fields.typeAt(name) !== undefined)) return `belongs in ${kind}.filter`;
    if (kind === 'semantic' && name === 'cursor') return 'applies only to query: semantic search returns one page';
    if (kind === 'semantic' && name === 'sort') return 'applies only to query: semantic hits are ordered by relevance';
    return misplacedMessage(name, namesAt, path);
  };
  for (const path of [[kind], []]) {
    const object = path.length > 0 ? params[kind] : params;
    for (const [name, value] of isObject(object) ? Object.entries(object) : []) {
      if (issues.isFull) return;
      if (value !== undefined && !namesAt(path).includes(name)) issues.add([...path, name], explain(name, path));
    }
  }
}

const notSemantic = 'is not supported: search this entity with query';
