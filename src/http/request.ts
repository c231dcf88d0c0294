import { ConnectorError } from '../call/errors.js';

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
  /** Waits first, after so many breaks in a row: a second or two, doubled up to 32, or as long as the vendor asks. */
  readonly backoff?: { readonly breaks: number; readonly retryAfterMs?: number | undefined } | undefined;
  /** How a later call goes on with the upload that this is the first part of; the caller is told before it is sent. */
  readonly resume?: string | undefined;
  /** Present on a write of which the vendor can be asked what became of it. */
  readonly settle?: Settlement | undefined;
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
    throw new ConnectorError('invalid_params', `'${value}' cannot stand in an address.`);
  }
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a surrogate pair has no encoding.
    throw new ConnectorError('invalid_params', `${JSON.stringify(value)} cannot stand in an address.`);
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
