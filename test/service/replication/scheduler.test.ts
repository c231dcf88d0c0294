import { expect, test } from 'vitest';
import { type Lateness, simulate, unevenTenants } from './simulation.js';

const minute = 60_000;
const second = 1000;
const sick = { type: 'gong', fromMs: 4 * minute, toMs: 16 * minute };

const worst = (lateness: ReadonlyMap<string, Lateness>, figure: keyof Lateness) =>
  Math.max(...[...lateness].filter(([name]) => name !== 'hostile').map(([, values]) => values[figure]));

test('syncs of other organizations start on time despite a hostile one and a vendor that hangs', async () => {
  const tenants = unevenTenants(12, 40);
  const { lateness, sickShare, failures } = await simulate({ tenants, durationMs: 20 * minute, workers: 2, sick });
  expect(failures).toEqual([]);
  expect(lateness.get('hostile')!.syncs).toBeGreaterThan(40);
  expect(worst(lateness, 'p50')).toBeLessThan(5 * second);
  // The first syncs to discover the outage wait for a timeout.
  expect(worst(lateness, 'max')).toBeLessThan(130 * second);
  expect(sickShare).toBeLessThan(0.2);
});

test('connectors that were once due at the same time drift apart', async () => {
  const tenants = [{ name: 'acme', connectors: 40, intervalMs: minute, syncMs: 50 }];
  const { starts } = await simulate({ tenants, durationMs: 30 * minute, workers: 1 });
  const busiest = (from: number, to: number) =>
    Math.max(...[...starts].filter(([at]) => at >= from && at < to).map(([, count]) => count));
  expect(busiest(0, 30)).toBeGreaterThan(15);
  // Ids determine the drift, so one minute can be busier by chance.
  const later = Array.from({ length: 18 }, (_, index) => busiest((12 + index) * 60, (13 + index) * 60));
  expect(later.sort((one, other) => one - other)[9]).toBeLessThan(16);
});
