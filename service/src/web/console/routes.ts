import { ActivityQuery, ActivityResponse, OverviewResponse, QuotaResponse } from 'agent-connectors/wire';
import { instantOf } from '../../common/moment.js';
import { readActivity } from '../../domain/connectors/activity.js';
import { fieldError, notFoundError } from '../../domain/http-error.js';
import { requireConnector } from '../api/handle-request.js';
import { invalidError } from '../api/input.js';
import { type Route, route } from '../api/route.js';
import { openOverview, type ReadOverview } from './overview.js';

const overviews = new WeakMap<object, ReadOverview>();

const overview = route({
  method: 'GET',
  path: '/api/v1/overview',
  operationId: 'getOverview',
  summary: 'The status of all connectors: health, readiness, records and most recent job.',
  access: 'organization',
  tokenScope: 'read',
  response: OverviewResponse,
  async handle({ scope, services }) {
    const read = overviews.get(services) ?? openOverview(services);
    overviews.set(services, read);
    return { data: await read(scope) };
  },
});

const quota = route({
  method: 'GET',
  path: '/api/v1/integrations/connectors/{id}/quota',
  operationId: 'getQuota',
  summary: 'Remaining vendor quota, as reported by the vendor or counted by this process; nothing is sent.',
  access: 'organization',
  tokenScope: 'read',
  response: QuotaResponse,
  errors: [404],
  async handle(call) {
    const { definitions, quotas } = call.services;
    const row = await requireConnector(call);
    const { manifest } = definitions.of(row.type);
    const { reported, limits, sentLastMinute, sentLastDay, refusedAt } = quotas.of(row.id, manifest.limits);
    return {
      reported: reported.map(({ name, remaining, limit, resetsAt, reportedAt }) => ({
        name,
        remaining,
        limit,
        resets_at: Number.isFinite(new Date(resetsAt).getTime()) ? instantOf(resetsAt) : null,
        reported_at: instantOf(reportedAt),
      })),
      limits,
      sent: { last_minute: sentLastMinute, last_day: sentLastDay, since: instantOf(quotas.since) },
      refused_at: instantOf(refusedAt),
    };
  },
});

const activity = route({
  method: 'GET',
  path: '/api/v1/activity',
  operationId: 'getActivity',
  summary: 'Calls and syncs of connectors by hour or day, for up to 90 days; nothing is sent.',
  access: 'organization',
  tokenScope: 'read',
  query: ActivityQuery,
  response: ActivityResponse,
  errors: [404],
  async handle({
    scope,
    services,
    query: { connector_id: connectorId, unit = 'hour', count, time_zone: timeZone = 'UTC' },
  }) {
    if (connectorId !== undefined && !(await services.state.connectors.get(scope, connectorId))) {
      throw notFoundError(`connector '${connectorId}'`);
    }
    if (!isTimeZone(timeZone)) throw invalidError('The query', [fieldError('time_zone', 'is not an IANA time zone')]);
    const periods = unit === 'hour' ? (count ?? 24) : Math.min(count ?? 14, 90);
    return readActivity(services, scope, { connectorId, unit, count: periods, timeZone });
  },
});

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Console routes other than those for connectors. */
export const consoleRoutes: readonly Route[] = [overview, activity, quota];
