import { expect, test } from 'vitest';
import { startDepot } from '../replication/depot.js';
import { searchEntity, syncAndWait } from '../replication/setup.js';

const syncs = 500;
const minutes = 40;

test('fourteen days are the sums of what 500 syncs stored, although the newest jobs are few hours', async () => {
  let round = 0;
  const rows = () => {
    // Some records change, some come and go, and some cannot be stored.
    const kept = Array.from({ length: 3 + (round % 4) }, (_, index) => ({ id: `r${index}`, label: `${round % 3}` }));
    return { rows: round % 7 === 3 ? [...kept, { label: 'has no id' }] : kept };
  };
  const { tenant, id, clock } = await startDepot(['whole'], { whole: rows });
  const days = new Map<string, { syncs: number; read: number; changed: number; failed: number }>();
  const add = ({ finished_at, counts }: any) => {
    const day = finished_at.slice(0, 10);
    const sums = days.get(day) ?? { syncs: 0, read: 0, changed: 0, failed: 0 };
    days.set(day, {
      syncs: sums.syncs + 1,
      read: sums.read + counts.read,
      changed: sums.changed + counts.inserted + counts.updated + counts.removed,
      failed: sums.failed + counts.failed,
    });
  };
  const { body: first } = await tenant.ask('GET', `/api/v1/integrations/connectors/${id}/jobs`);
  first.data.forEach(add);
  // From noon on, so that at every hour of the machine the newest day holds enough syncs, and failures among them.
  clock.aheadMs = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00Z`) + 86_400_000 - Date.now();
  for (round = 1; round < syncs; round++) {
    clock.aheadMs += minutes * 60_000;
    add(await syncAndWait(tenant, id));
  }
  const { body } = await tenant.ask('GET', `/api/v1/activity?connector_id=${id}&unit=day&count=14`);
  const shown = [...days].sort(([one], [other]) => (one < other ? -1 : 1)).slice(-14);
  expect(shown).toHaveLength(14);
  expect(body.data).toMatchObject(shown.map(([at, sums]) => ({ at, ...sums })));
  expect(shown.every(([, { changed, failed }]) => changed > 0 && failed > 0)).toBe(true);
  const sumOf = (name: 'syncs' | 'read' | 'changed' | 'failed') => shown.reduce((sum, [, sums]) => sum + sums[name], 0);
  expect(body.total).toMatchObject({ changed: sumOf('changed'), failed: sumOf('failed'), syncs: sumOf('syncs') });
  const stored = await searchEntity(tenant, id, 'whole', { query: {}, limit: 100 });
  expect(body.data.at(-1).records).toBe(stored.body.result.data.length);
});
