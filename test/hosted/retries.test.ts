import { describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { connectionError, hang, hangUntilAborted, type SentRequest } from '../engine/fake-fetch.js';
import { advanceUntilSettled, waitUntil, warmUpAndFreezeTime } from '../engine/time.js';
import { failure } from '../failure.js';
import { errorReply, hostedLinear, issue, successReply } from './double.js';

const made = () => successReply({ success: true, issue: { id: 'i' } });
const page = (status: number) => new Response('<html>Bad gateway</html>', { status });
const reset = (): never => {
  throw connectionError('ECONNRESET');
};
const refused = (): never => {
  throw connectionError('ECONNREFUSED');
};
/** The service's response while a write with the same key is in progress. */
const underWay = (retry_after_ms = 0) =>
  errorReply(409, 'conflict', { message: 'This write is already in progress.', retryable: true, retry_after_ms });
/** The service's response if the service stopped in the middle of the write. */
const abandoned = () => errorReply(409, 'conflict', { message: 'This write was begun, and the service ended.' });

const keysOf = (sent: readonly SentRequest[]) => sent.map(({ headers }) => headers.get('idempotency-key'));

/** Returns these responses in turn, and then repeats the last one. */
const inTurn =
  (...answers: ReadonlyArray<(sent: SentRequest) => Response | Promise<Response>>) =>
  (sent: SentRequest, count: number) =>
    answers[Math.min(count, answers.length) - 1]!(sent);

describe('a connection failure', () => {
  test.each([
    ['a broken connection', reset],
    ['a refused connection', refused],
    ['a gateway’s page', () => page(502)],
    ['an overloaded gateway', () => page(503)],
    ['a gateway timeout', () => page(504)],
    ['an error in a gateway’s own format', () => errorReply(502, 'upstream_unavailable')],
  ])('is retried for a read: %s', async (_, answer) => {
    skipBackoff();
    const { linear, executed } = hostedLinear({ execute: inTurn(answer, answer, () => successReply()) });
    expect((await linear.issues.list()).data).toEqual([]);
    expect(executed).toHaveLength(3);
  });

  test.each([
    ['a broken connection', reset],
    ['a refused connection', refused],
    ['a gateway’s page', () => page(502)],
  ])('is retried for a write with the same key: %s', async (_, answer) => {
    skipBackoff();
    const { linear, executed } = hostedLinear({ execute: inTurn(answer, answer, made) });
    expect((await linear.issues.create(issue)).data.success).toBe(true);
    const keys = keysOf(executed);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(new Set(executed.map(({ body }) => body)).size).toBe(1);
    await linear.issues.create(issue);
    expect(new Set(keysOf(executed)).size).toBe(2);
  });

  test("that persists is reported as the read's error", async () => {
    skipBackoff();
    const network = hostedLinear({ execute: reset });
    expect(await failure(network.linear.issues.list())).toMatchObject({ code: 'network', retryable: true });
    expect(network.executed).toHaveLength(3);
    const gateway = hostedLinear({ execute: () => page(502) }, { retries: 1 });
    expect(await failure(gateway.linear.issues.list())).toMatchObject({ code: 'vendor_error', status: 502 });
    expect(gateway.executed).toHaveLength(2);
  });

  test('reports that the service could not be reached', async () => {
    const { linear } = hostedLinear({ execute: refused }, { retries: 0 });
    const error = await failure(linear.issues.list());
    expect(error.message).toMatch(/^The service at https?:\S+ could not be reached \(ECONNREFUSED\)\.$/);
    expect(error.hint).toContain('hosted.baseUrl');
  });

  test.each([
    ['a broken connection', reset],
    ['a gateway’s page', () => page(502)],
    ['an error in a gateway’s own format', () => errorReply(504, 'upstream_timeout')],
  ])("that persists leaves a write's outcome unknown: %s", async (_, execute) => {
    skipBackoff();
    const { linear, executed } = hostedLinear({ execute });
    const error = await failure(linear.issues.create(issue));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.message).toMatch(/^issues.create was sent, but its outcome is unknown: /);
    expect(error.hint).toContain('check whether the change was made');
    expect(executed).toHaveLength(3);
  });

  test('before anything is sent means that a write was not executed', async () => {
    skipBackoff();
    const { linear } = hostedLinear({ execute: refused });
    expect((await failure(linear.issues.create(issue))).code).toBe('network');
  });

  test('leaves the outcome of an earlier attempt unknown', async () => {
    skipBackoff();
    for (const last of [
      refused,
      () => errorReply(401, 'unauthorized'),
      () => errorReply(404, 'not_found'),
      abandoned,
    ]) {
      const { linear } = hostedLinear({ execute: inTurn(reset, last) });
      expect((await failure(linear.issues.create(issue))).code).toBe('unknown_outcome');
    }
  });

  test('does not make the outcome unknown once the vendor has responded to the same write', async () => {
    skipBackoff();
    for (const last of [
      () => errorReply(403, 'forbidden', { vendor: { code: 'FORBIDDEN', status: 403 } }),
      () => errorReply(404, 'not_found', { vendor: { message: 'No such team', status: 200 } }),
      () => errorReply(422, 'invalid_params'),
      () => errorReply(429, 'rate_limited', { retry_after_ms: 60_000, retryable: true }),
    ]) {
      const { linear } = hostedLinear({ execute: inTurn(reset, last) });
      expect((await failure(linear.issues.create(issue))).code).toBe((await last().json()).code);
    }
  });
});

