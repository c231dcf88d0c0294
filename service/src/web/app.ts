import { Hono } from 'hono';
import type { Logger } from '../common/log.js';
import type { Scope, TokenScope } from '../data/state/rows.js';
import { type Actor, runAs } from '../domain/audit/record-audit.js';
import { fieldError, httpError } from '../domain/http-error.js';
import { bytesPerJsonByte } from '../domain/limits/memory.js';
import type { Cors } from './api/cors.js';
import {
  type AppContext,
  type Bindings,
  handleRequest,
  type RequestGuards,
  type RequestHandler,
  routeHandler,
  setCaller,
} from './api/handle-request.js';
import type { Caller, Services } from './api/route.js';
import { accountRoutes } from './api/routes/account.js';
import { auditRoutes } from './api/routes/audit.js';
import { changeRoutes } from './api/routes/changes.js';
import { clientRoutes } from './api/routes/clients.js';
import { connectClientRoutes } from './api/routes/connect-clients.js';
import { connectorRoutes } from './api/routes/connectors.js';
import { executeRoutes } from './api/routes/execute.js';
import { grantRoutes } from './api/routes/grants.js';
import { inspectRoutes } from './api/routes/inspect.js';
import { operationRoutes } from './api/routes/operations.js';
import { planRoutes } from './api/routes/plans.js';
import { policyRoutes } from './api/routes/policies.js';
import { replicationRoutes } from './api/routes/replication.js';
import { searchRoutes } from './api/routes/search.js';
import { skillRoutes } from './api/routes/skills.js';
import { tokenRoutes } from './api/routes/tokens.js';
import { webhookRoutes } from './api/routes/webhooks.js';
import type { ConsoleMount } from './console/mount.js';
import { consoleRoutes } from './console/routes.js';
import { type McpMount, mcpMethods } from './mcp/mount.js';
import type { OAuthMount } from './oauth/index.js';
import type { SetupMount } from './setup/index.js';

/** The service's HTTP app: responds to a request. */
export type App = (request: Request, bindings?: Bindings) => Promise<Response>;

/** Parts with their own paths and rules, in addition to the routes. */
export interface Mounts {
  readonly mcp: McpMount;
  readonly setup: SetupMount;
  readonly web: ConsoleMount;
  readonly oauth: OAuthMount;
}

/** Creates the app with all routes. */
export function createApp(
  services: Services,
  { mcp, setup, web, oauth }: Mounts,
  guards: RequestGuards,
  logger?: Logger,
): App {
  const hono = new Hono<{ Bindings: Bindings }>();
  const routes = [
    ...accountRoutes,
    ...clientRoutes,
    ...tokenRoutes,
    ...grantRoutes,
    ...connectClientRoutes,
    ...setup.routes,
    ...connectorRoutes,
    ...inspectRoutes,
    ...executeRoutes,
    ...replicationRoutes,
    ...searchRoutes,
    ...changeRoutes,
    ...skillRoutes,
    ...auditRoutes,
    ...policyRoutes,
    ...planRoutes,
    ...webhookRoutes,
    ...consoleRoutes,
  ];
  const operations = operationRoutes(routes);
  const all = [...routes, ...operations, ...operations.map((route) => ({ ...route, path: `/api/v1${route.path}` }))];

  const handlerFor = (pattern: string, handle: RequestHandler, cors?: Cors) => (context: AppContext) =>
    handleRequest(context, { pattern, handle, services, guards, logger, cors });
  for (const route of all) {
    hono.on(route.method, honoPath(route.path), handlerFor(route.path, routeHandler(route, services, web.caller)));
  }
  for (const path of new Set(all.map((route) => route.path))) {
    const methods = all.filter((route) => route.path === path).map(({ method }) => method);
    hono.all(honoPath(path), handlerFor(path, methodNotAllowed(methods)));
  }
  for (const { path, handle } of setup.pages) {
    const pageHandler: RequestHandler = async ({ req }, { requestId, admission, address }) => {
      if (path.includes('{') || path.endsWith('/callback')) await admission.admitAnonymous();
      return handle(req.raw, req.param(), { requestId, address, reserveBytes: admission.reserveBytes });
    };
    hono.all(honoPath(path), handlerFor(path, pageHandler));
  }
  hono.on([...mcpMethods], mcpPath, handlerFor(mcpPath, mcpRequestHandler(mcp, services.maxBodyBytes), oauth.cors));
  hono.all(mcpPath, handlerFor(mcpPath, methodNotAllowed(mcpMethods), oauth.cors));
  for (const { path, handle, cors } of oauth.endpoints) {
    const endpointHandler: RequestHandler = ({ req }, { requestId, admission, address }) =>
      handle({ request: req.raw, requestId, admission, address });
    hono.all(path, handlerFor(path, endpointHandler, cors));
  }
  for (const path of [consolePath, `${consolePath}/*`]) hono.all(path, handlerFor(consolePath, consoleHandler(web)));
  hono.get(
    '/',
    handlerFor('/', async () => new Response(null, { status: 302, headers: { location: consolePath } })),
  );
  hono.notFound(
    handlerFor('unknown', async () => {
      const message = 'Path not found.';
      throw httpError(404, 'not_found', message, {
        errors: [fieldError('', message, 'unknown_route')],
        hint: 'GET /openapi.json lists all paths.',
      });
    }),
  );

  return async (request, bindings = {}) => hono.fetch(request, bindings);
}

/** Path of the MCP server; its protocol is not part of the API reference. */
const mcpPath = '/mcp';

const consolePath = '/console';

const consoleHandler =
  (web: ConsoleMount): RequestHandler =>
  ({ req }, requestContext) => {
    const { requestId, admission, address } = requestContext;
    return web.handle({
      request: req.raw,
      requestId,
      admission,
      address,
      onIdentified: (caller, scope) => setCaller(requestContext, caller, scope),
    });
  };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const mcpRequestHandler =
  (mcp: McpMount, maxBodyBytes: number): RequestHandler =>
  ({ req: { raw: request } }, requestContext) => {
    const { requestId, admission, address } = requestContext;
    const scopes: readonly TokenScope[] = [];
    const actor: Mutable<Actor> = { clientId: '', scopes, asUser: null, via: 'mcp', requestId, address };
    const onIdentified = async (caller: Caller, scope: Scope | undefined) => {
      const isFirst = requestContext.caller === undefined;
      await setCaller(requestContext, caller, scope);
      actor.clientId = caller.client.id;
      actor.scopes = caller.scopes;
      actor.asUser = caller.asUser;
      actor.grantId = caller.grantId;
      actor.token = caller.token;
      if (!isFirst) return;
      const bytes = expectedBodyBytes(request, maxBodyBytes);
      admission.reserveBytes(bytes * bytesPerJsonByte);
      admission.countBytes(bytes);
    };
    const onBatch = (count: number) => admission.countCalls(actor.clientId, count - 1);
    return runAs(actor, () => mcp.handle(request, { onIdentified, onBatch, takeTurn: admission.takeTurn }));
  };

/** Expected size of a body that is read by other code. */
const expectedBodyBytes = ({ headers }: Request, maximum: number): number =>
  headers.has('transfer-encoding') ? maximum : Math.min(maximum, Number(headers.get('content-length') ?? 0));

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Rejects an unsupported method on a known path. */
const methodNotAllowed =
  (methods: readonly string[]): RequestHandler =>
  async (context) => {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    const message = `This path supports ${allow}.`;
    throw httpError(405, 'invalid_params', message, {
      errors: [fieldError('', message, 'unknown_route')],
      headers: { allow },
    });
  };
