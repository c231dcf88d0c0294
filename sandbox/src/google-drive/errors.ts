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
  /** Missing if only the common front end's status names the error. */
  readonly reason: string | undefined;
  readonly extras: ErrorExtras;

  constructor(code: number, reason: string | undefined, message: string, extras: ErrorExtras = {}) {
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
      ...(this.reason !== undefined && { errors: [entry] }),
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

/** Status and message by the reason of the fault `refused`. */
export const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  badRequest: [400, 'Bad Request'],
  required: [400, 'Required'],
  invalid: [400, 'Invalid Value'],
  invalidParameter: [400, 'Invalid field selection'],
  authError: [401, 'Invalid Credentials'],
  accessNotConfigured: [403, 'Google Drive API has not been used in project 100000000001 before or it is disabled.'],
  activeItemCreationLimitExceeded: [403, 'This account has exceeded the creation limit of 500 million items.'],
  appNotAuthorizedToFile: [403, 'The user has not granted the app access to the file.'],
  cannotDownloadAbusiveFile: [403, 'This file has been identified as malware or spam and cannot be downloaded.'],
  cannotDownloadFile: [403, 'This file cannot be downloaded by the user.'],
  cannotExportFile: [403, 'This file cannot be exported by the user.'],
  dailyLimitExceeded: [403, 'Daily Limit Exceeded'],
  domainPolicy: [403, 'The domain administrators have disabled Drive apps.'],
  downloadQuotaExceeded: [403, 'The download quota for this file has been exceeded.'],
  exportSizeLimitExceeded: [403, 'This file is too large to be exported.'],
  fieldNotWritable: [403, 'The resource body includes fields which are not directly writable.'],
  fileNotDownloadable: [403, 'Only files with binary content can be downloaded. Use Export with Docs Editors files.'],
  fileNotExportable: [403, 'Export only supports Docs Editors files.'],
  insufficientFilePermissions: [403, 'The user does not have sufficient permissions for this file.'],
  insufficientParentPermissions: [403, 'Insufficient permissions for the specified parent.'],
  insufficientPermissions: [403, 'Request had insufficient authentication scopes.'],
  invalidAbuseAcknowledgment: [403, 'The acknowledgeAbuse parameter is only applicable for download requests.'],
  numChildrenInNonRootLimitExceeded: [
    403,
    "The limit for this folder's number of children (files and folders) has been exceeded.",
  ],
  quotaExceeded: [403, 'Quota exceeded.'],
  rateLimitExceeded: [403, 'Rate Limit Exceeded'],
  sharingRateLimitExceeded: [403, 'Rate limit exceeded. User message: "Sorry, you have exceeded your sharing quota."'],
  storageQuotaExceeded: [403, "The user's Drive storage quota has been exceeded."],
  teamDriveFileLimitExceeded: [403, 'The file limit for this shared drive has been exceeded.'],
  teamDriveIdRequiresTeamDriveCorpora: [
    403,
    'The driveId parameter must be specified if and only if corpora is set to drive.',
  ],
  userRateLimitExceeded: [
    403,
    'User Rate Limit Exceeded. Rate of requests for user exceed configured project quota, you may consider re-evaluating expected per-user traffic to the API and adjust project quota limits accordingly.',
  ],
  notFound: [404, 'File not found: .'],
  requestedRangeNotSatisfiable: [416, 'Request range not satisfiable'],
  backendError: [500, 'Backend Error'],
  internalError: [500, 'Internal Error'],
  // From the common front end: the reason is in the details, or only the status names the error.
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: [403, 'Request had insufficient authentication scopes.'],
  RATE_LIMIT_EXCEEDED: [403, "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'."],
  RESOURCE_QUOTA_EXCEEDED: [403, 'The quota of the resource has been exceeded.'],
  ACCESS_TOKEN_EXPIRED: [401, badToken],
  ACCOUNT_STATE_INVALID: [401, badToken],
  BILLING_DISABLED: [403, 'This API method requires billing to be enabled.'],
  CONSUMER_SUSPENDED: [403, "Permission denied: Consumer 'project_number:100000000001' has been suspended."],
  SERVICE_DISABLED: [403, 'Google Drive API has not been used in project 100000000001 before or it is disabled.'],
  INVALID_ARGUMENT: [400, 'Request contains an invalid argument.'],
  PERMISSION_DENIED: [403, unregistered],
  UNAUTHENTICATED: [401, badToken],
  NOT_FOUND: [404, 'Requested entity was not found.'],
  RESOURCE_EXHAUSTED: [429, 'Resource has been exhausted (e.g. check quota).'],
};

/** Reasons in `details`, by whether the error has an entry in `errors` besides. */
const detailReasons: ReadonlyMap<string, boolean> = new Map([
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', true],
  ['SERVICE_DISABLED', true],
  ['RATE_LIMIT_EXCEEDED', false],
  ['RESOURCE_QUOTA_EXCEEDED', false],
  ['ACCESS_TOKEN_EXPIRED', false],
  ['ACCOUNT_STATE_INVALID', false],
  ['BILLING_DISABLED', false],
  ['CONSUMER_SUSPENDED', false],
]);

/** The error for an injected fault. */
export function errorForReason(reason: string, status?: number, retryAfter?: number): DriveApiError {
  const [usualStatus, message] = refusals[reason] ?? [403, 'The request was rejected.'];
  const code = status ?? usualStatus;
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } };
  if (detailReasons.has(reason)) {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }];
    const word = code === 401 ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED';
    const first = detailReasons.get(reason) ? 'forbidden' : undefined;
    return new DriveApiError(code, first, message, { status: word, details, ...headers });
  }
  if (/^[A-Z_]+$/.test(reason)) return new DriveApiError(code, undefined, message, { status: reason, ...headers });
  return new DriveApiError(code, reason, message, {
    ...(/LimitExceeded$/.test(reason) && { domain: 'usageLimits' }),
    ...(code === 429 && { status: 'RESOURCE_EXHAUSTED' }),
    ...headers,
  });
}
