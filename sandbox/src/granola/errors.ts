/** A request that Granola refuses. */
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

/** A key that is missing, unknown, revoked or expired. */
export function unauthorized(): GranolaApiError {
  return new GranolaApiError(401, 'UNAUTHORIZED', 'Invalid or missing API key');
}

/** A key that may not read notes at all. */
export function missingScope(): GranolaApiError {
  return new GranolaApiError(403, 'FORBIDDEN', 'This API key does not have access to notes');
}

/** A refusal for whatever reason a fault's rule names. */
export function injectedError(status = 403, reason = 'FORBIDDEN'): GranolaApiError {
  return new GranolaApiError(status, reason, 'This request is not allowed');
}

/** A workspace whose plan has lapsed. */
export function inactiveSubscription(): GranolaApiError {
  return new GranolaApiError(403, 'SUBSCRIPTION_INACTIVE', 'An active subscription is required to use the API');
}

/** A parameter that breaks the rules for it. */
export function badParameter(message: string): GranolaApiError {
  return new GranolaApiError(400, 'BAD_REQUEST', message);
}

/** No such thing, or none that the key sees, or a note that is still being summarised: no difference is made. */
export function notFound(thing: string): GranolaApiError {
  return new GranolaApiError(404, 'NOT_FOUND', `${thing} not found`);
}

/** A transcript that only the transcript endpoint gives, page by page. */
export function transcriptTooLarge(): GranolaApiError {
  return new GranolaApiError(413, 'TRANSCRIPT_TOO_LARGE', 'The transcript is too large to include in the note');
}

/** More requests than the allowance has room for; Granola does not say when to come back. */
export function rateLimited(retryAfter?: number): GranolaApiError {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new GranolaApiError(429, 'TOO_MANY_REQUESTS', 'Rate limit exceeded', headers);
}

/** Granola itself failed. */
export function internalError(): GranolaApiError {
  return new GranolaApiError(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
}

/** Granola cannot answer for the moment. */
export function unavailable(): GranolaApiError {
  return new GranolaApiError(503, 'SERVICE_UNAVAILABLE', 'The service is temporarily unavailable');
}

/** Only reading is possible. */
export function methodNotAllowed(): GranolaApiError {
  return new GranolaApiError(405, 'METHOD_NOT_ALLOWED', 'Method not allowed', { allow: 'GET' });
}
