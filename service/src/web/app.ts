import { Hono } from 'hono';
import type { Logger } from '../common/log.js';
import type { Scope } from '../data/state/rows.js';
import { actingAs } from '../domain/audit/deeds.js';
import { fieldError, refusal } from '../domain/refusal.js';
import { validated } from '../domain/validate.js';
import {
  type Answer,
  type AppContext,
  answered,
  type Bindings,
  type Doors,
  jsonResponse,
  type Seen,
} from './api/answered.js';
import { type Caller, scopeNamed } from './api/authenticate.js';
import { readJson } from './api/body.js';
import type { Call, Route, Services } from './api/route.js';
import { accountRoutes } from './api/routes/account.js';
import { auditRoutes } from './api/routes/audit.js';
import { connectorRoutes } from './api/routes/connectors.js';
import { executeRoutes } from './api/routes/execute.js';
import { inspectRoutes } from './api/routes/inspect.js';
import { operationRoutes } from './api/routes/operations.js';
import { policyRoutes } from './api/routes/policies.js';
import { replicationRoutes } from './api/routes/replication.js';
import { searchRoutes } from './api/routes/search.js';
import { skillRoutes } from './api/routes/skills.js';
import type { ConsoleMount } from './console/mount.js';
import { consoleRoutes } from './console/routes.js';
import { type McpMount, mcpMethods } from './mcp/mount.js';
import type { SetupMount } from './setup/index.js';

/** The HTTP side of the service. */
export interface App {
  fetch(request: Request, bindings?: Bindings): Promise<Response>;
  /** Resolves when every request that is under way has been answered. */
  settled(): Promise<void>;
}

/** What has paths and rules of its own beside the routes. */
export interface Mounts {
  readonly mcp: McpMount;
  readonly setup: SetupMount;
  readonly web: ConsoleMount;
}

/** Bytes that a request without a token may bring. */
const smallBody = 16 * 1024;

/** Makes the app of all routes. */
export function createApp(services: Services, { mcp, setup, web }: Mounts, doors: Doors, logger?: Logger): App {
  const hono = new Hono<{ Bindings: Bindings }>();
  const routes = [
    ...accountRoutes,
    ...setup.routes,
    ...connectorRoutes,
    ...inspectRoutes,
    ...executeRoutes,
    ...replicationRoutes,
    ...searchRoutes,
    ...skillRoutes,
    ...auditRoutes,
    ...policyRoutes,
    ...consoleRoutes,
  ];
  const operations = operationRoutes(routes);
  const all = [...routes, ...operations, ...operations.map((route) => ({ ...route, path: `/api/v1${route.path}` }))];

  const under = (pattern: string, answer: Answer) => (context: AppContext) =>
    answered(context, { pattern, answer, services, doors, logger });
  for (const route of all) {
    hono.on(route.method, honoPath(route.path), under(route.path, answerOf(route, services, web)));
  }
  for (const path of new Set(all.map((route) => route.path))) {
    const methods = all.filter((route) => route.path === path).map(({ method }) => method);
    hono.all(honoPath(path), under(path, otherMethod(methods)));
  }
  for (const { path, answer } of setup.pages) {
    const ofPage: Answer = async ({ req }, { requestId, visit, address }) => {
      if (path.includes('{') || path.endsWith('/callback')) visit.stranger();
      return answer(req.raw, req.param(), { requestId, address });
    };
    hono.all(honoPath(path), under(path, ofPage));
  }
  hono.on([...mcpMethods], mcpPath, under(mcpPath, answerOfMcp(mcp, services.maxBodyBytes)));
  hono.all(mcpPath, under(mcpPath, otherMethod(mcpMethods)));
  for (const path of [consolePath, `${consolePath}/*`]) hono.all(path, under(consolePath, answerOfConsole(web)));
  hono.notFound(
    under('unknown', async () => {
      const message = 'The service has no such path.';
      throw refusal(404, 'not_found', message, {
        errors: [fieldError('', message, 'unknown_route')],
        hint: 'GET /openapi.json lists all paths.',
      });
    }),
  );

  const underWay = new Set<Promise<Response>>();
  return {
    async fetch(request, bindings = {}) {
      const answering = Promise.resolve(hono.fetch(request, bindings));
      underWay.add(answering);
      return answering.finally(() => underWay.delete(answering));
    },
    async settled() {
      await Promise.allSettled(underWay);
    },
  };
}

