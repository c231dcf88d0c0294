import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, startTestService, type Tenant, type TestService } from './setup.js';

let running: TestService;
let acme: Tenant;
let linear: string;

beforeEach(async () => {
  running = await startTestService();
  acme = await running.tenant();
  linear = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
});

describe('a vendor error', () => {
  const rows: ReadonlyArray<readonly [ErrorCode, number]> = [
    ['invalid_params', 422],
    ['unknown_entity', 422],
    ['unknown_action', 422],
    ['hosted_only', 422],
    ['invalid_credentials', 424],
    ['unauthorized', 424],
    ['scope_missing', 403],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['rate_limited', 429],
    ['quota_exhausted', 429],
    ['not_exportable', 403],
    ['not_downloadable', 403],
    ['too_large', 413],
    ['vendor_error', 502],
    ['invalid_response', 502],
    ['network', 502],
    ['timeout', 504],
    ['aborted', 502],
    ['denied_by_policy', 403],
    ['unknown_outcome', 502],
  ];

  test.each(rows)('with the %s code has status %i and is passed on in full', async (code, status) => {
    const error = new ConnectorError(code, 'What happened.', {
      status: 418,
      retryable: false,
      retryAfterMs: 2500,
      vendor: { code: 'TEAPOT', message: 'short and stout', requestId: 'r-1' },
      issues: [{ path: 'a.b', message: 'is odd' }],
      hint: 'Do this next.',
    });
    const { tenant } = await startTestService({ fetch: () => Promise.reject(error) });
    const other = await tenant();
    const id = await other.connect('linear', { api_key: 'lin_api_x' });
    const failed = await execute(other, id, 'issues', 'get', { id: 'ENG-1' });
    expect(failed.status).toBe(status);
    expect(failed.headers.get('retry-after')).toBe('3');
    expect(failed.headers.get('www-authenticate')).toBeNull();
    expect(failed.body).toEqual({
      message: 'What happened.',
      code,
      errors: [{ field: 'a.b', message: 'a.b is odd', error_code: 'invalid', details: null }],
      hint: 'Do this next.',
      retryable: false,
      retry_after_ms: 2500,
      request_id: failed.headers.get('x-request-id'),
      vendor: { code: 'TEAPOT', message: 'short and stout', request_id: 'r-1', status: 418 },
      docs: expect.any(String),
    });
  });

  test("is reported in the vendor's words", async () => {
    const missing = await execute(acme, linear, 'issues', 'get', { id: 'ENG-99999' });
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
    const wrong = await acme.connect('linear', { api_key: 'lin_api_wrong' }, { name: 'wrong' });
    const refused = await execute(acme, wrong, 'teams', 'list');
    expect([refused.status, refused.body.code]).toEqual([424, 'unauthorized']);
    running.sandbox.faults.add({ kind: 'rate_limited', retryAfter: 3600 });
    const limited = await execute(acme, linear, 'teams', 'list');
    expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(limited.body.retry_after_ms).toBeGreaterThan(3_000_000);
  });

  test('for a rate limit has a Retry-After header even if the vendor sends none', async () => {
    const error = new ConnectorError('quota_exhausted', 'Used up.', { retryable: false });
    const other = await (await startTestService({ fetch: () => Promise.reject(error) })).tenant();
    const failed = await execute(other, await other.connect('linear', { api_key: 'x' }), 'teams', 'list');
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([429, '1']);
  });

  test('after a write that may have been executed is reported as an unknown outcome', async () => {
    running.sandbox.faults.add({ kind: 'reset_after', path: '/graphql', count: 10 });
    const doubtful = await execute(acme, linear, 'issues', 'update', { id: 'ENG-1', title: 'Once' });
    expect([doubtful.status, doubtful.body.code, doubtful.body.retryable]).toEqual([502, 'unknown_outcome', false]);
  });
});
