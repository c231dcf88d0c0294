import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'hono';
import type { Logger } from '../../common/log.js';
import type { Scope } from '../../data/state/rows.js';
import type { FindAddress } from '../../domain/limits/addresses.js';
import { busy, type Visit } from '../../domain/limits/admission.js';
import { errorReply, refusal } from '../../domain/refusal.js';
import type { Caller } from './authenticate.js';
import type { Services } from './route.js';

/** What a request on a socket brings beside itself. */
export interface Bindings {
  /** The request as Node has it. */
  readonly incoming?: IncomingMessage;
  /** The response as Node has it. */
  readonly outgoing?: ServerResponse;
}

/** What is learned of a request while it is answered. */
export interface Seen {
  readonly requestId: string;
  /** Where the request came from, as far as that is known. */
  readonly address: string | undefined;
  readonly visit: Visit;
  caller?: Caller;
  scope?: Scope;
}

export type AppContext = Context<{ Bindings: Bindings }>;

/** Answers one request, or throws what it is refused with. */
export type Answer = (context: AppContext, seen: Seen) => Promise<Response>;

/** What every request comes by before anything is looked at. */
export interface Doors {
  readonly isOwnName: IsOwnName;
  readonly addressOf: FindAddress;
}

/** What a request is answered with. */
export interface Answering {
  /** The route's path, with parameters in braces. */
  readonly pattern: string;
  readonly answer: Answer;
  readonly services: Services;
  readonly doors: Doors;
  readonly logger: Logger | undefined;
}

/** Answers one request, whatever happens, and tells log and metrics of it. */
export async function answered(context: AppContext, answering: Answering): Promise<Response> {
  const { pattern, services, doors } = answering;
  const started = performance.now();
  const { req } = context;
  const { incoming, outgoing }: Bindings = context.env ?? {};
  const requestId = requestIdOf(req.header('x-request-id'));
  const address = doors.addressOf(incoming?.socket.remoteAddress, req.header('x-forwarded-for') ?? null);
  const visit = services.admission.arrive(address, outgoing);
  const seen: Seen = { requestId, address, visit };
  const refused = (failure: unknown) => {
    const { status, headers, body } = errorReply(failure, requestId);
    if (status === 500) services.report(failure, requestId);
    return jsonResponse(status, body, headers);
  };
  const working = services.telemetry.received(req.raw.headers, () => work(context, answering, seen));
  const response = await working.catch(refused);
  // Whoever asks for the head alone leaves the rest where it is.
  if (req.method === 'HEAD') response.body?.cancel().catch(() => {});
  whenTaken(outgoing, visit.leave);
  const { headers } = response;
  for (const [name, value] of Object.entries(visit.headers())) headers.set(name, value);
  headers.set('x-request-id', requestId);
  headers.set('x-content-type-options', 'nosniff');
  // The console says it by itself: its files may be kept, since their names change with what they hold.
  if (!pattern.startsWith('/console')) headers.set('cache-control', 'no-store');
  told(context, answering, seen, response.status, performance.now() - started);
  return response;
}

/** Where a service that is being stopped says so. */
const watching: ReadonlySet<string> = new Set(['/health', '/ready', '/api/v1/health', '/api/v1/ready']);

async function work(context: AppContext, { pattern, answer, services, doors }: Answering, seen: Seen) {
  const { req } = context;
  const { incoming }: Bindings = context.env ?? {};
  // A target that is a whole address has a name of its own.
  const names = [new URL(req.url).hostname, nameIn(req.header('host') ?? 'localhost')];
  if (incoming && !names.every(doors.isOwnName)) throw foreignName();
  if (services.stopping() && !watching.has(pattern)) throw busy('It is being stopped.');
  const response = await answer(context, seen);
  if (isStream(response) && req.method !== 'HEAD') {
    try {
      seen.visit.stream();
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

const foreignName = () =>
  refusal(403, 'forbidden', 'The service does not go by the name that the request calls it by.', {
    hint: 'Whoever runs the service can name it, by its public URL or --host-name.',
  });

/** Calls back when an answer has been taken, or will not be any more; without a socket that is not known. */
function whenTaken(outgoing: ServerResponse | undefined, done: () => void): void {
  if (outgoing && !outgoing.destroyed && !outgoing.writableFinished) outgoing.once('close', done);
  else done();
}

function told(
  { req }: AppContext,
  { pattern, services, logger }: Answering,
  { requestId, address, caller, scope }: Seen,
  status: number,
  ms: number,
): void {
  const { method } = req;
  services.metrics.request({ route: pattern, method: knownMethods.has(method) ? method : 'other', status }, ms / 1000);
  const id = req.param('id');
  logger?.info(
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
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

/** Whether the service may be addressed by this name; an empty one is none. */
export type IsOwnName = (name: string) => boolean;

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
export function ownNames({ hostNames, publicUrl, host }: HostNameOptions): IsOwnName {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
  const told = [...(hostNames ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  if (hostNames?.includes('*') || (!isLocal && told.length === 0)) return () => true;
  const names = new Set([...told, 'localhost', host].map((name) => name.toLowerCase()));
  return (name) => isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name.toLowerCase().replace(/\.$/, ''));
}

/** The name in a `Host` header, without the port. */
const nameIn = (header: string): string => header.trim().replace(/:\d*$/, '');
