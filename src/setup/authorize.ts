import { fitsHeader } from '../auth/scheme.js';
import { tokenError, tokenReply } from '../auth/token-reply.js';
import { ConnectorError } from '../errors/connector-error.js';
import { redactError } from '../errors/redact.js';
import { exchangeOver } from '../http/exchange.js';
import type { EndpointOptions } from '../http/request.js';
import { endpointsOf, queryString } from '../http/request.js';
import type { Manifest } from '../manifest/manifest.js';

/** A request for consent in a browser. */
export interface AuthorizationRequest {
  /** Client id of the OAuth application. */
  readonly client_id: string;
  /** Redirect URI, registered with the application and compared exactly. */
  readonly redirect_uri: string;
  /** Returned with the code; single-use. */
  readonly state: string;
  /** The S256 PKCE challenge: base64url of a verifier's SHA-256 (RFC 7636). */
  readonly code_challenge: string;
}

/** An authorization code, and proof of who it was issued to. */
export interface CodeGrant {
  /** Client id of the OAuth application. */
  readonly client_id: string;
  /** Client secret of the OAuth application. */
  readonly client_secret: string;
  /** Redirect URI of the request. */
  readonly redirect_uri: string;
  /** The authorization code. */
  readonly code: string;
  /** PKCE verifier. */
  readonly code_verifier: string;
}

/** Options for the authorization. */
export interface AuthorizationOptions {
  /** Base URLs that replace the vendor's. */
  readonly endpoints?: EndpointOptions | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Timeout for the exchange in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Scopes to request instead of the connector's. */
  readonly scopes?: readonly string[] | undefined;
}

/** Auth modes that a user can authorize in a browser. */
export const authorizableModes = ({ auth }: Manifest): string[] =>
  Object.entries(auth).flatMap(([mode, { oauth }]) => (oauth?.authorize ? [mode] : []));

/** The URL of the vendor's consent page. */
export function authorizationUrl(
  manifest: Manifest,
  mode: string,
  request: AuthorizationRequest,
  { endpoints, scopes: own }: AuthorizationOptions = {},
): string {
  const { authorize } = styleOf(manifest, mode);
  const { url, scopes, separator = ' ', params } = authorize;
  // A server that replaces the vendor's also serves the consent page.
  const isElsewhere = endpoints !== undefined && (typeof endpoints === 'string' || endpoints.auth !== undefined);
  const page = isElsewhere ? `${endpointsOf(manifest, endpoints).auth}${new URL(url).pathname}` : url;
  const query = {
    response_type: 'code',
    scope: (own ?? scopes).join(separator),
    code_challenge_method: 'S256',
    ...params,
  };
  return `${page}${queryString({ ...query, ...request })}`;
}

/** Exchanges a code for credentials of this mode. The secrets of the grant are removed from errors. */
export async function exchangeCode(
  manifest: Manifest,
  mode: string,
  grant: CodeGrant,
  options: AuthorizationOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const { client_id, client_secret, code, code_verifier } = grant;
  try {
    return await requestCredentials(manifest, mode, grant, options);
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    throw redactError(error, [client_secret, `${client_id}:${client_secret}`, code, code_verifier]);
  }
}

async function requestCredentials(
  manifest: Manifest,
  mode: string,
  grant: CodeGrant,
  { endpoints, fetch, timeoutMs = 30_000 }: AuthorizationOptions,
): Promise<Readonly<Record<string, string>>> {
  const { title } = manifest;
  const { path, style, customer } = styleOf(manifest, mode);
  const { client_id, client_secret, ...given } = grant;
  const tokenParams = { grant_type: 'authorization_code', ...given };
  const basic = style === 'query';
  const received = await exchangeOver(fetch, { peer: title })({
    method: 'POST',
    url: endpointsOf(manifest, endpoints).auth + path + (basic ? queryString({ ...tokenParams, client_id }) : ''),
    headers: basic
      ? { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
      : { 'content-type': 'application/x-www-form-urlencoded' },
    body: basic ? undefined : new URLSearchParams({ ...tokenParams, client_id, client_secret }).toString(),
    timeoutMs,
  });
  const reply = tokenReply(received);
  if (reply.status !== 200) throw tokenError(`${title} rejected the code`, reply, hintOf);
  const { access_token, refresh_token } = reply.body;
  if (!isToken(access_token)) {
    throw new ConnectorError('invalid_response', `${title} returned no access token for the code.`);
  }
  if (!isToken(refresh_token)) {
    throw new ConnectorError(
      'invalid_credentials',
      `${title} returned no refresh token, so access would expire soon.`,
      {
        hint: 'The application may already be authorized: revoke its access in the account, then authorize it again.',
      },
    );
  }
  const address = customer && reply.body[customer.key];
  return {
    client_id,
    client_secret,
    refresh_token,
    access_token,
    ...(typeof address === 'string' && { base_url: address }),
  };
}

const isToken = (value: unknown): value is string => typeof value === 'string' && fitsHeader(value);

const hintOf = (vendorError: string): string =>
  /client/.test(vendorError)
    ? "Check the application's client_id and client_secret."
    : 'A code is single-use, expires within minutes and is tied to its redirect URL: start over.';

function styleOf({ title, auth }: Manifest, mode: string) {
  const oauth = Object.hasOwn(auth, mode) ? auth[mode]?.oauth : undefined;
  if (oauth?.authorize) return { ...oauth, authorize: oauth.authorize };
  throw new ConnectorError('invalid_params', `${title} has no credential mode '${mode}' that uses a browser.`);
}
