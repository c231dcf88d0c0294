import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { connectionError, hangUntilAborted, json } from '../engine/fake-fetch.js';
import { waitUntil } from '../engine/time.js';
import { failure } from '../failure.js';
import { baseUrl, client, errorReply, hostedLinear, issue, serviceDouble, successReply } from './double.js';

const bearer = (number: number) => `Bearer token-${number}`;
const unauthorized = () => errorReply(401, 'unauthorized', { message: 'The token is invalid or expired.' });

describe('a token', () => {
  test('is requested with the client id and secret, and sent with every call', async () => {
    const { linear, tokens, executed } = hostedLinear();
    await linear.issues.list();
    await linear.issues.list();
    expect(tokens.map(({ json, method }) => [method, json])).toEqual([
      ['POST', { client_id: client.clientId, client_secret: client.clientSecret }],
    ]);
    expect(tokens[0]!.headers.get('authorization')).toBeNull();
    expect(executed.map(({ headers }) => headers.get('authorization'))).toEqual([bearer(1), bearer(1)]);
  });

  test('is requested once for 200 concurrent calls', async () => {
    const { linear, tokens, executed } = hostedLinear();
    await Promise.all(Array.from({ length: 200 }, () => linear.issues.list()));
    expect(tokens).toHaveLength(1);
    expect(executed).toHaveLength(200);
  });

  test('is cached until shortly before it expires', async () => {
    const start = Date.now();
    const time = vi.spyOn(Date, 'now').mockReturnValue(start);
    const { linear, tokens } = hostedLinear();
    await linear.issues.list();
    time.mockReturnValue(start + 830_000);
    await linear.issues.list();
    expect(tokens).toHaveLength(1);
    time.mockReturnValue(start + 850_000);
    await linear.issues.list();
    expect(tokens).toHaveLength(2);
    time.mockRestore();
  });

  test('that is rejected is renewed once for all affected calls', async () => {
    const { linear, tokens, executed } = hostedLinear({
      execute: ({ headers }) => (headers.get('authorization') === bearer(1) ? unauthorized() : successReply()),
    });
    await Promise.all([linear.issues.list(), linear.issues.list(), linear.issues.create(issue).catch(() => {})]);
    expect(tokens).toHaveLength(2);
    expect(executed).toHaveLength(6);
  });

  test('that is rejected again causes an error', async () => {
    const { linear, tokens, executed } = hostedLinear({ execute: unauthorized });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, retryable: false });
    expect([tokens.length, executed.length]).toEqual([2, 2]);
  });

  test('given by the caller is not renewed', async () => {
    const { fetch, tokens, executed } = serviceDouble({ execute: unauthorized });
    const linear = new LinearConnector({ hosted: { baseUrl, token: 'own-token', connectorId: 'con_1' }, fetch });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(error.hint).toContain('hosted.token');
    expect([tokens.length, executed.length]).toEqual([0, 1]);
    expect(executed[0]!.headers.get('authorization')).toBe('Bearer own-token');
  });

  test('that the service refuses to issue causes a credentials error', async () => {
    const { linear, executed } = hostedLinear({ token: () => errorReply(401, 'unauthorized') });
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'invalid_credentials', status: 401, retryable: false });
    expect(error.hint).toContain('hosted.clientSecret');
    expect(executed).toEqual([]);
  });

  test.each([
    ['a missing token', () => json({ token_type: 'bearer' })],
    ['a token with a line break', () => json({ access_token: 'a\nb', expires_in: 900 })],
    ['a page', () => new Response('<html>', { status: 200 })],
  ])('%s is an unexpected response', async (_, token) => {
    const { linear } = hostedLinear({ token });
    expect((await failure(linear.issues.list())).code).toBe('invalid_response');
  });

  test('is requested again after a connection failure, without making the outcome of a write unknown', async () => {
    skipBackoff();
    const passes = hostedLinear({
      token: (_, count) => {
        if (count === 1) throw connectionError('ECONNRESET');
        return count === 2 ? new Response('<html>', { status: 502 }) : json({ access_token: 't', expires_in: 900 });
      },
    });
    await passes.linear.issues.list();
    expect(passes.tokens).toHaveLength(3);

    for (const token of [
      () => new Response('<html>', { status: 502 }),
      () => {
        throw connectionError('ECONNRESET');
      },
    ]) {
      const { linear, executed } = hostedLinear({ token });
      expect(['network', 'vendor_error']).toContain((await failure(linear.issues.create(issue))).code);
      expect(executed).toEqual([]);
    }
  });

  test('is still fetched for other calls if the call that requested it ends', async () => {
    let give: (response: Response) => void = () => {};
    const { linear, tokens } = hostedLinear({ token: () => new Promise((resolve) => (give = resolve)) });
    const controller = new AbortController();
    const first = linear.execute('issues', 'list', {}, { signal: controller.signal });
    const second = linear.issues.list();
    await waitUntil(() => tokens.length === 1);
    controller.abort();
    expect((await failure(first)).code).toBe('aborted');
    give(json({ access_token: 't', expires_in: 900 }));
    expect((await second).data).toEqual([]);
    expect(tokens).toHaveLength(1);
  });

  test("that never arrives fails at the call's timeout", async () => {
    const { linear } = hostedLinear({ token: hangUntilAborted });
    const error = await failure(linear.execute('issues', 'create', issue, { timeoutMs: 30 }));
    expect(error.code).toBe('timeout');
  });
});

test('the organization is sent with every call that specifies one', async () => {
  const { linear, executed } = hostedLinear({ hosted: { organizationId: 'org_1' } });
  await linear.issues.list();
  expect(executed[0]!.headers.get('x-organization-id')).toBe('org_1');
  const without = hostedLinear();
  await without.linear.issues.list();
  expect(without.executed[0]!.headers.has('x-organization-id')).toBe(false);
});
