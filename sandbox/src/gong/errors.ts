/** An error response from Gong. */
export class GongApiError extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  readonly headers: Record<string, string>;

  constructor(status: number, errors: string | readonly string[], headers: Record<string, string> = {}) {
    const texts = [errors].flat();
    super(texts.join('; '));
    this.status = status;
    this.errors = texts;
    this.headers = headers;
  }
}

/** Gong's errors and their messages. */
export const apiErrors = {
  badKey: () => new GongApiError(401, 'Failed to authenticate the request. Check your access key and secret.'),
  /** Another company's host does not return a message. */
  wrongHost: () => new GongApiError(401, []),
  badToken: () => new GongApiError(401, 'The access token is invalid, expired or has been revoked.'),
  scope: (scope: string) => new GongApiError(401, `You don't have permission to use '${scope}' in your app.`),
  malformed: (errors: string | readonly string[]) => new GongApiError(400, errors),
  unreadable: () => new GongApiError(400, 'The request body is not valid JSON'),
  /** An empty list, which Gong reports as 404. */
  empty: (things: string, end = '') =>
    new GongApiError(404, `No ${things} found corresponding to the provided filters${end}`),
  noStats: () => new GongApiError(404, 'No stats found for the specified period'),
  notFound: (thing: string, id: string) => new GongApiError(404, `${thing} ID ${id} was not found`),
  noFolders: () => new GongApiError(404, 'No folders found for the specified period'),
  noRoute: (path: string) => new GongApiError(404, `No resource at ${path}`),
  noMethod: (allow: string) => new GongApiError(405, 'Method not allowed', { allow }),
  limited: (retryAfter: number) =>
    new GongApiError(429, 'API rate limit exceeded. Try again later.', { 'retry-after': String(retryAfter) }),
  forbidden: (status = 403, reason = 'Access denied') => new GongApiError(status, reason),
  failed: () => new GongApiError(500, 'Internal server error'),
  unavailable: () => new GongApiError(503, 'The service is temporarily unavailable'),
} as const;

/** Errors by the reason of the fault `refused`; any other reason is the text of an error. */
export const refusals: Readonly<Record<string, () => GongApiError>> = {
  badKey: apiErrors.badKey,
  scope: () => apiErrors.scope('api:users:read'),
  empty: () => apiErrors.empty('calls'),
  noStats: apiErrors.noStats,
  forbidden: apiErrors.forbidden,
};
