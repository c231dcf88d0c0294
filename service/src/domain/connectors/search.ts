import type { Look, Names, Replica } from 'agent-connectors/replication';
import { fieldsRead, invalidParams, maxDepth, type ParsedSearch, parseSearch, pathOf } from 'agent-connectors/search';
import type { Gap } from 'agent-connectors/wire';
import type { Requester } from '../../common/fair-queue.js';
import type { Telemetry } from '../../common/telemetry.js';
import { projected, RecordsJson } from '../../data/records/index.js';
import type { PassageHit } from '../../data/records/passages/types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { currentActor } from '../audit/record-audit.js';
import { type Definitions, searchAction, semanticOf } from './definitions.js';
import type { Permit } from './gate.js';
import { completenessOf, type Readiness } from './readiness.js';
import { boundMeta, type RecordReader } from './record-reader.js';

/** A matching passage as returned to callers. */
export interface Hit {
  readonly entity: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly score: number; readonly context: string; readonly [name: string]: unknown };
}

/** Search results in the library's format. */
export interface SearchAnswer {
  readonly data: readonly unknown[] | RecordsJson;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface Searches {
  /** Searches the records of an entity using the parameters of its `context_store_search` action. */
  search(
    permit: Permit,
    row: ConnectorRow,
    entity: string,
    params: unknown,
    names?: RequestedNames,
  ): Promise<SearchAnswer>;
  /** Adds record fields and display names to passages. */
  hits(
    permit: Permit,
    row: ConnectorRow,
    searchedField: SearchedField,
    passages: readonly PassageHit[],
  ): Promise<Hit[]>;
}

/** The searched semantic field and the record fields to return. */
export interface SearchedField {
  readonly entity: string;
  readonly field: string;
  /** Dotted paths; by default the fields that the type declares for hits. */
  readonly fields?: readonly string[] | undefined;
}

/** Dependencies of searches. */
interface SearchDependencies {
  readonly definitions: Definitions;
  readonly records: RecordReader;
  readonly readiness: Readiness;
  readonly telemetry: Telemetry;
}

/** The organization, which shares its turns among its clients and the users of its apps. */
export function requesterOf({ organizationId }: ConnectorRow): Requester {
  const { grantId, clientId = '' } = currentActor() ?? {};
  return { tenant: organizationId, caller: grantId ?? clientId };
}

/** Creates a service's search functions. */
export function openSearches({ definitions, records, readiness, telemetry }: SearchDependencies): Searches {
  const hits: Searches['hits'] = async (permit, row, { entity, field, fields }, passages) => {
    const definition = definitions.of(row.type);
    const semantic = semanticOf(definition, entity, field);
    const replica = definition.replication?.entities[entity];
    const enrichments = await enrich(replica, passages, recordLookup(permit, records, row));
    return passages.map(({ record, score, context, attribution }, index) => ({
      entity: projected(record, fields ?? semantic.entity_fields),
      metadata: {
        score,
        context,
        ...pickNames(semantic.attribution, attribution),
        ...pickNames(semantic.enrichments, enrichments[index] ?? {}),
      },
    }));
  };
  const run = async (permit: Permit, row: ConnectorRow, entity: string, search: ParsedSearch, asJson: boolean) => {
    const request = { connectorId: row.id, type: row.type, entity, requester: requesterOf(row) };
    const { readiness: state, ...known } = await readiness.ofSearch(row, entity, fieldsRead(search));
    const bound = permit.asUser ? await boundMeta(permit.asUser, permit, records, request) : {};
    if (search.kind !== 'semantic') {
      const json = asJson && search.kind === 'query' && records.searchAsJson(permit, { ...request, search });
      const { data, meta } = await (json || records.search(permit, { ...request, search }));
      const { empty, total_is_exact, ...rest } = meta;
      const exact = total_is_exact !== undefined && { total_is_exact: total_is_exact && known.complete };
      const emptyMeta = empty && { empty: { ...empty, as_of: state.synced_at } };
      return { data, meta: { ...rest, ...exact, ...emptyMeta, ...bound, ...known, readiness: state } };
    }
    const { hits: passages, meta, note = null } = await records.semanticSearch(permit, { ...request, search });
    const fields = search.fields?.map(pathOf);
    const data = await hits(permit, row, { entity, field: search.field, fields }, passages);
    const unembedded: Gap[] =
      note === null ? [] : [{ reason: 'not_embedded', entity, field: search.field, detail: note }];
    const completeness = completenessOf([...known.missing, ...unembedded]);
    const answered = { ...meta, ...bound, ...completeness, readiness: { ...state, message: state.message ?? note } };
    return { data, meta: { has_more: false, cursor: null, ...answered } };
  };
  return {
    hits,
    async search(permit, row, entity, params, requested = {}) {
      const { searchable, description } = definitions.of(row.type);
      const types = description.entities.find(({ name }) => name === entity)?.search?.fields;
      const names = new FieldNames(types ?? {}, requested);
      const parsed = parseSearch(names.params(params), searchable[entity]!);
      if ('issues' in parsed) throw invalidParams(`${entity}.${searchAction}`, parsed.issues);
      const { search } = parsed;
      const by = search.kind === 'semantic' ? 'semantic' : 'query';
      const asJson = (requested.asJson ?? false) && !names.areChanged;
      const { data, meta } = await telemetry.span('search', { connector_type: row.type, entity, by }, () =>
        run(permit, row, entity, search, asJson),
      );
      if (data instanceof RecordsJson) return { data, meta: names.emptyMeta(meta) };
      if (search.kind === 'summary') return { data: names.groups(data as Fields[]), meta };
      if (by === 'query') return { data: names.records(data as Fields[]), meta: names.emptyMeta(meta) };
      const entities = names.records((data as Hit[]).map((hit) => hit.entity));
      return { data: (data as Hit[]).map((hit, index) => ({ ...hit, entity: entities[index] })), meta };
    },
  };
}

/** Reads records that hits refer to; none of an entity that the policies do not allow searching. */
const recordLookup =
  (permit: Permit, records: RecordReader, { id, type }: ConnectorRow): Look =>
  async (entity, ids) => {
    if (!permit.maySearch(entity)) return new Map();
    const passages = await records.get(permit, { connectorId: id, type, entity }, ids);
    return new Map(passages.map((one) => [one.id, one.record]));
  };

/** Adds display names to passages; if the lookup fails, hits are returned without them. */
async function enrich(
  replica: Replica | undefined,
  passages: readonly PassageHit[],
  lookup: Look,
): Promise<readonly Names[]> {
  if (!replica?.enrich || passages.length === 0) return [];
  return replica.enrich(
    passages.map(({ record, attribution }) => ({ record, attribution })),
    lookup,
  );
}

const pickNames = (names: readonly string[], values: Names): Names =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? null]));

