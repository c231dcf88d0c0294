import type { ConsoleSession, ConsoleSessions } from '../../data/state/console-sessions.js';
import type { Client, Scope } from '../../data/state/rows.js';
import { noteSignIn, type SignIn } from '../../domain/audit/deeds.js';
import type { Visit } from '../../domain/limits/admission.js';
import { errorReply, refusal } from '../../domain/refusal.js';
import { validated } from '../../domain/validate.js';
import { VERSION } from '../../version.js';
import type { Caller } from '../api/authenticate.js';
import { readJson } from '../api/body.js';
import type { Services } from '../api/route.js';
import { type Assets, openAssets } from './assets.js';
import { openEventStreams } from './events.js';
import { type Feed, openFeed } from './feed.js';
import { guarded } from './headers.js';
import { checkOrigin, sessionCookie } from './origin.js';
import { openOverview } from './overview.js';
import { SignInRequest } from './schemas.js';
import type { SessionAnswer } from './types.js';

/** What the console is made with. */
export interface ConsoleOptions {
  readonly sessions: ConsoleSessions;
  /** The address that browsers reach the service at, where it is told; it decides the form of the cookie. */
  readonly publicUrl: string | undefined;
  readonly mcpAllowWrites: boolean;
  /** Where the built files are, in place of the package's own. */
  readonly folder?: string | undefined;
  /** Milliseconds between two looks at the connectors while somebody follows them. (1000) */
  readonly everyMs?: number | undefined;
  /** Milliseconds between signs of life of a stream. (15000) */
  readonly heartbeatMs?: number | undefined;
}

/** A request for the console. */
export interface ConsoleRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly visit: Pick<Visit, 'stranger' | 'attempt'>;
  /** Told who asks, for the log. */
  readonly identified: (caller: Caller, scope?: Scope) => void;
}

/** The console: its files, its sessions and its events. */
export interface ConsoleMount {
  answer(asked: ConsoleRequest): Promise<Response>;
  /** Who a request of the API is from that carries a session in place of a token; nothing where it carries none. */
  caller(request: Request): Promise<Caller | undefined>;
  /** Ends all streams. */
  close(): void;
}

/** Bytes that a request to sign in may bring. */
const smallBody = 4 * 1024;
const methods = ['GET', 'HEAD', 'POST', 'DELETE'] as const;

interface SignedIn {
  readonly token: string;
  readonly session: ConsoleSession;
  readonly client: Client;
}