describe('a response from the service itself', () => {
  test.each([
    [502, 'vendor_error'],
    [502, 'network'],
    [504, 'timeout'],
    [429, 'rate_limited'],
  ])('is final, since the service has already retried: %d %s', async (status, code) => {
    const { linear, executed } = hostedLinear({ execute: () => errorReply(status, code, { retryable: true }) });
    expect(await failure(linear.issues.list())).toMatchObject({ code, retryable: true });
    expect(await failure(linear.issues.create(issue))).toMatchObject({ code });
    expect(executed).toHaveLength(2);
  });

  test("is final if it reports a write's outcome as unknown", async () => {
    const said = { message: 'issues.create was sent, and …', hint: 'Look for 7.' };
    const { linear, executed } = hostedLinear({ execute: () => errorReply(502, 'unknown_outcome', said) });
    expect(await failure(linear.issues.create(issue))).toMatchObject({ code: 'unknown_outcome', ...said });
    expect(executed).toHaveLength(1);
  });
});

describe('a write still in progress', () => {
  test('is waited for until it completes', async () => {
    skipBackoff();
    const waiting = Array.from({ length: 9 }, () => () => underWay());
    const { linear, executed } = hostedLinear({ execute: inTurn(reset, ...waiting, made) });
    expect((await linear.issues.create(issue)).data.success).toBe(true);
    expect(executed).toHaveLength(11);
    expect(new Set(keysOf(executed)).size).toBe(1);
  });

  test('is waited for as long as the service requests', async () => {
    skipBackoff();
    const { linear, executed } = hostedLinear({ execute: inTurn(reset, () => underWay(40), made) });
    await linear.issues.create(issue);
    expect(executed[2]!.at - executed[1]!.at).toBeGreaterThanOrEqual(38);
  });

  test('has an unknown outcome when the timeout expires', async () => {
    skipBackoff();
    await warmUpAndFreezeTime();
    const { linear } = hostedLinear({ execute: inTurn(reset, () => underWay(20)) });
    const error = await failure(advanceUntilSettled(linear.execute('issues', 'create', issue, { timeoutMs: 120 })));
    expect(error.code).toBe('unknown_outcome');
  });

  test('is distinguished from a conflict at the vendor', async () => {
    const execute = () => errorReply(409, 'conflict', { retryable: true, vendor: { code: 'CONFLICT', status: 409 } });
    const { linear, executed } = hostedLinear({ execute });
    expect(await failure(linear.issues.create(issue))).toMatchObject({ code: 'conflict', status: 409 });
    expect(executed).toHaveLength(1);
  });
});