/** Field names the caller uses outside the search parameters. */
export interface RequestedNames {
  /** Paths that shape the result. */
  readonly shapedBy?: readonly string[] | undefined;
  /** Whether fields not named by the request are returned in snake_case. */
  readonly snakeCase?: boolean | undefined;
  /** Whether records can be returned as JSON, because the caller does not change them. */
  readonly asJson?: boolean | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** For example, `created_at` for `createdAt`. */
const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** Accepts snake_case field names and paths given as arrays; returns each field under the name used in the request. */
class FieldNames {
  readonly #fields = new Map<string, string>();
  readonly #requested = new Map<string, Set<string>>();
  /** Like `#requested`, but contains only the names used in conditions. */
  #filtered: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** Grouping paths and their names in the request. */
  readonly #groups = new Map<string, string>();
  readonly #names: RequestedNames;
  readonly #types: Readonly<Record<string, string>>;

  constructor(types: Readonly<Record<string, string>>, names: RequestedNames) {
    this.#types = types;
    // Filled in reverse order so that a real field takes precedence over another's snake_case name.
    for (const field of Object.keys(types).reverse()) {
      this.#fields.set(snakeCase(field), field);
      // In Python, `type` becomes `type_`.
      this.#fields.set(`${snakeCase(field)}_`, field);
    }
    for (const field of Object.keys(types)) this.#fields.set(field, field);
    this.#names = names;
  }

