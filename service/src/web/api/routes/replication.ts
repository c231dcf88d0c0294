import { ConnectorError, suggestion } from 'agent-connectors';
import {
  type JobResponse,
  JobsQuery,
  JobsResponse,
  type ResponseOf,
  type SyncCounts,
  SyncRequest,
  SyncResponse,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { EntityProgress, JobRow } from '../../../data/state/replication-types.js';
import type { ConnectorRow } from '../../../data/state/rows.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { type Definitions, replicatedEntities } from '../../../domain/connectors/definitions.js';
import { fieldError, httpError, notFoundError } from '../../../domain/http-error.js';
import { visibleJob } from '../../../domain/replication/visible-job.js';
import { requireConnector } from '../handle-request.js';
import { invalidError } from '../input.js';
import { pageOf } from '../paging.js';
import { type Route, route, type Services } from '../route.js';

/** The entities requested for a job, or all replicated ones; rejects others. */
function entitiesToSync(
  row: ConnectorRow,
  definitions: Definitions,
  requested: readonly string[] | undefined,
): readonly string[] {
  const definition = definitions.of(row.type);
  const replicated = replicatedEntities(row, definition);
  if (replicated.length === 0) {
    throw httpError(409, 'conflict', `This ${definition.manifest.title} connector has nothing to sync.`);
  }
  const unknown = (requested ?? []).filter((entity) => !replicated.includes(entity));
  if (unknown.length === 0) return requested ?? replicated;
  const message = (entity: string) =>
    `contains '${entity.slice(0, 100)}', which is not replicated. ${suggestion(entity, replicated, 'names')}`.slice(
      0,
      -1,
    );
  throw invalidError(
    'The body',
    unknown.map((entity) => fieldError('entities', message(entity))),
  );
}

/**
 * Rejects sync requests for entities that policies exclude from search; the service's own jobs read those entities
 * anyway.
 */
async function requireSearchable(
  row: ConnectorRow,
  entities: readonly string[],
  { gate, state }: Pick<Services, 'gate' | 'state'>,
): Promise<void> {
  const allowed = await gate.allowedEntities(row, entities, 'context_store_search');
  const isDenied = allowed.length < entities.length;
  const outcome = isDenied ? 'denied_by_policy' : 'success';
  recordChange(state.audit, { event: 'connector.synced', organizationId: row.organizationId, row, outcome });
  if (!isDenied) return;
  const denied = entities.filter((entity) => !allowed.includes(entity)).join(', ');
  throw new ConnectorError(
    'denied_by_policy',
    `A policy of this workspace or connector does not allow searching ${denied}.`,
    {
      hint: allowed.length > 0 ? `Specify the others: {"entities": ${JSON.stringify(allowed)}}.` : undefined,
    },
  );
}

const sync = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/sync',
  operationId: 'syncConnector',
  summary: 'Sync the connector’s records now. Returns the queued or running job, if any.',
  access: 'organization',
  tokenScope: 'manage',
  body: SyncRequest,
  optionalBody: true,
  response: SyncResponse,
  errors: [404, 409, 424],
  async handle(call) {
    const { state, definitions, engine } = call.services;
    const row = await requireConnector(call);
    const { entities } = call.body;
    const requested = entitiesToSync(row, definitions, entities);
    if ((await state.credentials.load(row.id)) === undefined) {
      throw new ConnectorError('invalid_credentials', 'The connector has no credentials yet: add them with PUT.');
    }
    await requireSearchable(row, requested, call.services);
    const job = await state.jobs.request(call.scope, row.id, entities ?? null);
    if (!job) throw notFoundError(`connector '${row.id}'`);
    engine.wake();
    return { job_id: job.id };
  },
});

const jobs = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}/jobs',
  operationId: 'listJobs',
  summary: 'List the connector’s sync jobs, newest first: progress, counts and failures.',
  access: 'organization',
  tokenScope: 'read',
  query: JobsQuery,
  response: JobsResponse,
  errors: [404],
  async handle(call) {
    const row = await requireConnector(call);
    const { limit = 20, cursor } = call.query;
    const { rows, next } = await pageOf(call.services.state.jobs.list(call.scope, row.id, { limit, cursor }));
    const names = [...new Set(rows.flatMap(({ entities }) => entities.map(({ entity }) => entity)))];
    const searchable = await call.services.gate.allowedEntities(row, names, 'context_store_search');
    return { data: rows.map((job) => jobJson(visibleJob(job, searchable))), next };
  },
});

/** A job, with progress and counts in total. */
export function jobJson(job: JobRow): ResponseOf<typeof JobResponse> {
  const { id, connectorId, reason, status, attempts, entities, error } = job;
  const waits = status === 'queued' && job.nextAttemptAt > 0;
  const total = (name: keyof SyncCounts) => entities.reduce((sum, entity) => sum + entity[name], 0);
  return {
    id,
    connector_id: connectorId,
    requested: reason,
    status,
    attempts,
    created_at: instantOf(job.createdAt),
    started_at: instantOf(job.startedAt),
    finished_at: instantOf(job.finishedAt),
    next_try_at: waits ? instantOf(job.nextAttemptAt) : null,
    progress: status === 'done' ? 1 : meanProgress(entities),
    counts: {
      read: total('read'),
      inserted: total('inserted'),
      updated: total('updated'),
      unchanged: total('unchanged'),
      removed: total('removed'),
      failed: total('failed'),
    },
    entities,
    error,
  };
}

function meanProgress(entities: readonly EntityProgress[]): number {
  const parts = entities.map(({ status, progress }) => (status === 'done' ? 1 : (progress ?? 0)));
  const mean = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  return Math.round(mean * 1000) / 1000;
}

/** Routes for syncs and jobs. */
export const replicationRoutes: readonly Route[] = [sync, jobs];
