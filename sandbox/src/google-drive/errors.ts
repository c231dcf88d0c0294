import { apiReply, noStore } from '../google/http.js';
import type { VendorReply } from '../vendor.js';

/** The part of a request that an error refers to. */
interface ErrorLocation {
  location: string;
  locationType?: 'parameter' | 'header' | 'other';
}

/** Optional fields of an error. */
interface ErrorExtras extends Partial<ErrorLocation> {
  /** Canonical status name, reported only by the common front end. */
  status?: string;
  /** The message inside `errors`, if it differs from the top-level one. */
  shortMessage?: string;
  domain?: string | null;
  details?: readonly object[];
  headers?: Record<string, string>;
}

/** An error response from Drive, in Google's format. */
export class DriveApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly extras: ErrorExtras;

  constructor(code: number, reason: string, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.extras = extras;
  }

  toReply(isPretty: boolean): VendorReply {
    const {
      location,
      locationType = 'parameter',
      status,
      shortMessage,
      domain = 'global',
      details,
      headers,
    } = this.extras;
    const entry = {
      message: shortMessage ?? this.message,
      ...(domain !== null && { domain }),
      reason: this.reason,
      ...(location !== undefined && { location, locationType }),
    };
    const error = {
      code: this.code,
      message: this.message,
      errors: [entry],
      ...(status !== undefined && { status }),
      ...(details && { details }),
    };
    return json(this.code, { error }, isPretty, headers);
  }
}

/** A JSON response with Drive's headers. */
export const json = (status: number, body: unknown, isPretty = true, headers: Record<string, string> = {}) =>
  apiReply(status, body, isPretty, { 'cache-control': noStore, pragma: 'no-cache', ...headers });

const badToken =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const missingToken =
  'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const unregistered =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
const realm = 'Bearer realm="https://accounts.google.com/"';

/** Errors shared by several methods. */
export const apiErrors = {
  badToken: () =>
    new DriveApiError(401, 'authError', badToken, {
      shortMessage: 'Invalid Credentials',
      location: 'Authorization',
      locationType: 'header',
      status: 'UNAUTHENTICATED',
      headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
    }),
  noToken: (isReading: boolean) =>
    isReading
      ? new DriveApiError(403, 'forbidden', unregistered, { status: 'PERMISSION_DENIED' })
      : new DriveApiError(401, 'required', missingToken, {
          shortMessage: 'Login Required.',
          location: 'Authorization',
          locationType: 'header',
          status: 'UNAUTHENTICATED',
          headers: { 'www-authenticate': realm },
        }),
  noKey: () => new DriveApiError(403, 'forbidden', 'The request is missing a valid API key.'),
  scope: (method: string) =>
    new DriveApiError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
      shortMessage: 'Insufficient Permission',
      status: 'PERMISSION_DENIED',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
          domain: 'googleapis.com',
          metadata: { method: `google.apps.drive.v3.${method}`, service: 'drive.googleapis.com' },
        },
      ],
      headers: { 'www-authenticate': `${realm}, error="insufficient_scope"` },
    }),
  fileNotFound: (id: string) => new DriveApiError(404, 'notFound', `File not found: ${id}.`, { location: 'fileId' }),
  notFound: (thing: string, id: string, location: string) =>
    new DriveApiError(404, 'notFound', `${thing} not found: ${id}${thing === 'Shared drive' ? '' : '.'}`, { location }),
  required: (location: string) => new DriveApiError(400, 'required', `Required parameter: ${location}`, { location }),
  fieldsRequired: () =>
    new DriveApiError(400, 'required', "The 'fields' parameter is required for this method.", { location: 'fields' }),
  badField: (name: string) =>
    new DriveApiError(400, 'invalidParameter', `Invalid field selection ${name}`, { location: 'fields' }),
  invalid: (location: string) => new DriveApiError(400, 'invalid', 'Invalid Value', { location }),
  badRequest: (message = 'Bad Request') => new DriveApiError(400, 'badRequest', message),
  typed: (field: string, type: string, value: string) => {
    const message = `Invalid value at '${field}' (${type}), ${JSON.stringify(value)}`;
    return new DriveApiError(400, 'invalid', message, {
      domain: null,
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description: message }] },
      ],
    });
  },
  range: (value: number, max: number) =>
    new DriveApiError(
      400,
      'invalidParameter',
      `Invalid value '${value}'. Values must be within the range: [value: 1\n, value: ${max}\n]`,
      { location: 'page_size' },
    ),
  fileRights: () =>
    new DriveApiError(
      403,
      'insufficientFilePermissions',
      'The user does not have sufficient permissions for this file.',
    ),
  parentRights: () =>
    new DriveApiError(403, 'insufficientParentPermissions', 'Insufficient permissions for the specified parent.'),
  manyParents: () => new DriveApiError(403, 'cannotAddParent', 'Increasing the number of parents is not allowed'),
  notWritable: (message = 'The resource body includes fields which are not directly writable.') =>
    new DriveApiError(403, 'fieldNotWritable', message),
  quota: () => new DriveApiError(403, 'storageQuotaExceeded', "The user's Drive storage quota has been exceeded."),
};

const messages: Record<string, string> = {
  rateLimitExceeded: 'Rate Limit Exceeded',
  userRateLimitExceeded:
    'User Rate Limit Exceeded. Rate of requests for user exceed configured project quota, you may consider re-evaluating expected per-user traffic to the API and adjust project quota limits accordingly.',
  dailyLimitExceeded: 'Daily Limit Exceeded',
  sharingRateLimitExceeded: 'Rate limit exceeded. User message: "Sorry, you have exceeded your sharing quota."',
  storageQuotaExceeded: "The user's Drive storage quota has been exceeded.",
  downloadQuotaExceeded: 'The download quota for this file has been exceeded.',
  cannotDownloadFile: 'This file cannot be downloaded by the user.',
  domainPolicy: 'The domain administrators have disabled Drive apps.',
  accessNotConfigured: 'Google Drive API has not been used in project 100000000001 before or it is disabled.',
  backendError: 'Backend Error',
  internalError: 'Internal Error',
};

/** The error for an injected fault. */
export function errorForReason(reason: string, code: number, retryAfter?: number): DriveApiError {
  const isLimit = /LimitExceeded$/.test(reason);
  return new DriveApiError(code, reason, messages[reason] ?? 'The request was rejected.', {
    ...(isLimit && { domain: 'usageLimits' }),
    ...(code === 429 && { status: 'RESOURCE_EXHAUSTED' }),
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  });
}