/** Where the MCP server is; it has a protocol of its own, and so no place in the reference. */
const mcpPath = '/mcp';

/** Where the console is. */
const consolePath = '/console';

const answerOfConsole =
  (web: ConsoleMount): Answer =>
  ({ req }, seen) => {
    const { requestId, visit, address } = seen;
    return web.answer({
      ...{ request: req.raw, requestId, visit, address },
      identified: (caller, scope) => identify(seen, caller, scope),
    });
  };

const answerOfMcp =
  (mcp: McpMount, maxBodyBytes: number): Answer =>
  ({ req: { raw: request } }, seen) => {
    const { requestId, visit, address } = seen;
    const acting = { clientId: '', via: 'mcp', requestId, address };
    const identified = (caller: Caller, scope: Scope | undefined) => {
      const isFirst = seen.caller === undefined;
      identify(seen, caller, scope);
      acting.clientId = caller.client.id;
      if (isFirst) visit.hold(bytesComing(request, maxBodyBytes));
    };
    return actingAs(acting, () => mcp.answer(request, identified));
  };

/** Puts down who asks, and lets the request in or refuses it. */
function identify(seen: Seen, caller: Caller, scope: Scope | undefined): void {
  seen.caller = caller;
  if (scope) seen.scope = scope;
  seen.visit.client(caller.client.id);
}

/** Bytes of a body that is read elsewhere. */
const bytesComing = ({ headers }: Request, most: number): number =>
  headers.has('transfer-encoding') ? most : Math.min(most, Number(headers.get('content-length') ?? 0));

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

function answerOf(route: Route, services: Services, web: ConsoleMount): Answer {
  return async (context, seen) => {
    const { requestId, visit, address } = seen;
    const request = context.req.raw;
    const visitor = route.access === 'anyone' ? undefined : await web.caller(request);
    if (route.access !== 'anyone') {
      const caller = visitor ?? (await services.authenticate(request.headers));
      identify(seen, caller, undefined);
      if (route.access !== 'client') seen.scope = await scopeNamed(caller, services.state);
      if (route.access === 'account' && caller.kind === 'scoped') {
        throw refusal(403, 'forbidden', 'This token is for one workspace alone, and this concerns the organization.');
      }
    } else if (route.body) visit.stranger();
    const query = route.query && validated(route.query, context.req.query(), 'The query');
    // Nobody has shown a token yet: what comes is small.
    const mostBytes = route.access === 'anyone' ? Math.min(smallBody, services.maxBodyBytes) : services.maxBodyBytes;
    const bare = route.optionalBody === true && !hasBody(request);
    const read = () => (bare ? {} : readJson(request, mostBytes, visit.hold));
    const body = route.body && validated(route.body, await read(), 'The body');
    const call: Call = {
      request,
      requestId,
      params: context.req.param(),
      body,
      query,
      // Routes that read these have an access that has set them.
      caller: seen.caller as Caller,
      scope: seen.scope as Scope,
      ...{ address, visit, services },
    };
    const via = visitor ? 'console' : 'http';
    const acting = seen.caller && { clientId: seen.caller.client.id, via, requestId, address };
    const result = await (acting ? actingAs(acting, () => route.handle(call)) : route.handle(call));
    return result instanceof Response ? result : jsonResponse(200, JSON.stringify(result));
  };
}

/** Whether a request announces a body, as JSON has to. */
const hasBody = ({ headers }: Request): boolean =>
  headers.has('content-type') || headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0';

/** A path that is known, asked for with another method. */
const otherMethod =
  (methods: readonly string[]): Answer =>
  async (context) => {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    const message = `This path supports ${allow}.`;
    throw refusal(405, 'invalid_params', message, {
      errors: [fieldError('', message, 'unknown_route')],
      headers: { allow },
    });
  };
