import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { json } from '../engine/fake-fetch.js';
import { failure } from '../failure.js';
import { errorReply, hostedLinear, issue, successReply } from './double.js';

describe('a result', () => {
  test('is requested with entity, action and parameters', async () => {
    const { linear, executed } = hostedLinear({ execute: () => successReply([{ id: 'i' }], { has_more: true }) });
    const result = await linear.execute('issues', 'list', { first: 2 });
    expect(result).toEqual({ data: [{ id: 'i' }], meta: { has_more: true } });
    const [{ url, method, json: body, headers }] = executed as [(typeof executed)[0]];
    expect([method, url.href]).toEqual(['POST', 'https://service.test/api/v1/integrations/connectors/con_1/execute']);
    expect(body).toEqual({ entity: 'issues', action: 'list', params: { first: 2 } });
    expect(headers.get('accept')).toBe('application/json');
    expect(headers.get('user-agent')).toMatch(/^agent-connectors\/\d/);
    expect(headers.has('idempotency-key')).toBe(false);
  });

  test('of a search contains data and meta as returned by the service', async () => {
    const found = { data: [{ id: 'i' }], meta: { has_more: false, readiness: { status: 'ready' } } };
    const { linear } = hostedLinear({ execute: () => successReply(found) });
    expect(await linear.issues.context_store_search({ query: {} })).toEqual(found);
  });

  test('is shaped by the service, and again by the client', async () => {
    const { linear, executed } = hostedLinear({ execute: () => successReply([{ id: 'i', title: 'A long title' }]) });
    const options = { selectFields: ['title'], excludeFields: ['id'], maxStringLength: 3, raw: true } as const;
    const { data } = await linear.execute('issues', 'list', {}, options);
    expect(data).toEqual([{ title: 'A l… [9 more characters]' }]);
    expect(executed[0]!.json).toMatchObject({ select_fields: ['title'], exclude_fields: ['id'], raw: true });
  });

  test('that is validated against its schema is requested in full', async () => {
    const told: unknown[] = [];
    const hooks = { onResponseMismatch: (event: unknown) => told.push(event) };
    const { linear, executed } = hostedLinear({ execute: () => successReply([{ id: 7 }]) }, { hooks });
    await linear.execute('issues', 'list', {}, { selectFields: ['id'] });
    expect(executed[0]!.json).not.toHaveProperty('select_fields');
    expect(told).toHaveLength(1);
  });

  test('preserves integers too large for a double', async () => {
    const body = JSON.stringify(await successReply([{ id: 'BIG' }]).json()).replace('"BIG"', '9007199254740993');
    const { linear } = hostedLinear({ execute: () => new Response(body) });
    expect((await linear.issues.list()).data).toEqual([{ id: '9007199254740993' }]);
  });

  test.each([
    ['nothing', () => new Response('')],
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['JSON in another form', () => json({ data: [] })],
    ['another status', () => json({ status: 'failure', result: [] })],
    ['a record instead of a list', () => successReply({ id: 'i' })],
    ['null', () => successReply(null)],
  ])('that is %s is an unexpected response', async (_, execute) => {
    const { linear } = hostedLinear({ execute });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'invalid_response' });
    expect(error.hint).toContain('hosted.baseUrl');
  });

  test('of a search with invalid contents is an unexpected response', async () => {
    const { linear } = hostedLinear({ execute: () => successReply([]) });
    expect((await failure(linear.issues.context_store_search({ query: {} }))).code).toBe('invalid_response');
  });
});

describe('a service error', () => {
  test('is reconstructed completely', async () => {
    const { linear } = hostedLinear({
      execute: () =>
        errorReply(422, 'invalid_params', {
          message: 'Linear: first must not be greater than 250.',
          errors: [
            { field: 'first', message: 'first must not be greater', error_code: 'invalid', details: null },
            { field: 'after', message: 'after: This cursor is damaged', error_code: 'invalid', details: null },
            { field: 'team', message: 'teams are unknown', error_code: 'invalid', details: null },
          ],
          hint: 'Ask for less.',
          docs: 'actions.issues.list',
          retryable: true,
          retry_after_ms: 1500,
          vendor: { code: 'INVALID_INPUT', message: 'Argument Validation Error', request_id: 'r-1', status: 400 },
        }),
    });
    expect((await failure(linear.issues.list())).toJSON()).toEqual({
      name: 'ConnectorError',
      code: 'invalid_params',
      message: 'Linear: first must not be greater than 250.',
      status: 400,
      retryable: true,
      retryAfterMs: 1500,
      hint: 'Ask for less.',
      docs: 'actions.issues.list',
      vendor: { code: 'INVALID_INPUT', message: 'Argument Validation Error', requestId: 'r-1' },
      issues: [
        { path: 'first', message: 'must not be greater' },
        { path: 'after', message: 'This cursor is damaged' },
        { path: 'team', message: 'teams are unknown' },
      ],
    });
  });

  test('without vendor details, issues or a delay is reconstructed without them', async () => {
    const { linear } = hostedLinear({ execute: () => errorReply(429, 'quota_exhausted', {}, { 'retry-after': '1' }) });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'quota_exhausted', retryable: false });
    expect([error.status, error.vendor, error.issues, error.hint, error.retryAfterMs]).toEqual(
      Array(5).fill(undefined),
    );
  });

  test('with a delay only in the header has that delay', async () => {
    const execute = () => errorReply(429, 'rate_limited', { retry_after_ms: undefined }, { 'retry-after': '7' });
    const { linear, executed } = hostedLinear({ execute });
    expect((await failure(linear.issues.list())).retryAfterMs).toBe(7000);
    expect(executed).toHaveLength(1);
  });

  test.each([
    [404, 'not_found'],
    [403, 'forbidden'],
    [418, 'vendor_error'],
    [429, 'rate_limited'],
    [500, 'vendor_error'],
  ] as const)('with an unknown code, and status %d, is %s', async (status, code) => {
    skipBackoff();
    const { linear } = hostedLinear({ execute: () => errorReply(status, 'brand_new', { hint: null }) }, { retries: 0 });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code, status, message: 'It is brand_new.' });
    expect(error.hint).toContain("'brand_new' is unknown");
  });

  test.each([
    [404, 'vendor_error'],
    [401, 'unauthorized'],
    [413, 'too_large'],
    [429, 'rate_limited'],
  ] as const)('that is a page from a proxy, with status %d, is %s', async (status, code) => {
    const execute = () => new Response('<html>No.</html>', { status, headers: { 'content-type': 'text/html' } });
    const { linear } = hostedLinear({ execute }, { retries: 0 });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code, status, message: `The service responded with ${status}.` });
    expect(error.hint).toContain('proxy may have responded');
  });

  test('that is a redirect is not followed', async () => {
    const { linear, sent } = hostedLinear({
      execute: () => new Response(null, { status: 301, headers: { location: 'https://elsewhere.test/' } }),
    });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'invalid_response', status: 301 });
    expect(error.hint).toContain('hosted.baseUrl');
    expect(sent.every(({ url }) => url.host === 'service.test')).toBe(true);
  });

  test("from the service itself leaves a write's outcome unknown", async () => {
    const execute = () => errorReply(500, 'vendor_error', { message: 'Internal error.' });
    const { linear, executed } = hostedLinear({ execute });
    const error = await failure(linear.issues.create(issue));
    expect(error.code).toBe('unknown_outcome');
    expect(error.message).toContain('Internal error.');
    expect(executed).toHaveLength(1);
    expect((await failure(linear.issues.list())).code).toBe('vendor_error');
  });
});
