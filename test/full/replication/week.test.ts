import { expect, test } from 'vitest';
import { simulate, unevenTenants } from '../../service/replication/simulation.js';

const second = 1000;
const hour = 3_600_000;
/** Hours of simulated time; a week takes 40 to 80 minutes to run. */
const hours = Number(process.env.SIMULATED_HOURS ?? 168);

test(
  'syncs of 1,000 connectors in 200 organizations start on time despite a hostile organization and a vendor that hangs a third of the time',
  async () => {
    const durationMs = hours * hour;
    const sick = { type: 'gong', fromMs: durationMs / 3, toMs: (durationMs * 2) / 3 };
    const tenants = unevenTenants(200, 1000);
    const { lateness, sickShare, failures } = await simulate({ tenants, durationMs, workers: 4, sick });
    const rows = [...lateness].filter(([, { syncs }]) => syncs > 0);
    const honest = rows.filter(([name]) => name !== 'hostile').map(([, row]) => row);
    const worst = (figure: 'p50' | 'p99' | 'max') => Math.max(...honest.map((row) => row[figure]));
    const syncs = honest.reduce((sum, row) => sum + row.syncs, 0);
    console.log(`hostile ${JSON.stringify(lateness.get('hostile'))}`);
    console.log(
      `worst of ${honest.length} others p50 ${worst('p50')} ms, p99 ${worst('p99')} ms, max ${worst('max')} ms`,
    );
    console.log(
      `${syncs} syncs of the others; the vendor that hangs had ${(sickShare * 100).toFixed(1)} % of the slots`,
    );
    expect(failures).toEqual([]);
    expect(worst('p50')).toBeLessThan(5 * second);
    // Initially all are due at the same time, and the first ones in an outage wait for a timeout.
    expect(worst('max')).toBeLessThan(200 * second);
    expect(sickShare).toBeLessThan(0.1);
  },
  12 * hour,
);
