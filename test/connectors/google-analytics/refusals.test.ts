import type { ErrorCode } from 'agent-connectors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { connectorOnSandbox, connectorWithReplies, errorReply, property, reportOf } from './setup.js';

beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

/** The error for a response that never changes, and the number of requests. */
async function refused(reply: Response, retries = 9) {
  const { analytics, sent } = connectorWithReplies([reply], { retries });
  return { error: await failure(analytics.pages.list(property)), asked: sent.length };
}

const exhausted = (message: string, headers: HeadersInit = {}) =>
  errorReply(429, 'RESOURCE_EXHAUSTED', message, {}, headers);

/** Google's messages for each quota, and what the hint must say. */
const lasting: ReadonlyArray<readonly [words: string, hint: string]> = [
  ['Exhausted property tokens per day. These quota tokens will return in under 24 hours.', '24 hours'],
  ['Exhausted tokens for the day. The quota will return in under 24 hours.', '24 hours'],
  ['Exhausted property tokens per hour. These quota tokens will return in under an hour.', 'hourly token quota'],
  ['Exhausted property tokens for a project per hour. These quota tokens will return in under an hour.', '14,000'],
  ['Exhausted potentially thresholded requests quota. This quota will refresh in under an hour.', '120 per hour'],
  ['Exhausted server errors quota. This quota will return in under an hour.', 'up to an hour'],
];

describe('an exhausted quota', () => {
  test.each(lasting)('fails without waiting: %s', async (words, hint) => {
    const { error, asked } = await refused(exhausted(words));
    expect(error).toMatchObject({
      code: 'quota_exhausted',
      status: 429,
      retryable: false,
      vendor: { code: 'RESOURCE_EXHAUSTED', message: words },
    });
    expect(error.hint).toContain(hint);
    expect(error.message).toBe(`Google Analytics: ${words}`);
    expect(asked).toBe(1);
  });

  test('per minute is reported as retryable, not as used up', async () => {
    const words =
      "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per project' of service 'analyticsdata.googleapis.com'.";
    const { error } = await refused(exhausted(words), 0);
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.hint).toContain('within a minute');
  });

  test('for concurrent requests is reported as retryable', async () => {
    const { error } = await refused(exhausted('Exhausted concurrent requests quota.'), 0);
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.hint).toContain('ten concurrent requests');
  });

  test('for concurrent requests can clear before the next attempt', async () => {
    const { analytics, sent } = connectorWithReplies(
      [exhausted('Exhausted concurrent requests quota.'), reportOf([['a', '1']])],
      {
        retries: 2,
      },
    );
    await warmUpAndFreezeTime();
    const started = performance.now();
    expect((await advanceUntilSettled(analytics.pages.list(property))).data).toHaveLength(1);
    expect(sent).toHaveLength(2);
    // The same backoff as after any other failure.
    expect(performance.now() - started).toBeLessThanOrEqual(500);
  });

  test('for concurrent requests honors Retry-After, if Google ever sends it', async () => {
    const { error } = await refused(exhausted('Exhausted concurrent requests quota.', { 'retry-after': '7' }), 0);
    expect(error.retryAfterMs).toBe(7_000);
  });

  test('with an unknown message is treated as a rate limit', async () => {
    const { error } = await refused(exhausted('Slow down.'), 0);
    expect(error.code).toBe('rate_limited');
    expect(error.hint).toBeUndefined();
  });
});

