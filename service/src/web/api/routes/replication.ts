import { ConnectorError, suggestion } from 'agent-connectors';
import type { EntityProgress, JobRow } from '../../../data/state/replication-types.js';
import type { ConnectorRow } from '../../../data/state/rows.js';
import type { Definitions } from '../../../domain/connectors/definitions.js';
import { replicatedEntities } from '../../../domain/connectors/definitions.js';
import { absent, fieldError, refusal } from '../../../domain/refusal.js';
import { invalid } from '../../../domain/validate.js';
import { connectorIn } from '../authenticate.js';
import { pageOf } from '../paging.js';
import { JobsAnswer, JobsQuery, SyncAnswer, SyncRequest } from '../replication-schemas.js';
import { type Route, route } from '../route.js';

/** The entities that a connector replicates; a request for others is refused. */
async function checkEntities(
  row: ConnectorRow,
  definitions: Definitions,
  asked: readonly string[] = [],
): Promise<void> {
  const definition = await definitions.of(row.type);
  const replication = await definition.replication();
  const own = replication ? replicatedEntities(row, definition, replication) : [];
  if (own.length === 0) {
    throw refusal(409, 'conflict', `There is nothing to replicate of this ${definition.manifest.title} connector.`);
  }
  const unknown = asked.filter((entity) => !own.includes(entity));
  if (unknown.length === 0) return;
  const message = (entity: string) =>
    `has '${entity.slice(0, 100)}', which is not replicated. ${suggestion(entity, own, 'names')}`.slice(0, -1);
  throw invalid(
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
  answer: SyncAnswer,
  errors: [404, 409, 424],
  async handle(call) {
    const { state, engine } = call.services;
    const row = await connectorIn(call);
    const { entities } = call.body;
    await checkEntities(row, call.services.definitions, entities);
    if ((await state.credentials.load(row.id)) === undefined) {
      throw new ConnectorError('invalid_credentials', 'The connector has no credentials yet: PUT some.');
    }
    const job = await state.jobs.request(call.scope, row.id, entities ?? null);
    if (!job) throw absent(`connector '${row.id}'`);
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
  answer: JobsAnswer,
  errors: [404],
  async handle(call) {
    const row = await connectorIn(call);
    const { limit = 20, cursor } = call.query;
    const { rows, next } = await pageOf(call.services.state.jobs.list(call.scope, row.id, { limit, cursor }));
    return { data: rows.map(shown), next };
  },
});

const instant = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const countNames = ['read', 'inserted', 'updated', 'unchanged', 'removed', 'failed'] as const;

function shown(job: JobRow): object {
  const { id, connectorId, requested, status, attempts, entities, error } = job;
  const waits = status === 'queued' && job.notBefore > 0;
  return {
    ...{ id, connector_id: connectorId, requested, status, attempts },
    created_at: instant(job.createdAt),
    started_at: instant(job.startedAt),
    finished_at: instant(job.finishedAt),
    next_try_at: waits ? instant(job.notBefore) : null,
    progress: status === 'done' ? 1 : meanOf(entities),
    counts: Object.fromEntries(countNames.map((name) => [name, entities.reduce((sum, one) => sum + one[name], 0)])),
    ...{ entities, error },
  };
}

function meanOf(entities: readonly EntityProgress[]): number {
  const parts = entities.map(({ status, progress }) => (status === 'done' ? 1 : (progress ?? 0)));
  const mean = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  return Math.round(mean * 1000) / 1000;
}

/** Asking for replication, and looking at what it does. */
export const replicationRoutes: readonly Route[] = [sync, jobs];