  params(params: unknown): unknown {
    if (!isObject(params)) return params;
    const { query, semantic, fields } = params;
    const read = {
      ...params,
      ...(isObject(query) && { query: this.#conditions(query) }),
      ...(isObject(semantic) && { semantic: this.#conditions(semantic) }),
    };
    this.#filtered = new Map(this.#requested);
    // If `fields` is set, it determines all returned names.
    if (Array.isArray(fields)) this.#requested.clear();
    const paths = Array.isArray(fields) ? { fields: fields.map((path) => this.#path(path)) } : {};
    for (const path of this.#names.shapedBy ?? []) this.#path(path);
    return { ...read, ...paths };
  }

  /** Renames grouping fields; call after `params`. */
  groups(rows: readonly Fields[]): readonly Fields[] {
    const nameIn = (row: Fields, path: string) => {
      const requested = this.#groups.get(path) ?? path;
      // An aggregate can have this name.
      return Object.hasOwn(row, requested) ? path : requested;
    };
    const rename = (row: Fields) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [nameIn(row, name), value]));
    return [...this.#groups].every(([path, name]) => path === name) ? rows : rows.map(rename);
  }

  /** Renames paths of a filter; call after `params`. */
  emptyMeta(meta: Fields): Fields {
    const empty = meta.empty as { readonly fields: Fields } | undefined;
    if (!empty) return meta;
    const renamed = Object.entries(empty.fields).map(([path, values]) => {
      const [head = '', ...inner] = path.split('.');
      const [requested = head] = this.#filtered.get(head) ?? [];
      return [[requested, ...inner].join('.'), values];
    });
    return { ...meta, empty: { ...empty, fields: Object.fromEntries(renamed) } };
  }

  /** Whether `records` changes them; valid after `params`. */
  get areChanged(): boolean {
    if (this.#names.snakeCase) return true;
    return [...this.#requested].some(([field, names]) => names.size > 1 || !names.has(field));
  }

  /** Renames record fields; call after `params`. */
  records(records: readonly Fields[]): readonly Fields[] {
    if (!this.areChanged) return records;
    const outputs = [...new Set(this.#fields.values())].map((field) => {
      const unnamed = this.#names.snakeCase ? snakeCase(field) : field;
      const both = this.#names.snakeCase && /^(object|type)$/.test(unnamed);
      return { field, names: [...(this.#requested.get(field) ?? (both ? [unnamed, `${unnamed}_`] : [unnamed]))] };
    });
    return records.map((record) => {
      const renamed: Record<string, unknown> = {};
      for (const { field, names } of outputs) {
        if (Object.hasOwn(record, field)) for (const name of names) renamed[name] = this.#value(field, record[field]);
      }
      return renamed;
    });
  }

  /** Gong returns `context` as a list, but the Python client's strict models expect an object. */
  #value(field: string, value: unknown): unknown {
    return this.#names.snakeCase && this.#types[field] === 'object' && Array.isArray(value) ? { items: value } : value;
  }

  #path(path: unknown): unknown {
    const isList = Array.isArray(path) && path.every((name) => typeof name === 'string' && !/^$|\./.test(name));
    const text = isList ? path.join('.') : path;
    if (typeof text !== 'string') return path;
    const [head = '', ...inner] = text.split('.');
    const field = this.#fields.get(head);
    if (field === undefined) return text;
    const names = this.#requested.get(field) ?? new Set();
    this.#requested.set(field, names.add(head));
    return [field, ...inner].join('.');
  }

  #conditions({ filter, sort, field, groupBy, aggregates, ...others }: Fields): Fields {
    const group = (path: unknown): unknown => {
      // A field with a period.
      if (isObject(path))
        return Object.fromEntries(Object.entries(path).map(([name, period]) => [group(name), period]));
      const canonical = this.#path(path);
      if (typeof canonical === 'string' && typeof path === 'string') this.#groups.set(canonical, path);
      return canonical;
    };
    const operands = (given: unknown) =>
      isObject(given)
        ? mapValues(given, (paths) => (isObject(paths) ? mapValues(paths, (path) => this.#path(path)) : paths))
        : given;
    const isAggregate = (key: unknown) =>
      isObject(key) && isObject(aggregates) && Object.keys(key).some((name) => Object.hasOwn(aggregates, name));
    const sortKey = (key: unknown) => (isAggregate(key) ? key : this.#keys(key));
    return {
      ...others,
      ...(groupBy !== undefined && { groupBy: Array.isArray(groupBy) ? groupBy.map(group) : group(groupBy) }),
      ...(aggregates !== undefined && { aggregates: operands(aggregates) }),
      ...(filter !== undefined && { filter: this.#filter(filter, 0) }),
      ...(sort !== undefined && { sort: Array.isArray(sort) ? sort.map(sortKey) : sort }),
      ...(field !== undefined && { field: this.#path(field) }),
    };
  }

  #filter(filter: unknown, depth: number): unknown {
    if (!isObject(filter) || depth > maxDepth) return filter;
    const inner = (part: unknown) => this.#filter(part, depth + 1);
    return Object.fromEntries(
      Object.entries(filter).map(([name, operand]) => {
        if (name === 'not') return [name, inner(operand)];
        if (name === 'and' || name === 'or') return [name, Array.isArray(operand) ? operand.map(inner) : operand];
        return [name, this.#keys(operand)];
      }),
    );
  }

  /** If an object contains a field under both names, its keys are left unchanged and one of them is rejected later. */
  #keys(object: unknown): unknown {
    if (!isObject(object)) return object;
    const entries = Object.entries(object).map(([path, value]) => [this.#path(path) as string, value] as const);
    return new Set(entries.map(([path]) => path)).size < entries.length ? object : Object.fromEntries(entries);
  }
}

const mapValues = (object: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
