import type { ConnectorOverview } from 'agent-connectors/wire';
import type { JobRow } from '../../data/state/replication-types.js';
import type { ConnectorRow, Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Definitions } from '../../domain/connectors/definitions.js';
import type { Gate } from '../../domain/connectors/gate.js';
import type { EntityReadiness, Readiness } from '../../domain/connectors/readiness.js';
import { effectiveInterval } from '../../domain/replication/scheduler.js';
import { visibleJob } from '../../domain/replication/visible-job.js';
import { jobJson } from '../api/routes/replication.js';

/** Reads the status of all connectors in a scope. */
export type ReadOverview = (scope: Scope) => Promise<ConnectorOverview[]>;

/** Dependencies of the overview. */
export interface OverviewDependencies {
  readonly state: State;
  readonly definitions: Definitions;
  readonly readiness: Readiness;
  readonly gate: Gate;
  readonly now: () => number;
}

interface CachedOverview {
  readonly fingerprint: string;
  readonly at: number;
  readonly overview: ConnectorOverview;
}

const pageSize = 500;
/**
 * How long a cached overview is valid if the state has not changed, in milliseconds; needed because the state does not
 * include embedding progress.
 */
const cacheTtlMs = 30_000;
const maxCached = 5_000;

/** Reads overviews, omitting entities that policies exclude from search; unchanged connectors are cached. */
export function openOverview({ state, definitions, readiness, gate, now }: OverviewDependencies): ReadOverview {
  const cache = new Map<string, CachedOverview>();
  const readOne = async (scope: Scope, row: ConnectorRow): Promise<ConnectorOverview> => {
    const job = (await state.jobs.list(scope, row.id, { limit: 1 })).rows[0];
    const replicas = await state.replicas.list(row.id);
    const { description } = definitions.of(row.type);
    const names = new Set([
      ...description.entities.map(({ name }) => name),
      ...(job?.entities ?? []).map(({ entity }) => entity),
    ]);
    const searchable = await gate.allowedEntities(row, [...names], 'context_store_search');
    const fingerprint = JSON.stringify([
      row.name,
      row.updatedAt,
      row.replicationConfig,
      row.health,
      job ?? null,
      replicas,
      searchable,
    ]);
    const cached = cache.get(row.id);
    if (cached?.fingerprint === fingerprint && now() - cached.at < cacheTtlMs) return cached.overview;
    const visible = job && visibleJob(job, searchable);
    const overview = await overviewOf(row, visible, searchable, { state, definitions, readiness });
    cache.delete(row.id);
    cache.set(row.id, { fingerprint, at: now(), overview });
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!);
    return overview;
  };
  return async (scope) => {
    const all: ConnectorOverview[] = [];
    let cursor: string | undefined;
    do {
      const { rows, next } = await state.connectors.list(scope, { limit: pageSize, cursor });
      // Types from a newer version cannot be described.
      const known = rows.filter(({ type }) => definitions.names.includes(type));
      all.push(...(await Promise.all(known.map((row) => readOne(scope, row)))));
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    return all;
  };
}

async function overviewOf(
  row: ConnectorRow,
  job: JobRow | undefined,
  searchable: readonly string[],
  { state, definitions, readiness }: Pick<OverviewDependencies, 'state' | 'definitions' | 'readiness'>,
): Promise<ConnectorOverview> {
  const { manifest, replication } = definitions.of(row.type);
  const entities = (await readiness.of(row)).entities.filter(({ entity }) => searchable.includes(entity));
  const hasCredentials = (await state.credentials.load(row.id)) !== undefined;
  const replicated = entities.filter(({ status }) => status !== 'not_configured');
  const synced = replicated.map(({ synced_at }) => synced_at);
  return {
    id: row.id,
    name: row.name,
    connector_type: row.type,
    title: manifest.title,
    workspace_name: row.workspaceName,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    health: healthOf(row, hasCredentials, replicated, job),
    records: replicated.reduce((sum, { entity_count }) => sum + (entity_count ?? 0), 0),
    sync_interval: replication ? effectiveInterval(row, replication) : null,
    synced_at: replicated.length === 0 || synced.includes(null) ? null : (synced.sort()[0] ?? null),
    entities,
    job: job ? jobOverview(job) : null,
  };
}

function healthOf(
  row: ConnectorRow,
  hasCredentials: boolean,
  replicated: readonly EntityReadiness[],
  job: JobRow | undefined,
): ConnectorOverview['health'] {
  if (!hasCredentials) return 'no_credentials';
  if (row.health === 'needs_reauthorization' && job?.status !== 'running') return 'needs_reauthorization';
  if (job?.status === 'queued' && job.attempts > 0) return 'retrying';
  if (job?.status === 'running' || job?.status === 'queued') return 'syncing';
  if (job?.status === 'failed' || replicated.some(({ status }) => status === 'failed')) return 'failing';
  if (replicated.length === 0) return 'not_replicated';
  return replicated.some(({ status }) => status === 'initializing' || status === 'updating') ? 'syncing' : 'ready';
}

function jobOverview(job: JobRow): ConnectorOverview['job'] {
  const { connector_id: _, requested: __, entities: ___, counts, ...overview } = jobJson(job);
  return { ...overview, read: counts.read, failed: counts.failed };
}
