import { apiReply } from '../google/http.js';
import type { VendorReply } from '../vendor.js';

/** Optional fields of an error. */
interface ErrorExtras {
  details?: readonly object[];
  /** Errors in the format of Google's older APIs. */
  errors?: readonly object[];
  headers?: Record<string, string>;
}

/** An error from the Data API, in the format of Google's newer APIs. */
export class AnalyticsApiError extends Error {
  readonly code: number;
  readonly status: string;
  readonly extras: ErrorExtras;

  constructor(code: number, status: string, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.extras = extras;
  }

  toReply(isPretty: boolean): VendorReply {
    const { code, message, status } = this;
    const { headers, ...lists } = this.extras;
    return json(code, { error: { code, message, status, ...lists } }, isPretty, headers);
  }
}

/** A JSON response with the headers of the Analytics APIs. */
export const json = (status: number, body: unknown, isPretty = true, headers: Record<string, string> = {}) =>
  apiReply(status, body, isPretty, { 'cache-control': 'private', 'x-frame-options': 'SAMEORIGIN', ...headers });

/** The two APIs, which are enabled separately. */
export const services = {
  data: { name: 'analyticsdata.googleapis.com', title: 'Google Analytics Data API' },
  admin: { name: 'analyticsadmin.googleapis.com', title: 'Google Analytics Admin API' },
} as const;
const service = services.data.name;
const realm = 'Bearer realm="https://accounts.google.com/"';
const expected =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const aboutIds =
  'To learn more about Property ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.';
const aboutNames =
  'For a list of valid dimensions and metrics, see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema ';
const rpc = 'type.googleapis.com/google.rpc';

function info(reason: string, metadata: object): object {
  return { '@type': `${rpc}.ErrorInfo`, reason, domain: 'googleapis.com', metadata };
}

/** A method's full name, as used by Google's front end. */
function methodName(name: string): string {
  return `google.analytics.data.v1beta.BetaAnalyticsData.${name}`;
}

/** Errors of the API. */
export const apiErrors = {
  invalid: (message: string) => new AnalyticsApiError(400, 'INVALID_ARGUMENT', message),
  payload: (violations: readonly { field?: string; description: string }[]) =>
    new AnalyticsApiError(400, 'INVALID_ARGUMENT', violations.map(({ description }) => description).join('\n'), {
      details: [{ '@type': `${rpc}.BadRequest`, fieldViolations: violations }],
    }),
  propertyId: (id: string) =>
    new AnalyticsApiError(
      400,
      'INVALID_ARGUMENT',
      `Invalid property ID: ${id}. A numeric Property ID is required. ${aboutIds}`,
    ),
  unknownName: (kind: 'dimension' | 'metric', name: string, near: string | undefined) =>
    apiErrors.invalid(
      `${near === undefined ? '' : `Did you mean ${near}? `}Field ${name} is not a valid ${kind}. ${aboutNames}`,
    ),
  incompatible: (names: readonly string[]) =>
    apiErrors.invalid(
      `Please remove ${names.join(', ')} to make the request compatible. The request's dimensions & metrics are incompatible. To learn more, see https://ga-dev-tools.google/ga4/dimensions-metrics-explorer/`,
    ),
  noToken: (method: string) =>
    new AnalyticsApiError(
      401,
      'UNAUTHENTICATED',
      `Request is missing required authentication credential. ${expected}`,
      {
        details: [info('CREDENTIALS_MISSING', { method: methodName(method), service })],
        headers: { 'www-authenticate': realm },
      },
    ),
  badToken: () =>
    new AnalyticsApiError(401, 'UNAUTHENTICATED', `Request had invalid authentication credentials. ${expected}`, {
      headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
    }),
  scope: (method: string) =>
    new AnalyticsApiError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
      details: [info('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { method: methodName(method), service })],
      headers: {
        'www-authenticate': `${realm}, error="insufficient_scope", scope="https://www.googleapis.com/auth/analytics https://www.googleapis.com/auth/analytics.readonly"`,
      },
    }),
  disabled: (project: string, { name, title }: (typeof services)[keyof typeof services] = services.data) => {
    const activationUrl = `https://console.developers.google.com/apis/api/${name}/overview?project=${project}`;
    const message = `${title} has not been used in project ${project} before or it is disabled. Enable it by visiting ${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
    return new AnalyticsApiError(403, 'PERMISSION_DENIED', message, {
      details: [
        info('SERVICE_DISABLED', {
          service: name,
          serviceTitle: title,
          activationUrl,
          consumer: `projects/${project}`,
          containerInfo: project,
        }),
        { '@type': `${rpc}.LocalizedMessage`, locale: 'en-US', message },
        {
          '@type': `${rpc}.Help`,
          links: [{ description: 'Google developers console API activation', url: activationUrl }],
        },
      ],
    });
  },
  /** A missing scope, as Google's older front ends report it. */
  oldScope: () => {
    const message = 'Insufficient Permission';
    return new AnalyticsApiError(403, 'PERMISSION_DENIED', message, {
      errors: [{ message, domain: 'global', reason: 'insufficientPermissions' }],
    });
  },
  perMinute: () =>
    apiErrors.exhausted(
      `Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per project' of service '${service}'.`,
    ),
  permission: () =>
    new AnalyticsApiError(
      403,
      'PERMISSION_DENIED',
      `User does not have sufficient permissions for this property. ${aboutIds}`,
    ),
  internal: () => new AnalyticsApiError(500, 'INTERNAL', 'Internal error encountered.'),
  unavailable: () => new AnalyticsApiError(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
  exhausted: (message: string, retryAfter?: number) =>
    new AnalyticsApiError(429, 'RESOURCE_EXHAUSTED', message, {
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
    }),
};
