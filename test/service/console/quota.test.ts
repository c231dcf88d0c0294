import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath, createRequester, execute, startTestService, type Tenant } from '../http/setup.js';

/** Creates a connector with the sandbox's credentials and runs one action. */
async function used(type: string, credentials: object, entity: string, params: object = {}) {
  let now = Date.parse('2026-03-02T10:00:30Z');
  const running = await startTestService({ now: () => now });
  const acme = await running.tenant();
  const { body } = await acme.ask('POST', '/api/v1/integrations/connectors', {
    json: { workspace_name: 'main', connector_type: type, credentials },
  });
  /** The tenant with a fresh token. */
  const current = async (): Promise<Tenant> => {
    const json = { client_id: acme.clientId, client_secret: acme.clientSecret };
    const { access_token } = (await running.ask('POST', '/api/v1/account/applications/token', { json })).body;
    return { ...acme, ask: createRequester(running.service, { authorization: `Bearer ${access_token}` }) };
  };
  const run = async () => execute(await current(), body.id, entity, 'list', params);
  const quota = async (asker?: Tenant) => (asker ?? (await current())).ask('GET', connectorPath(body.id, '/quota'));
  const pass = (ms: number) => {
    now += ms;
  };
  return { running, run, quota, pass };
}

const { vendors } = createSandbox({ seed: 7 });

test('only the published limits are known before the first request', async () => {
  const { quota } = await used('gong', vendors.gong.credentials.basic, 'users');
  expect((await quota()).body).toEqual({
    reported: [],
    limits: [
      { requests: 3, seconds: 1.1, sent: 0 },
      { requests: 10_000, seconds: 86_400, sent: 0 },
    ],
    sent: { last_minute: 0, last_day: 0, since: '2026-03-02T10:00:30.000Z' },
    refused_at: null,
  });
});

test("Linear's reported limits are passed on with a timestamp", async () => {
  const { run, quota } = await used('linear', vendors.linear.credentials.api_key, 'issues', { first: 2 });
  expect((await run()).status).toBe(200);
  const { reported, limits, sent } = (await quota()).body;
  expect(reported.map(({ name }: { name: string }) => name)).toEqual(['requests', 'complexity']);
  expect(reported[0]).toMatchObject({ limit: 2500, remaining: 2499, reported_at: '2026-03-02T10:00:30.000Z' });
  expect(Date.parse(reported[0].resets_at)).toBeGreaterThan(0);
  expect(reported[1].remaining).toBeLessThan(reported[1].limit);
  expect([limits, sent.last_day]).toEqual([[], 1]);
});

test('Gong does not report its limits, so calls are counted per day and the count resets afterwards', async () => {
  const { run, quota, pass } = await used('gong', vendors.gong.credentials.basic, 'users');
  await run();
  pass(2 * 60_000);
  await run();
  const perDay = async () => (await quota()).body.limits[1].sent;
  expect([await perDay(), (await quota()).body.sent]).toMatchObject([2, { last_minute: 1, last_day: 2 }]);
  pass(24 * 60 * 60_000 - 90_000);
  expect(await perDay()).toBe(1);
  pass(24 * 60 * 60_000);
  expect(await perDay()).toBe(0);
});

test('the console indicates that Drive does not report limits', async () => {
  const { run, quota } = await used('google-drive', vendors['google-drive'].credentials.access_token, 'files');
  await run();
  expect((await quota()).body).toMatchObject({ reported: [], limits: [], sent: { last_minute: 1, last_day: 1 } });
});

test('a rate-limited request is recorded', async () => {
  const { running, run, quota } = await used('granola', vendors.granola.credentials.api_key, 'notes');
  running.sandbox.faults.add({
    vendor: 'granola',
    kind: 'rate_limited',
    count: Number.POSITIVE_INFINITY,
    retryAfter: 600,
  });
  await run();
  const { limits, refused_at } = (await quota()).body;
  expect(refused_at).toBe('2026-03-02T10:00:30.000Z');
  expect(limits.map(({ requests }: { requests: number }) => requests)).toEqual([25, 300]);
});

test('other tenants cannot see the quota', async () => {
  const { running, quota } = await used('linear', vendors.linear.credentials.api_key, 'issues');
  expect((await quota(await running.tenant('Other'))).status).toBe(404);
});
