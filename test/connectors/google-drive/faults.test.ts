import type { ErrorCode } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { playVendor } from '../../play-vendor.js';
import { connectorOnSandbox } from './setup.js';

describe("Google's error reasons are mapped to codes", () => {
  const table: Array<[reason: string, status: number, code: ErrorCode, tries: number]> = [
    ['rateLimitExceeded', 403, 'rate_limited', 1],
    ['userRateLimitExceeded', 403, 'rate_limited', 1],
    ['rateLimitExceeded', 429, 'rate_limited', 1],
    ['backendError', 500, 'vendor_error', 2],
    ['dailyLimitExceeded', 403, 'quota_exhausted', 1],
    ['downloadQuotaExceeded', 403, 'quota_exhausted', 1],
    ['storageQuotaExceeded', 403, 'quota_exhausted', 1],
    ['insufficientPermissions', 403, 'scope_missing', 1],
    ['insufficientFilePermissions', 403, 'forbidden', 1],
    ['accessNotConfigured', 403, 'forbidden', 1],
    ['domainPolicy', 403, 'forbidden', 1],
    ['cannotDownloadAbusiveFile', 403, 'forbidden', 1],
    ['exportSizeLimitExceeded', 403, 'too_large', 1],
    ['notFound', 404, 'not_found', 1],
  ];
  test.each(table)('%s with %d: %s', async (reason, status, code, tries) => {
    const { drive, sandbox } = connectorOnSandbox({
      retries: tries - 1,
      faults: [{ kind: 'refused', path: '/drive/v3/about', reason, status, count: 9 }],
    });
    const error = await failure(drive.about.get());
    expect(error).toMatchObject({ code, status });
    expect(error.vendor?.code).toBe(reason);
    expect(sandbox.requests.filter(({ path }) => path.startsWith('/drive/v3/about'))).toHaveLength(tries);
  });
});

test('a per-minute quota error is retried until it clears, regardless of the retries option', async () => {
  const { drive, sandbox } = connectorOnSandbox({
    retries: 1,
    faults: [{ kind: 'refused', path: '/drive/v3/about', reason: 'userRateLimitExceeded', status: 403, count: 5 }],
  });
  await warmUpAndFreezeTime();
  const started = Date.now();
  await advanceUntilSettled(drive.about.get(), 250);
  expect(sandbox.requests.filter(({ path }) => path.startsWith('/drive/v3/about'))).toHaveLength(6);
  expect(Date.now() - started).toBeGreaterThanOrEqual(31_000);
});

test('scopes that are too narrow are reported', async () => {
  const { drive } = connectorOnSandbox({ mode: 'metadata_readonly' });
  const file = (await drive.files.list({ q: "mimeType='application/pdf'", pageSize: 1 })).data[0]!;
  const error = await failure(drive.files.download({ fileId: file.id }));
  expect(error.code).toBe('scope_missing');
  expect(error.hint).toContain('scope');
  expect((await failure(drive.comments.list({ fileId: file.id }))).code).toBe('scope_missing');
});

test('the drive.file scope makes other files look missing', async () => {
  const { drive: whole } = connectorOnSandbox();
  const { drive } = connectorOnSandbox({ mode: 'drive_file' });
  const own = new Set((await drive.files.list({ pageSize: 1000 })).data.map(({ id }) => id));
  const other = (await whole.files.list({ pageSize: 1000 })).data.find(({ id }) => !own.has(id))!;
  expect(own.size).toBeGreaterThan(0);
  const error = await failure(drive.files.get({ fileId: other.id }));
  expect(error.code).toBe('not_found');
  expect(error.hint).toContain('drive.file');
});

test('an expired access token is rejected, but renewed once if there is a refresh token', async () => {
  const fixed = connectorOnSandbox();
  await fixed.drive.about.get();
  fixed.sandbox.expireTokens();
  expect(await failure(fixed.drive.about.get())).toMatchObject({ code: 'unauthorized', vendor: { code: 'authError' } });

  const renewing = connectorOnSandbox({ mode: 'oauth' });
  await renewing.drive.about.get();
  renewing.sandbox.expireTokens();
  renewing.sandbox.requests.clear();
  await Promise.all(Array.from({ length: 20 }, () => renewing.drive.about.get()));
  expect(renewing.sandbox.requests.filter(({ path }) => path === '/token')).toHaveLength(1);
});

test('the error for the wrong kind of download suggests the right one', async () => {
  const { drive } = connectorOnSandbox();
  const [pdf] = (await drive.files.list({ q: "mimeType='application/pdf'", pageSize: 1 })).data;
  const [doc] = (await drive.files.list({ q: "mimeType='application/vnd.google-apps.document'", pageSize: 1 })).data;
  const exported = await failure(drive.files_export.download({ fileId: pdf!.id, mimeType: 'text/plain' }));
  expect(exported).toMatchObject({ code: 'not_exportable', hint: expect.stringContaining('files.download') });
  const downloaded = await failure(drive.files.download({ fileId: doc!.id }));
  expect(downloaded).toMatchObject({
    code: 'not_downloadable',
    hint: expect.stringContaining('files_export.download'),
  });
});

test('the error for a list mask with record fields suggests the correction', async () => {
  const { drive } = connectorOnSandbox();
  const error = await failure(drive.files.list({ fields: 'id,name' }));
  expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'fields' }] });
  expect(error.hint).toContain('files(id,name)');
});

test('a bad query is reported as invalid_params', async () => {
  const { drive } = connectorOnSandbox();
  expect(await failure(drive.files.list({ q: 'nope nope' }))).toMatchObject({ code: 'invalid_params', status: 400 });
});

test('a list without its fields is not an empty list, unless the caller has left them out', async () => {
  const credentials = { access_token: 'ya29.test' };
  playVendor({});
  const drive = new GoogleDriveConnector({ credentials, retries: 0 });
  expect((await failure(drive.files.list({}))).code).toBe('invalid_response');
  expect((await failure(drive.files.list({ fields: 'kind,files(id)' }))).code).toBe('invalid_response');
  expect((await drive.files.list({ fields: 'files(id)' })).data).toEqual([]);
});
