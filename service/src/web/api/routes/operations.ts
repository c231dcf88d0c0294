import { HealthResponse, ReadyResponse, ReferenceResponse } from 'agent-connectors/wire';
import { httpError } from '../../../domain/http-error.js';
import { Documents } from '../document.js';

import { requireUnbound } from '../handle-request.js';

import { openApi } from '../openapi.js';
import { type Call, type Route, route } from '../route.js';

const health = route({
  method: 'GET',
  path: '/health',
  operationId: 'health',
  summary: 'Liveness.',
  access: 'anyone',
  tokenScope: null,
  response: HealthResponse,
  handle: () => ({ status: 'ok' }),
});

const unavailableError = () => Response.json({ status: 'unavailable' }, { status: 503 });

const ready = route({
  method: 'GET',
  path: '/ready',
  operationId: 'ready',
  summary:
    'Readiness: 503 if the database is unavailable or the service is shutting down. On a Citus cluster, also counts its nodes.',
  access: 'anyone',
  tokenScope: null,
  response: ReadyResponse,
  errors: [503],
  async handle({ services, requestId }) {
    if (services.isStopping()) return unavailableError();
    try {
      await services.state.ping();
      const nodes = await services.nodes().catch((error) => services.report(error, requestId));
      return { status: 'ready', ...(nodes && { nodes }) };
    } catch (error) {
      services.report(error, requestId);
      return unavailableError();
    }
  },
});

const forwardedHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a request comes from this machine, shows no sign of a local proxy, and uses the documented path, which
 * operators block in their proxy.
 */
const isLocal = ({ address = '', request: { url, headers } }: Call): boolean =>
  new URL(url).pathname === '/metrics' &&
  /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address) &&
  !forwardedHeaders.some((name) => headers.has(name));

const metrics = route({
  method: 'GET',
  path: '/metrics',
  operationId: 'metrics',
  summary:
    'Metrics in the Prometheus text format. Requires a token, unless the service was started with --local-metrics and the request comes from the same machine.',
  access: 'anyone',
  tokenScope: null,
  media: ['text/plain'],
  errors: [401, 403],
  async handle(call) {
    const { authenticate, localMetrics, metrics } = call.services;
    // A proxy that sends no forwarding headers looks like this machine. Only the operator knows whether one is in use.
    if (!localMetrics || !isLocal(call)) {
      const caller = await authenticate(call.request.headers);
      requireUnbound(caller);
      // Metrics cover all organizations, so neither an app nor a workspace token gets them.
      if (caller.kind !== 'app') {
        throw httpError(403, 'forbidden', 'Metrics need a client token: this token is limited to one workspace.');
      }
    }
    return new Response(await metrics.text(), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    });
  },
});

/** Health and metrics routes. */
const monitoringRoutes: readonly Route[] = [health, ready, metrics];

/** Routes about the service itself, including the API reference. */
export function operationRoutes(others: readonly Route[]): readonly Route[] {
  const documents = new Documents<string>();
  const document: Route = route({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openApi',
    summary: 'This reference.',
    access: 'anyone',
    isLimited: true,
    tokenScope: null,
    response: ReferenceResponse,
    errors: [429],
    handle: ({ request }) =>
      documents.respond(request, 'openapi', () => openApi([...others, ...monitoringRoutes, document])),
  });
  return [...monitoringRoutes, document];
}
