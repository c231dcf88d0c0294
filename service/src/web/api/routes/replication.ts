import { ConnectorError, suggestion } from 'agent-connectors';
import type { EntityProgress, JobRow } from '../../../data/state/replication-types.js';
import type { ConnectorRow } from '../../../data/state/rows.js';
import type { Definitions } from '../../../domain/connectors/definitions.js';
import { replicatedEntities } from '../../../domain/connectors/definitions.js';
import { fieldError, httpError, notFoundError } from '../../../domain/http-error.js';
import { invalidError } from '../../../domain/validate.js';
import { requireConnector } from '../authenticate.js';
import { pageOf } from '../paging.js';
import { JobsQuery, JobsResponse, SyncRequest, SyncResponse } from '../replication-schemas.js';
import { type Route, route } from '../route.js';

/** The entities that a connector replicates; a request for others is refused. */
async function checkEntities(
  row: ConnectorRow,
  definitions: Definitions,
  requested: readonly string[] = [],
): Promise<void> {
  const definition = await definitions.of(row.type);
  const replication = await definition.replication();
  const replicated = replication ? replicatedEntities(row, definition, replication) : [];
  if (replicated.length === 0) {
    throw httpError(409, 'conflict', `There is nothing to replicate of this ${definition.manifest.title} connector.`);
  }
  const unknown = requested.filter((entity) => !replicated.includes(entity));
  if (unknown.length === 0) return;
  const message = (entity: string) =>
    `has '${entity.slice(0, 100)}', which is not replicated. ${suggestion(entity, replicated, 'names')}`.slice(0, -1);
  throw invalidError(
    'The body',
    unknown.map((entity) => fieldError('entities', message(entity))),
  );
}

const sync = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/sync',
  operationId: 'syncConnector',
  summary: 'Replicate the connector’s records now; a job that is queued or running already is given back instead.',
  access: 'organization',
  body: SyncRequest,
  optionalBody: true,
  response: SyncResponse,
  errors: [404, 409, 424],
  async handle(call) {
    const { state, engine } = call.services;
    const row = await requireConnector(call);
    const { entities } = call.body;
    await checkEntities(row, call.services.definitions, entities);
    if ((await state.credentials.load(row.id)) === undefined) {
      throw new ConnectorError('invalid_credentials', 'The connector has no credentials yet: PUT some.');
    }
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
  summary: 'Jobs of the connector’s replication, the newest first: how far they are, what they did, what failed.',
  access: 'organization',
  query: JobsQuery,
  response: JobsResponse,
  errors: [404],
  async handle(call) {
    const row = await requireConnector(call);
    const { limit = 20, cursor } = call.query;
    const { rows, next } = await pageOf(call.services.state.jobs.list(call.scope, row.id, { limit, cursor }));
    return { data: rows.map(jobJson), next };
  },
});

const instant = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const countNames = ['read', 'inserted', 'updated', 'unchanged', 'removed', 'failed'] as const;

function jobJson(job: JobRow): object {
  const { id, connectorId, reason, status, attempts, entities, error } = job;
  const waits = status === 'queued' && job.notBefore > 0;
  return {
    ...{ id, connector_id: connectorId, requested: reason, status, attempts },
    created_at: instant(job.createdAt),
    started_at: instant(job.startedAt),
    finished_at: instant(job.finishedAt),
    next_try_at: waits ? instant(job.notBefore) : null,
    progress: status === 'done' ? 1 : meanProgress(entities),
    counts: Object.fromEntries(countNames.map((name) => [name, entities.reduce((sum, one) => sum + one[name], 0)])),
    ...{ entities, error },
  };
}

function meanProgress(entities: readonly EntityProgress[]): number {
  const parts = entities.map(({ status, progress }) => (status === 'done' ? 1 : (progress ?? 0)));
  const mean = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  return Math.round(mean * 1000) / 1000;
}

/** Asking for replication, and looking at what it does. */
export const replicationRoutes: readonly Route[] = [sync, jobs];