/** Makes the console. */
export function mountConsole(services: Services, options: ConsoleOptions): ConsoleMount {
  const { state, attempts, now, report } = services;
  const { sessions, publicUrl, mcpAllowWrites, everyMs = 1000, heartbeatMs = 15_000 } = options;
  const cookie = sessionCookie(publicUrl);
  const assets: Assets = openAssets(options.folder);
  const overview = openOverview(services);
  const failed = (error: unknown) => report(error, 'console');
  const streams = openEventStreams({ mostOfClient: 12, heartbeatMs, report: failed });
  const feeds = new Map<string, Feed>();

  const feedOf = (organizationId: string): Feed => {
    let feed = feeds.get(organizationId);
    if (!feed) {
      feed = openFeed({ read: () => overview({ organizationId }), everyMs, report: failed });
      feeds.set(organizationId, feed);
    }
    return feed;
  };
  const signedIn = async (request: Request): Promise<SignedIn | undefined> => {
    const token = cookie.read(request.headers);
    const session = token ? await sessions.get(token) : undefined;
    const client = session && (await state.clients.get(session.clientId));
    return token && session && client ? { token, session, client } : undefined;
  };
  const needed = async (request: Request): Promise<SignedIn> => {
    const found = await signedIn(request);
    if (found) return found;
    throw refusal(401, 'unauthorized', 'Nobody is signed in to the console here, or no longer.');
  };
  const callerOf = ({ client }: SignedIn, named: string | null): Caller => {
    const own = client.organizationIds;
    if (named !== null && !own.includes(named)) {
      throw refusal(403, 'forbidden', 'X-Organization-Id names an organization that this session does not reach.');
    }
    const organizationId = named ?? (own.length === 1 ? own[0] : undefined);
    return { client, kind: 'app', scope: organizationId === undefined ? undefined : { organizationId } };
  };
  const shown = async ({ client, session }: Omit<SignedIn, 'token'>): Promise<SessionAnswer> => ({
    client_id: client.id,
    name: client.name,
    organizations: (await state.organizations.list(client.organizationIds)).map(({ id, name }) => ({ id, name })),
    expires_at: new Date(session.expiresAt).toISOString(),
    version: VERSION,
    base_url: publicUrl ?? null,
    mcp_allow_writes: mcpAllowWrites,
  });

  const note = ({ requestId, address }: ConsoleRequest, of: Pick<SignIn, 'event' | 'client' | 'outcome'>) =>
    noteSignIn(state.audit, { ...of, via: 'console', requestId, address });

  const signIn = async (visiting: ConsoleRequest): Promise<Response> => {
    const { request, address = '', visit, identified } = visiting;
    checkOrigin(request, publicUrl);
    visit.stranger();
    const asked = validated(SignInRequest, await readJson(request, smallBody), 'The body');
    // A link names no client: attempts at guessing one are counted by address alone.
    const name = asked.client_id ?? 'link';
    visit.attempt(name);
    attempts.check(name, address);
    const client = asked.client_id && (await state.clients.verify(asked.client_id, asked.client_secret ?? ''));
    const begun = await (asked.link ? sessions.follow(asked.link) : client ? sessions.begin(client.id) : undefined);
    const known = begun && (await state.clients.get(begun.clientId));
    if (!begun || !known) {
      attempts.failed(name, address);
      const claimed = asked.client_id === undefined ? undefined : await state.clients.get(asked.client_id);
      await note(visiting, { event: 'sign_in', client: claimed, outcome: 'unauthorized' });
      throw refusal(
        401,
        'unauthorized',
        asked.link
          ? 'This link has been used, or is older than ten minutes.'
          : 'The client id or the client secret is wrong.',
      );
    }
    await note(visiting, { event: 'sign_in', client: known, outcome: 'success' });
    identified({ client: known, kind: 'app', scope: undefined });
    const before = cookie.read(request.headers);
    if (before) await sessions.end(before);
    const seconds = Math.floor((begun.expiresAt - now()) / 1000);
    return Response.json(await shown({ client: known, session: begun }), {
      headers: { 'set-cookie': cookie.written(begun.token, seconds) },
    });
  };
  const signOut = async (visiting: ConsoleRequest): Promise<Response> => {
    const { request } = visiting;
    checkOrigin(request, publicUrl);
    const token = cookie.read(request.headers);
    const found = await signedIn(request);
    if (found) await note(visiting, { event: 'sign_out', client: found.client, outcome: 'success' });
    if (token) {
      await sessions.end(token);
      streams.end(token);
    }
    return new Response(null, { status: 204, headers: { 'set-cookie': cookie.written('', 0) } });
  };
  const events = async ({ request, identified }: ConsoleRequest): Promise<Response> => {
    checkOrigin(request, publicUrl);
    const found = await needed(request);
    const { headers } = request;
    const caller = callerOf(found, headers.get('x-organization-id'));
    identified(caller, caller.scope);
    if (!caller.scope) throw refusal(400, 'invalid_params', 'X-Organization-Id must name an organization.');
    return streams.open({
      clientId: found.client.id,
      session: found.token,
      feed: feedOf(caller.scope.organizationId),
      place: headers.get('last-event-id') ?? undefined,
      stands: async () => (await sessions.get(found.token)) !== undefined,
    });
  };
  const route = async (asked: ConsoleRequest): Promise<Response> => {
    const { request } = asked;
    const { method } = request;
    const path = new URL(request.url).pathname.replace(/^\/console\/?/, '');
    if (path === 'session' && method === 'POST') return signIn(asked);
    if (path === 'session' && method === 'DELETE') return signOut(asked);
    if (method !== 'GET' && method !== 'HEAD') {
      throw refusal(405, 'invalid_params', `This path takes ${path === 'session' ? methods.join(', ') : 'GET'}.`);
    }
    if (path === 'session') {
      checkOrigin(request, publicUrl);
      const found = await needed(request);
      asked.identified(callerOf(found, null));
      return Response.json(await shown(found));
    }
    if (path === 'events') return events(asked);
    const file = assets.file(path, request.headers);
    if (file) return file;
    // A page of an older build asks for files that are gone: the page of now would be no script.
    if (path.startsWith('assets/')) throw refusal(404, 'not_found', 'There is no such file.');
    return assets.page(request.headers);
  };

  return {
    async answer(asked) {
      try {
        return guarded(await route(asked));
      } catch (failure) {
        const { status, headers, body } = errorReply(failure, asked.requestId);
        if (status === 500) report(failure, asked.requestId);
        return guarded(new Response(body, { status, headers: { ...headers, 'content-type': 'application/json' } }));
      }
    },
    async caller(request) {
      if (request.headers.has('authorization')) return undefined;
      const found = await signedIn(request);
      if (!found) return undefined;
      checkOrigin(request, publicUrl);
      return callerOf(found, request.headers.get('x-organization-id'));
    },
    close: () => streams.close(),
  };
}
