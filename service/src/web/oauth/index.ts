import { errorReply, HttpError } from '../../domain/http-error.js';
import { networkOf } from '../../domain/limits/addresses.js';
import { appMetadata } from '../../domain/oauth/app-metadata.js';
import { OAuthError } from '../../domain/oauth/oauth-error.js';
import { withParameters } from '../../domain/oauth/redirects.js';
import { type Cors, corsFor } from '../api/cors.js';
import { FormError } from '../api/form.js';
import { readJson } from '../api/input.js';
import { pageResponse } from '../setup/headers.js';
import { stylesheet } from '../setup/stylesheet.js';
import { AuthorizationError, readAuthorizationRequest } from './authorization-request.js';
import { consentHandler } from './consent.js';
import type { OAuthDependencies, OAuthRequest } from './dependencies.js';
import { resourceMetadata, serverMetadata } from './metadata.js';
import { continuePage, destinationOf, noticePage, refusedPage } from './pages.js';
import { revokeHandler, tokenHandler } from './token.js';

/** An endpoint of the authorization server. */
export interface OAuthEndpoint {
  readonly path: string;
  readonly handle: (request: OAuthRequest) => Promise<Response>;
  /** For endpoints that pages on other hosts may call. */
  readonly cors?: Cors | undefined;
}

/** The OAuth authorization server. */
export interface OAuthMount {
  readonly endpoints: readonly OAuthEndpoint[];
  /** CORS headers of the protected resource. */
  readonly cors: Cors;
}

/** Maximum length of an authorization query. */
const maxQuery = 8_000;

