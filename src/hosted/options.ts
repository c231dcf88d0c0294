import { ConnectorError } from '../call/errors.js';

/** Where the service is, who asks, and which of its connectors is meant. What is left out is read from the environment. */
export interface HostedOptions {
  /** Address of the service, such as `https://connectors.example.com`; else AGENT_CONNECTORS_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** A token that the caller had elsewhere, in place of client id and secret. */
  readonly token?: string | undefined;
  /** Else AGENT_CONNECTORS_CLIENT_ID. */
  readonly clientId?: string | undefined;
  /** Else AGENT_CONNECTORS_CLIENT_SECRET. */
  readonly clientSecret?: string | undefined;
  /** For clients of several organisations; else AGENT_CONNECTORS_ORGANIZATION_ID. */
  readonly organizationId?: string | undefined;
  /**
   * E-mail address of a person: every call reads only what this person could open at the vendor, and writes nothing. Set
   * by the program, never by a model; goes with client id and secret.
   */
  readonly asUser?: string | undefined;
  /** E-mail addresses of the groups that this person is in, nested ones too; others count as closed. */
  readonly asGroups?: readonly string[] | undefined;
  /** The connector; in its place `workspace` and `name`. */
  readonly connectorId?: string | undefined;
  /** Workspace of the connector; else AGENT_CONNECTORS_WORKSPACE, else `default`. */
  readonly workspace?: string | undefined;
  /** Name of the connector in its workspace; without it the workspace must hold one of this type. */
  readonly name?: string | undefined;
}

/** The same with nothing left open. */
export interface HostedTarget {
  readonly baseUrl: string;
  readonly auth:
    | { readonly token: string }
    | {
        readonly clientId: string;
        readonly clientSecret: string;
        /** Fields of a request for a token that bind it. */
        readonly person?: { readonly as_user: string; readonly as_groups: readonly string[] } | undefined;
      };
  readonly organizationId: string | undefined;
  readonly connectorId: string | undefined;
  readonly workspace: string;
  readonly name: string | undefined;
}

/** What the environment says; there is none in browsers. */
const environment = (name: string): string | undefined => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[`AGENT_CONNECTORS_${name}`] || undefined;
  } catch {
    // Deno throws where a program may not read its environment.
    return undefined;
  }
};

/** Fills in what is missing from the environment; says what is still missing then. */
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
  // Left out it means everything, which a program whose user has no address does not mean.
  if ('asUser' in given && !asUser) throw new ConnectorError('invalid_params', 'hosted.asUser.email is missing.');
  if (token !== undefined) {
    if (clientId !== undefined || clientSecret !== undefined) {
      throw new ConnectorError('invalid_params', 'hosted: pass token, or clientId and clientSecret, not both.');
    }
    if (asUser !== undefined) {
      throw new ConnectorError(
        'invalid_params',
        'hosted: pass token or asUser, not both; a token is already bound to its person.',
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
  // Node names the whole value in its own error for a header it refuses.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new ConnectorError('invalid_credentials', `hosted.${name} is empty or contains an invalid character.`);
}

const missingOption = (name: string, variable: string) =>
  new ConnectorError('invalid_params', `hosted.${name} is missing: pass it, or set AGENT_CONNECTORS_${variable}.`);

/** Hosts that plain HTTP may go to: this machine, private networks, and names that only such a network knows. */
const privateHost =
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|\[f[cd][\da-f]{2}:.*\]|[^.:]+|.+\.(internal|local|localhost))$/;

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const invalidUrl = (why: string) => new ConnectorError('invalid_params', `hosted.baseUrl was refused: ${why}.`);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl('it is not an http or https URL');
  if (url.username || url.password) throw invalidUrl('it contains a user name or password');
  if (url.search || url.hash) throw invalidUrl('it has a query or fragment');
  if (url.protocol === 'http:' && !privateHost.test(url.hostname))
    throw invalidUrl('a token must not cross the internet unencrypted');
  return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
}
