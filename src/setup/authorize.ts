import { fitsHeader } from '../auth/scheme.js';
import { tokenError, tokenReply } from '../auth/token-reply.js';
import { ConnectorError } from '../call/errors.js';
import { exchangeOver } from '../http/exchange.js';
import type { EndpointOptions } from '../http/request.js';
import { endpointsOf, queryString } from '../http/request.js';
import type { Manifest } from '../manifest/manifest.js';

/** What a person is asked to agree to, in a browser. */
export interface AuthorizationRequest {
  /** Client id of the OAuth application. */
  readonly client_id: string;
  /** Where the vendor sends the browser afterwards; registered with the application, and compared letter by letter. */
  readonly redirect_uri: string;
  /** Comes back with the code; to be used once. */
  readonly state: string;
  /** The S256 challenge of PKCE: base64url of the SHA-256 of a verifier (RFC 7636). */
  readonly code_challenge: string;
}

/** A code that the vendor gave, and all that proves whose it is. */
export interface CodeGrant {
  /** Client id of the OAuth application. */
  readonly client_id: string;
  /** Client secret of the OAuth application. */
  readonly client_secret: string;
  /** Address that the vendor sent the person back to. */
  readonly redirect_uri: string;
  /** The code that came with the person. */
  readonly code: string;
  /** Secret of this one sign-in (PKCE). */
  readonly code_verifier: string;
}

/** Where a vendor is asked, and with what. */
export interface AuthorizationOptions {
  /** Addresses in place of the vendor’s. */
  readonly endpoints?: EndpointOptions | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds for the exchange; 30,000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** Scopes to ask for, in place of those that the connector uses. */
  readonly scopes?: readonly string[] | undefined;
}

/** Names of the credential modes that a person can agree to in a browser. */
export const authorizableModes = ({ auth }: Manifest): string[] =>
  Object.entries(auth).flatMap(([mode, { oauth }]) => (oauth?.authorize ? [mode] : []));

/** The address of the vendor's page on which a person agrees. */
export function authorizationUrl(
  manifest: Manifest,
  mode: string,
  request: AuthorizationRequest,
  { endpoints, scopes: own }: AuthorizationOptions = {},
): string {
  const { authorize } = styleOf(manifest, mode);
  const { url, scopes, separator = ' ', params } = authorize;
  // Whoever has put another server in the vendor's place means its pages as well.
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

/** Exchanges a code for credentials of this mode. */
export async function exchangeCode(
  manifest: Manifest,
  mode: string,
  grant: CodeGrant,
  { endpoints, fetch = globalThis.fetch, timeoutMs = 30_000 }: AuthorizationOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const { title } = manifest;
  const { path, style, customer } = styleOf(manifest, mode);
  const { client_id, client_secret, ...given } = grant;
  const tokenParams = { grant_type: 'authorization_code', ...given };
  const basic = style === 'query';
  const received = await exchangeOver(fetch)({
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
        hint: 'The application may already be authorised: remove its access in the account, then authorise it again.',
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
    ? 'Check client_id and client_secret of the application.'
    : 'A code is single-use, expires within minutes and is tied to its redirect URL: start over.';

function styleOf({ title, auth }: Manifest, mode: string) {
  const oauth = Object.hasOwn(auth, mode) ? auth[mode]?.oauth : undefined;
  if (oauth?.authorize) return { ...oauth, authorize: oauth.authorize };
  throw new ConnectorError('invalid_params', `${title} has no credential mode '${mode}' that uses a browser.`);
}
