import { createHash, randomBytes } from 'node:crypto';
import type { CliEnvironment } from './environment.js';
import { failure } from './failure.js';
import { readSettings, type SignIn, type SignInSettings, writeSettings } from './settings.js';

/** Timeout of a request to the authorization server, in milliseconds. */
const requestTimeoutMs = 30_000;
/** An access token is replaced if it is valid for less than this, in milliseconds. */
const renewBeforeMs = 60_000;

type Network = Pick<CliEnvironment, 'fetch' | 'signal'>;

/** What the command line needs of the authorization server's metadata (RFC 8414). */
interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** A request for access, which a person has to allow in a browser. */
export interface AccessRequest {
  /** Where the person allows access. */
  readonly url: string;
  readonly state: string;
  /** Exchanges what the browser is redirected with for tokens; throws unless it answers this request. */
  readonly redeem: (answer: URLSearchParams) => Promise<SignIn>;
}

/** Registers the command line with a service, and prepares a request for access (authorization code with PKCE). */
export async function requestAccess(baseUrl: string, redirectUri: string, network: Network): Promise<AccessRequest> {
  const server = await send<AuthorizationServer>(network, `${baseUrl}/.well-known/oauth-authorization-server`);
  if (server.issuer !== baseUrl) {
    throw failure('invalid_params', `The service's address is ${server.issuer}, not ${baseUrl}.`, {
      hint: `Log in with {"base_url":"${server.issuer}"}, or change the service's --public-url.`,
    });
  }
  const registration = {
    client_name: 'agent-connectors command line',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  const { client_id } = await send<{ client_id: string }>(network, server.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registration),
  });
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    scope: 'read write',
    resource: `${server.issuer}/api`,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    url: `${server.authorization_endpoint}?${query}`,
    state,
    async redeem(answer) {
      const [code, error, issuer] = ['code', 'error', 'iss'].map((name) => answer.get(name));
      // An answer from another server must not be sent to this one, and this one may say that it names itself (RFC 9207).
      const isFromServer =
        issuer === server.issuer || (issuer === null && server.authorization_response_iss_parameter_supported !== true);
      if (answer.get('state') !== state || !isFromServer) {
        throw failure('unauthorized', 'The URL does not belong to this login.', {
          hint: 'Run agent-connectors login again.',
        });
      }
      if (!code) {
        throw failure('unauthorized', error === 'access_denied' ? 'Access was denied.' : `Access failed: ${error}.`, {
          hint: 'Run agent-connectors login again.',
        });
      }
      const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
      return requestTokens(network, server.token_endpoint, { ...form, redirect_uri: redirectUri });
    },
  };
}

/** A `fetch` for requests to the service that replaces and stores the tokens when the access token expires. */
export function fetchAs(settings: SignInSettings, environment: CliEnvironment, secrets: string[]): typeof fetch {
  let current = settings.sign_in;
  let renewal: Promise<SignIn> | undefined;
  const renew = async (): Promise<SignIn> => {
    const stored = await readSettings(environment);
    const isSame = stored && 'sign_in' in stored && stored.sign_in.app_id === current.app_id;
    // Another command may have replaced them.
    if (isSame && !isExpiring(stored.sign_in)) return stored.sign_in;
    const { refresh_token, app_id: client_id } = isSame ? stored.sign_in : current;
    const form = { grant_type: 'refresh_token', client_id, refresh_token };
    const next = await requestTokens(environment, `${settings.base_url}/oauth/token`, form);
    if (isSame) await writeSettings(environment, { ...stored, sign_in: next });
    return next;
  };
  return async (input, init) => {
    if (isExpiring(current)) {
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      current = await renewal;
      secrets.push(current.access_token, current.refresh_token);
    }
    const request = new Request(input, init);
    request.headers.set('authorization', `Bearer ${current.access_token}`);
    return environment.fetch(request);
  };
}

const isExpiring = ({ expires_at }: SignIn): boolean => Date.parse(expires_at) - Date.now() < renewBeforeMs;

/** Ends a sign-in at the service; false if the service cannot be reached. */
export async function revokeAccess({ base_url, sign_in }: SignInSettings, network: Network): Promise<boolean> {
  const form = new URLSearchParams({ client_id: sign_in.app_id, token: sign_in.refresh_token });
  return send(network, `${base_url}/oauth/revoke`, { method: 'POST', body: form }).then(
    () => true,
    () => false,
  );
}

async function requestTokens(network: Network, url: string, form: Record<string, string>): Promise<SignIn> {
  const body = new URLSearchParams(form);
  const { access_token, refresh_token, expires_in } = await send<{
    access_token: string;
    refresh_token: string;
    expires_in: number;
  }>(network, url, { method: 'POST', body });
  const expires_at = new Date(Date.now() + expires_in * 1000).toISOString();
  return { app_id: form.client_id!, access_token, expires_at, refresh_token };
}

/** Sends a request to the authorization server, and returns the response's JSON. */
async function send<T>({ fetch, signal }: Network, url: string, init: RequestInit = {}): Promise<T> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { ...init, signal: limited, redirect: 'error' });
    body = await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw failure('network', `${new URL(url).origin} did not respond as an agent-connectors service does.`, {
      cause,
      hint: 'Check the service URL and that the service is running.',
    });
  }
  if (response.ok) return body as T;
  const { error, error_description } = body as { error?: string; error_description?: string };
  if (error === 'invalid_grant' || error === 'invalid_client') {
    throw failure('unauthorized', 'Your login has expired or was revoked.', {
      hint: 'Run agent-connectors login again.',
    });
  }
  throw failure('invalid_response', `The service rejected the login: ${error_description ?? response.status}`);
}