describe('a failure at Google', () => {
  test.each([
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ])(
    'is retried at most twice, regardless of the retries option, since each attempt counts: %d',
    async (status, word) => {
      for (const [retries, times] of [
        [9, 3],
        [2, 3],
        [1, 2],
        [0, 1],
      ] as const) {
        const { error, asked } = await refused(errorReply(status, word, 'Internal error encountered.'), retries);
        expect(error).toMatchObject({ code: 'vendor_error', status, retryable: true, vendor: { code: word } });
        expect(asked, `retries: ${retries}`).toBe(times);
      }
    },
  );

  test('is hidden from the caller if it is transient', async () => {
    const { analytics, sent } = connectorWithReplies([errorReply(503, 'UNAVAILABLE', 'x'), reportOf([['a', '1']])], {
      retries: 2,
    });
    expect((await analytics.pages.list(property)).data).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  test.each([
    [404, 'vendor_error', 1],
    [502, 'vendor_error', 3],
    [200, 'invalid_response', 3],
  ] as const)('can be an HTML page, which is not shown: %d', async (status, code, times) => {
    const page = new Response('<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>', {
      status,
      headers: { 'content-type': 'text/html' },
    });
    const { error, asked } = await refused(page);
    expect(error).toMatchObject({ code, status, retryable: times > 1 });
    expect(error.message).not.toContain('<');
    expect(asked).toBe(times);
    if (status === 404) expect(error.hint).toContain('endpoints');
  });
});

describe('an error response', () => {
  const activation = 'https://console.developers.google.com/apis/api/analyticsdata.googleapis.com';
  const details = (reason: string) => ({
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, metadata: { activationUrl: activation } },
      { '@type': 'type.googleapis.com/google.rpc.Help' },
    ],
  });
  const refusals: ReadonlyArray<
    readonly [status: number, word: string, reason: string, code: ErrorCode, hint: string]
  > = [
    [400, 'INVALID_ARGUMENT', '', 'invalid_params', ''],
    [403, 'PERMISSION_DENIED', '', 'forbidden', 'client_email'],
    [403, 'PERMISSION_DENIED', 'SERVICE_DISABLED', 'forbidden', 'Enable the Google Analytics Data API'],
    [403, 'PERMISSION_DENIED', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'scope_missing', 'analytics.readonly'],
    [403, 'PERMISSION_DENIED', 'SOMETHING_NEW', 'forbidden', 'property_id'],
    [403, 'PERMISSION_DENIED', 'constructor', 'forbidden', 'property_id'],
    [404, 'NOT_FOUND', '', 'not_found', ''],
  ];

  test.each(refusals)('is not retried: %d %s, for the reason "%s", is %s', async (status, word, reason, code, hint) => {
    const { error, asked } = await refused(
      errorReply(status, word, 'It says why.', reason === '' ? {} : details(reason)),
    );
    const isKnown = reason === 'SERVICE_DISABLED' || reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT';
    expect(error).toMatchObject({
      code,
      status,
      retryable: false,
      message: 'Google Analytics: It says why.',
      vendor: { code: isKnown ? reason : word, message: 'It says why.' },
    });
    expect(error.hint ?? '').toContain(hint);
    expect(asked).toBe(1);
  });

  test('for a missing scope in the older format says so', async () => {
    const errors = [{ message: 'Insufficient Permission', domain: 'global', reason: 'insufficientPermissions' }];
    const body = { error: { code: 403, message: 'Insufficient Permission', errors } };
    const { error } = await refused(Response.json(body, { status: 403 }));
    expect(error).toMatchObject({ code: 'scope_missing', vendor: { code: 'insufficientPermissions' } });
  });

  test.each([
    ['analyticsdata.googleapis.com', 'Google Analytics Data API'],
    ['analyticsadmin.googleapis.com', 'Google Analytics Admin API'],
    ['analyticshub.googleapis.com', 'analyticshub.googleapis.com'],
  ])('for a disabled API names that API: %s', async (service, name) => {
    const details = [{ reason: 'SERVICE_DISABLED', domain: 'googleapis.com', metadata: { service } }];
    const { error } = await refused(errorReply(403, 'PERMISSION_DENIED', 'It is disabled.', { details }));
    expect(error.hint).toContain(`Enable the ${name} in`);
  });

  test("about an unknown name is reported in Google's words", async () => {
    const message = 'Did you mean totalUsers? Field totalUser is not a valid metric.';
    const { error } = await refused(errorReply(400, 'INVALID_ARGUMENT', message));
    expect(error.message).toBe(`Google Analytics: ${message}`);
    expect(error.issues).toBeUndefined();
  });

  test('about an unknown name suggests names of the property, including its own', async () => {
    const { analytics, website: property_id, sandbox } = connectorOnSandbox();
    const refusedBy = (params: object) => failure(analytics.website_overview.list({ property_id, ...params }));
    const near = await refusedBy({ dimensions: [{ name: 'customUser:plann' }] });
    expect(near).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining('Field customUser:plann is not a valid dimension'),
      hint: expect.stringMatching(
        /^Did you mean 'customUser:plan'\? Closest matches among \d+ dimensions of this property/,
      ),
    });
    const far = await refusedBy({ metrics: [{ name: 'zzzzzzzz' }] });
    expect(far.hint).toMatch(/^Valid metrics of this property: \w+, \w+/);
    // If the names cannot be read, Google's error remains.
    sandbox.faults.add({ kind: 'refused', status: 403, path: `/v1beta/properties/${property_id}/metadata` });
    const alone = await refusedBy({ dimensions: [{ name: 'contry' }] });
    expect(alone).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('contry') });
    expect(alone.hint ?? '').not.toContain('of this property');
  });

  test('about a field names the field', async () => {
    const violation = { field: 'date_ranges[0]', description: 'Cannot find field.' };
    const { error } = await refused(
      errorReply(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.', {
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation, {}] }],
      }),
    );
    expect(error.issues).toEqual([
      { path: 'date_ranges[0]', message: 'Cannot find field.' },
      { path: '', message: 'Invalid JSON payload received.' },
    ]);
  });

  test.each([
    ['nothing', {}],
    ['null', { error: null }],
    ['text', { error: 'nope' }],
    ['an error without a message', { error: {} }],
    ['an empty message', { error: { message: '', status: '' } }],
  ])('with %s is recognized by its status', async (_, body) => {
    const { error, asked } = await refused(Response.json(body, { status: 403 }));
    expect(error).toMatchObject({ code: 'forbidden', status: 403 });
    expect(error.message).toContain('403');
    expect(asked).toBe(1);
  });
});
