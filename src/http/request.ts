import { ConnectorError } from '../errors/connector-error.js';
import { isPrivateAddress } from './private-address.js';

/** Query values; `undefined` ones are omitted, arrays repeat the key. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** An HTTP request as plain data: the only part of an action that deals with the wire. */
export interface HttpRequest {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * A path below the vendor's base URL, or an absolute URL, which receives credentials only on the vendor's own
   * origins.
   */
  readonly url: string;
  /** Query parameters. */
  readonly query?: Query | undefined;
  /** Headers in addition to the auth headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body, sent as JSON. */
  readonly json?: unknown;
  /** A body other than JSON. */
  readonly content?: Content | undefined;
  /** For vendors with a separate address for files or account information. */
  readonly to?: 'upload' | 'admin' | undefined;
  /**
   * What the step receives: parsed JSON by default, `none` for nothing, `whole` for the entire response if its status
   * is below 400, or `bytes` for a download.
   */
  readonly reply?: 'none' | 'whole' | 'bytes' | undefined;
  /** Fields of which the response has at least one. Without them, it is not the vendor's, whatever its status. */
  readonly requires?: readonly string[] | undefined;
  /** Sent without credentials or rate limiting, because anyone with the URL can read it. */
  readonly anonymous?: boolean | undefined;
  /** The effect of this step, if it differs from the action's, for example when a write has to read first. */
  readonly effect?: 'read' | undefined;
  /**
   * For steps of a write that are safe on their own. `repeat` allows retries after any transient failure. With
   * `caller`, the steps handle every failure and the request is sent once.
   */
  readonly recovery?: 'repeat' | 'caller' | undefined;
  /**
   * Requests of the same kind cost the same and share endpoint budgets; by default, the kind is the entity and action.
   */
  readonly kind?: string | undefined;
  /** Delay before sending, after previous requests were interrupted. */
  readonly backoff?: Backoff | undefined;
  /** How a later call can continue the upload started by this request; reported to the caller before it is sent. */
  readonly resume?: string | undefined;
  /**
   * The parameter that continues an earlier call. Such a call cannot be planned, since it does not show what the
   * earlier call started.
   */
  readonly continues?: string | undefined;
  /** Set on a write whose outcome can be looked up at the vendor. */
  readonly settle?: Settlement | undefined;
}

/** Backoff after interrupted requests: one to two seconds, doubled each time up to 32 seconds. */
export interface Backoff {
  /** Consecutive interruptions. */
  readonly breaks: number;
  /** Milliseconds to wait instead, if the vendor specifies them. */
  readonly retryAfterMs?: number | undefined;
}

/** A request body and its type. */
export interface Content {
  /** MIME type. */
  readonly type: string;
  /** The bytes. */
  readonly body: string | Uint8Array | Blob;
}

/** How to determine whether a write with a lost response was executed. */
export interface Settlement {
  /**
   * The evidence: a record with a pre-chosen id, which can only be created once; the absence of a record; or a record's values, which show that a write happened but do not make it safe to repeat.
   */
  readonly by: 'id' | 'absence' | 'values';
  /** Looks up the outcome. */
  readonly request: HttpRequest;
  /**
   * Converts the lookup's result to the body that the write would have returned; undefined if the lookup does not show
   * the write.
   */
  readonly read: (body: any) => unknown;
  /** The id to look up, included in the error if the lookup fails too. */
  readonly id: string;
}

/** A GET. */
export const get = (url: string, query?: Query): HttpRequest => ({ method: 'GET', url, query });

/** A POST with a JSON body. */
export const post = (url: string, json: unknown, query?: Query): HttpRequest => ({ method: 'POST', url, query, json });

/** The same request, marked as read-only. */
export const reading = (request: HttpRequest): HttpRequest => ({ ...request, effect: 'read' });

/** Builds a path, percent-encoding every inserted value: `` path`/files/${id}/comments` ``. */
export const path = (parts: TemplateStringsArray, ...values: ReadonlyArray<string | number>): string =>
  String.raw({ raw: parts }, ...values.map(segment));

function segment(value: string | number): string {
  // Even when percent-encoded, a dot segment would resolve to another resource.
  if (value === '' || value === '.' || value === '..') {
    throw new ConnectorError('invalid_params', `'${value}' is not valid in a URL path.`);
  }
  try {
    return encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot be encoded.
    throw new ConnectorError('invalid_params', `${JSON.stringify(value)} is not valid in a URL path.`);
  }
}

