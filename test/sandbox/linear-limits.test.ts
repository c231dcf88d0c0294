import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon, type Reply } from './requester.js';

const remaining = ({ headers }: Reply, kind = 'requests') => Number(headers.get(`x-ratelimit-${kind}-remaining`));
const query = '{ viewer { id } }';

describe('limits', () => {
  it('are told on every reply, with the moment of the refill in milliseconds', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const answer = await createRequester(sandbox)(query);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-complexity': '2',
      'x-ratelimit-requests-limit': '2500',
      'x-ratelimit-requests-remaining': '2499',
      'x-ratelimit-requests-reset': String(noon + 1440),
      'x-ratelimit-complexity-limit': '3000000',
      'x-ratelimit-complexity-remaining': '2999998',
    });
    const { access_token } = sandbox.vendors.linear.credentials.access_token;
    expect(
      (await createRequester(sandbox, `Bearer ${access_token}`)(query)).headers.get('x-ratelimit-requests-limit'),
    ).toBe('5000');
    expect((await createRequester(sandbox, 'wrong')(query)).headers.get('x-ratelimit-requests-limit')).toBe('600');
  });

  it('refuse with HTTP 400 and RATELIMITED, and refill little by little', async () => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.linear.limits = { requestsPerHour: 3 };
    const ask = createRequester(sandbox);
    for (const left of [2, 1, 0]) expect(remaining(await ask(query))).toBe(left);
    const refused = await ask(query);
    expect(refused).toMatchObject({ status: 400, data: undefined });
    expect(refused.errors?.[0]).toMatchObject({
      message: 'Rate limit exceeded. Only 3 requests are allowed per 1 hour.',
      extensions: { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429, http: { status: 400 } },
    });
    expect(refused.headers.get('x-ratelimit-requests-reset')).toBe(String(noon + 3_600_000));
    sandbox.clock.advance(20 * 60_000);
    expect((await ask(query)).status).toBe(200);
    expect((await ask(query)).status).toBe(400);
  });

  it('count complexity too, and each credential by itself', async () => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.linear.limits = { complexityPerHour: 5 };
    const ask = createRequester(sandbox);
    expect(remaining(await ask(query), 'complexity')).toBe(3);
    expect((await ask(query)).status).toBe(200);
    expect((await ask(query)).errors?.[0]?.extensions.code).toBe('RATELIMITED');
    const other = createRequester(sandbox, sandbox.vendors.linear.credentials.read_only.api_key);
    expect((await other(query)).status).toBe(200);
  });
});
