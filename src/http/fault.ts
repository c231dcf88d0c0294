import type { ErrorCode, VendorAccount } from '../call/errors.js';

/** A vendor's reply, read and parsed; `body` is text where it was not JSON. */
export interface HttpReply {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** What went wrong, read out of a reply by the connector that knows the vendor. */
export interface Fault {
  /** Which failure it is. */
  readonly code: ErrorCode;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What the vendor said. */
  readonly vendor?: VendorAccount | undefined;
  /** What was wrong with which parameter. */
  readonly issues?:
    | ReadonlyArray<{
        /** Where in the parameters. */
        readonly path: string;
        /** What is wrong there. */
        readonly message: string;
      }>
    | undefined;
  /** Whether the same call may succeed later; by default that follows from the code and status. */
  readonly retryable?: boolean | undefined;
  /** Milliseconds after which to try again. */
  readonly retryAfterMs?: number | undefined;
  /** True where the vendor may have acted although it answered with a failure. */
  readonly mayHaveActed?: boolean | undefined;
}

/** A budget that the vendor reports beside its replies. */
export interface Budget {
  /** What the vendor calls it, or what it counts. */
  readonly name: string;
  /** How much is left. */
  readonly remaining: number;
  /** What it holds when it is full, where the vendor tells. */
  readonly limit: number | null;
  /** When it is full again, in milliseconds since 1970. */
  readonly resetsAt: number;
  /** Milliseconds in which it refills steadily from empty to `limit`; left out where all of it returns at `resetsAt`. */
  readonly refillMs?: number | undefined;
  /** What the request took of it; 1 when left out. */
  readonly cost?: number | undefined;
  /** True where it is the budget of one endpoint, and so holds back no requests but those of the same kind. */
  readonly endpoint?: boolean | undefined;
}

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

/** The code that a bare status stands for. */
export const codeOfStatus = (status: number): ErrorCode => codes[status] ?? 'vendor_error';

/** `Retry-After` in milliseconds: seconds, or a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}
