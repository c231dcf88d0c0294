import type { ErrorCode } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { advanceUntilSettled, freezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { playVendor, type SentRequest } from '../../play-vendor.js';

/** A connector to which Google always returns the same response, and the requests. */
function refused(answer: () => Response, retries = 1) {
  const sent = playVendor(answer);
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.refused' }, retries });
  return { drive, sent };
}

const google = (status: number, reason: string | undefined, error: object = {}, headers: HeadersInit = {}) => {
  const body = { code: status, message: `It is ${reason}.`, ...(reason && { errors: [{ reason }] }), ...error };
  return () => Response.json({ error: body }, { status, headers });
};

test.each([
  ['text', 'ok'],
  ['a list', []],
  ["a proxy's message", { status: 'maintenance' }],
])('%s instead of a list or record is an error', async (_, body) => {
  const { drive } = refused(() => Response.json(body));
  for (const call of [drive.files.list(), drive.files.get({ fileId: 'F' })]) {
    expect((await failure(call)).code).toBe('invalid_response');
  }
});

describe('a permanent reason', () => {
  const lasting: Array<[status: number, reason: string, code: ErrorCode]> = [
    [403, 'dailyLimitExceeded', 'quota_exhausted'],
    [403, 'quotaExceeded', 'quota_exhausted'],
    [403, 'storageQuotaExceeded', 'quota_exhausted'],
    [403, 'downloadQuotaExceeded', 'quota_exhausted'],
    [403, 'exportSizeLimitExceeded', 'too_large'],
    [403, 'fileNotDownloadable', 'not_downloadable'],
    [403, 'fileNotExportable', 'not_exportable'],
    [403, 'cannotDownloadFile', 'forbidden'],
    [403, 'cannotExportFile', 'forbidden'],
    [403, 'cannotDownloadAbusiveFile', 'forbidden'],
    [403, 'invalidAbuseAcknowledgment', 'invalid_params'],
    [403, 'appNotAuthorizedToFile', 'forbidden'],
    [403, 'insufficientFilePermissions', 'forbidden'],
    [403, 'insufficientParentPermissions', 'forbidden'],
    [403, 'insufficientPermissions', 'scope_missing'],
    [403, 'domainPolicy', 'forbidden'],
    [403, 'accessNotConfigured', 'forbidden'],
    [403, 'activeItemCreationLimitExceeded', 'quota_exhausted'],
    [403, 'numChildrenInNonRootLimitExceeded', 'quota_exhausted'],
    [403, 'teamDriveFileLimitExceeded', 'quota_exhausted'],
    [403, 'teamDriveMembershipRequired', 'forbidden'],
    [403, 'teamDriveHierarchyTooDeep', 'forbidden'],
    [403, 'myDriveHierarchyDepthLimitExceeded', 'forbidden'],
    [403, 'teamDrivesParentLimit', 'forbidden'],
    [403, 'fieldNotWritable', 'invalid_params'],
    [403, 'teamDriveIdRequiresTeamDriveCorpora', 'invalid_params'],
    [400, 'badRequest', 'invalid_params'],
    [400, 'invalidSharingRequest', 'invalid_params'],
    [400, 'invalidParameter', 'invalid_params'],
    [400, 'required', 'invalid_params'],
    [400, 'invalid', 'invalid_params'],
    [404, 'notFound', 'not_found'],
    [416, 'requestedRangeNotSatisfiable', 'invalid_params'],
    [401, 'authError', 'unauthorized'],
  ];
  test.each(lasting)('is not retried: %d %s is %s', async (status, reason, code) => {
    const { drive, sent } = refused(google(status, reason));
    const error = await failure(drive.files.get({ fileId: 'F' }));
    expect(error).toMatchObject({ code, status, retryable: false, vendor: { code: reason } });
    expect(error.message).toContain(`It is ${reason}`);
    expect(sent.length).toBe(1);
  });
});

describe('a transient reason', () => {
  const passing: Array<[status: number, reason: string, code: ErrorCode]> = [
    [403, 'rateLimitExceeded', 'rate_limited'],
    [403, 'userRateLimitExceeded', 'rate_limited'],
    [403, 'sharingRateLimitExceeded', 'rate_limited'],
    [429, 'rateLimitExceeded', 'rate_limited'],
    [500, 'backendError', 'vendor_error'],
    [500, 'internalError', 'vendor_error'],
    [502, 'backendError', 'vendor_error'],
    [503, 'backendError', 'vendor_error'],
    [504, 'backendError', 'vendor_error'],
  ];
  /** More than half of a call's timeout, so that the call waits for a limit only once. */
  const longWait = { 'retry-after': '70' };

  test.each(passing)('is retried: %d %s is %s', async (status, reason, code) => {
    freezeTime();
    const headers = code === 'rate_limited' ? longWait : { 'retry-after': '0' };
    const { drive, sent } = refused(google(status, reason, {}, headers));
    const error = await advanceUntilSettled(failure(drive.files.get({ fileId: 'F' })), 100);
    expect(error).toMatchObject({ code, status, retryable: true, vendor: { code: reason } });
    expect(sent.length).toBe(2);
  });

  test('honors Retry-After if Google sends it', async () => {
    const { drive } = refused(google(403, 'userRateLimitExceeded', {}, { 'retry-after': '7' }), 0);
    expect((await failure(drive.about.get())).retryAfterMs).toBe(7000);
  });

  test('allows retrying a write that Google rejected, but not one that may have been executed', async () => {
    freezeTime();
    const limited = refused(google(403, 'userRateLimitExceeded', {}, longWait));
    const error = await advanceUntilSettled(failure(limited.drive.files.create({ name: 'n' })), 100);
    expect(error.code).toBe('rate_limited');
    expect(limited.sent.length).toBe(2);
    const failed = refused(google(500, 'backendError'));
    expect((await failure(failed.drive.files.create({ name: 'n' }))).code).toBe('unknown_outcome');
    expect(failed.sent.length).toBe(1);
  });
});

describe('an error response', () => {
  test('from the common front end is recognized by the reason in its details', async () => {
    const disabled = refused(
      google(403, 'forbidden', { status: 'PERMISSION_DENIED', details: [{ reason: 'SERVICE_DISABLED' }] }),
    );
    const error = await failure(disabled.drive.about.get());
    expect(error).toMatchObject({ code: 'forbidden', vendor: { code: 'SERVICE_DISABLED' } });
    expect(error.hint).toContain('Enable the Google Drive API');
    const narrow = refused(google(403, 'forbidden', { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] }));
    expect((await failure(narrow.drive.about.get())).code).toBe('scope_missing');
  });

  test.each([
    [403, 'PERMISSION_DENIED', 'forbidden'],
    [401, 'UNAUTHENTICATED', 'unauthorized'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limited'],
    [404, 'NOT_FOUND', 'not_found'],
    [400, 'INVALID_ARGUMENT', 'invalid_params'],
  ] as const)('without a reason is recognized by its status: %d %s', async (status, word, code) => {
    const { drive } = refused(google(status, undefined, { status: word }), 0);
    expect(await failure(drive.about.get())).toMatchObject({ code, vendor: { code: word } });
  });

  test('to a call without credentials is a 403 that means unauthorized', async () => {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    const { drive } = refused(google(403, 'forbidden', { message, status: 'PERMISSION_DENIED' }));
    expect((await failure(drive.about.get())).code).toBe('unauthorized');
  });

  test('that is a page rather than JSON says nothing about a file', async () => {
    const page = (status: number) => () =>
      new Response('<!DOCTYPE html><title>Error</title>', { status, headers: { 'content-type': 'text/html' } });
    for (const [status, code] of [
      [404, 'vendor_error'],
      [502, 'vendor_error'],
    ] as const) {
      const error = await failure(refused(page(status), 0).drive.about.get());
      expect(error.code).toBe(code);
      expect(error.message).not.toContain('<');
    }
  });

  test('names the parameter it is about', async () => {
    const errors = [{ reason: 'invalid', location: 'orderBy', locationType: 'parameter' }];
    const { drive } = refused(google(400, 'invalid', { errors }));
    expect((await failure(drive.files.list({ orderBy: 'nope' }))).issues).toMatchObject([{ path: 'orderBy' }]);
  });

  test('with 403 about a parameter is a parameter error, not an access error', async () => {
    const errors = [{ reason: 'forbidden', location: 'orderBy', locationType: 'parameter' }];
    const message = 'Sorting is not supported for queries with fullText terms.';
    const { drive, sent } = refused(google(403, 'forbidden', { errors, message }));
    const error = await failure(drive.files.list({ q: "fullText contains 'x'", orderBy: 'name' }));
    expect(error).toMatchObject({ code: 'invalid_params', status: 403, issues: [{ path: 'orderBy' }] });
    expect(error.hint).toContain('fullText');
    expect(sent.length).toBe(1);
  });

  test.each(['cannotDownloadFile', 'cannotExportFile', 'insufficientFilePermissions'])(
    'about access remains an access error even if Google names a parameter: %s',
    async (reason) => {
      const errors = [{ reason, location: 'alt', locationType: 'parameter' }];
      const { drive } = refused(google(403, reason, { errors }));
      expect((await failure(drive.files.get({ fileId: 'F' }))).code).toBe('forbidden');
    },
  );

  test('to a download says which action to use and how to get oversized files', async () => {
    const hintOf = async (reason: string) =>
      (await failure(refused(google(403, reason), 0).drive.files.download({ fileId: 'F' }))).hint;
    expect(await hintOf('fileNotDownloadable')).toContain('files_export.download');
    expect(await hintOf('exportSizeLimitExceeded')).toContain('exportLinks');
    expect(await hintOf('cannotDownloadAbusiveFile')).toContain('acknowledgeAbuse');
    expect(await hintOf('invalidAbuseAcknowledgment')).toContain('Omit it');
    expect(await hintOf('storageQuotaExceeded')).toContain('Service account');
    expect(await hintOf('userRateLimitExceeded')).toContain('750 GB');
  });
});

test.each([
  ['storageQuotaExceeded', "The user's Drive storage quota has been exceeded."],
  ['quotaExceeded', 'The storage quota of the user has been exceeded.'],
])('full storage (%s) has advice for people and for service accounts', async (reason, message) => {
  const { drive } = refused(google(403, reason, { message }));
  const { code, hint } = await failure(drive.files_upload.create({ name: 'x', text: 'y' }));
  expect(code).toBe('quota_exhausted');
  expect(hint).toMatch(/^If the files belong to a person: free storage/);
  expect(hint).toContain('Service accounts have no storage of their own');
});

test.each([
  ['RATE_LIMIT_EXCEEDED', 403, 'rate_limited', true],
  ['rateLimitExceeded', 403, 'rate_limited', true],
  ['ACCESS_TOKEN_EXPIRED', 401, 'unauthorized', false],
  ['USER_PROJECT_DENIED', 403, 'forbidden', false],
] as const)('%s as the only reason, in details', async (reason, status, code, retryable) => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }];
  const { drive } = refused(google(status, undefined, { status: 'PERMISSION_DENIED', details }), 0);
  expect(await failure(drive.files.list())).toMatchObject({ code, retryable, vendor: { code: reason } });
});

test.each([
  ['form', {}, /Files of type application\/vnd.google-apps.form cannot be downloaded or exported/],
  ['document', { 'application/pdf': 'https://docs.google.com/x' }, /F can be exported as application\/pdf/],
])('a format that a %s does not have is refused with the formats that it has', async (kind, exportLinks, hint) => {
  const conversion = {
    message: 'The requested conversion is not supported.',
    errors: [{ reason: 'badRequest', locationType: 'parameter', location: 'convertTo' }],
  };
  playVendor(({ url }: SentRequest) =>
    url.pathname.endsWith('/export')
      ? google(400, undefined, conversion)()
      : { kind: 'drive#file', id: 'F', mimeType: `application/vnd.google-apps.${kind}`, exportLinks },
  );
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.refused' } });
  const error = await failure(drive.files_export.download({ fileId: 'F', mimeType: 'text/csv' }));
  expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'mimeType' }] });
  expect(error.message).toContain('mimeType');
  expect(error.message).not.toContain('convertTo');
  expect(error.hint).toMatch(hint);
});
