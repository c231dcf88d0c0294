import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { createRequester, execute, tenantOf } from './setup.js';

const limited = () =>
  new Response('{"errors":[{"message":"rate limited","extensions":{"code":"RATELIMITED"}}]}', {
    status: 429,
    headers: { 'content-type': 'application/json' },
  });

/** Lets time pass for this process without letting it do anything, as while it is stopped. */
function createPause() {
  const now = performance.now.bind(performance);
  let passed = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  onTestFinished(() => spy.mockRestore());
  return (ms: number) => {
    passed += ms;
  };
}

test('a write that was taken over while it waited for a retry is not sent again', async () => {
  skipBackoff();
  const pause = createPause();
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const time = Date.now();
  let meanwhile: (() => Promise<void>) | undefined;
  const open = async (now: number, fetch: typeof sandbox.fetch = sandbox.fetch): Promise<Service> => {
    const service = await createService({ dataFolder, createKey: true, replicate: false, fetch, now: () => now });
    onTestFinished(() => service.close());
    return service;
  };
  const first = await open(time, async (input, init) => {
    const interrupt = String(init?.body).includes('issueUpdate') ? meanwhile : undefined;
    if (!interrupt) return sandbox.fetch(input, init);
    meanwhile = undefined;
    await interrupt();
    return limited();
  });
  const tenant = await tenantOf(first, 'Acme');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const [issue] = (await execute(tenant, id, 'issues', 'list', { first: 1 })).body.result;
  const update = (service: Service, key: string, title: string) => {
    const ask = createRequester(service, { authorization: `Bearer ${tenant.token}` });
    const headers = { 'idempotency-key': key };
    return execute({ ask }, id, 'issues', 'update', { id: issue.id, title }, { headers });
  };
  meanwhile = async () => {
    // By its clock, the first has been silent for too long.
    const second = await open(time + 16_000);
    expect((await update(second, 'k1', 'Earlier')).body.code).toBe('unknown_outcome');
    expect((await update(second, 'k2', 'Later')).status).toBe(200);
    pause(16_000);
  };
  const taken = await update(first, 'k1', 'Earlier');
  expect([taken.status, taken.body.code, taken.body.retryable]).toEqual([409, 'conflict', true]);
  const { body } = await execute(tenant, id, 'issues', 'get', { id: issue.id });
  expect(body.result.title).toBe('Later');

  // A process that was silent but still executes its write sends it again.
  meanwhile = async () => pause(16_000);
  expect((await update(first, 'k3', 'Last')).status).toBe(200);
});
