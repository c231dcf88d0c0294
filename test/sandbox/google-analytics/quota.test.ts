import type { GoogleAnalyticsLimits } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createReporter, createRequester, fixedSandbox, request, tokenOf } from './requester.js';

const minute = 60_000;
const body = request(['date'], ['sessions'], { returnPropertyQuota: true });
const thresholded = request(['userAgeBracket'], ['totalUsers'], { returnPropertyQuota: true });

function limited(limits: GoogleAnalyticsLimits) {
  const sandbox = fixedSandbox();
  sandbox.vendors['google-analytics'].limits = limits;
  return { sandbox, ask: createReporter(sandbox) };
}

describe('the quotas', () => {
  it('are returned on request and decrease', async () => {
    const { sandbox, ask } = limited({});
    expect((await ask(body)).json.propertyQuota).toEqual({
      tokensPerDay: { consumed: 1, remaining: 199_999 },
      tokensPerHour: { consumed: 1, remaining: 39_999 },
      concurrentRequests: { consumed: 0, remaining: 10 },
      serverErrorsPerProjectPerHour: { consumed: 0, remaining: 10 },
      potentiallyThresholdedRequestsPerHour: { consumed: 0, remaining: 120 },
      tokensPerProjectPerHour: { consumed: 1, remaining: 13_999 },
    });
    expect((await ask(request(['date'], ['sessions']))).json.propertyQuota).toBeUndefined();
    const year = request(['date', 'country', 'region', 'city'], ['sessions'], {
      dateRanges: [{ startDate: '365daysAgo', endDate: 'today' }],
      returnPropertyQuota: true,
    });
    const { tokensPerDay } = (await ask(year)).json.propertyQuota;
    expect(tokensPerDay.consumed).toBeGreaterThan(3);
    expect(tokensPerDay.remaining).toBe(199_998 - tokensPerDay.consumed);
    const { application } = sandbox.vendors['google-analytics'].properties;
    const other = await createReporter(sandbox, application)(body);
    expect(other.json.propertyQuota.tokensPerDay.remaining).toBe(199_999);
  });

  it.each<[keyof GoogleAnalyticsLimits, RegExp]>([
    ['tokensPerDay', /^Exhausted property tokens per day\. .* under 24 hours\./],
    ['tokensPerHour', /^Exhausted property tokens per hour\./],
    ['tokensPerProjectPerHour', /^Exhausted property tokens for a project per hour\./],
    ['concurrentRequests', /^Exhausted concurrent requests quota\./],
    ['serverErrorsPerProjectPerHour', /^Exhausted server errors quota\./],
    ['potentiallyThresholdedRequestsPerHour', /^Exhausted potentially thresholded requests quota\./],
  ])('say which quota is exhausted: %s', async (name, message) => {
    const { ask } = limited({ [name]: 0 });
    const { status, headers, json } = await ask(thresholded);
    expect(status).toBe(429);
    expect(json.error).toEqual({ code: 429, message: expect.stringMatching(message), status: 'RESOURCE_EXHAUSTED' });
    expect(headers.has('retry-after')).toBe(false);
  });

  it('recover within an hour or at midnight in California', async () => {
    const { sandbox } = limited({ tokensPerHour: 4, tokensPerDay: 6, tokensPerReport: 2 });
    const status = async () => {
      const { website } = sandbox.vendors['google-analytics'].properties;
      const ask = createRequester(sandbox, await tokenOf(sandbox, 'oauth'));
      return (await ask(`/v1beta/properties/${website}:runReport`, body)).status;
    };
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    sandbox.clock.advance(61 * minute);
    expect([await status(), await status()]).toEqual([200, 429]);
    sandbox.clock.advance(61 * minute);
    expect(await status()).toBe(429);
    // It is 14:00 in Europe: midnight in California is seventeen hours away.
    sandbox.clock.advance(16 * 60 * minute);
    expect(await status()).toBe(429);
    sandbox.clock.advance(61 * minute);
    expect(await status()).toBe(200);
  });

  it('for thresholded requests do not affect other requests', async () => {
    const { ask } = limited({ potentiallyThresholdedRequestsPerHour: 1 });
    const first = await ask(thresholded);
    expect(first.json.propertyQuota.potentiallyThresholdedRequestsPerHour).toEqual({ consumed: 1, remaining: 0 });
    expect((await ask(thresholded)).status).toBe(429);
    expect((await ask(body)).status).toBe(200);
  });

  it('count concurrent reports if reports take time', async () => {
    const { sandbox, ask } = limited({ concurrentRequests: 2, reportSeconds: 1 });
    const statuses = (await Promise.all([ask(body), ask(body), ask(body)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 429]);
    sandbox.clock.advance(1000);
    expect((await ask(body)).status).toBe(200);
  });

  it('count server errors and block the property for an hour after ten of them', async () => {
    const { sandbox, ask } = limited({});
    sandbox.faults.add({ kind: 'internal_error', count: 5 });
    sandbox.faults.add({ kind: 'lock_timeout', nth: 6, count: 10 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 11; turn += 1) statuses.push((await ask(body)).status);
    expect(statuses).toEqual([500, 500, 500, 500, 500, 503, 503, 503, 503, 503, 429]);
    sandbox.faults.clear();
    const { status, json } = await ask(body);
    expect([status, json.error.message]).toEqual([429, expect.stringMatching(/^Exhausted server errors quota\./)]);
    const { application } = sandbox.vendors['google-analytics'].properties;
    expect((await createReporter(sandbox, application)(body)).status).toBe(200);
  });
});
