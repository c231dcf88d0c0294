import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const day = 86_400_000;
test('searches, inspections and readiness say what Google has done to the figures, and for which days', async () => {
  const sandbox = smallSandbox();
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  const { acme } = await startReplicatingService({
    sandbox,
    fetch: async (url, init) => {
      const response = await sandbox.fetch(url, init);
      if (!String(url).includes(':runReport')) return response;
      const report: any = await response.json();
      const samplingMetadatas = [{ samplesReadCount: '10', samplingSpaceSize: '1000' }];
      return Response.json({
        ...report,
        metadata: { ...report.metadata, samplingMetadatas, subjectToThresholding: true },
      });
    },
  });
  const start_date = new Date(sandbox.clock.now() - 20 * day).toISOString().slice(0, 10);
  const id = await acme.connect('google-analytics', credentials.oauth ?? credentials, {
    replication_config: { property_ids: [properties.website], start_date, entities: ['devices'], look_back_days: 3 },
  });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });
  const { meta } = (await searchEntity(acme, id, 'devices')).body.result;
  const limited = (limitation: string) => ({
    reason: 'withheld',
    entity: 'devices',
    permanent: true,
    detail: expect.stringMatching(
      new RegExp(`^Property ${properties.website}, reports of ${start_date} to \\d{4}-\\d\\d-\\d\\d: .*${limitation}`),
    ),
  });
  const missing = [limited('estimates from a sample'), limited('thresholding')];
  expect(meta).toMatchObject({ complete: true, missing });
  const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
  const devices = body.context_store_readiness.entities.find(({ entity }: any) => entity === 'devices');
  expect(devices.missing).toEqual(missing);
});

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
  const lasting = before.filter(({ deviceCategory, date }) => deviceCategory !== gone || date < dayAgo(15));
  const kept = new Set(after.map(keyOf));
  expect(lasting.filter((row) => !kept.has(keyOf(row)))).toEqual([]);
  expect(lasting.some(({ deviceCategory }) => deviceCategory === gone)).toBe(true);
  expect(before.some(({ deviceCategory, date }) => deviceCategory === gone && date > dayAgo(3))).toBe(true);
  expect(after.filter(({ deviceCategory, date }) => deviceCategory === gone && date > dayAgo(3))).toEqual([]);
  expect(job.entities[0]).toMatchObject({ entity: 'devices', removed: before.length - after.length });
});
