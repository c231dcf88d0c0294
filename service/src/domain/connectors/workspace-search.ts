import { ConnectorError } from 'agent-connectors';
import { type MergedHit, mergeFields } from '../../data/records/passages/merge-fields.js';
import type { PassageHit, Ranker } from '../../data/records/passages/types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Definitions } from './definitions.js';
import type { Gate, Permit, RecordReader } from './gate.js';
import { type HitSummary, summaryOfHit } from './hit-summary.js';
import type { Readiness } from './readiness.js';
import type { Hit, Searches } from './search.js';

/** What all connectors of a workspace are searched for. */
export interface WorkspaceSearchInput {
  readonly prompt: string;
  readonly limit?: number | undefined;
  readonly mode?: Ranker | undefined;
  readonly context_size?: number | undefined;
  readonly entities?: readonly string[] | undefined;
}

interface ConnectorName {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** A hit, and where it is from. */
export interface WorkspaceHit extends Hit, HitSummary {
  readonly connector: ConnectorName;
  readonly entity_name: string;
  readonly field: string;
}

/** What the search found, and what it could not search. */
export interface WorkspaceSearchResult {
  readonly data: WorkspaceHit[];
  readonly meta: {
    readonly has_more: false;
    readonly cursor: null;
    readonly took_ms: number;
    readonly rankers: Ranker[];
    readonly skipped: Skipped[];
  };
}

interface Skipped {
  readonly connector: ConnectorName;
  readonly entity_name: string | null;
  readonly reason: string;
}

/** What the search works with. */
export interface WorkspaceSearchDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly records: RecordReader;
  readonly searches: Searches;
  readonly readiness: Readiness;
  readonly report: (error: unknown) => void;
}

/** One entity of one connector, and which of its fields are searched by meaning. */
interface EntityTarget {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly fields: readonly string[];
}

interface SearchTarget {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly field: string;
}

interface SearchedTarget extends SearchTarget {
  readonly permit: Permit;
}

/** So many hits of each field are compared at least, so that fewer hits are the first of more. */
const minComparedHits = 10;

/** Searches all fields of all these connectors by meaning, and makes one order of what was found. */
export async function searchWorkspace(
  rows: readonly ConnectorRow[],
  input: WorkspaceSearchInput,
  dependencies: WorkspaceSearchDependencies,
): Promise<WorkspaceSearchResult> {
  const started = performance.now();
  const { limit = 10, entities } = input;
  const targets = (await Promise.all(rows.map((row) => searchTargets(row, dependencies.definitions)))).flat();
  const matching = targets.filter(({ entity }) => entities?.includes(entity) ?? true);
  const skipped: Skipped[] = rows
    .filter((row) => !targets.some((target) => target.row === row))
    .map((row) => ({
      connector: nameOf(row),
      entity_name: null,
      reason: 'It has no such field to search by meaning.',
    }));
  const rankers = new Set<Ranker>();
  const searchField = async (permit: Permit, target: SearchTarget) => {
    const { row, entity, field } = target;
    const { hits, meta, scores } = await dependencies.records.semanticSearch(permit, {
      ...{ connectorId: row.id, type: row.type, entity, tenant: row.organizationId, withScores: true },
      params: { semantic: semanticParams(input, field), limit: Math.max(limit, minComparedHits) },
    });
    rankers.add(meta.ranker);
    return { target: { ...target, permit }, hits, scores: scores! };
  };
  const searchEntity = async ({ row, entity, fields }: EntityTarget) => {
    const { ready_for_search, message } = await dependencies.readiness.ofSearch(row, entity);
    if (!ready_for_search && message !== null) {
      skipped.push({ connector: nameOf(row), entity_name: entity, reason: message });
    }
    const call = { row, entity, action: 'context_store_search', params: input };
    try {
      return await dependencies.gate.pass(call, (permit) =>
        Promise.all(fields.map((field) => searchField(permit, { row, entity, field }))),
      );
    } catch (error) {
      const code = ConnectorError.is(error) ? error.code : undefined;
      // What is wrong with the question is wrong everywhere, and is the caller's to know.
      if (code === 'invalid_params') throw error;
      const isDenied = code === 'denied_by_policy';
      if (!isDenied) dependencies.report(error);
      const reason = isDenied ? 'A policy does not allow it to be searched.' : 'The store failed; its log says more.';
      skipped.push({ connector: nameOf(row), entity_name: entity, reason });
      return [];
    }
  };
  const found = await Promise.all(matching.map(searchEntity));
  const recordOf = ({ row, entity }: SearchedTarget, { record }: PassageHit) =>
    JSON.stringify([row.id, entity, dependencies.records.idOf(row.type, entity, record)]);
  const best = mergeFields(found.flat(), limit, recordOf);
  const data = await Promise.all(best.map((one) => toWorkspaceHit(one, dependencies.searches, input.prompt)));
  const took_ms = Math.round(performance.now() - started);
  return {
    data,
    meta: { has_more: false, cursor: null, took_ms, rankers: [...rankers].sort(), skipped: dedupeSkipped(skipped) },
  };
}

async function searchTargets(row: ConnectorRow, definitions: Definitions): Promise<EntityTarget[]> {
  // The service may have been started without the module that has this type.
  if (!definitions.names.includes(row.type)) return [];
  const { description } = await definitions.of(row.type);
  return description.entities.flatMap(({ name: entity, search }) => {
    const fields = Object.keys(search?.semantic ?? {});
    return fields.length > 0 ? [{ row, entity, fields }] : [];
  });
}

const nameOf = ({ id, name, type }: ConnectorRow): ConnectorName => ({ id, name, type });

const semanticParams = ({ prompt, mode, context_size }: WorkspaceSearchInput, field: string): object => ({
  ...{ field, prompt },
  ...(mode !== undefined && { mode }),
  ...(context_size !== undefined && { context_size }),
});

async function toWorkspaceHit(
  { target, hit: passage, score }: MergedHit<SearchedTarget>,
  searches: Searches,
  prompt: string,
): Promise<WorkspaceHit> {
  const { permit, row, entity, field } = target;
  const [hit] = await searches.hits(permit, row, { entity, field }, [passage]);
  const metadata = { ...hit!.metadata, score: Math.round(score * 1e6) / 1e6 };
  const summary = summaryOfHit(passage.record, metadata, prompt);
  return { connector: nameOf(row), entity_name: entity, field, ...summary, entity: hit!.entity, metadata };
}

/** An entity with several fields is named once. */
const dedupeSkipped = (skipped: readonly Skipped[]): Skipped[] => [
  ...new Map(skipped.map((one) => [JSON.stringify([one.connector.id, one.entity_name]), one])).values(),
];
