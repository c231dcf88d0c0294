import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isPlainText } from 'agent-connectors/wire';
import type { Context } from 'hono';
import type { Logger } from '../../common/log.js';
import type { Resource } from '../../data/state/oauth-types.js';
import type { Client, ConnectorRow, Person, Scope, TokenScope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { causeOfOutage, isDatabaseUnavailable } from '../../data/unavailable.js';
import type { TokenClaims, Tokens } from '../../domain/accounts/tokens.js';
import { runAs } from '../../domain/audit/record-audit.js';
import { hasEnded, requireTokenScope } from '../../domain/connectors/gate.js';
import { errorReply, fieldError, httpError, notFoundError } from '../../domain/http-error.js';
import type { FindAddress } from '../../domain/limits/addresses.js';
import { busyError, type RequestAdmission } from '../../domain/limits/admission.js';
import { bytesPerJsonByte, runHolding } from '../../domain/limits/memory.js';
import { bufferedResponse, isJsonPieces, jsonResponse } from './body.js';
import type { Cors } from './cors.js';
import { isForm } from './form.js';
import { readJson, validate } from './input.js';
import { hostNameOf, type IsKnownHost } from './known-hosts.js';
import type { Authenticate, Call, Caller, Route, Services } from './route.js';

/** The Node objects behind a request. */
export interface Bindings {
  /** The Node request. */
  readonly incoming?: IncomingMessage;
  /** The Node response. */
  readonly outgoing?: ServerResponse;
}

/** Information about a request, collected while it is handled. */
export interface RequestContext {
  readonly requestId: string;
  /** Remote address, if known. */
  readonly address: string | undefined;
  readonly admission: RequestAdmission;
  caller?: Caller;
  scope?: Scope;
}

export type AppContext = Context<{ Bindings: Bindings }>;

/** Handles one request; throws to reject it. */
export type RequestHandler = (context: AppContext, requestContext: RequestContext) => Promise<Response>;

/** Checks that every request must pass first. */
export interface RequestGuards {
  readonly isKnownHost: IsKnownHost;
  readonly addressOf: FindAddress;
  /** Called when a request has an `X-Forwarded-For` header. */
  readonly onForwarded: () => void;
}

/** How to handle a request. */
export interface HandlingOptions {
  /** The route's path with parameters in braces. */
  readonly pattern: string;
  readonly handle: RequestHandler;
  readonly services: Services;
  readonly guards: RequestGuards;
  readonly logger: Logger | undefined;
  /** For routes that can be called from pages on other hosts. */
  readonly cors?: Cors | undefined;
}

/** Handles one request, always returns a response, and records it in the log and metrics. */
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
    const isOutage = isDatabaseUnavailable(failure);
    const reported = isOutage ? databaseError(failure, req.method !== 'POST') : failure;
    const { status, headers, body } = errorReply(reported, requestId);
    if (isOutage || status === 500) services.report(failure, requestId);
    return jsonResponse(status, body, headers);
  };
  const working = services.telemetry.withRemoteContext(req.raw.headers, () =>
    runHolding(
      () => admission.memory,
      () => runHandler(context, options, requestContext),
    ),
  );
  const countInvalidToken = async (failure: unknown) => {
    if (invalidTokens.has(failure as object)) await admission.countInvalidToken();
    throw failure;
  };
  const response = await working.catch(countInvalidToken).catch(toErrorResponse);
  // From here on, the request holds only what has not been sent.
  admission.memory?.reset(0);
  // A HEAD request needs no body.
  if (req.method === 'HEAD') response.body?.cancel().catch(() => {});
  onceSent(outgoing, admission.release);
  const { headers } = response;
  for (const [name, value] of Object.entries({ ...admission.headers(), ...options.cors?.(req.raw) })) {
    headers.set(name, value);
  }
  headers.set('x-request-id', requestId);
  headers.set('x-content-type-options', 'nosniff');
  // The console's files and documents have their own header, because they can be cached.
  if (!pattern.startsWith('/console') && !headers.has('etag')) headers.set('cache-control', 'no-store');
  logRequest(context, options, requestContext, response.status, performance.now() - started);
  return response;
}

/** Length of a response from which other requests are handled while it is written. */
const longResponse = 2 ** 20;

/** Maximum body size of a request without a token. */
const maxAnonymousBodyBytes = 16 * 1024;