/** A query string including the question mark, or an empty string. */
export function queryString(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(key, String(item));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** A GraphQL operation as a request; `undefined` variables are omitted. */
export const graphql = (document: string, variables: object, url = '/graphql'): HttpRequest => ({
  ...post(url, { query: document, variables }),
  kind: document,
});

/** An entry of a GraphQL response's `errors`. */
export interface GraphqlError {
  /** The vendor’s message. */
  readonly message?: string;
  /** Path in the document. */
  readonly path?: ReadonlyArray<string | number>;
  /** The vendor's additional fields, such as code and type. */
  readonly extensions?: Readonly<Record<string, any>>;
}

/** The errors in a GraphQL response's body, whatever its status. */
export function graphqlErrors(body: unknown): readonly GraphqlError[] {
  const errors = typeof body === 'object' && body !== null ? (body as { errors?: unknown }).errors : undefined;
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'object' && error !== null) : [];
}

/** Resolved endpoints of a connector. */
export interface ResolvedEndpoints {
  readonly api: string;
  readonly auth: string;
  readonly upload: string;
  readonly admin: string;
  /** True if the caller chose the API's address, so nothing else may change it. */
  readonly pinned: boolean;
  /** Origins that the credentials may be sent to. */
  readonly trustedOrigins: ReadonlySet<string>;
  readonly loopback: boolean;
}

/** The vendor's addresses, or the caller's replacements. */
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

/** Endpoints with the API address from the credentials, if any; an address chosen by the caller takes precedence. */
export function endpointsFor(resolved: ResolvedEndpoints, customer: string | undefined): ResolvedEndpoints {
  if (customer === undefined || resolved.pinned || customer === resolved.api) return resolved;
  const own = new Set([customer, resolved.upload, resolved.admin].map((address) => new URL(address).origin));
  return { ...resolved, api: customer, trustedOrigins: own, loopback: isLoopbackEndpoint(customer) };
}

/** The absolute URL of a request, and whether it may carry the credentials. */
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

/** Addresses that replace the vendor's; a single string replaces all of them. */
export type EndpointOptions =
  | string
  | {
      /** Replaces the API address. */
      readonly api?: string | undefined;
      /** Replaces the address of the token endpoint. */
      readonly auth?: string | undefined;
      /** Replaces the upload address. */
      readonly upload?: string | undefined;
      /** Replaces the address of the vendor's admin API. */
      readonly admin?: string | undefined;
    };

/** A vendor's base URLs, which request paths are appended to. */
export interface Endpoints {
  /** Base URL of actions. */
  readonly api: string;
  /** Base URL of the token endpoint, if different. */
  readonly auth?: string | undefined;
  /** Base URL for uploads, if different. */
  readonly upload?: string | undefined;
  /** Base URL of the admin API, if different. */
  readonly admin?: string | undefined;
  /** Domains allowed for API addresses that the vendor assigns to individual customers. */
  readonly customers?: readonly string[] | undefined;
}

const isLoopback = (host: string) =>
  /^(.*\.)?localhost\.?$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';

/** Whether a host name is or represents a private address. */
function isPrivate(host: string): boolean {
  if (host.startsWith('[')) return isPrivateAddress(host.slice(1, -1));
  return isLoopback(host) || (/^[\d.]+$/.test(host) && isPrivateAddress(host));
}

/** Rejects a URL that requests must not be sent to; loopback is only allowed for loopback endpoints. */
function guardUrl(address: string, loopbackAllowed: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw addressDenied('it is not a URL');
  if (url.username || url.password) throw addressDenied('it contains a user name or password');
  // The parser has already normalized decimal, hexadecimal and short forms.
  const local = isLoopback(url.hostname);
  if (local && loopbackAllowed && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  if (url.protocol !== 'https:') throw addressDenied('its scheme is not https');
  if (isPrivate(url.hostname)) throw addressDenied('it is a private or loopback address');
  return url;
}

const addressDenied = (why: string) => new ConnectorError('denied_by_policy', `The URL was rejected: ${why}.`);

/** Validates an endpoint given by the caller and removes a trailing slash. */
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
