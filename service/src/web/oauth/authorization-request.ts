import type { OAuthApp, Resource } from '../../data/state/oauth-types.js';
import { isDocumentAddress } from '../../domain/oauth/metadata-document.js';
import { OAuthError } from '../../domain/oauth/oauth-error.js';
import { isRegisteredRedirect } from '../../domain/oauth/redirects.js';
import type { OAuthDependencies } from './dependencies.js';
import { resourceAddress } from './metadata.js';

/** A parsed authorization request. */
export interface AuthorizationRequest {
  readonly app: OAuthApp;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly resource: Resource;
  readonly challenge: string;
}

/** An invalid request whose app may be notified. */
export class AuthorizationError extends OAuthError {
  readonly redirectUri: string;
  readonly state: string | undefined;

  constructor(
    code: string,
    description: string,
    { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  ) {
    super(code, description);
    this.redirectUri = redirectUri;
    this.state = state;
  }
}

/** The app with a given client id; metadata documents are only read for signed-in users. */
async function findApp(
  id: string,
  { services: { state }, readDocument }: OAuthDependencies,
  clientId: string | undefined,
): Promise<OAuthApp | undefined> {
  if (!readDocument && isDocumentAddress(id)) {
    throw new OAuthError(
      'invalid_client',
      'This service does not read client id metadata documents. Remove the connection in the app and add it again: the app then registers instead.',
    );
  }
  const known = await state.oauthApps.get(id);
  if (known || !readDocument || clientId === undefined || !isDocumentAddress(id)) return known;
  const { metadata, cacheMs } = await readDocument(id, clientId);
  await state.oauthApps.cache(id, metadata, cacheMs);
  return state.oauthApps.get(id);
}

/** Resolves a resource URL; undefined if it does not belong to this service. */
export function resourceOf(address: string, base: string): Resource | undefined {
  const plain = address.replace(/\/$/, '');
  return (['mcp', 'api'] as const).find((resource) => resourceAddress(base, resource) === plain);
}

/** Parses an authorization request. Until the app and redirect URI are validated, errors are shown only to the user. */
export async function readAuthorizationRequest(
  query: URLSearchParams,
  base: string,
  dependencies: OAuthDependencies,
  clientId?: string,
): Promise<AuthorizationRequest> {
  const one = (name: string): string | undefined => {
    const values = query.getAll(name);
    if (values.length > 1) throw new OAuthError('invalid_request', `${name} is repeated.`);
    return values[0] || undefined;
  };
  const id = one('client_id');
  const app = id === undefined ? undefined : await findApp(id, dependencies, clientId);
  if (!app) {
    throw new OAuthError(
      'invalid_client',
      'The app is unknown or no longer registered. Remove the connection in the app and add it again.',
    );
  }
  const redirectUri = one('redirect_uri');
  if (redirectUri === undefined || !isRegisteredRedirect(app.redirectUris, redirectUri)) {
    throw new OAuthError('invalid_request', 'The redirect URI is not registered for the app.');
  }
  const state = one('state');
  const refuse = (code: string, description: string) =>
    new AuthorizationError(code, description, { redirectUri, state });
  if (one('response_type') !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.');
  if (one('request') !== undefined || one('request_uri') !== undefined) {
    throw refuse('request_not_supported', 'request and request_uri are not supported.');
  }
  if (one('prompt') === 'none') throw refuse('interaction_required', 'User consent is required.');
  const challenge = one('code_challenge') ?? '';
  if (one('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw refuse('invalid_request', 'code_challenge with code_challenge_method S256 is required (PKCE).');
  }
  const resources = query.getAll('resource');
  // Clients that predate protocol version 2025-06-18 do not send a resource.
  const resource = resources.length === 0 ? 'mcp' : resourceOf(resources[0]!, base);
  if (resource === undefined || resources.length > 1) {
    throw refuse('invalid_target', `resource must be ${resourceAddress(base, 'mcp')}.`);
  }
  const scopes = (one('scope') ?? '').split(' ').filter(Boolean);
  return { app, redirectUri, state, scopes, resource, challenge };
}