/** Creates the authorization server. */
export function mountOAuth(dependencies: OAuthDependencies, allowedOrigins: readonly string[] | undefined): OAuthMount {
  const { base, mcpAllowWrites, readDocument, services } = dependencies;
  const cors = corsFor(allowedOrigins);
  type Handle = OAuthEndpoint['handle'];

  /** For programs: errors are JSON. */
  const endpoint = (path: string, methods: readonly string[], handle: Handle): OAuthEndpoint => ({
    path,
    cors,
    async handle(oauthRequest) {
      const { request, requestId } = oauthRequest;
      const allow = methods.join(', ');
      if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
      if (!methods.includes(request.method)) {
        const body = { error: 'invalid_request', error_description: `This path supports ${allow}.` };
        return Response.json(body, { status: 405, headers: { allow } });
      }
      try {
        const fault = base.faultOf(request.headers);
        if (fault !== undefined) throw new OAuthError('invalid_request', fault);
        return await handle(oauthRequest);
      } catch (error) {
        return errorResponse(error, requestId);
      }
    },
  });
  const errorResponse = (error: unknown, requestId: string): Response => {
    if (error instanceof OAuthError) {
      const { code, message, status } = error;
      const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Basic realm="oauth"' } : {};
      return Response.json({ error: code, error_description: message }, { status, headers });
    }
    if (error instanceof FormError)
      return Response.json({ error: 'invalid_request', error_description: error.message }, { status: error.status });
    const { status, headers } = errorReply(error, requestId);
    const isRefusal = error instanceof HttpError || status < 500;
    if (!isRefusal) services.report(error, requestId);
    const code = status === 429 ? 'temporarily_unavailable' : isRefusal ? 'invalid_request' : 'server_error';
    const description = isRefusal ? (error as Error).message : `Internal error; see ${requestId} in the service log.`;
    return Response.json({ error: code, error_description: description }, { status, headers });
  };

  /** For users: errors are pages and never redirect. */
  const page = (path: string, methods: readonly string[], handle: Handle): OAuthEndpoint => ({
    path,
    async handle(oauthRequest) {
      const { request, requestId, admission } = oauthRequest;
      const allow = methods.join(', ');
      if (!methods.includes(request.method))
        return noticePage(405, 'Open this page in a browser', `Allowed methods: ${allow}.`, { allow });
      try {
        await admission.admitAnonymous();
        const fault = base.faultOf(request.headers);
        if (fault !== undefined) return refusedPage(400, fault);
        if (request.url.length > maxQuery) return refusedPage(414, 'The URL is too long.');
        return await handle(oauthRequest);
      } catch (error) {
        if (error instanceof AuthorizationError)
          return refusedPage(400, error.message, wayBack(error, base.of(request.headers)));
        if (error instanceof OAuthError || error instanceof FormError) return refusedPage(error.status, error.message);
        if (error instanceof HttpError) return refusedPage(error.status, error.message);
        services.report(error, requestId);
        return noticePage(500, 'Something went wrong', `See ${requestId} in the service log.`);
      }
    },
  });
  const wayBack = ({ code, message, redirectUri, state }: AuthorizationError, iss: string) => ({
    url: withParameters(redirectUri, { error: code, error_description: message, state, iss }),
    to: destinationOf(redirectUri),
  });

  const get = ['GET', 'HEAD'];
  const metadata = (path: string, of: (base: string) => object) =>
    endpoint(path, get, async ({ request }) => Response.json(of(base.of(request.headers))));
  const ofServer = (url: string) => serverMetadata(url, readDocument !== undefined);
  const wellKnown = '/.well-known/oauth-protected-resource';
  const token = tokenHandler(dependencies);
  return {
    cors,
    endpoints: [
      metadata('/.well-known/oauth-authorization-server', ofServer),
      // Behind a proxy prefix, the issuer's path comes last (RFC 8414, section 3.1).
      metadata('/.well-known/oauth-authorization-server/*', ofServer),
      metadata(wellKnown, (url) => resourceMetadata(url, 'mcp', mcpAllowWrites)),
      metadata(`${wellKnown}/api`, (url) => resourceMetadata(url, 'api', true)),
      metadata(`${wellKnown}/mcp`, (url) => resourceMetadata(url, 'mcp', mcpAllowWrites)),
      endpoint('/oauth/register', ['POST'], registerHandler(dependencies)),
      endpoint('/oauth/token', ['POST'], token),
      // After a restart, the Python client and FastMCP refresh without metadata, at the default path of earlier MCP
      // versions.
      endpoint('/token', ['POST'], token),
      endpoint('/oauth/revoke', ['POST'], revokeHandler(dependencies)),
      page('/oauth/authorize', get, async ({ request }) => {
        const { search, searchParams } = new URL(request.url);
        // Registered apps are checked before sign-in; documents are read only afterwards.
        if (searchParams.get('client_id')?.startsWith('oap_')) {
          await readAuthorizationRequest(searchParams, base.of(request.headers), dependencies);
        }
        return continuePage(search);
      }),
      page('/oauth/consent', ['GET', 'HEAD', 'POST'], consentHandler(dependencies)),
      {
        path: '/oauth/style.css',
        handle: async () => pageResponse(200, stylesheet, { 'content-type': 'text/css; charset=utf-8' }),
      },
    ],
  };
}

const maxBytes = 16 * 1024;

/** Dynamic client registration (RFC 7591). Open to anyone, because users judge the app's claims themselves. */
const registerHandler =
  ({ services: { state } }: OAuthDependencies) =>
  async ({ request, address = 'unknown', admission }: OAuthRequest): Promise<Response> => {
    await admission.admitAnonymous();
    await admission.countAttempt('oauth register');
    const metadata = appMetadata(
      await readJson(request, { maxBytes, reserve: admission.reserveBytes }),
      'client_secret_basic',
    );
    const { app, secret } = await state.oauthApps.register(metadata, networkOf(address));
    return Response.json(
      {
        client_id: app.id,
        client_id_issued_at: Math.floor(app.createdAt / 1000),
        ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: app.name,
        redirect_uris: app.redirectUris,
        token_endpoint_auth_method: app.authMethod,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      { status: 201 },
    );
  };
