import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { QuotaReached, StateConflict, TooManySetups } from '../data/state/rows.js';

/** An entry of `errors` in an error body. */
export interface FieldError {
  /** Dotted path; empty for the request as a whole. */
  readonly field: string;
  readonly message: string;
  readonly error_code: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** Details of an error in addition to its code and message. */
export interface HttpErrorDetails {
  readonly errors?: readonly FieldError[] | undefined;
  readonly hint?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `error` field of the body, for clients that speak OAuth (RFC 6749, section 5.2). */
  readonly oauthCode?: string | undefined;
}

/** An error whose HTTP status does not follow from its code. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly error: ConnectorError;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauthCode: string | undefined;

  constructor(status: number, error: ConnectorError, { errors, headers = {}, oauthCode }: HttpErrorDetails = {}) {
    super(error.message);
    this.status = status;
    this.error = error;
    this.errors = errors;
    this.headers = headers;
    this.oauthCode = oauthCode;
  }
}

export const httpError = (
  status: number,
  code: ErrorCode,
  message: string,
  details: HttpErrorDetails = {},
): HttpError =>
  new HttpError(
    status,
    new ConnectorError(code, message, {
      hint: details.hint,
      retryable: details.retryable ?? false,
      retryAfterMs: details.retryAfterMs,
    }),
    details,
  );

/** A resource that is missing or that the caller is not allowed to see; the response is the same for both. */
export const notFoundError = (what: string): HttpError => httpError(404, 'not_found', `There is no ${what}.`);

/** HTTP status of each error code. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_params: 422,
  unknown_entity: 422,
  unknown_action: 422,
  hosted_only: 422,
  invalid_credentials: 424,
  unauthorized: 424,
  scope_missing: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  quota_exhausted: 429,
  not_exportable: 403,
  not_downloadable: 403,
  too_large: 413,
  vendor_error: 502,
  invalid_response: 502,
  network: 502,
  timeout: 504,
  aborted: 502,
  denied_by_policy: 403,
  unknown_outcome: 502,
  cursor_expired: 410,
};

/** An error as an HTTP response. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly code: ErrorCode;
}

/** Converts a failure to a response; unexpected errors reveal nothing about their cause. */
export function errorReply(failure: unknown, requestId: string): ErrorReply {
  const httpFailure = asHttpError(failure);
  const { status, error } = httpFailure;
  const { code, retryAfterMs } = error;
  const wait = retryAfterMs ?? (status === 429 ? 1000 : undefined);
  return {
    status,
    code,
    headers: {
      ...(wait !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(wait / 1000))) }),
      ...httpFailure.headers,
    },
    body: JSON.stringify(bodyOf(httpFailure, requestId)),
  };
}

/** Whether a failure is unexpected, so that it is reported to the operator and says nothing to the caller. */
export const isInternal = (failure: unknown): boolean => asHttpError(failure).status === 500;

/** Converts a failure to an error for callers without an HTTP response. */
export const asConnectorError = (failure: unknown): ConnectorError => asHttpError(failure).error;

function asHttpError(failure: unknown): HttpError {
  if (failure instanceof HttpError) return failure;
  if (ConnectorError.is(failure)) return new HttpError(statuses[failure.code] ?? 502, failure);
  if (failure instanceof StateConflict) return httpError(409, 'conflict', failure.message);
  // Not 429: waiting would not help.
  if (failure instanceof QuotaReached) {
    return httpError(403, 'quota_exhausted', failure.message, { hint: failure.hint });
  }
  if (failure instanceof TooManySetups) {
    const wait = { retryable: true, retryAfterMs: 60_000 };
    return httpError(429, 'rate_limited', failure.message, { hint: failure.hint, ...wait });
  }
  return httpError(500, 'vendor_error', 'Internal error; see the log entry for this request id.');
}

function bodyOf({ error, errors, oauthCode }: HttpError, requestId: string): object {
  const { message, code, hint, retryable, retryAfterMs, vendor, status, docs, issues = [] } = error;
  const fieldErrors = errors ?? issues.map(({ path, message: text }) => fieldError(path, text));
  return {
    ...(oauthCode !== undefined && { error: oauthCode, error_description: message }),
    message,
    code,
    errors: fieldErrors.map(nameField),
    hint: hint ?? null,
    retryable,
    retry_after_ms: retryAfterMs ?? null,
    request_id: requestId,
    vendor:
      vendor || status !== undefined
        ? {
            code: vendor?.code ?? null,
            message: vendor?.message ?? null,
            request_id: vendor?.requestId ?? null,
            status: status ?? null,
          }
        : null,
    docs,
  };
}

/** Repeats the field in the message, since many clients show only messages. */
const nameField = (error: FieldError): FieldError =>
  error.field === '' ? error : { ...error, message: joinField(error) };

/** A message with its field: "first must be at most 250". Whole sentences follow a colon. */
export const joinField = ({ field, message }: FieldError): string =>
  field === '' ? message : `${field}${/^[A-Z]/.test(message) ? ':' : ''} ${message}`;

/** An entry of `errors`; `message` continues a sentence that starts with the field. */
export const fieldError = (
  field: string,
  message: string,
  error_code = 'invalid',
  details: FieldError['details'] = null,
): FieldError => ({ field, message, error_code, details });