describe('a call ends', () => {
  test('when its signal is aborted while the service is not responding', async () => {
    for (const execute of [hang, hangUntilAborted]) {
      const { linear, executed } = hostedLinear({ execute });
      const controller = new AbortController();
      const read = failure(linear.execute('issues', 'list', {}, { signal: controller.signal }));
      const write = failure(linear.execute('issues', 'create', issue, { signal: controller.signal }));
      await waitUntil(() => executed.length === 2);
      controller.abort();
      expect((await read).code).toBe('aborted');
      expect((await write).code).toBe('unknown_outcome');
      expect(executed).toHaveLength(2);
    }
  });

  test('before anything is sent if its signal is already aborted', async () => {
    const { linear, sent } = hostedLinear();
    const options = { signal: AbortSignal.abort() };
    expect((await failure(linear.execute('issues', 'create', issue, options))).code).toBe('aborted');
    expect(sent).toEqual([]);
  });

  test("when its own timeout or an attempt's timeout expires", async () => {
    skipBackoff();
    await warmUpAndFreezeTime();
    const slow = hostedLinear({ execute: hangUntilAborted });
    const late = await failure(advanceUntilSettled(slow.linear.execute('issues', 'list', {}, { timeoutMs: 30 })));
    expect(late).toMatchObject({ code: 'timeout', message: 'The call did not finish within 30 ms.' });
    const write = advanceUntilSettled(slow.linear.execute('issues', 'create', issue, { timeoutMs: 30 }));
    expect((await failure(write)).code).toBe('unknown_outcome');
    const each = hostedLinear({ execute: hangUntilAborted }, { attemptTimeoutMs: 15 });
    expect((await failure(advanceUntilSettled(each.linear.issues.list()))).message).toBe('No response within 15 ms.');
    expect(each.executed).toHaveLength(3);
  });

  test('after 120 s, as in the service, and not when an earlier attempt ends', async () => {
    await warmUpAndFreezeTime();
    const advance = (ms: number) => void vi.setSystemTime(Date.now() + ms);
    const { linear } = hostedLinear({
      execute: () => {
        advance(119_000);
        return page(502);
      },
    });
    skipBackoff();
    expect((await failure(advanceUntilSettled(linear.issues.list()))).code).toBe('vendor_error');
    const over = hostedLinear({
      execute: () => {
        advance(121_000);
        return page(502);
      },
    });
    expect((await failure(advanceUntilSettled(over.linear.issues.list()))).code).toBe('vendor_error');
    expect(over.executed).toHaveLength(1);
  });
});

describe('hooks', () => {
  test('receive every attempt, its response, and the delay before the next', async () => {
    skipBackoff();
    const told: Array<[string, any]> = [];
    const hook = (name: string) => (event: unknown) => void told.push([name, event]);
    const hooks = { onRequest: hook('request'), onResponse: hook('response'), onRetry: hook('retry') };
    const { linear } = hostedLinear({ execute: inTurn(() => page(502), made) }, { hooks });
    await linear.issues.create(issue);
    expect(told.map(([name, { attempt, status }]) => [name, attempt, status])).toEqual([
      ['request', 1, undefined],
      ['response', 1, 502],
      ['retry', 1, undefined],
      ['request', 2, undefined],
      ['response', 2, 200],
    ]);
    expect(told[0]![1]).toEqual({
      connector: 'linear',
      entity: 'issues',
      action: 'create',
      method: 'POST',
      attempt: 1,
      url: 'https://service.test/api/v1/integrations/connectors/con_1/execute',
    });
  });
});
