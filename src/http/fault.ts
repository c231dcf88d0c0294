import type { ErrorCode, VendorAccount } from '../errors/connector-error.js';

/** A vendor's parsed response; `body` is text if it was not JSON. */
export interface HttpReply {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Parsed JSON, or text if it is not JSON. */
  readonly body: unknown;
}

/** A failure parsed from a response by the connector, which knows the vendor's error format. */
export interface Fault {
  /** Error code. */
  readonly code: ErrorCode;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** The vendor's own error details. */
  readonly vendor?: VendorAccount | undefined;
  /** Faults in the parameters. */
  readonly issues?:
    | ReadonlyArray<{
        /** Dotted path in the parameters. */
        readonly path: string;
        /** What is wrong with it. */
        readonly message: string;
      }>
    | undefined;
  /** Whether the same call may succeed later; by default, derived from the code and status. */
  readonly retryable?: boolean | undefined;
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs?: number | undefined;
  /** True if the vendor may have executed the request despite the failure. */
  readonly mayHaveActed?: boolean | undefined;
}

/** A budget that the vendor reports in its responses. */
export interface Budget {
  /** The vendor's name for it, or what it counts. */
  readonly name: string;
  /** The amount left. */
  readonly remaining: number;
  /** Its capacity, if the vendor reports it. */
  readonly limit: number | null;
  /** When it will be full again, as Unix time in milliseconds. */
  readonly resetsAt: number;
  /** Milliseconds to refill steadily from empty to `limit`; undefined if it resets all at once at `resetsAt`. */
  readonly refillMs?: number | undefined;
  /** What the request used; 1 by default. */
  readonly cost?: number | undefined;
  /** True for the budget of one endpoint, which only delays requests of the same kind. */
  readonly endpoint?: boolean | undefined;
}

/** Whether a response is a web page, such as a proxy's. */
export const isHtml = (headers: Headers, body: unknown): boolean =>
  typeof body === 'string' &&
  (/^text\/html\b/i.test(headers.get('content-type') ?? '') || /^\s*<(?:!doctype html|html|head|title)\b/i.test(body));

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_params',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid_params',
  429: 'rate_limited',
};

/** The error code for a status. */
export const codeOfStatus = (status: number): ErrorCode => codes[status] ?? 'vendor_error';

/** An error that a vendor identifies by a code or, if it is a pattern, by its message. */
export type VendorError = readonly [id: string | RegExp, code: ErrorCode, hint?: string];

/** The first of these errors that has this code or message. */
export const findVendorError = (errors: readonly VendorError[], text: string | undefined): VendorError | undefined =>
  errors.find(([id]) => text !== undefined && (typeof id === 'string' ? id === text : id.test(text)));

/** Longest pause that a vendor can ask for, in milliseconds: quotas are back after a day, and clocks can be wrong. */
export const maxPauseMs: number = 24 * 3_600_000;

/** Parses `Retry-After`, given in seconds or as a date, into milliseconds, at most a day; of several, the longest. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const isSeconds = /^\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*$/.test(value);
  // Engines parse other text, such as "-5", as a date too.
  const date = /^[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  const ms = isSeconds ? Math.max(...value.split(',').map(Number)) * 1000 : date - now;
  return Number.isFinite(ms) ? Math.min(maxPauseMs, Math.max(0, Math.ceil(ms))) : undefined;
}
