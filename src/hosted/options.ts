import type { HostedOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';

/** The same options with defaults filled in. */
export interface HostedTarget {
  readonly baseUrl: string;
  readonly auth:
    | { readonly token: string }
    | {
        readonly clientId: string;
        readonly clientSecret: string;
        /** Request fields that bind a token to a user. */
        readonly person?: { readonly as_user: string; readonly as_groups: readonly string[] } | undefined;
      };
  readonly organizationId: string | undefined;
  readonly connectorId: string | undefined;
  readonly workspace: string;
  readonly name: string | undefined;
}

/** An environment variable; browsers have none. */
const environment = (name: string): string | undefined => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[`AGENT_CONNECTORS_${name}`] || undefined;
  } catch {
    // Deno throws if the program is not allowed to read the environment.
    return undefined;
  }
};

/** Completes options from the environment; errors list what is still missing. */
export function hostedTarget(given: HostedOptions): HostedTarget {
  const baseUrl = given.baseUrl ?? environment('BASE_URL');
  if (baseUrl === undefined) throw missingOption('baseUrl', 'BASE_URL');
  return {
    baseUrl: parseBaseUrl(baseUrl),
    auth: authOf(given),
    organizationId: given.organizationId ?? environment('ORGANIZATION_ID'),
    connectorId: given.connectorId,
    workspace: given.workspace ?? environment('WORKSPACE') ?? 'default',
    name: given.name,
  };
}

function authOf(given: HostedOptions): HostedTarget['auth'] {
  const { token, clientId, clientSecret, asUser, asGroups = [] } = given;
  // An undefined `asUser` must not mean unrestricted access: the program's user may simply have no email address.
  if ('asUser' in given && !asUser) throw new ConnectorError('invalid_params', 'hosted.asUser.email is missing.');
  if (token !== undefined) {
    if (clientId !== undefined || clientSecret !== undefined) {
      throw new ConnectorError('invalid_params', 'hosted: pass token, or clientId and clientSecret, not both.');
    }
    if (asUser !== undefined) {
      throw new ConnectorError(
        'invalid_params',
        'hosted: pass token or asUser, not both; a token is already bound to a user.',
      );
    }
    return { token: printable('token', token) };
  }
  const id = clientId ?? environment('CLIENT_ID');
  const secret = clientSecret ?? environment('CLIENT_SECRET');
  if (id === undefined) throw missingOption('clientId', 'CLIENT_ID');
  if (secret === undefined) throw missingOption('clientSecret', 'CLIENT_SECRET');
  const person = asUser === undefined ? undefined : { as_user: asUser, as_groups: asGroups };
  return { clientId: printable('clientId', id), clientSecret: printable('clientSecret', secret), person };
}

function printable(name: string, value: string): string {
  const text = value.trim();
  // Node's error for an invalid header quotes the whole value.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new ConnectorError('invalid_credentials', `hosted.${name} is empty or contains an invalid character.`);
}

const missingOption = (name: string, variable: string) =>
  new ConnectorError('invalid_params', `hosted.${name} is missing: pass it, or set AGENT_CONNECTORS_${variable}.`);

/** Hosts for which plain HTTP is allowed: this machine, private networks, and local names. */
const privateHost =
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|\[f[cd][\da-f]{2}:.*\]|[^.:]+|.+\.(internal|local|localhost))$/;

/** The service's URL without a slash or API path at the end; throws unless tokens may be sent to it. */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const invalidUrl = (why: string) => new ConnectorError('invalid_params', `hosted.baseUrl was rejected: ${why}.`);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl('it is not an http or https URL');
  if (url.username || url.password) throw invalidUrl('it contains a user name or password');
  if (url.search || url.hash) throw invalidUrl('it has a query or fragment');
  if (url.protocol === 'http:' && !privateHost.test(url.hostname))
    throw invalidUrl('a token must not be sent over the internet unencrypted');
  return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
}
