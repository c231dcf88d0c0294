import { ConnectorError } from '../call/errors.js';
import { isPrivateAddress } from './private-address.js';
import { type HttpRequest, queryString } from './request.js';

/** Where one connector's requests go. */
export interface ResolvedEndpoints {
  readonly api: string;
  readonly auth: string;
  readonly upload: string;
  readonly admin: string;
  /** True where the caller chose the API's address, so that nothing else may change it. */
  readonly pinned: boolean;
  /** Origins that may be sent the credentials. */
  readonly trustedOrigins: ReadonlySet<string>;
  readonly loopback: boolean;
}

/** The vendor's addresses, or the ones that the caller gave in their place. */
export function endpointsOf(
  { endpoints: vendor }: { readonly endpoints: Endpoints },
  given: EndpointOptions | undefined,
): ResolvedEndpoints {
  const chosen = typeof given === 'string' ? { api: given, auth: given, upload: given, admin: given } : (given ?? {});
  const api = endpoint('api', chosen.api ?? vendor.api);
  const auth = endpoint('auth', chosen.auth ?? vendor.auth ?? api);
  const upload = endpoint('upload', chosen.upload ?? vendor.upload ?? api);
  const admin = endpoint('admin', chosen.admin ?? vendor.admin ?? api);
  return {
    api,
    auth,
    upload,
    admin,
    pinned: chosen.api !== undefined,
    trustedOrigins: new Set([api, upload, admin].map((address) => new URL(address).origin)),
    loopback: isLoopbackEndpoint(api),
  };
}

/** The same with the API's address that the credentials have brought, if any; the caller's own choice comes first. */
export function endpointsFor(resolved: ResolvedEndpoints, customer: string | undefined): ResolvedEndpoints {
  if (customer === undefined || resolved.pinned || customer === resolved.api) return resolved;
  const own = new Set([customer, resolved.upload, resolved.admin].map((address) => new URL(address).origin));
  return { ...resolved, api: customer, trustedOrigins: own, loopback: isLoopbackEndpoint(customer) };
}

/** The whole address of a request, and whether it may carry the credentials. */
export function addressOf(
  { url, query, to }: HttpRequest,
  endpoints: ResolvedEndpoints,
): { url: string; trusted: boolean } {
  const search = query ? queryString(query) : '';
  const { trustedOrigins: trusted, loopback } = endpoints;
  if (url.startsWith('/')) return { url: endpoints[to ?? 'api'] + url + search, trusted: true };
  const address = guardUrl(url + search, loopback);
  return { url: address.href, trusted: trusted.has(address.origin) };
}

/** Addresses to use in place of the vendor's own; one string stands for all of them. */
export type EndpointOptions =
  | string
  | {
      /** In place of the address of actions. */
      readonly api?: string | undefined;
      /** In place of the address of tokens. */
      readonly auth?: string | undefined;
      /** In place of the address of uploads. */
      readonly upload?: string | undefined;
      /** In place of the address of the vendor’s administration. */
      readonly admin?: string | undefined;
    };

/** A vendor's addresses; paths of requests are appended to them. */
export interface Endpoints {
  /** Where actions are sent. */
  readonly api: string;
  /** Where tokens are had, when that is elsewhere. */
  readonly auth?: string | undefined;
  /** Where files are sent, when that is elsewhere. */
  readonly upload?: string | undefined;
  /** Where accounts are asked about, when that is elsewhere. */
  readonly admin?: string | undefined;
  /** Domains below which a customer's own address may lie, for vendors that give each one their own. */
  readonly customers?: readonly string[] | undefined;
}

const isLoopback = (host: string) =>
  /^(.*\.)?localhost\.?$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';

/** Whether a host name is an address, or stands for one, that no vendor has. */
function isPrivate(host: string): boolean {
  if (host.startsWith('[')) return isPrivateAddress(host.slice(1, -1));
  return isLoopback(host) || (/^[\d.]+$/.test(host) && isPrivateAddress(host));
}

/** Refuses an address that a request must not go to; loopback is for endpoints that are loopback themselves. */
function guardUrl(address: string, loopbackAllowed: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw addressDenied('it is not an address');
  if (url.username || url.password) throw addressDenied('it holds a user name or password');
  // The parser has already turned decimal, hexadecimal and short forms into dotted ones.
  const local = isLoopback(url.hostname);
  if (local && loopbackAllowed && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  if (url.protocol !== 'https:') throw addressDenied('its scheme is not https');
  if (isPrivate(url.hostname)) throw addressDenied('it is a private or loopback address');
  return url;
}

const addressDenied = (why: string) => new ConnectorError('denied_by_policy', `The address was refused: ${why}.`);

/** Checks an endpoint given by the caller and takes off its last slash. */
export function endpoint(name: string, address: string): string {
  try {
    const url = guardUrl(address, true);
    if (url.search || url.hash) throw addressDenied('an endpoint has no query or fragment');
    return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '');
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    throw new ConnectorError('denied_by_policy', `endpoints.${name}: ${error.message}`);
  }
}

/** Whether an endpoint is on this machine. */
export const isLoopbackEndpoint = (address: string): boolean => isLoopback(new URL(address).hostname);
