import { codeOfStatus, type Fault, findVendorError, type HttpReply, type VendorError } from '../../src/authoring.js';

const notFoundHint =
  'Possible causes: the id does not exist; you have no access; the item is on a shared drive and supportsAllDrives is false; the drive.file scope covers only files this application created or opened; or the file was shared by link before 2021 and needs its resourceKey.';

const storageHint =
  'If the files belong to a person: free storage, for example by emptying the trash, or buy more. Service accounts have no storage of their own: use a shared drive or act on behalf of a user.';

// Source: discovery document drive.v3, File.permissions: "only available if the requesting user can share the file".
const insufficientHint =
  'The role on the file does not allow this. Only users who can share the file, usually its owner and editors, can list its permissions. To others, files.get returns its owners, sharingUser, shared and capabilities.';

/** Errors by Google's `reason`. */
const reasons: readonly VendorError[] = [
  ['notFound', 'not_found', notFoundHint],
  ['authError', 'unauthorized', 'Authorize again, or pass a new access_token.'],
  ['required', 'invalid_params'],
  ['invalid', 'invalid_params'],
  ['badRequest', 'invalid_params'],
  ['invalidParameter', 'invalid_params'],
  ['fieldNotWritable', 'invalid_params'],
  ['teamDriveIdRequiresTeamDriveCorpora', 'invalid_params', "driveId requires corpora 'drive'."],
  ['requestedRangeNotSatisfiable', 'invalid_params', 'range_header is past the end of the file.'],
  [
    'fileNotDownloadable',
    'not_downloadable',
    'Export native Google documents with files_export.download and a format. A folder has no content.',
  ],
  ['fileNotExportable', 'not_exportable', 'This is not a native Google document: use files.download.'],
  // These errors include a parameter location but are not caused by the parameter.
  ['appNotAuthorizedToFile', 'forbidden'],
  ['cannotDownloadFile', 'forbidden'],
  ['cannotExportFile', 'forbidden'],
  ['domainPolicy', 'forbidden'],
  ['insufficientFilePermissions', 'forbidden', insufficientHint],
  ['insufficientParentPermissions', 'forbidden'],
  [
    'exportSizeLimitExceeded',
    'too_large',
    'Exports are limited to 10 MB. The exportLinks URLs from files.get have no such limit.',
  ],
  [
    'cannotDownloadAbusiveFile',
    'forbidden',
    'Google flagged the file as malware or spam; its owner can pass acknowledgeAbuse: true.',
  ],
  [
    'invalidAbuseAcknowledgment',
    'invalid_params',
    'acknowledgeAbuse applies only to files that Google has flagged. Omit it.',
  ],
  [
    'insufficientPermissions',
    'scope_missing',
    'Authorize again with a wider scope: drive, or drive.readonly for reading.',
  ],
  [
    'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    'scope_missing',
    'Authorize again with a wider scope: drive, or drive.readonly for reading.',
  ],
  ['accessNotConfigured', 'forbidden', 'Enable the Google Drive API in the Cloud project the credentials belong to.'],
  // Reasons in `details` (google/api/error_reason.proto in googleapis/googleapis), also without an entry in `errors`.
  ['RATE_LIMIT_EXCEEDED', 'rate_limited'],
  ['RESOURCE_QUOTA_EXCEEDED', 'quota_exhausted'],
  ['ACCESS_TOKEN_EXPIRED', 'unauthorized', 'Authorize again, or pass a new access_token.'],
  ['ACCOUNT_STATE_INVALID', 'unauthorized', 'The Google account is suspended or deleted.'],
  ['BILLING_DISABLED', 'forbidden', 'Enable billing in the Cloud project the credentials belong to.'],
  ['CONSUMER_SUSPENDED', 'forbidden', 'The Cloud project the credentials belong to is suspended.'],
  ['SERVICE_DISABLED', 'forbidden', 'Enable the Google Drive API in the Cloud project the credentials belong to.'],
  ['storageQuotaExceeded', 'quota_exhausted', storageHint],
  ['rateLimitExceeded', 'rate_limited'],
  ['userRateLimitExceeded', 'rate_limited', 'Google also returns this error after 750 GB of uploads in a day.'],
  ['sharingRateLimitExceeded', 'rate_limited'],
  ['dailyLimitExceeded', 'quota_exhausted'],
  ['quotaExceeded', 'quota_exhausted'],
  [
    'activeItemCreationLimitExceeded',
    'quota_exhausted',
    "The user has reached Google's item limit: delete some items.",
  ],
  [
    'numChildrenInNonRootLimitExceeded',
    'quota_exhausted',
    'A folder can contain up to 500,000 items. Use another folder.',
  ],
  ['teamDriveFileLimitExceeded', 'quota_exhausted', "The shared drive has reached Google's item limit."],
  [
    'downloadQuotaExceeded',
    'quota_exhausted',
    'The file has been downloaded too many times. Downloads can be blocked for up to 24 hours.',
  ],
  ['backendError', 'vendor_error'],
  ['internalError', 'vendor_error'],
];

