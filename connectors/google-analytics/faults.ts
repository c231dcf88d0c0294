import { codeOfStatus, type Fault, findVendorError, type HttpReply, type VendorError } from '../../src/authoring.js';

interface GoogleDetail {
  readonly reason?: unknown;
  readonly metadata?: { readonly service?: unknown } | undefined;
  readonly fieldViolations?: ReadonlyArray<{ readonly field?: unknown; readonly description?: unknown }>;
}

interface GoogleError {
  readonly message?: unknown;
  readonly status?: unknown;
  readonly details?: readonly GoogleDetail[];
  /** The older format, in which some of Google's front ends respond. */
  readonly errors?: ReadonlyArray<{ readonly reason?: unknown }>;
}

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Quotas by error message. Only the first recovers within seconds, so calls do not wait for the others. */
const quotas: readonly VendorError[] = [
  [/concurrent/i, 'rate_limited', 'Each property allows ten concurrent requests across all applications.'],
  [
    /thresholded/i,
    'quota_exhausted',
    'Reports that include user age, gender or audience dimensions are limited to 120 per hour. Remove those dimensions, or retry later.',
  ],
  [/server errors/i, 'quota_exhausted', 'After ten server errors, Google rejects all requests for up to an hour.'],
  [/per minute|per 60 seconds/i, 'rate_limited', 'The Cloud project has sent too many requests within a minute.'],
  [/per day|24 hours/i, 'quota_exhausted', 'The daily token quota is used up; it resets within 24 hours.'],
  [
    /project per hour|per project/i,
    'quota_exhausted',
    'This Cloud project has used up its hourly token quota for the property (14,000; 140,000 for Analytics 360). Reports with fewer columns and days cost less.',
  ],
  [
    /token|per hour/i,
    'quota_exhausted',
    'The hourly token quota is used up. Reports with fewer columns and days cost less.',
  ],
];

const reasons: readonly VendorError[] = [
  ['SERVICE_DISABLED', 'forbidden', 'Enable the {service} in the Cloud project the credentials belong to.'],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'scope_missing', 'Authorize again with the analytics.readonly scope.'],
  ['insufficientPermissions', 'scope_missing', 'Authorize again with the analytics.readonly scope.'],
];

/** Every error that is identified by more than its HTTP status. */
export const vendorErrors = [...quotas, ...reasons];

/** APIs by their name in `metadata.service`; each is enabled separately. */
const services: Readonly<Record<string, string>> = {
  'analyticsdata.googleapis.com': 'Google Analytics Data API',
  'analyticsadmin.googleapis.com': 'Google Analytics Admin API',
};

const hints: Readonly<Record<number, string>> = {
  401: 'Authorize again.',
  403: 'The property_id is wrong or the account has no access. Add the account to the property as a Viewer (for a service account, its client_email).',
};

/**
 * Parses an error response: quotas by their message, then the reason, then the status.
 *
 * Source: developers.google.com/analytics/devguides/reporting/data/v1/errors; quota messages as recorded by other
 * clients.
 */
export function fault({ status, body }: HttpReply): Fault | undefined {
  if (status === 404 && typeof body === 'string' && /Error 404 \(Not Found\)!!1/.test(body)) {
    // Google's own page, which it sends only for an invalid path or method.
    return {
      code: 'vendor_error',
      message: 'Google Analytics has no resource at this URL.',
      hint: 'Check the endpoints option: it takes a base URL without a path.',
      retryable: false,
    };
  }
  const error = typeof body === 'object' && body !== null ? (body as { error?: GoogleError }).error : undefined;
  if (typeof error !== 'object' || error === null) return undefined;
  const message = nonEmptyString(error.message) ?? `status ${status}`;
  const details: GoogleDetail[] = Array.isArray(error.details) ? error.details.filter(Boolean) : [];
  const errors = Array.isArray(error.errors) ? error.errors.filter(Boolean) : [];
  const reason = [...details, ...errors]
    .map((detail) => nonEmptyString(detail.reason))
    .find((name) => findVendorError(reasons, name));
  const declared = status === 429 ? findVendorError(quotas, message) : findVendorError(reasons, reason);
  // Google's APIs say that a resource is missing by a status word (google/rpc/code.proto in googleapis/googleapis): any
  // other 404 may come from a gateway.
  if ((status === 404 || status === 410) && error.status !== 'NOT_FOUND') return undefined;
  const [, code, hint] = declared ?? [undefined, codeOfStatus(status), hints[status]];
  const service =
    details.map(({ metadata }) => nonEmptyString(metadata?.service)).find(Boolean) ?? 'analyticsdata.googleapis.com';
  const violations = details.flatMap(({ fieldViolations }) =>
    Array.isArray(fieldViolations) ? fieldViolations.filter(Boolean) : [],
  );
  return {
    code,
    message: `Google Analytics: ${message.replace(/\.$/, '')}.`,
    hint: hint?.replace('{service}', services[service] ?? service),
    vendor: { code: reason ?? nonEmptyString(error.status), message },
    issues:
      violations.length > 0
        ? violations.map(({ field, description }) => ({
            path: nonEmptyString(field) ?? '',
            message: nonEmptyString(description) ?? message,
          }))
        : undefined,
    retryable: code === 'rate_limited' || status >= 500,
  };
}
