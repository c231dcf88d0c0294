/** An error response from Granola. */
export class GranolaApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** A missing, unknown, revoked or expired key. */
export function unauthorized(): GranolaApiError {
  return new GranolaApiError(401, 'UNAUTHORIZED', 'Invalid or missing API key');
}

/** A key without permission to read notes. */
export function missingScope(): GranolaApiError {
  return new GranolaApiError(403, 'FORBIDDEN', 'This API key does not have access to notes');
}

/** A workspace whose plan has lapsed. */
export function inactiveSubscription(): GranolaApiError {
  return new GranolaApiError(403, 'SUBSCRIPTION_INACTIVE', 'An active subscription is required to use the API');
}

/** An invalid parameter. */
export function badParameter(message: string): GranolaApiError {
  return new GranolaApiError(400, 'BAD_REQUEST', message);
}

/** Missing, invisible, or still being summarized: the response is the same. */
export function notFound(thing: string): GranolaApiError {
  return new GranolaApiError(404, 'NOT_FOUND', `${thing} not found`);
}

/** A transcript that is only available page by page from the transcript endpoint. */
export function transcriptTooLarge(): GranolaApiError {
  return new GranolaApiError(413, 'TRANSCRIPT_TOO_LARGE', 'The transcript is too large to include in the note');
}

/** Rate limit exceeded; Granola does not say when to retry. */
export function rateLimited(retryAfter?: number): GranolaApiError {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new GranolaApiError(429, 'TOO_MANY_REQUESTS', 'Rate limit exceeded', headers);
}

/** Internal error. */
export function internalError(): GranolaApiError {
  return new GranolaApiError(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
}

/** Service unavailable. */
export function unavailable(): GranolaApiError {
  return new GranolaApiError(503, 'SERVICE_UNAVAILABLE', 'The service is temporarily unavailable');
}

/** Only reads are supported. */
export function methodNotAllowed(): GranolaApiError {
  return new GranolaApiError(405, 'METHOD_NOT_ALLOWED', 'Method not allowed', { allow: 'GET' });
}

/** Errors by the reason of the fault `refused`. */
export const refusals: Readonly<Record<string, () => GranolaApiError>> = {
  BAD_REQUEST: () => badParameter('Invalid cursor'),
  UNAUTHORIZED: unauthorized,
  FORBIDDEN: missingScope,
  SUBSCRIPTION_INACTIVE: inactiveSubscription,
  NOT_FOUND: () => notFound('Note'),
  TRANSCRIPT_TOO_LARGE: transcriptTooLarge,
};

/** The error for an injected fault; a status of its own has no documented code. */
export function injectedError(status: number | undefined, reason = 'FORBIDDEN'): GranolaApiError {
  const error = refusals[reason]?.();
  if (error && (status === undefined || status === error.status)) return error;
  return new GranolaApiError(status ?? 403, reason, 'This request is not allowed');
}
