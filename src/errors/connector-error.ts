/** All error codes. */
export const errorCodes = [
  'invalid_params',
  'unknown_entity',
  'unknown_action',
  'hosted_only',
  'invalid_credentials',
  'unauthorized',
  'scope_missing',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'quota_exhausted',
  'not_exportable',
  'not_downloadable',
  'too_large',
  'vendor_error',
  'invalid_response',
  'network',
  'timeout',
  'aborted',
  'denied_by_policy',
  'unknown_outcome',
  'cursor_expired',
] as const;

/** Stable error codes; branch on these, never on messages. */
export type ErrorCode = (typeof errorCodes)[number];

/** The vendor's own error details. */
export interface VendorAccount {
  /** The vendor's error code, such as `RATELIMITED`. */
  readonly code?: string | undefined;
  /** The vendor's message, without secrets. */
  readonly message?: string | undefined;
  /** The vendor's request id, to quote in a support request. */
  readonly requestId?: string | undefined;
}

/** An issue with one parameter; `path` is dotted, or `''` for the parameters as a whole. */
export interface ParameterIssue {
  /** Dotted path in the parameters. */
  readonly path: string;
  /** What is wrong and what would be valid. */
  readonly message: string;
}

/** Optional fields of a `ConnectorError`. */
export interface ConnectorErrorDetails {
  readonly status?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly vendor?: VendorAccount | undefined;
  readonly issues?: readonly ParameterIssue[] | undefined;
  readonly hint?: string | undefined;
  readonly docs?: string | undefined;
  readonly cause?: unknown;
}

const marker = Symbol.for('agent-connectors.error');

// Kept outside the class because bundlers rename a class that refers to itself, and a crash prints the class name.
const isConnectorError = (value: unknown): boolean => typeof value === 'object' && value !== null && marker in value;

const sections: Partial<Record<ErrorCode, string>> = {
  invalid_credentials: 'auth',
  unauthorized: 'auth',
  scope_missing: 'auth',
  rate_limited: 'limits',
  quota_exhausted: 'limits',
  hosted_only: 'search',
};

/** Absent rather than undefined, so that errors compare equal wherever they come from. */
function presentFields(vendor: VendorAccount): VendorAccount | undefined {
  const present = Object.entries(vendor).filter(([, text]) => text !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

/** The error that this library throws. It never contains a credential. */
export class ConnectorError extends Error {
  /** Name of the class. */
  override readonly name = 'ConnectorError';
  /** Error code. */
  readonly code: ErrorCode;
  /** HTTP status of the vendor's response, if any. */
  readonly status: number | undefined;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** How long the vendor asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The vendor's error, if any. */
  readonly vendor: VendorAccount | undefined;
  /** All issues with the parameters. */
  readonly issues: readonly ParameterIssue[] | undefined;
  /** What to do next. */
  readonly hint: string | undefined;
  /** Section of the connector's documentation with details. */
  readonly docs: string;

  constructor(code: ErrorCode, message: string, details: ConnectorErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryable = details.retryable ?? (code === 'rate_limited' || code === 'network' || code === 'timeout');
    this.retryAfterMs = details.retryAfterMs;
    this.vendor = details.vendor && presentFields(details.vendor);
    this.issues = details.issues;
    this.hint = details.hint;
    this.docs = details.docs ?? sections[code] ?? 'errors';
    // A printed error shows only the fields that are set.
    for (const [key, value] of Object.entries(this)) if (value === undefined) Reflect.deleteProperty(this, key);
    Object.defineProperty(this, marker, { value: true });
  }

  /** Plain JSON, for logs and for the wire. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, status, retryable, retryAfterMs, vendor, issues, hint, docs } = this;
    return { name, code, message, status, retryable, retryAfterMs, vendor, issues, hint, docs };
  }

  /** Recognizes errors from other copies of this package, which `instanceof` would not. */
  static is(error: unknown): error is ConnectorError {
    return isConnectorError(error);
  }

  /** Also true for errors from another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isConnectorError(value);
  }
}

/** The same error with another hint. */
export const withHint = (error: ConnectorError, hint: string): ConnectorError =>
  new ConnectorError(error.code, error.message, { ...error, hint, cause: error.cause });
