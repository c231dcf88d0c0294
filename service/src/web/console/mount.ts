import { type ResponseOf, type SessionResponse, SignInRequest } from 'agent-connectors/wire';
import type { ConsoleSession, ConsoleSessions } from '../../data/state/console-sessions.js';
import type { Client, Scope } from '../../data/state/rows.js';
import { recordSignIn } from '../../domain/audit/record-audit.js';
import { requireTokenScope } from '../../domain/connectors/gate.js';
import { markOf } from '../../domain/connectors/mark.js';
import { errorReply, httpError } from '../../domain/http-error.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import { defaultInterval } from '../../domain/replication/scheduler.js';
import { VERSION } from '../../version.js';
import { boundScopes, requireUnbound } from '../api/handle-request.js';
import { readJson, validate } from '../api/input.js';
import type { Caller, Services } from '../api/route.js';
import { type Assets, openAssets } from './assets.js';
import { openEventStreams } from './events.js';
import { type Feed, openFeed } from './feed.js';
import { type OidcOptions, oidcSignIn } from './oidc.js';
import { checkOrigin, sessionCookie } from './origin.js';
import { openOverview } from './overview.js';
import { beginSession } from './sign-in.js';

/** Options for the console. */
export interface ConsoleOptions {
  readonly sessions: ConsoleSessions;
  /** The URL for browsers, if configured; determines the form of the cookie. */
  readonly publicUrl: string | undefined;
  readonly mcpAllowWrites: boolean;
  /** A provider for people without a client id and secret. */
  readonly oidc?: OidcOptions | undefined;
  /** Folder with the built files, if not the package's own. */
  readonly folder?: string | undefined;
  /** Polling interval while there are listeners, in milliseconds. (1000) */
  readonly everyMs?: number | undefined;
  /** Heartbeat interval of a stream, in milliseconds. (15000) */
  readonly heartbeatMs?: number | undefined;
}

/** A request for the console. */
export interface ConsoleRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly admission: Pick<
    RequestAdmission,
    'admitAnonymous' | 'admitSignIn' | 'countAttempt' | 'countWrongSecret' | 'reserveBytes'
  >;
  /** Receives the caller, for the log. */
  readonly onIdentified: (caller: Caller, scope?: Scope) => Promise<void>;
}

/** The console: its files, sessions and events. */
export interface ConsoleMount {
  handle(consoleRequest: ConsoleRequest): Promise<Response>;
  /** The caller of an API request without a token; undefined if there is no session. */
  caller(request: Request): Promise<Caller | undefined>;
  /** Ends all streams. */
  close(): void;
}

/** Maximum body size of a sign-in request. */
const maxSignInBytes = 4 * 1024;
const methods = ['GET', 'HEAD', 'POST', 'DELETE'] as const;

interface ActiveSession {
  readonly token: string;
  readonly session: ConsoleSession;
  readonly client: Client;
}

