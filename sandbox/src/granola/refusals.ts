/** A request that Granola refuses. */
export class Refusal extends Error {
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
export function unauthorized(): Refusal {
  return new Refusal(401, 'UNAUTHORIZED', 'Invalid or missing API key');
}

/** A key that may not read notes at all. */
export function noScope(): Refusal {
  return new Refusal(403, 'FORBIDDEN', 'This API key does not have access to notes');
}

/** A refusal for whatever reason a fault's rule names. */
export function refused(status = 403, reason = 'FORBIDDEN'): Refusal {
  return new Refusal(status, reason, 'This request is not allowed');
}

/** A workspace whose plan has lapsed. */
export function inactiveSubscription(): Refusal {
  return new Refusal(403, 'SUBSCRIPTION_INACTIVE', 'An active subscription is required to use the API');
}

/** A parameter that breaks the rules for it. */
export function badParameter(message: string): Refusal {
  return new Refusal(400, 'BAD_REQUEST', message);
}

/** No such thing, or none that the key sees, or a note that is still being summarised: no difference is made. */
export function notFound(thing: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `${thing} not found`);
}

/** A transcript that only the transcript endpoint gives, page by page. */
export function transcriptTooLarge(): Refusal {
  return new Refusal(413, 'TRANSCRIPT_TOO_LARGE', 'The transcript is too large to include in the note');
}

/** More requests than the allowance has room for; Granola does not say when to come back. */
export function rateLimited(retryAfter?: number): Refusal {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new Refusal(429, 'TOO_MANY_REQUESTS', 'Rate limit exceeded', headers);
}

/** Granola itself failed. */
export function internalError(): Refusal {
  return new Refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
}

/** Granola cannot answer for the moment. */
export function unavailable(): Refusal {
  return new Refusal(503, 'SERVICE_UNAVAILABLE', 'The service is temporarily unavailable');
}

/** Only reading is possible. */
export function notAllowed(): Refusal {
  return new Refusal(405, 'METHOD_NOT_ALLOWED', 'Method not allowed', { allow: 'GET' });
}
