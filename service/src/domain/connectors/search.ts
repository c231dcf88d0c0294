import { ConnectorError, checkParams } from 'agent-connectors';
import type { Look, Names, Replica } from 'agent-connectors/replication';
import type { Telemetry } from '../../common/telemetry.js';
import type { StoredRecord } from '../../data/records/index.js';
import type { PassageHit } from '../../data/records/passages/types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definition, type Definitions, searchAction } from './definitions.js';
import type { Permit, RecordReader } from './gate.js';
import type { Readiness } from './readiness.js';

/** A passage that was found, as callers see it. */
export interface Hit {
  readonly entity: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly score: number; readonly context: string; readonly [name: string]: unknown };
}

/** What was found, in the form that the library gives it. */
export interface SearchAnswer {
  readonly data: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Searches the replicas. */
export interface Searches {
  /** Searches the records of one entity, with the parameters of its `context_store_search`. */
  search(permit: Permit, row: ConnectorRow, entity: string, params: unknown): Promise<SearchAnswer>;
  /** What passages are shown as: fields of the record, and names for the reader's sake. */
  hits(
    permit: Permit,
    row: ConnectorRow,
    searchedField: SearchedField,
    passages: readonly PassageHit[],
  ): Promise<Hit[]>;
}

/** A field that was searched by meaning, and which fields of a record are to be shown. */
export interface SearchedField {
  readonly entity: string;
  readonly field: string;
  /** Dotted paths; what the type shows of a hit when left out. */
  readonly fields?: readonly string[] | undefined;
}

/** What a search by meaning was asked with. */
interface SemanticParams {
  readonly semantic: { readonly field?: string };
  readonly fields?: readonly string[];
}

/** What replicas are searched with. */
interface SearchDependencies {
  readonly definitions: Definitions;
  readonly records: RecordReader;
  readonly readiness: Readiness;
  readonly telemetry: Telemetry;
}

/** Searches by way of the store. */
export function openSearches({ definitions, records, readiness, telemetry }: SearchDependencies): Searches {
  const hits: Searches['hits'] = async (permit, row, { entity, field, fields }, passages) => {
    const definition = await definitions.of(row.type);
    const semantic = semanticOf(definition, entity, field);
    const replica = (await definition.replication())?.entities[entity];
    const enrichments = await enrich(replica, passages, recordLookup(permit, records, row));
    const paths = (fields ?? semantic.entity_fields).map((path) => path.split('.'));
    return passages.map(({ record, score, context, attribution }, index) => ({
      entity: pickPaths(record, paths),
      metadata: {
        ...{ score, context },
        ...pickNames(semantic.attribution, attribution),
        ...pickNames(semantic.enrichments, enrichments[index] ?? {}),
      },
    }));
  };
  const searchChecked = async (permit: Permit, row: ConnectorRow, entity: string, params: object) => {
    const request = { connectorId: row.id, type: row.type, entity, tenant: row.organizationId, params };
    const state = await readiness.ofSearch(row, entity);
    if (!('semantic' in params)) {
      const { data, meta } = await records.search(permit, request);
      return { data, meta: { ...meta, readiness: state } };
    }
    const { semantic, fields } = params as SemanticParams;
    const field = semantic.field ?? onlyField(await definitions.of(row.type), entity);
    const { hits: passages, meta, note = null } = await records.semanticSearch(permit, request);
    const data = await hits(permit, row, { entity, field, fields }, passages);
    const message = state.message ?? note;
    return { data, meta: { has_more: false, cursor: null, ...meta, readiness: { ...state, message } } };
  };
  return {
    hits,
    async search(permit, row, entity, params) {
      const { searchParams } = await definitions.of(row.type);
      const checked = checkParams(searchParams[entity]!, params, `${entity}.${searchAction}`) as object;
      const by = 'semantic' in checked ? 'semantic' : 'query';
      return telemetry.span('search', { connector_type: row.type, entity, by }, () =>
        searchChecked(permit, row, entity, checked),
      );
    },
  };
}

/** What the type says of a field that is searched by meaning. */
function semanticOf({ description }: Definition, entity: string, field: string) {
  const passages = description.entities.find(({ name }) => name === entity)?.search?.semantic[field];
  if (passages) return passages;
  throw new ConnectorError('invalid_params', `${entity}.${field} is not searched by meaning.`);
}

const onlyField = ({ description }: Definition, entity: string): string =>
  Object.keys(description.entities.find(({ name }) => name === entity)?.search?.semantic ?? {})[0] ?? '';

const recordLookup =
  (permit: Permit, records: RecordReader, { id, type }: ConnectorRow): Look =>
  async (entity, ids) => {
    const passages = await records.get(permit, { connectorId: id, type, entity }, ids);
    return new Map(passages.map((one) => [one.id, one.record]));
  };

/** Names for each passage; a replica that cannot be asked leaves the hits as they are. */
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

/** The parts of a record at these paths. */
function pickPaths(record: StoredRecord, paths: ReadonlyArray<readonly string[]>): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  // The longest first, so that a whole object replaces parts of it.
  for (const path of [...paths].sort((one, other) => other.length - one.length)) copyPath(record, path, parts);
  return parts;
}

function copyPath(from: unknown, [name = '', ...inner]: readonly string[], to: Record<string, unknown>): void {
  const value = isObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
  if (inner.length === 0 || !isObject(value)) {
    defineValue(to, name, inner.length === 0 ? (value ?? null) : null);
    return;
  }
  const started = Object.hasOwn(to, name) ? to[name] : undefined;
  const part = isObject(started) ? started : {};
  defineValue(to, name, part);
  copyPath(value, inner, part);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Not by assignment, to which `__proto__` would be no name. */
const defineValue = (to: object, name: string, value: unknown): void => {
  Object.defineProperty(to, name, { value, enumerable: true, writable: true, configurable: true });
};
