import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import { actingAs } from '../audit/acting.js';
import type { ConsoleMount } from '../console/mount.js';
import { consoleRoutes } from '../console/routes.js';
import type { Logger } from '../log.js';
import { type McpMount, mcpMethods } from '../mcp/mount.js';
import type { SetupMount } from '../setup/index.js';
import type { Scope } from '../state/types.js';
import { type Caller, scopeNamed } from './authenticate.js';
import { readJson } from './body.js';
import { errorReply, refusal } from './errors.js';
import type { Call, Route, Services } from './route.js';
import { accountRoutes } from './routes/account.js';
import { auditRoutes } from './routes/audit.js';
import { connectorRoutes } from './routes/connectors.js';
import { executeRoutes } from './routes/execute.js';
import { inspectRoutes } from './routes/inspect.js';
import { operationRoutes } from './routes/operations.js';
import { policyRoutes } from './routes/policies.js';
import { replicationRoutes } from './routes/replication.js';
import { searchRoutes } from './routes/search.js';
import { skillRoutes } from './routes/skills.js';
import { validated } from './validate.js';

/** What a request on a socket brings beside itself. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

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

/** What is learned of a request while it is answered, for the log. */
interface Seen {
  caller?: Caller;
  scope?: Scope;
}

/** Bytes that a request without a token may bring. */
const smallBody = 16 * 1024;

type AppContext = Context<{ Bindings: Bindings }>;
type Answer = (context: AppContext, requestId: string, seen: Seen) => Promise<Response>;

/** Makes the app of all routes. */
export function createApp(services: Services, { mcp, setup, web }: Mounts, logger?: Logger): App {
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
    answered(context, pattern, answer, services, logger);
  for (const route of all) {
    hono.on(route.method, honoPath(route.path), under(route.path, answerOf(route, services, web)));
  }
  for (const path of new Set(all.map((route) => route.path))) {
    const methods = all.filter((route) => route.path === path).map(({ method }) => method);
    hono.all(honoPath(path), under(path, otherMethod(methods)));
  }
  for (const { path, answer } of setup.pages) {
    const answered: Answer = ({ req }, requestId) => answer(req.raw, req.param(), requestId);
    hono.all(honoPath(path), under(path, answered));
  }
  hono.on([...mcpMethods], mcpPath, under(mcpPath, answerOfMcp(mcp)));
  hono.all(mcpPath, under(mcpPath, otherMethod(mcpMethods)));
  for (const path of [consolePath, `${consolePath}/*`]) hono.all(path, under(consolePath, answerOfConsole(web)));
  hono.notFound(
    under('unknown', async () => {
      throw refusal(404, 'not_found', 'There is nothing at this path.', { hint: 'GET /openapi.json lists all paths.' });
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
  ({ req, env }, requestId, seen) =>
    web.answer({
      ...{ request: req.raw, requestId, address: env.incoming?.socket.remoteAddress },
      identified(caller, scope) {
        seen.caller = caller;
        if (scope) seen.scope = scope;
      },
    });

const answerOfMcp =
  (mcp: McpMount): Answer =>
  (context, requestId, seen) => {
    const acting = { clientId: '', via: 'mcp', requestId };
    const identified = (caller: Caller, scope: Scope | undefined) => {
      seen.caller = caller;
      acting.clientId = caller.client.id;
      if (scope) seen.scope = scope;
    };
    return actingAs(acting, () => mcp.answer(context.req.raw, identified));
  };

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

function answerOf(route: Route, services: Services, web: ConsoleMount): Answer {
  return async (context, requestId, seen) => {
    const request = context.req.raw;
    const visitor = route.access === 'anyone' ? undefined : web.caller(request);
    if (route.access !== 'anyone') {
      seen.caller = visitor ?? (await services.authenticate(request.headers));
      if (route.access !== 'client') seen.scope = scopeNamed(seen.caller, services.state);
      if (route.access === 'account' && seen.caller.kind === 'scoped') {
        throw refusal(403, 'forbidden', 'This token is for one workspace alone, and this concerns the organization.');
      }
    }
    const query = route.query && validated(route.query, context.req.query(), 'The query');
    // Nobody has shown a token yet: what comes is small.
    const mostBytes = route.access === 'anyone' ? Math.min(smallBody, services.maxBodyBytes) : services.maxBodyBytes;
    const bare = route.optionalBody === true && !hasBody(request);
    const body = route.body && validated(route.body, bare ? {} : await readJson(request, mostBytes), 'The body');
    const call: Call = {
      request,
      requestId,
      params: context.req.param(),
      body,
      query,
      // Routes that read these have an access that has set them.
      caller: seen.caller as Caller,
      scope: seen.scope as Scope,
      address: context.env.incoming?.socket.remoteAddress,
      services,
    };
    const acting = seen.caller && { clientId: seen.caller.client.id, via: visitor ? 'console' : 'http', requestId };
    const result = await (acting ? actingAs(acting, () => route.handle(call)) : route.handle(call));
    return result instanceof Response ? result : jsonResponse(200, JSON.stringify(result));
  };
}

/** Whether a request announces a body, as JSON has to. */
const hasBody = ({ headers }: Request): boolean =>
  headers.has('content-type') || headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0';

const jsonResponse = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

/** A path that is known, asked for with another method. */
const otherMethod =
  (methods: readonly string[]): Answer =>
  async (context) => {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    throw refusal(405, 'invalid_params', `This path takes ${allow}.`, { headers: { allow } });
  };

/** Answers one request, whatever happens, and tells log and metrics of it. */
async function answered(
  context: AppContext,
  route: string,
  answer: Answer,
  services: Services,
  logger: Logger | undefined,
): Promise<Response> {
  const started = performance.now();
  const requestId = requestIdOf(context.req.header('x-request-id'));
  const seen: Seen = {};
  const response = await answer(context, requestId, seen).catch((failure: unknown) => {
    const { status, headers, body } = errorReply(failure, requestId);
    if (status === 500) services.report(failure, requestId);
    return jsonResponse(status, body, headers);
  });
  response.headers.set('x-request-id', requestId);
  response.headers.set('x-content-type-options', 'nosniff');
  // The console says it by itself: its files may be kept, since their names change with what they hold.
  if (route !== consolePath) response.headers.set('cache-control', 'no-store');
  const { method } = context.req;
  const ms = performance.now() - started;
  const { status } = response;
  services.metrics.request({ route, method: knownMethods.has(method) ? method : 'other', status }, ms / 1000);
  const id = context.req.param('id');
  logger?.info(
    {
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      request_id: requestId,
      organization: seen.scope?.organizationId,
      client: seen.caller?.client.id,
      // Anything else in this place is a text of the caller's.
      connector: id !== undefined && /^con_\w{10,40}$/.test(id) ? id : undefined,
    },
    'request',
  );
  return response;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const requestIdOf = (given: string | undefined): string =>
  given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();