/** Handles a request for a route: identifies the caller, checks access and input, and calls the route. */
export function routeHandler(
  route: Route,
  services: Services,
  sessionCallerOf: (request: Request) => Promise<Caller | undefined>,
): RequestHandler {
  return async (context, requestContext) => {
    const { requestId, admission, address } = requestContext;
    const request = context.req.raw;
    const hasSession = route.access !== 'anyone' && !request.headers.has('authorization');
    const sessionCaller = hasSession ? await sessionCallerOf(request) : undefined;
    if (route.access !== 'anyone') {
      const caller = sessionCaller ?? (await services.authenticate(request.headers));
      await setCaller(requestContext, caller, undefined);
      if (route.access !== 'client') requestContext.scope = await requireScope(caller, services.state);
      if (route.access === 'account' && caller.kind === 'scoped') {
        throw httpError(
          403,
          'forbidden',
          'This token is limited to one workspace; this request needs a token for the whole organization.',
        );
      }
      if (!route.forPersons) requireUnbound(caller);
      const { tokenScope } = route;
      if (tokenScope !== null && tokenScope !== 'effect') requireTokenScope(caller.scopes, tokenScope);
      const { organizationId } = requestContext.scope ?? caller.scope ?? {};
      if (organizationId !== undefined && route.method !== 'GET' && route.isChange !== false) {
        await services.storage.admitChange({ clientId: caller.client.id, organizationId });
      }
    } else if (route.body) await admission.admitSignIn();
    else if (route.isLimited) await admission.admitAnonymous();
    const params = context.req.param();
    if (!Object.values<string>(params).every(isPlainText)) throw notFoundError('resource with this name');
    const query = route.query && validate(route.query, context.req.query(), 'The query');
    // Unauthenticated requests must be small.
    const maxBytes =
      route.access === 'anyone' ? Math.min(maxAnonymousBodyBytes, services.maxBodyBytes) : services.maxBodyBytes;
    const whenEmpty = route.optionalBody ? {} : undefined;
    const reserve = (bytes: number) => {
      admission.reserveBytes(bytes * bytesPerJsonByte);
      admission.countBytes(bytes);
    };
    const read = () => {
      if (route.form && isForm(request)) return route.form.read(request, reserve);
      if (whenEmpty && !hasBody(request)) return whenEmpty;
      const tenant = requestContext.scope?.organizationId;
      return readJson(request, { maxBytes, reserve, takeTurn: admission.takeTurn, whenEmpty, tenant });
    };
    const body = route.body && validate(route.body, await read(), 'The body');
    const call: Call = {
      request,
      requestId,
      params,
      body,
      query,
      // Routes that use these declare an access level that guarantees that these are set.
      caller: requestContext.caller as Caller,
      scope: requestContext.scope as Scope,
      address,
      admission,
      services,
    };
    const via = sessionCaller ? 'console' : 'http';
    const { caller } = requestContext;
    const actor = caller && {
      clientId: caller.client.id,
      scopes: caller.scopes,
      asUser: caller.asUser,
      grantId: caller.grantId,
      token: caller.token,
      via,
      requestId,
      address,
    };
    const result = await (actor ? runAs(actor, () => route.handle(call)) : route.handle(call));
    if (result instanceof Response) return result;
    if (isJsonPieces(result)) {
      admission.memory?.reset(0);
      admission.reserveBytes(result.reduce((sum, { length }) => sum + length, 0));
      return bufferedResponse(200, result);
    }
    const text = JSON.stringify(result);
    admission.memory?.reset(0);
    admission.reserveBytes(text.length);
    // Encoding a long text takes as long again.
    if (text.length > longResponse) await setImmediate();
    return jsonResponse(200, text);
  };
}

/** Whether a request declares a body. */
const hasBody = ({ headers }: Request): boolean =>
  headers.has('content-type') || headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0';

/** Records the caller, and admits or rejects the request. */
export async function setCaller(
  requestContext: RequestContext,
  caller: Caller,
  scope: Scope | undefined,
): Promise<void> {
  requestContext.caller = caller;
  if (scope) requestContext.scope = scope;
  const { client, scope: callerScope = scope } = caller;
  const organizationId = callerScope?.organizationId ?? client.organizationIds[0] ?? client.id;
  await requestContext.admission.admitClient(client.id, organizationId);
}

/** Paths that stay available while the service is stopping. */
const healthPaths: ReadonlySet<string> = new Set(['/health', '/ready', '/api/v1/health', '/api/v1/ready']);

