import * as z from 'zod';
import { openApi } from '../openapi.js';
import { type Call, type Route, route } from '../route.js';

const health = route({
  method: 'GET',
  path: '/health',
  operationId: 'health',
  summary: 'Whether the process answers.',
  access: 'anyone',
  response: z.object({ status: z.literal('ok') }),
  handle: () => ({ status: 'ok' }),
});

const unavailableError = () => Response.json({ status: 'unavailable' }, { status: 503 });

const ready = route({
  method: 'GET',
  path: '/ready',
  operationId: 'ready',
  summary: 'Whether the database answers; 503 when it does not, and when the service is being stopped.',
  access: 'anyone',
  response: z.object({ status: z.enum(['ready', 'unavailable']) }),
  errors: [503],
  async handle({ services, requestId }) {
    if (services.isStopping()) return unavailableError();
    try {
      await services.state.ping();
      return { status: 'ready' };
    } catch (error) {
      services.report(error, requestId);
      return unavailableError();
    }
  },
});

/** Whether a request comes from this machine itself, and was not passed on by a proxy on it. */
const isLocal = ({ address = '', request: { headers } }: Call): boolean =>
  /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address) && !headers.has('x-forwarded-for') && !headers.has('forwarded');

const metrics = route({
  method: 'GET',
  path: '/metrics',
  operationId: 'metrics',
  summary: 'Counts and durations, in the text format of Prometheus; from elsewhere than loopback with a token.',
  access: 'anyone',
  media: ['text/plain'],
  errors: [401],
  async handle(call) {
    if (!isLocal(call)) await call.services.authenticate(call.request.headers);
    return new Response(await call.services.metrics.text(), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    });
  },
});

/** What watches over the service. */
const monitoringRoutes: readonly Route[] = [health, ready, metrics];

/** The routes that tell of the service itself, the reference of all the others among them. */
export function operationRoutes(others: readonly Route[]): readonly Route[] {
  let reference: string | undefined;
  const document: Route = route({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openApi',
    summary: 'This reference.',
    access: 'anyone',
    response: z.looseObject({ openapi: z.string() }),
    handle() {
      reference ??= JSON.stringify(openApi([...others, ...monitoringRoutes, document]));
      return new Response(reference, { headers: { 'content-type': 'application/json' } });
    },
  });
  return [...monitoringRoutes, document];
}
