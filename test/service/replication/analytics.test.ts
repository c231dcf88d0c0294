import { expect, test } from 'vitest';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const day = 86_400_000;
const keyOf = (row: any) => [row.property_id, row.date, row.deviceCategory, row.operatingSystem, row.browser].join(' ');

test('only rows that Google no longer returns for re-read days are removed from searches', async () => {
  const sandbox = smallSandbox();
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  let gone: string | undefined;
  const { acme } = await startReplicatingService({
    sandbox,
    fetch: async (url, init) => {
      const response = await sandbox.fetch(url, init);
      if (gone === undefined || !String(url).includes(':runReport')) return response;
      const report: any = await response.json();
      const rows = report.rows?.filter((row: any) => row.dimensionValues.every(({ value }: any) => value !== gone));
      return Response.json({ ...report, rows }, response);
    },
  });
  const start_date = new Date(sandbox.clock.now() - 20 * day).toISOString().slice(0, 10);
  const id = await acme.connect('google-analytics', credentials.oauth ?? credentials, {
    replication_config: {
      property_ids: [properties.website, properties.application],
      start_date,
      entities: ['devices'],
    },
  });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });
  const devices = async () => hitsOf(await searchEntity(acme, id, 'devices', { query: {}, limit: 10_000 }));
  const before = await devices();
  const dayAgo = (days: number) =>
    new Date(sandbox.clock.now() - days * day).toISOString().slice(0, 10).replaceAll('-', '');
  gone = 'mobile';
  const job = await syncAndWait(acme, id);
  const after = await devices();
  // The first re-read day depends on the date in the property's time zone.
  const lasting = before.filter(({ deviceCategory, date }) => deviceCategory !== gone || date < dayAgo(6));
  const kept = new Set(after.map(keyOf));
  expect(lasting.filter((row) => !kept.has(keyOf(row)))).toEqual([]);
  expect(lasting.some(({ deviceCategory }) => deviceCategory === gone)).toBe(true);
  expect(before.some(({ deviceCategory, date }) => deviceCategory === gone && date > dayAgo(3))).toBe(true);
  expect(after.filter(({ deviceCategory, date }) => deviceCategory === gone && date > dayAgo(3))).toEqual([]);
  expect(job.entities[0]).toMatchObject({ entity: 'devices', removed: before.length - after.length });
});