async function runHandler(
  context: AppContext,
  { pattern, handle, services, guards }: HandlingOptions,
  requestContext: RequestContext,
) {
  const { req } = context;
  const { incoming }: Bindings = context.env ?? {};
  // An absolute request target has its own host name.
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

/** Whether a response is streamed rather than buffered. */
export const isStream = ({ headers }: Response): boolean =>
  headers.has('content-disposition') || headers.get('content-type')?.startsWith('text/event-stream') === true;

const databaseError = (failure: unknown, retryable: boolean) =>
  httpError(503, 'network', 'The service’s database is unavailable.', {
    retryable,
    retryAfterMs: 2000,
    hint: `${causeOfOutage(failure)} The operator can find the cause in the log.`,
  });

const unknownHostError = () =>
  httpError(403, 'forbidden', 'Unknown host name.', {
    hint: 'The service operator can add the host name with --public-url or --host-name.',
  });

/** Calls back when the response has been sent or abandoned; if there is no socket, calls back immediately. */
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
  // Probes and scrapers request these every few seconds.
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
      // The only thing that distinguishes unauthenticated callers.
      address: caller === undefined && (status === 401 || status === 429) ? address : undefined,
      // Anything else here is arbitrary text from the caller.
      connector: id !== undefined && /^con_\w{10,40}$/.test(id) ? id : undefined,
    },
    'request',
  );
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const requestIdOf = (given: string | undefined): string =>
  given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** Milliseconds since 1970; 0 if its use has not been recorded. */
  usedAt: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Maximum number of cached verified tokens. */
const maxVerifiedTokens = 10_000;
/** Milliseconds between records of a token's use. */
const useIntervalMs = 60_000;

/** Verifies tokens; despite the cache, a deleted client's tokens are rejected as soon as `state.access` shows it. */
export function authenticator(
  state: State,
  tokens: Tokens,
  now: () => number,
  baseOf: (headers: Headers) => string,
  report: (error: unknown) => void,
): Authenticate {
  const verifiedTokens = new Map<string, VerifiedToken>();

  const recordUse = (verified: VerifiedToken) => {
    const { tokenId } = verified.claims;
    if (tokenId === undefined || now() - verified.usedAt < useIntervalMs) return;
    verified.usedAt = now();
    state.accessTokens.recordUse(tokenId, now()).catch(report);
  };
  const verify = async (token: string): Promise<VerifiedToken> => {
    // Keyed by digest so that tokens are not kept in memory.
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = verifiedTokens.get(digest);
    if (cached && cached.expiresAt * 1000 > now()) return cached;
    verifiedTokens.delete(digest);
    const claims = await tokens.verify(token);
    if (!claims) throw new TokenError('The token is invalid or expired.');
    const verified = { claims, expiresAt: expiryOf(token), usedAt: 0 };
    verifiedTokens.set(digest, verified);
    if (verifiedTokens.size > maxVerifiedTokens) verifiedTokens.delete(verifiedTokens.keys().next().value!);
    return verified;
  };

  const identify = async (token: string, requestedId: string | null, resource: Resource): Promise<Caller> => {
    const verified = await verify(token);
    const { claims } = verified;
    const client = await state.access.client(claims.clientId);
    if (!client) throw new TokenError('The client behind this token has been deleted.');
    const { kind, organizationId, grantId } = claims;
    if (kind !== 'grant') {
      const ended = { id: claims.tokenId, generation: claims.generation ?? 0 };
      if (hasEnded(ended, client)) throw new TokenError('The token has been revoked.');
      recordUse(verified);
      const asUser = client.asUser ?? claims.asUser ?? null;
      const granted = client.scopes.filter((own) => claims.scopes?.includes(own) ?? true);
      const scopes = boundScopes(granted, asUser);
      return { client, kind, token: ended, scopes, asUser, scope: scopeOf(client, claims, requestedId) };
    }
    if (claims.resource !== resource)
      throw new TokenError('The token was issued for another resource on this service.');
    const grant = await state.access.grant(organizationId, grantId!);
    if (!grant) throw new TokenError('The grant behind this token has been revoked.');
    const { workspaceId, connectorIds } = grant;
    const scope = scopeOf(client, { ...claims, kind: 'scoped', workspaceId }, requestedId);
    const { asUser } = client;
    const granted = client.scopes.filter((own) => grant.scopes.includes(own));
    const scopes = boundScopes(granted, asUser);
    return {
      client,
      kind: 'scoped',
      grantId: grant.id,
      scopes,
      asUser,
      scope: { ...scope!, ...(connectorIds && { connectorIds }) },
    };
  };

  return async (headers, resource = 'api') => {
    const token = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
    // Tells clients how to sign in (RFC 9728, section 5.1).
    const challenge = () =>
      `Bearer resource_metadata="${baseOf(headers)}/.well-known/oauth-protected-resource/${resource}"`;
    if (token === undefined) {
      throw unauthorizedError('The request has no token. Send Authorization: Bearer <token>.', challenge());
    }
    return identify(token, headers.get('x-organization-id'), resource).catch((error: unknown) => {
      if (!(error instanceof TokenError)) throw error;
      throw unauthorizedError(error.message, `${challenge()}, error="invalid_token"`);
    });
  };
}

