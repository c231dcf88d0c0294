import type { FaultKind } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createReporter, fixedSandbox, request } from './requester.js';

const body = request(['date'], ['sessions']);

describe('faults', () => {
  it.each<[FaultKind, number, string]>([
    ['500', 500, 'INTERNAL'],
    ['internal_error', 500, 'INTERNAL'],
    ['lock_timeout', 503, 'UNAVAILABLE'],
    ['expired_token', 401, 'UNAUTHENTICATED'],
    ['refused', 403, 'PERMISSION_DENIED'],
    ['rate_limited', 429, 'RESOURCE_EXHAUSTED'],
  ])("have Google's format: %s", async (kind, status, name) => {
    const ask = createReporter(fixedSandbox({ kind }));
    const refused = await ask(body);
    expect(refused.json).toEqual({ error: expect.objectContaining({ code: status, status: name }) });
    expect(refused.status).toBe(status);
    expect((await ask(body)).status).toBe(200);
  });

  it('report the quota or reason if one is configured', async () => {
    const sandbox = fixedSandbox();
    const ask = createReporter(sandbox);
    const message = async (reason?: string) => {
      sandbox.faults.add({ kind: 'rate_limited', ...(reason !== undefined && { reason }) });
      return (await ask(body)).json.error.message;
    };
    expect(await message()).toMatch(/^Exhausted concurrent requests quota\./);
    expect(await message('tokensPerDay')).toMatch(/^Exhausted property tokens per day\./);
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 7 });
    expect((await ask(body)).headers.get('retry-after')).toBe('7');
    sandbox.faults.add({ kind: 'refused', reason: 'SERVICE_DISABLED' });
    expect((await ask(body)).json.error.details[0].reason).toBe('SERVICE_DISABLED');
    sandbox.faults.add({ kind: 'refused', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' });
    expect((await ask(body)).json.error.details[0].reason).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  });
});

describe('the state', () => {
  it('includes limits and usage when moved to another sandbox', async () => {
    const sandbox = fixedSandbox();
    const before = sandbox.dump();
    sandbox.vendors['google-analytics'].limits = { tokensPerHour: 2 };
    await createReporter(sandbox)(body);
    const other = fixedSandbox();
    other.load(JSON.parse(JSON.stringify(sandbox.dump())));
    expect(other.vendors['google-analytics'].limits).toEqual({ tokensPerHour: 2 });
    expect((await createReporter(other)(body)).status).toBe(200);
    expect((await createReporter(other)(body)).status).toBe(429);
    other.reset();
    expect(other.dump()).toEqual(before);
    expect((await createReporter(other)(body)).status).toBe(200);
  });
});
