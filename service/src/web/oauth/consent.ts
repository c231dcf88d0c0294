import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Client,
  type ConnectorRow,
  type Organization,
  StateConflict,
  type TokenScope,
  type Workspace,
} from '../../data/state/rows.js';
import { recordChange, recordSignIn, runAs } from '../../domain/audit/record-audit.js';
import { HttpError } from '../../domain/http-error.js';
import { redirectKind, withParameters } from '../../domain/oauth/redirects.js';
import { readForm } from '../api/form.js';
import { boundScopes } from '../api/handle-request.js';
import { sessionCookie } from '../console/origin.js';
import { beginSession } from '../console/sign-in.js';
import { pageResponse, seeOther } from '../setup/headers.js';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.js';
import type { OAuthDependencies, OAuthRequest } from './dependencies.js';
import { consentPage, noticePage, refusedPage, returnPage, signInPage } from './pages.js';

/** A signed-in user. */
interface Visitor {
  readonly token: string;
  readonly client: Client;
}

interface Place {
  readonly organization: Organization;
  readonly workspace: Workspace;
}

/** Maximum number of workspaces and connectors listed on the page. */
const maxOffered = 200;
/** The page's own parameter, in addition to the OAuth parameters. */
const workspaceParameter = 'choose_workspace';

/** The page where a user signs in and grants or denies access. The session is the only state kept between requests. */
export function consentHandler(dependencies: OAuthDependencies) {
  const { services, sessions, base, publicUrl, mcpAllowWrites } = dependencies;
  const { state } = services;
  const cookie = sessionCookie(publicUrl);

  const visitorOf = async ({ headers }: Request): Promise<Visitor | undefined> => {
    const token = cookie.read(headers);
    const session = token ? await sessions.get(token) : undefined;
    const client = session && (await state.clients.get(session.clientId));
    return token && client ? { token, client } : undefined;
  };
  /** CSRF token bound to the session and to the request shown. */
  const csrfOf = ({ token }: Visitor, query: string) =>
    createHmac('sha256', token).update(`consent ${query}`).digest('base64url');

  const placesOf = async ({ client }: Visitor): Promise<Place[]> => {
    const organizations = await state.organizations.list(client.organizationIds);
    const found = organizations.map(async (organization) => {
      const { rows } = await state.workspaces.list({ organizationId: organization.id }, { limit: maxOffered });
      return rows.map((workspace) => ({ organization, workspace }));
    });
    return (await Promise.all(found)).flat().slice(0, maxOffered);
  };
  const offersWrite = ({ client }: Visitor, { resource }: AuthorizationRequest) =>
    boundScopes(client.scopes, client.asUser).includes('write') && (resource === 'api' || mcpAllowWrites);

  const show = async (visitor: Visitor, authorization: AuthorizationRequest, url: URL, fault?: string) => {
    const places = await placesOf(visitor);
    const wanted = url.searchParams.get(workspaceParameter);
    const place = places.find(({ workspace }) => workspace.id === wanted) ?? places[0];
    if (!place)
      return refusedPage(403, 'There are no workspaces yet. Create one in the console or from the command line.');
    if (!visitor.client.scopes.includes('read'))
      return refusedPage(403, 'The client that you are signed in as does not have the read scope.');
    const { organization, workspace } = place;
    const scope = { organizationId: organization.id, workspaceId: workspace.id };
    const several = visitor.client.organizationIds.length > 1;
    const others = places.flatMap((other) => {
      if (other === place) return [];
      const query = new URLSearchParams(url.search);
      query.set(workspaceParameter, other.workspace.id);
      const name = several ? `${other.workspace.name} (${other.organization.name})` : other.workspace.name;
      return [{ name, url: `consent?${query}` }];
    });
    const { rows } = await state.connectors.list(scope, { workspaceName: workspace.name, limit: maxOffered });
    const { definitions } = services;
    // The service may run without the module that provides a connector's type.
    const titleOf = (type: string) => (definitions.names.includes(type) ? definitions.of(type).manifest.title : type);
    return consentPage({
      authorization,
      workspace,
      others,
      fault,
      organizationName: organization.name,
      signedInAs: visitor.client.name,
      csrf: csrfOf(visitor, url.search),
      connectors: rows.map(({ id, name, type }) => ({ id, name, title: titleOf(type) })),
      offersWrite: offersWrite(visitor, authorization),
    });
  };

  /** The workspace selected in a form, if the user can access it. */
  const findPlace = async ({ client }: Visitor, form: URLSearchParams): Promise<Workspace | undefined> => {
    const [organizationId = '', workspaceId = ''] = (form.get('workspace') ?? '').split(' ');
    if (!client.organizationIds.includes(organizationId)) return undefined;
    return (await state.workspaces.list({ organizationId, workspaceId }, { limit: 1 })).rows[0];
  };

  const decide = async (
    visitor: Visitor,
    authorization: AuthorizationRequest,
    url: URL,
    form: URLSearchParams,
    issuer: string,
  ) => {
    const workspace = await findPlace(visitor, form);
    if (!workspace) return refusedPage(404, 'The workspace no longer exists.');
    const { app, redirectUri, resource, challenge, state: appState } = authorization;
    const { organizationId, id: workspaceId } = workspace;
    const about = { organizationId, workspaceId };
    const described = { app: app.id, name: app.name, redirect_uri: redirectUri, resource };
    const answer = { state: appState, iss: issuer };
    if (form.get('decision') !== 'allow') {
      recordChange(state.audit, { event: 'oauth.denied', ...about, params: described });
      return deniedPage(authorization, issuer);
    }
    if (!visitor.client.scopes.includes('read'))
      return refusedPage(403, 'The client that you are signed in as does not have the read scope.');
    const scopes: TokenScope[] =
      form.get('write') === '1' && offersWrite(visitor, authorization) ? ['read', 'write'] : ['read'];
    const ticked = form.getAll('connector');
    // Ticked boxes count even if "Only these" was not selected.
    const isAll = form.get('connectors') === 'all' && ticked.length === 0;
    const connectorIds = isAll ? null : await existing(about, ticked);
    if (connectorIds?.length === 0)
      return show(visitor, authorization, url, 'Choose at least one connector, or all connectors.');
    const grant = {
      workspaceId,
      clientId: visitor.client.id,
      appId: app.id,
      appName: app.name,
      redirectUri,
      resource,
      scopes,
      connectorIds,
      challenge,
    };
    // People carry a program's code from a browser on another machine; without the program's verifier it is worthless.
    const codeMs = redirectKind(redirectUri) === 'loopback' ? 600_000 : undefined;
    const { id, code } = await state.grants.create(about, grant, codeMs);
    await state.oauthApps.keep(app.id);
    recordChange(state.audit, {
      event: 'oauth.granted',
      ...about,
      subject: id,
      params: { ...described, scopes, connectors: connectorIds },
    });
    return returnPage(`${app.name} is connected`, withParameters(redirectUri, { code, ...answer }), redirectUri);
  };

  const deniedPage = ({ redirectUri, state: appState }: AuthorizationRequest, iss: string) => {
    const error = { error: 'access_denied', error_description: 'The user denied access.' };
    return returnPage('Access denied', withParameters(redirectUri, { ...error, state: appState, iss }), redirectUri);
  };
  /** Before sign-in, only a registered app can be notified: documents are read only for signed-in users. */
  const cancel = async ({ request }: OAuthRequest, { searchParams }: URL): Promise<Response> => {
    if (!searchParams.get('client_id')?.startsWith('oap_'))
      return noticePage(200, 'Access denied', 'Nothing was shared. You can close this page.');
    const issuer = base.of(request.headers);
    return deniedPage(await readAuthorizationRequest(searchParams, issuer, dependencies), issuer);
  };

  const existing = async (scope: { organizationId: string; workspaceId: string }, ids: readonly string[]) => {
    const found = await Promise.all(ids.slice(0, maxOffered).map((id) => state.connectors.get(scope, id)));
    return found.filter((row): row is ConnectorRow => row !== undefined).map(({ id }) => id);
  };

  const signIn = async ({ request, ...origin }: OAuthRequest, form: URLSearchParams): Promise<Response> => {
    await origin.admission.admitSignIn();
    const input = {
      client_id: form.get('client_id')?.trim() ?? '',
      client_secret: form.get('client_secret')?.trim() ?? '',
    };
    if (!isShort(input.client_id) || !isShort(input.client_secret)) return signInPage('Incorrect client id or secret.');
    try {
      const { session } = await beginSession(services, sessions, input, origin);
      const previous = cookie.read(request.headers);
      if (previous) await sessions.end(previous);
      const seconds = Math.floor((session.expiresAt - services.now()) / 1000);
      return backTo(request, cookie.serialize(session.token, seconds));
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) return signInPage(error.message);
      throw error;
    }
  };
  const signOut = async (
    { request, requestId, address }: OAuthRequest,
    visitor: Visitor | undefined,
  ): Promise<Response> => {
    if (visitor) {
      const event = { event: 'sign_out', via: 'console', outcome: 'success', requestId, address } as const;
      await recordSignIn(state.audit, { ...event, client: visitor.client });
      await sessions.end(visitor.token);
    }
    return backTo(request, cookie.serialize('', 0));
  };
  /** Redirects to the same page with GET. The URL is relative to preserve a proxy's path prefix. */
  const backTo = ({ url }: Request, setCookie: string) =>
    seeOther(`consent${new URL(url).search}`, { 'set-cookie': setCookie });

  const post = async (oauthRequest: OAuthRequest, url: URL, visitor: Visitor | undefined): Promise<Response> => {
    const { request, requestId, address, admission } = oauthRequest;
    if (!isOwnForm(request, new URL(base.of(request.headers)).origin)) {
      return noticePage(
        403,
        'This form was sent from another site',
        'Start again in the app that you want to connect.',
      );
    }
    const form = await readForm(request, admission.reserveBytes);
    const step = form.get('step');
    if (step === 'sign-in') return signIn(oauthRequest, form);
    if (step === 'sign-out') return signOut(oauthRequest, visitor);
    if (step === 'cancel') return cancel(oauthRequest, url);
    if (!visitor) return signInPage('Your session has ended. Sign in again to continue.');
    if (!isEqual(form.get('csrf') ?? '', csrfOf(visitor, url.search))) {
      return noticePage(403, 'This form is no longer valid', 'Start again in the app that you want to connect.');
    }
    const issuer = base.of(request.headers);
    const authorization = await readAuthorizationRequest(url.searchParams, issuer, dependencies, visitor.client.id);
    const actor = { clientId: visitor.client.id, scopes: visitor.client.scopes, via: 'oauth', requestId, address };
    try {
      return await runAs(actor, () => decide(visitor, authorization, url, form, issuer));
    } catch (error) {
      if (error instanceof StateConflict) return refusedPage(409, error.message);
      throw error;
    }
  };

  return async (oauthRequest: OAuthRequest): Promise<Response> => {
    const { request } = oauthRequest;
    const url = new URL(request.url);
    const visitor = await visitorOf(request);
    if (request.method === 'POST') return post(oauthRequest, url, visitor);
    if (!visitor) return signInPage();
    const authorization = await readAuthorizationRequest(
      url.searchParams,
      base.of(request.headers),
      dependencies,
      visitor.client.id,
    );
    const page = await show(visitor, authorization, url);
    return request.method === 'HEAD' ? pageResponse(page.status, null) : page;
  };
}

const isShort = (text: string): boolean => text.length <= 500 && !/[\p{Cc}\p{Cs}]/u.test(text);

/** Whether the browser confirms that a form came from this service; without confirmation, the form is rejected. */
function isOwnForm({ headers }: Request, origin: string): boolean {
  const [site, from] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site === null && from === null) return false;
  return (site === null || site === 'same-origin') && (from === null || from === origin);
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
