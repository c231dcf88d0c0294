import { ConnectorError } from '../call/errors.js';
import { isPrivateAddress } from './private-address.js';

/** Values of a query string; `undefined` ones are left out, arrays repeat the key. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One HTTP request, as plain data: all that an action knows of the wire. */
export interface HttpRequest {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path below the vendor's address, or a whole address, which gets credentials on the vendor's own origins alone. */
  readonly url: string;
  /** Parameters of the address. */
  readonly query?: Query | undefined;
  /** Headers beside those of the credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body, sent as JSON. */
  readonly json?: unknown;
  /** A body that is not JSON. */
  readonly content?: Content | undefined;
  /** For vendors that take files, or questions about accounts, at another address. */
  readonly to?: 'upload' | 'admin' | undefined;
  /**
   * What the step is given: the parsed JSON when left out; nothing; the reply as a whole, with statuses below 400;
   * or the bytes as a download.
   */
  readonly reply?: 'none' | 'whole' | 'bytes' | undefined;
  /** Sent without credentials and without a place in the rate limit: whoever has the address may read it. */
  readonly anonymous?: boolean | undefined;
  /** What this one step does, where it differs from the action: a write may have to read first. */
  readonly effect?: 'read' | undefined;
  /**
   * For steps of a write that are safe in themselves: `repeat` may be sent again after any passing failure;
   * with `caller` the steps themselves deal with every failure, and it is sent once.
   */
  readonly recovery?: 'repeat' | 'caller' | undefined;
  /** Requests of one kind cost alike and share the budgets of their endpoint; by entity and action when left out. */
  readonly kind?: string | undefined;
  /** Waits before it is sent, since the requests before it broke off. */
  readonly backoff?: Backoff | undefined;
  /** How a later call goes on with the upload that this is the first part of; the caller is told before it is sent. */
  readonly resume?: string | undefined;
  /** The parameter by which this goes on with an earlier call; it is not planned, as it does not show what was begun. */
  readonly continues?: string | undefined;
  /** Present on a write of which the vendor can be asked what became of it. */
  readonly settle?: Settlement | undefined;
}

/** A wait after requests that broke off: one to two seconds, doubled with each up to 32 seconds. */
export interface Backoff {
  /** How many broke off in a row. */
  readonly breaks: number;
  /** Milliseconds to wait instead, where the vendor says so. */
  readonly retryAfterMs?: number | undefined;
}

/** The body of a request, with its type. */
export interface Content {
  /** MIME type. */
  readonly type: string;
  /** The bytes. */
  readonly body: string | Uint8Array | Blob;
}

/** How to learn whether a write whose reply was lost has happened. */
export interface Settlement {
  /**
   * What tells of it: a record under an id that was chosen before, so that it can be made once only; that a record is
   * gone; or the values that it has, which tell of a write in the past but do not make it safe to repeat.
   */
  readonly by: 'id' | 'absence' | 'values';
  /** Asks whether it happened. */
  readonly request: HttpRequest;
  /** The body that the write would have answered with, read from what the look-up found; nothing where that shows none. */
  readonly read: (body: any) => unknown;
  /** The id to look for, named in the error when even the look-up fails. */
  readonly id: string;
}

/** A GET. */
export const get = (url: string, query?: Query): HttpRequest => ({ method: 'GET', url, query });

/** A POST with a JSON body. */
export const post = (url: string, json: unknown, query?: Query): HttpRequest => ({ method: 'POST', url, query, json });

/** The same request, marked as one that changes nothing. */
export const reading = (request: HttpRequest): HttpRequest => ({ ...request, effect: 'read' });

/** Builds a path, percent-encoding every value put into it: `` path`/files/${id}/comments` ``. */
export const path = (parts: TemplateStringsArray, ...values: ReadonlyArray<string | number>): string =>
  String.raw({ raw: parts }, ...values.map(segment));

function segment(value: string | number): string {
  // Even percent-encoded, a dot segment would climb to another resource.
  if (value === '' || value === '.' || value === '..') {
    throw new ConnectorError('invalid_params', `'${value}' is not valid in a URL path.`);
  }
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a surrogate pair has no encoding.
    throw new ConnectorError('invalid_params', `${JSON.stringify(value)} is not valid in a URL path.`);
  }
}

/** A query string with its question mark, or nothing. */
export function queryString(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(key, String(item));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** A GraphQL operation as a request; variables that are `undefined` are not sent at all. */
export const graphql = (document: string, variables: object, url = '/graphql'): HttpRequest => ({
  ...post(url, { query: document, variables }),
  kind: document,
});

/** One entry of a GraphQL reply's `errors`. */
export interface GraphqlError {
  /** What went wrong, in the vendor’s words. */
  readonly message?: string;
  /** Where in the document. */
  readonly path?: ReadonlyArray<string | number>;
  /** What the vendor adds: code, type and the like. */
  readonly extensions?: Readonly<Record<string, any>>;
}

/** The failures that a GraphQL reply reports in its body, whatever its status. */
export function graphqlErrors(body: unknown): readonly GraphqlError[] {
  const errors = typeof body === 'object' && body !== null ? (body as { errors?: unknown }).errors : undefined;
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'object' && error !== null) : [];
}

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
  if (!url) throw addressDenied('it is not a URL');
  if (url.username || url.password) throw addressDenied('it contains a user name or password');
  // The parser has already turned decimal, hexadecimal and short forms into dotted ones.
  const local = isLoopback(url.hostname);
  if (local && loopbackAllowed && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  if (url.protocol !== 'https:') throw addressDenied('its scheme is not https');
  if (isPrivate(url.hostname)) throw addressDenied('it is a private or loopback address');
  return url;
}

const addressDenied = (why: string) => new ConnectorError('denied_by_policy', `The URL was refused: ${why}.`);

/** Checks an endpoint given by the caller and takes off its last slash. */
export function endpoint(name: string, address: string): string {
  try {
    const url = guardUrl(address, true);
    if (url.search || url.hash) throw addressDenied('an endpoint must not have a query or fragment');
    return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '');
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    throw new ConnectorError('denied_by_policy', `endpoints.${name}: ${error.message}`);
  }
}

/** Whether an endpoint is on this machine. */
export const isLoopbackEndpoint = (address: string): boolean => isLoopback(new URL(address).hostname);
