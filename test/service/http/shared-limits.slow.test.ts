import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RateLimits } from '../../../service/src/data/state/rate-limits.js';
import type { Buckets } from '../../../service/src/domain/limits/admission.js';
import { sharedBuckets } from '../../../service/src/domain/limits/shared-buckets.js';
import { newKey } from '../keys.js';
import { serveDump } from '../upgrade/postgres-server.js';
import { tenantOf } from './setup.js';

/** Service processes on one Postgres database, with a frozen clock. */
async function processes(count: number, limits: object) {
  const postgres = await serveDump('');
  onTestFinished(() => postgres.close());
  const clock = { now: Date.parse('2026-05-01T12:00:00Z') };
  const { fetch } = createSandbox({ seed: 7, scale: 0.2 });
  const options = {
    databaseUrl: postgres.url,
    dataFolder: '/proc/none/data',
    key: newKey(),
    replicate: false,
    fetch,
    limits,
    now: () => clock.now,
  };
  const services: Service[] = [];
  for (let index = 0; index < count; index++) services.push(await createService(options));
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  return { services, clock, tenant: await tenantOf(services[0]!, 'Acme') };
}

const statusOf = async (service: Service, path: string, init: RequestInit) =>
  (await service.fetch(new Request(`http://localhost${path}`, init))).status;

const countOf = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

describe('processes that share a Postgres database', () => {
  test('share one rate limit per client', async () => {
    const { services, clock, tenant } = await processes(2, { rate: 4, burst: 12 });
    const headers = { authorization: `Bearer ${tenant.token}` };
    clock.now += 60_000;
    for (const [asked, admitted] of [
      [16, 12],
      [7, 4],
    ] as const) {
      const statuses = await Promise.all(
        Array.from({ length: asked }, (_, index) => statusOf(services[index % 2]!, '/api/v1/account/me', { headers })),
      );
      expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([admitted, asked - admitted]);
      clock.now += 1000;
    }
  });

  test('enforce a limit within 5%, regardless of how requests are distributed, and query the database for only one request in ten', async () => {
    const { services, clock } = await processes(1, {});
    const { rateLimits } = services[0]!.state;
    let reservations = 0;
    const counted: RateLimits = {
      ...rateLimits!,
      reserve(...request) {
        reservations += 1;
        return rateLimits!.reserve(...request);
      },
    };
    const four = [0, 1, 2, 3].map(() => sharedBuckets(counted, () => clock.now)('client', 100, 1000));
    const admitted = async (count: number, among: readonly Buckets[]) => {
      const states = [];
      for (let index = 0; index < count; index++) states.push(await among[index % among.length]!.take('someone'));
      return states.filter(({ allowed }) => allowed).length;
    };
    for (const [limit, among] of [
      [1000, four],
      [500, four.slice(0, 1)],
      [500, four.slice(1)],
    ] as const) {
      const found = await admitted(1.2 * limit, among);
      expect(found).toBeGreaterThanOrEqual(0.95 * limit);
      expect(found).toBeLessThanOrEqual(1.05 * limit);
      clock.now += 5000;
    }
    expect(reservations).toBeLessThan(2000 / 8);
  });

  test('share one limit for sign-ins and incorrect secrets', async () => {
    const { services, clock, tenant } = await processes(2, { signIns: 30 });
    const post = (index: number, client_secret: string) =>
      statusOf(services[index % 2]!, '/api/v1/account/applications/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: tenant.clientId, client_secret }),
      });
    const wrong: number[] = [];
    for (let index = 0; index < 14; index++) wrong.push(await post(index, 'wrong'));
    expect([countOf(wrong, 401), countOf(wrong, 429)]).toEqual([10, 4]);
    const right: number[] = [];
    for (let index = 0; index < 34; index++) right.push(await post(index, tenant.clientSecret));
    // The tenant's first sign-in counts too.
    expect([countOf(right, 200), countOf(right, 429)]).toEqual([29, 5]);
    clock.now += 60_000;
    expect([await post(0, 'wrong'), await post(1, tenant.clientSecret)]).toEqual([401, 200]);
  });
});
