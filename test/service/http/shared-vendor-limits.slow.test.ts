import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { sharedVendorLimits } from '../../../service/src/domain/limits/vendor-limits.js';
import { newKey } from '../keys.js';
import { serveDump } from '../upgrade/postgres-server.js';
import { connectorPath, createRequester, tenantOf } from './setup.js';

/** Service processes on one Postgres database, with a clock controlled by the test; each calls the sandbox directly. */
async function processes(count: number) {
  const postgres = await serveDump('');
  onTestFinished(() => postgres.close());
  const noon = Date.parse('2026-05-01T12:00:00Z');
  const sandbox = createSandbox({ seed: 7, scale: 0.2, now: () => noon });
  const services: Service[] = [];
  const shared = { databaseUrl: postgres.url, dataFolder: '/proc/none/data', key: newKey(), replicate: false };
  for (let index = 0; index < count; index++) {
    const fetch: typeof globalThis.fetch = (...request) => sandbox.fetch(...request);
    services.push(await createService({ ...shared, fetch, now: sandbox.clock.now }));
  }
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  return { services, sandbox };
}

test('four processes use at least 95% of a limit without any request being rejected', async () => {
  const { services, sandbox } = await processes(1);
  const { clock, vendors } = sandbox;
  let statements = 0;
  const { vendorLimits } = services[0]!.state;
  const counted = {
    ...vendorLimits!,
    take(...request: Parameters<NonNullable<typeof vendorLimits>['take']>) {
      statements += 1;
      return vendorLimits!.take(...request);
    },
  };
  vendors.granola.limits = { requestsPerFiveSeconds: 5, requestsPerMinute: 20 };
  const windows = [
    { requests: 5, perMs: 5000 },
    { requests: 20, perMs: 60_000 },
  ];
  const report = (error: unknown) => {
    throw error;
  };
  const four = [0, 1, 2, 3].map(() => sharedVendorLimits(counted, clock.now, report)('key'));
  const headers = { authorization: `Bearer ${vendors.granola.credentials.api_key.api_key}` };
  const end = clock.now() + 240_000;
  for (let turn = 0; clock.now() < end; turn++) {
    const waits = [];
    for (const [index] of four.entries()) waits.push(await four[(index + turn) % 4]!.take(windows));
    for (const wait of waits) {
      if (wait === 0) await sandbox.fetch('https://public-api.granola.ai/v1/notes', { headers });
    }
    clock.advance(Math.min(...waits) || 10);
  }
  expect([...new Set(sandbox.requests.map(({ status }) => status))]).toEqual([200]);
  expect(sandbox.requests.length).toBeGreaterThanOrEqual(0.95 * 4 * 20);
  // Concurrent requests share a database query.
  statements = 0;
  await Promise.all(Array.from({ length: 50 }, () => four[0]!.take(windows)));
  expect(statements).toBeLessThanOrEqual(2 * windows.length);
});

test('deleting old entries does not forget the requests of a window', async () => {
  const { services, sandbox } = await processes(2);
  const [one, other] = services.map(({ state }) => state);
  const window = { requests: 300, perMs: 61_000 };
  expect((await one!.vendorLimits!.take('limits key', 300, window)).granted).toBe(300);
  sandbox.clock.advance(60_000);
  await other!.backoffs.sweep();
  expect((await other!.vendorLimits!.take('limits key', 300, window)).granted).toBe(0);
});

test('all processes pause when a vendor asks one of them to', async () => {
  const { services, sandbox } = await processes(2);
  const acme = await tenantOf(services[0]!, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const headers = { authorization: `Bearer ${acme.token}` };
  const [one, other] = services.map((service) => createRequester(service, headers));
  const call = { json: { entity: 'teams', action: 'list', params: {} } };
  sandbox.faults.add({ kind: 'rate_limited', retryAfter: 600, count: 1 });
  const refused = await one!('POST', connectorPath(id, '/execute'), call);
  expect([refused.status, sandbox.requests.length]).toEqual([429, 1]);
  const spared = await other!('POST', connectorPath(id, '/execute'), call);
  expect([spared.status, spared.body.code, sandbox.requests.length]).toEqual([429, 'rate_limited', 1]);
});