/** Tokens bound to a user are read-only. */
export const boundScopes = (scopes: readonly TokenScope[], asUser: Person | null): readonly TokenScope[] =>
  asUser ? scopes.filter((scope) => scope === 'read') : scopes;

/** Why a token is rejected. */
class TokenError extends Error {}

/** Expiry of a verified token. */
function expiryOf(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { exp } = claims as { exp?: unknown };
  return typeof exp === 'number' ? exp : 0;
}

function scopeOf(client: Client, claims: TokenClaims, requestedId: string | null): Scope | undefined {
  const organizationIds = client.organizationIds;
  if (claims.kind === 'scoped') {
    const { organizationId, workspaceId } = claims;
    if (!organizationIds.includes(organizationId))
      throw new TokenError("The client no longer belongs to this token's organization.");
    if (requestedId !== null && requestedId !== organizationId) throw organizationDenied();
    return { organizationId, workspaceId };
  }
  if (requestedId !== null) {
    if (!organizationIds.includes(requestedId)) throw organizationDenied();
    return { organizationId: requestedId };
  }
  return organizationIds.length === 1 ? { organizationId: organizationIds[0]! } : undefined;
}

/** Rejects callers that act on behalf of a user. */
export function requireUnbound({ asUser }: Pick<Caller, 'asUser'>): void {
  if (!asUser) return;
  throw httpError(403, 'forbidden', 'This token is bound to a user: it can only search and read records.');
}

/** The organization and workspace of a request; a client with several organizations must specify one. */
export async function requireScope({ scope, client }: Caller, state: State): Promise<Scope> {
  if (scope) return scope;
  const clientOrganizations = await state.organizations.list(client.organizationIds);
  const organizations = clientOrganizations.map(({ id, name }) => ({ id, name }));
  const list = organizations.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = 'must be one of the client’s organizations';
  throw httpError(400, 'invalid_params', `The X-Organization-Id header ${message}: ${list || 'none'}.`, {
    errors: [fieldError('X-Organization-Id', message, 'required', { organizations })],
  });
}

const organizationDenied = () =>
  httpError(403, 'forbidden', "X-Organization-Id is not one of this token's organizations.", {
    errors: [fieldError('X-Organization-Id', "is not one of this token's organizations")],
  });

/** Errors of requests that have no valid token. */
const invalidTokens = new WeakSet<object>();

function unauthorizedError(message: string, challenge: string) {
  const error = httpError(401, 'unauthorized', message, {
    hint: 'Get a token, valid for 15 minutes, from POST /api/v1/account/applications/token.',
    headers: { 'www-authenticate': challenge },
  });
  invalidTokens.add(error);
  return error;
}

/** The connector in a path, if the caller is allowed to see it; for calls, `find` is `state.access.connector`. */
export async function requireConnector(
  {
    params: { id = '' },
    scope,
    services: { state },
  }: {
    readonly params: Readonly<Record<string, string>>;
    readonly scope: Scope;
    readonly services: { readonly state: State };
  },
  find: State['access']['connector'] = state.connectors.get,
): Promise<ConnectorRow> {
  const row = await find(scope, id);
  if (!row) throw notFoundError(`connector '${id.slice(0, 100)}'`);
  return row;
}

/** Whether the caller is the Python client that this API is compatible with, which uses snake_case search fields. */
export const isPeerClient = ({ headers }: Request): boolean => headers.get('x-adp-agent-sdk') === 'airbyte-agent-sdk';
