import type { Look, Names, Replica } from 'agent-connectors/replication';
import { invalidParams, type ParsedSearch, parseSearch, pathOf } from 'agent-connectors/search';
import type { Requester } from '../../common/fair-queue.js';
import type { Telemetry } from '../../common/telemetry.js';
import { projected } from '../../data/records/index.js';
import type { PassageHit } from '../../data/records/passages/types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { currentActor } from '../audit/record-audit.js';
import { type Definitions, searchAction, semanticOf } from './definitions.js';
import { FieldNames, type Fields, type RequestedNames } from './field-names.js';
import type { Permit } from './gate.js';
import type { Readiness } from './readiness.js';
import { boundMeta, type RecordReader } from './record-reader.js';

/** A matching passage as returned to callers. */
export interface Hit {
  readonly entity: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly score: number; readonly context: string; readonly [name: string]: unknown };
}

/** Search results in the library's format. */
export interface SearchAnswer {
  readonly data: readonly unknown[];
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
  const run = async (permit: Permit, row: ConnectorRow, entity: string, search: ParsedSearch) => {
    const request = { connectorId: row.id, type: row.type, entity, requester: requesterOf(row) };
    const state = await readiness.ofSearch(row, entity);
    const bound = permit.asUser ? await boundMeta(permit.asUser, permit, records, request) : {};
    if (search.kind !== 'semantic') {
      const { data, meta } = await records.search(permit, { ...request, search });
      const { empty, ...rest } = meta;
      const emptyMeta = empty && { empty: { ...empty, as_of: state.synced_at } };
      return { data, meta: { ...rest, ...emptyMeta, ...bound, readiness: state } };
    }
    const { hits: passages, meta, note = null } = await records.semanticSearch(permit, { ...request, search });
    const fields = search.fields?.map(pathOf);
    const data = await hits(permit, row, { entity, field: search.field, fields }, passages);
    const given = { ...meta, ...bound, readiness: { ...state, message: state.message ?? note } };
    return { data, meta: { has_more: false, cursor: null, ...given } };
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
      const { data, meta } = await telemetry.span('search', { connector_type: row.type, entity, by }, () =>
        run(permit, row, entity, search),
      );
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