/** Creates the console. */
export function mountConsole(services: Services, options: ConsoleOptions): ConsoleMount {
  const { state, now, accessWatch, report } = services;
  const { sessions, publicUrl, mcpAllowWrites, everyMs = 1000, heartbeatMs = 15_000 } = options;
  const cookie = sessionCookie(publicUrl);
  const assets: Assets = openAssets(options.folder);
  const overview = openOverview(services);
  const reportFailure = (error: unknown) => report(error, 'console');
  const streams = openEventStreams({ maxPerClient: 12, heartbeatMs, accessWatch, report: reportFailure });
  const oidc = options.oidc && oidcSignIn(options.oidc, services, { sessions, sessionCookie: cookie, publicUrl });
  const feeds = new Map<string, Feed>();

  const feedOf = (organizationId: string): Feed => {
    let feed = feeds.get(organizationId);
    if (!feed) {
      feed = openFeed({ read: () => overview({ organizationId }), intervalMs: everyMs, report: reportFailure });
      feeds.set(organizationId, feed);
    }
    return feed;
  };
  const findSession = async (request: Request): Promise<ActiveSession | undefined> => {
    const token = cookie.read(request.headers);
    const session = token ? await sessions.get(token) : undefined;
    const client = session && (await state.clients.get(session.clientId));
    return token && session && client ? { token, session, client } : undefined;
  };
  const requireSession = async (request: Request): Promise<ActiveSession> => {
    const found = await findSession(request);
    if (found) return found;
    throw httpError(401, 'unauthorized', 'You are signed out of the console.');
  };
  const callerOf = ({ client }: Pick<ActiveSession, 'client'>, requestedId: string | null): Caller => {
    const organizationIds = client.organizationIds;
    if (requestedId !== null && !organizationIds.includes(requestedId)) {
      throw httpError(403, 'forbidden', "X-Organization-Id is not one of this session's organizations.");
    }
    const organizationId = requestedId ?? (organizationIds.length === 1 ? organizationIds[0] : undefined);
    return {
      client,
      kind: 'app',
      token: { id: undefined, generation: client.tokenGeneration },
      scopes: boundScopes(client.scopes, client.asUser),
      asUser: client.asUser,
      scope: organizationId === undefined ? undefined : { organizationId },
    };
  };
  const sessionJson = async ({
    client,
    session,
  }: Omit<ActiveSession, 'token'>): Promise<ResponseOf<typeof SessionResponse>> => ({
    client_id: client.id,
    name: client.name,
    scopes: client.scopes,
    organizations: (await state.organizations.list(client.organizationIds)).map(({ id, name }) => ({ id, name })),
    expires_at: new Date(session.expiresAt).toISOString(),
    version: VERSION,
    base_url: publicUrl ?? null,
    mcp_allow_writes: mcpAllowWrites,
    types: services.definitions.all.map((definition) => {
      const { name, title, description } = definition.manifest;
      const sync_interval = definition.replication ? defaultInterval(definition.replication) : null;
      return { name, title, description, mark: markOf(definition), sync_interval };
    }),
  });

  const signIn = async (consoleRequest: ConsoleRequest): Promise<Response> => {
    const { request, admission, onIdentified } = consoleRequest;
    checkOrigin(request, publicUrl);
    await admission.admitSignIn();
    const body = await readJson(request, { maxBytes: maxSignInBytes, reserve: admission.reserveBytes });
    const input = validate(SignInRequest, body, 'The body');
    const { session: newSession, client: sessionClient } = await beginSession(
      services,
      sessions,
      input,
      consoleRequest,
    );
    await onIdentified({ ...callerOf({ client: sessionClient }, null), scope: undefined });
    const previousToken = cookie.read(request.headers);
    if (previousToken) await sessions.end(previousToken);
    const seconds = Math.floor((newSession.expiresAt - now()) / 1000);
    return Response.json(await sessionJson({ client: sessionClient, session: newSession }), {
      headers: { 'set-cookie': cookie.serialize(newSession.token, seconds) },
    });
  };
  const signOut = async (consoleRequest: ConsoleRequest): Promise<Response> => {
    const { request } = consoleRequest;
    checkOrigin(request, publicUrl);
    const token = cookie.read(request.headers);
    const found = await findSession(request);
    if (found) {
      const { requestId, address } = consoleRequest;
      const event = { event: 'sign_out', via: 'console', outcome: 'success', requestId, address } as const;
      await recordSignIn(state.audit, { ...event, client: found.client });
    }
    if (token) {
      await sessions.end(token);
      streams.end(token);
    }
    return new Response(null, { status: 204, headers: { 'set-cookie': cookie.serialize('', 0) } });
  };
  const events = async ({ request, onIdentified }: ConsoleRequest): Promise<Response> => {
    checkOrigin(request, publicUrl);
    const found = await requireSession(request);
    const { headers } = request;
    const caller = callerOf(found, headers.get('x-organization-id'));
    await onIdentified(caller, caller.scope);
    if (!caller.scope) throw httpError(400, 'invalid_params', 'X-Organization-Id is required.');
    requireTokenScope(caller.scopes, 'read');
    requireUnbound(caller);
    const { organizationId } = caller.scope;
    return streams.open({
      clientId: found.client.id,
      session: found.token,
      feed: feedOf(organizationId),
      lastEventId: headers.get('last-event-id') ?? undefined,
      async isSessionValid() {
        const { client } = (await findSession(request)) ?? {};
        return Boolean(client?.scopes.includes('read') && client.organizationIds.includes(organizationId));
      },
    });
  };
  const route = async (consoleRequest: ConsoleRequest): Promise<Response> => {
    const { request } = consoleRequest;
    const { method } = request;
    const path = new URL(request.url).pathname.replace(/^\/console\/?/, '');
    if (path === 'session' && method === 'POST') return signIn(consoleRequest);
    if (path === 'session' && method === 'DELETE') return signOut(consoleRequest);
    if (method !== 'GET' && method !== 'HEAD') {
      throw httpError(405, 'invalid_params', `This path accepts ${path === 'session' ? methods.join(', ') : 'GET'}.`);
    }
    if (path === 'session') {
      checkOrigin(request, publicUrl);
      const found = await requireSession(request);
      await consoleRequest.onIdentified(callerOf(found, null));
      return Response.json(await sessionJson(found));
    }
    if (path === 'events') return events(consoleRequest);
    if (path === 'oidc') return Response.json({ available: oidc !== undefined });
    if (oidc && path === 'oidc/start') return oidc.start(consoleRequest);
    if (oidc && path === 'oidc/callback') return oidc.finish(consoleRequest);
    const file = assets.file(path, request.headers);
    if (file) return file;
    // Pages from an older build may request deleted files; serving them the current page as a script would fail.
    if (path.startsWith('assets/')) throw httpError(404, 'not_found', 'File not found.');
    return assets.page(request.headers);
  };

  return {
    async handle(consoleRequest) {
      try {
        return withSecurityHeaders(await route(consoleRequest));
      } catch (failure) {
        const { status, headers, body } = errorReply(failure, consoleRequest.requestId);
        if (status === 500) report(failure, consoleRequest.requestId);
        return withSecurityHeaders(
          new Response(body, { status, headers: { ...headers, 'content-type': 'application/json' } }),
        );
      }
    },
    async caller(request) {
      const found = await findSession(request);
      if (!found) return undefined;
      checkOrigin(request, publicUrl);
      return callerOf(found, request.headers.get('x-organization-id'));
    },
    close: () => streams.close(),
  };
}

/** Headers for every response under /console: no external resources, no framing, no referrer. */
const consoleHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Adds security headers and disables caching unless the response sets its own caching header. */
function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(consoleHeaders)) response.headers.set(name, value);
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  return response;
}
