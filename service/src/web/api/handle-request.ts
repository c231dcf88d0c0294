import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'hono';
import type { Logger } from '../../common/log.js';
import type { Scope } from '../../data/state/rows.js';
import { errorReply, httpError } from '../../domain/http-error.js';
import type { FindAddress } from '../../domain/limits/addresses.js';
import { busyError, type RequestAdmission } from '../../domain/limits/admission.js';
import type { Cors } from '../oauth/cors.js';
import { type Caller, isPeerClient } from './authenticate.js';
import type { Services } from './route.js';

/** What a request on a socket brings beside itself. */
export interface Bindings {
  /** The request as Node has it. */
  readonly incoming?: IncomingMessage;
  /** The response as Node has it. */
  readonly outgoing?: ServerResponse;
}

/** What is learned of a request while it is answered. */
export interface RequestContext {
  readonly requestId: string;
  /** Where the request came from, as far as that is known. */
  readonly address: string | undefined;
  readonly admission: RequestAdmission;
  caller?: Caller;
  scope?: Scope;
}

export type AppContext = Context<{ Bindings: Bindings }>;

/** Answers one request, or throws what it is refused with. */
export type RequestHandler = (context: AppContext, requestContext: RequestContext) => Promise<Response>;

/** What every request comes by before anything is looked at. */
export interface RequestGuards {
  readonly isKnownHost: IsKnownHost;
  readonly addressOf: FindAddress;
  /** Told when a request carries `X-Forwarded-For`. */
  readonly onForwarded: () => void;
}

/** What a request is answered with. */
export interface HandlingOptions {
  /** The route's path, with parameters in braces. */
  readonly pattern: string;
  readonly handle: RequestHandler;
  readonly services: Services;
  readonly guards: RequestGuards;
  readonly logger: Logger | undefined;
  /** Of what pages of other hosts may call. */
  readonly cors?: Cors | undefined;
}

/** Answers one request, whatever happens, and tells log and metrics of it. */
export async function handleRequest(context: AppContext, options: HandlingOptions): Promise<Response> {
  const { pattern, services, guards } = options;
  const started = performance.now();
  const { req } = context;
  const { incoming, outgoing }: Bindings = context.env ?? {};
  const requestId = requestIdOf(req.header('x-request-id'));
  const forwarded = req.header('x-forwarded-for') ?? null;
  if (incoming && forwarded !== null) guards.onForwarded();
  const address = guards.addressOf(incoming?.socket.remoteAddress, forwarded);
  const admission = services.admission.trackRequest(address, outgoing);
  const requestContext: RequestContext = { requestId, address, admission };
  const toErrorResponse = (failure: unknown) => {
    const { status, headers, body } = errorReply(failure, requestId, isPeerClient(req.raw));
    if (status === 500) services.report(failure, requestId);
    return jsonResponse(status, body, headers);
  };
  const working = services.telemetry.withRemoteContext(req.raw.headers, () =>
    runHandler(context, options, requestContext),
  );
  const response = await working.catch(toErrorResponse);
  // Whoever asks for the head alone leaves the rest where it is.
  if (req.method === 'HEAD') response.body?.cancel().catch(() => {});
  onceSent(outgoing, admission.release);
  const { headers } = response;
  for (const [name, value] of Object.entries({ ...admission.headers(), ...options.cors?.(req.raw) })) {
    headers.set(name, value);
  }
  headers.set('x-request-id', requestId);
  headers.set('x-content-type-options', 'nosniff');
  // The console says it by itself: its files may be kept, since their names change with what they hold.
  if (!pattern.startsWith('/console')) headers.set('cache-control', 'no-store');
  logRequest(context, options, requestContext, response.status, performance.now() - started);
  return response;
}

/** Where a service that is being stopped says so. */
const healthPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/api/v1/health', '/api/v1/ready']);

async function runHandler(
  context: AppContext,
  { pattern, handle, services, guards }: HandlingOptions,
  requestContext: RequestContext,
) {
  const { req } = context;
  const { incoming }: Bindings = context.env ?? {};
  // A target that is a whole address has a name of its own.
  const names = [new URL(req.url).hostname, hostNameOf(req.header('host') ?? 'localhost')];
  if (incoming && !names.every(guards.isKnownHost)) throw unknownHostError();
  if (services.isStopping() && !healthPaths.has(pattern)) throw busyError('It is shutting down.');
  const response = await handle(context, requestContext);
  if (isStream(response) && req.method !== 'HEAD') {
    try {
      requestContext.admission.admitStream();
    } catch (error) {
      response.body?.cancel().catch(() => {});
      throw error;
    }
  }
  return response;
}

/** Whether an answer comes as long as somebody takes it, and is not held in memory. */
export const isStream = ({ headers }: Response): boolean =>
  headers.has('content-disposition') || headers.get('content-type')?.startsWith('text/event-stream') === true;

const unknownHostError = () =>
  httpError(403, 'forbidden', 'Unknown host name.', {
    hint: 'The operator can add it with --public-url or --host-name.',
  });

/** Calls back when an answer has been taken, or will not be any more; without a socket that is not known. */
function onceSent(outgoing: ServerResponse | undefined, done: () => void): void {
  if (outgoing && !outgoing.destroyed && !outgoing.writableFinished) outgoing.once('close', done);
  else done();
}

function logRequest(
  { req }: AppContext,
  { pattern, services, logger }: HandlingOptions,
  { requestId, address, caller, scope }: RequestContext,
  status: number,
  ms: number,
): void {
  const { method } = req;
  services.metrics.request({ route: pattern, method: knownMethods.has(method) ? method : 'other', status }, ms / 1000);
  const id = req.param('id');
  // Every few seconds from each probe and scraper.
  const isRoutine = status < 400 && (healthPaths.has(pattern) || pattern.endsWith('/metrics'));
  logger?.[isRoutine ? 'debug' : 'info'](
    {
      method,
      route: pattern,
      status,
      ms: Math.round(ms * 10) / 10,
      request_id: requestId,
      organization: scope?.organizationId,
      client: caller?.client.id,
      // Of those who have not shown who they are, this is all that there is to tell them apart.
      address: caller === undefined && (status === 401 || status === 429) ? address : undefined,
      // Anything else in this place is a text of the caller's.
      connector: id !== undefined && /^con_\w{10,40}$/.test(id) ? id : undefined,
    },
    'request',
  );
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const requestIdOf = (given: string | undefined): string =>
  given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();

/** A response with JSON. */
export const jsonResponse = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  // Bytes: of a long text a response would make a copy that is well formed, and then encode that in pieces.
  new Response(Buffer.from(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** Whether the service may be addressed by this name; an empty one is none. */
export type IsKnownHost = (name: string) => boolean;

/** What decides by which names the service may be addressed. */
export interface HostNameOptions {
  /** Names that the operator has given; `*` for any. */
  readonly hostNames?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
  /** Where the service listens. */
  readonly host: string;
}

/**
 * Knows the names of the service, so that a page whose own name leads to this machine reaches nothing.
 *
 * An address in numbers is never such a page's name. A service that is reached from elsewhere and was told no name
 * cannot know its own.
 */
export function knownHosts({ hostNames, publicUrl, host }: HostNameOptions): IsKnownHost {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
  const configured = [...(hostNames ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  if (hostNames?.includes('*') || (!isLocal && configured.length === 0)) return () => true;
  const names = new Set([...configured, 'localhost', host].map((name) => name.toLowerCase()));
  return (name) => isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name.toLowerCase().replace(/\.$/, ''));
}

/** The name in a `Host` header, without the port. */
const hostNameOf = (header: string): string => header.trim().replace(/:\d*$/, '');