/** Hints for parameters that Google rejects by name. */
const parameters: Readonly<Record<string, string>> = {
  fields: "For lists, put the record fields in parentheses after the list's key, for example files(id,name).",
  // Valid for several hours; start over if it is rejected (source: discovery document drive.v3, FileList.nextPageToken).
  orderBy: 'A fullText search is always sorted by relevance. Omit fullText or orderBy.',
  pageToken:
    'A page token is valid for a few hours and only for the list and parameters it was issued for. To start over, omit pageToken; for changes.list, get one from changes_start_page_token.get.',
};

interface GoogleError {
  readonly message?: unknown;
  readonly status?: unknown;
  readonly errors?: ReadonlyArray<{
    readonly reason?: unknown;
    readonly location?: unknown;
    readonly locationType?: unknown;
  }>;
  readonly details?: ReadonlyArray<{ readonly reason?: unknown }>;
}

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const statusWords: readonly VendorError[] = [
  ['UNAUTHENTICATED', 'unauthorized'],
  ['RESOURCE_EXHAUSTED', 'rate_limited'],
  ['NOT_FOUND', 'not_found'],
  ['INVALID_ARGUMENT', 'invalid_params'],
];

/** Without credentials, Google returns a 403 with this message. */
const anonymous: VendorError = [/unregistered callers/i, 'unauthorized'];

/** Every error that is identified by more than its HTTP status. */
export const vendorErrors = [anonymous, ...reasons, ...statusWords];

/**
 * Parses an error response by reason, then status word, then HTTP status.
 *
 * Source: developers.google.com/workspace/drive/api/guides/handle-errors; reasons checked against the API.
 */
export function fault({ status, body }: HttpReply): Fault | undefined {
  const error = typeof body === 'object' && body !== null ? (body as { error?: GoogleError }).error : undefined;
  if (typeof error !== 'object' || error === null) return undefined;
  const isMissing = status === 404 || status === 410;
  const [first] = error.errors ?? [];
  const detailReasons = error.details?.flatMap(({ reason }) => nonEmptyString(reason) ?? []) ?? [];
  const detailReason = detailReasons.find((reason) => findVendorError(reasons, reason));
  const reason = detailReason ?? nonEmptyString(first?.reason) ?? detailReasons[0];
  const message = nonEmptyString(error.message) ?? `status ${status}`;
  const declared = findVendorError(reasons, reason);
  // For example, fullText with orderBy is rejected with a 403 `forbidden`.
  const isParameterError = status === 403 && first?.locationType === 'parameter';
  const code =
    (status === 403 ? findVendorError([anonymous], message)?.[1] : undefined) ??
    declared?.[1] ??
    (isParameterError ? 'invalid_params' : undefined) ??
    findVendorError(statusWords, nonEmptyString(error.status))?.[1] ??
    // Google says that a file is missing by a reason or a status word: a bare 404 may come from a gateway.
    (isMissing ? 'vendor_error' : codeOfStatus(status));
  // Google's name for the format of an export.
  const location = first?.location === 'convertTo' ? 'mimeType' : nonEmptyString(first?.location);
  const parameterName = code === 'invalid_params' && location ? location : undefined;
  const hasParameterHint =
    location === 'fields' ? reason === 'invalidParameter' : location === 'orderBy' ? /fullText/.test(message) : true;
  const fullMessage =
    parameterName === undefined || message.includes(parameterName) ? message : `${parameterName}: ${message}`;
  return {
    code,
    message: `Google Drive: ${fullMessage.replace(/\.$/, '')}.`,
    hint:
      (parameterName !== undefined && hasParameterHint && parameters[parameterName]) ||
      // An older reason for full storage, which is also used for other quotas.
      (reason === 'quotaExceeded' && /storage/i.test(message) ? storageHint : declared?.[2]),
    vendor: { code: reason ?? nonEmptyString(error.status), message },
    issues: parameterName === undefined ? undefined : [{ path: parameterName, message }],
    retryable: code === 'rate_limited' || status >= 500 || (isMissing && code === 'vendor_error'),
  };
}
