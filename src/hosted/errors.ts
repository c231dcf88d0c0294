import { ConnectorError, type ErrorCode, errorCodes, type ParameterIssue } from '../errors/connector-error.js';
import { codeOfStatus, retryAfter } from '../http/fault.js';
import { outcomeUnknown } from '../http/outcome.js';

const codes: ReadonlySet<string> = new Set(errorCodes);

/** Connection errors, which are transient; errors returned by the service itself are final. */
export const transientErrors = new WeakSet<ConnectorError>();

/** Errors for a write that this call already sent and that is still in progress. */
export const inProgressErrors = new WeakSet<ConnectorError>();

/** The service's own rate limit errors: nothing was started, and the delay is known. */
export const notStartedErrors = new WeakSet<ConnectorError>();

const missingRoutes = new WeakSet<ConnectorError>();

/** Whether the requested route is missing, for example because the service is older. */
export const isMissingRoute = (error: unknown): boolean => ConnectorError.is(error) && missingRoutes.has(error);

/** Errors returned after the service has checked the idempotency key, so they also apply to all earlier attempts. */
export const conclusiveErrors = new WeakSet<ConnectorError>();

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Converts an error response to the service's own error, or to one saying that a different server responded. */
export const errorOf = (status: number, headers: Headers, body: Record<string, unknown>): ConnectorError =>
  codes.has(String(body.code)) ? serviceError(status, headers, body) : unrecognizedError(status, headers, body);

/** Statuses that can occur before the idempotency key is checked or when the service itself fails. */
const inconclusiveStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 413, 415, 500]);

const tokenHint =
  'Pass a valid token as hosted.token, or hosted.clientId and hosted.clientSecret to request tokens automatically.';

function serviceError(status: number, headers: Headers, body: Record<string, unknown>): ConnectorError {
  const code = body.code as ErrorCode;
  const vendor = object(body.vendor);
  const error = new ConnectorError(code, text(body.message) ?? `The service responded with ${status}.`, {
    // The vendor's own status, if the vendor rejected the call.
    status: number(vendor.status) ?? (status === 401 ? status : undefined),
    retryable: body.retryable === true,
    retryAfterMs: 'retry_after_ms' in body ? number(body.retry_after_ms) : retryAfter(headers, Date.now()),
    vendor: { code: text(vendor.code), message: text(vendor.message), requestId: text(vendor.request_id) },
    issues: issuesOf(body.errors),
    hint: status === 401 ? tokenHint : text(body.hint),
    docs: text(body.docs),
  });
  if (code === 'unknown_outcome' || status === 500) outcomeUnknown.add(error);
  if (status === 409 && body.retryable === true && !body.vendor) inProgressErrors.add(error);
  if (errorCodeOf(body) === 'unknown_route') missingRoutes.add(error);
  const isUnstarted = errorCodeOf(body) === 'not_begun';
  if (isUnstarted && error.retryAfterMs) notStartedErrors.add(error);
  if (!isUnstarted && (body.vendor || !inconclusiveStatuses.has(status))) conclusiveErrors.add(error);
  return error;
}

const errorCodeOf = ({ errors }: Record<string, unknown>): unknown =>
  Array.isArray(errors) ? object(errors[0]).error_code : undefined;

/** A response that is not in the service's format or has a code unknown to this version. */
function unrecognizedError(status: number, headers: Headers, body: Record<string, unknown>): ConnectorError {
  const hasServiceForm = typeof body.code === 'string' && typeof body.message === 'string';
  const gateway = status === 502 || status === 503 || status === 504;
  // A 404 page refers to the URL, never to a record.
  const code = hasServiceForm || [401, 413, 429].includes(status) ? codeOfStatus(status) : 'vendor_error';
  const error = new ConnectorError(
    code,
    (hasServiceForm && text(body.message)) || `The service responded with ${status}.`,
    {
      status,
      retryable: gateway || status === 429,
      retryAfterMs: retryAfter(headers, Date.now()),
      issues: hasServiceForm ? issuesOf(body.errors) : undefined,
      hint:
        text(body.hint) ??
        (hasServiceForm
          ? `The error code '${String(body.code).slice(0, 100)}' is unknown to this version of the library.`
          : 'The response is not from the service: a proxy may have responded.'),
    },
  );
  if (error.retryable) transientErrors.add(error);
  if ([404, 405, 501].includes(status)) missingRoutes.add(error);
  if (status >= 500) outcomeUnknown.add(error);
  return error;
}

function issuesOf(errors: unknown): ParameterIssue[] | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  return errors.map(object).map(({ field, message }) => {
    const path = text(field) ?? '';
    const named = text(message) ?? '';
    const start = path && [`${path} `, `${path}: `].find((prefix) => named.startsWith(prefix));
    return { path, message: named.slice(start?.length) };
  });
}

/** Rewords an HTTP error so that it blames the service instead of the vendor. */
export function asServiceError(error: unknown): ConnectorError {
  if (!ConnectorError.is(error)) throw error;
  const { code, status, cause } = error;
  if (code === 'timeout') transientErrors.add(error);
  if (code === 'invalid_response') return redirectError(status);
  if (code !== 'network') return error;
  const failure = new ConnectorError('network', error.message, {
    cause,
    hint: 'Check that the service is running and that hosted.baseUrl is its URL.',
  });
  if (outcomeUnknown.has(error)) outcomeUnknown.add(failure);
  transientErrors.add(failure);
  return failure;
}

/** Redirects are never followed because the target would receive the token. */
export const redirectError = (status?: number): ConnectorError =>
  new ConnectorError('invalid_response', 'The service sent a redirect, which was not followed.', {
    status,
    hint: 'Set hosted.baseUrl to the redirect target; it may use https instead of http.',
  });

/** A change was sent, and its outcome is unknown. */
export function unknownOutcomeError(change: string, error: ConnectorError): ConnectorError {
  if (error.code === 'unknown_outcome') return error;
  const { message, status, vendor } = error;
  return new ConnectorError('unknown_outcome', `${change} was sent, but its outcome is unknown: ${message}`, {
    status,
    retryable: false,
    vendor,
    hint: 'Before you retry, check whether the change was made.',
    cause: error,
  });
}
