import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const day = 86_400_000;
/** A service on whose vendor every report has this metadata. */
async function startLimited(metadataOf: (from: string) => object) {
  const sandbox = smallSandbox();
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  const running = await startReplicatingService({
    sandbox,
    now: sandbox.clock.now,
    fetch: async (url, init) => {
      const response = await sandbox.fetch(url, init);
      if (!String(url).includes(':runReport') || !response.ok) return response;
      const report: any = await response.json();
      const { dateRanges } = JSON.parse(String(init?.body));
      return Response.json({ ...report, metadata: { ...report.metadata, ...metadataOf(dateRanges[0].startDate) } });
    },
  });
  const dayAgo = (days: number) => new Date(sandbox.clock.now() - days * day).toISOString().slice(0, 10);
  const connect = (days: number) =>
    running.acme.connect('google-analytics', credentials.oauth ?? credentials, {
      replication_config: {
        property_ids: [properties.website],
        start_date: dayAgo(days),
        entities: ['devices'],
        look_back_days: 3,
      },
    });
  const missingOf = async (id: string) => (await searchEntity(running.acme, id, 'devices')).body.result.meta.missing;
  return { ...running, dayAgo, connect, missingOf, website: properties.website };
}

test('searches, inspections, readiness and jobs say what Google has done to the figures, and for which days', async () => {
  const samplingMetadatas = [{ samplesReadCount: '10', samplingSpaceSize: '1000' }];
  const { acme, connect, dayAgo, website } = await startLimited(() => ({
    samplingMetadatas,
    subjectToThresholding: true,
    dataLossFromOtherRow: true,
  }));
  const id = await connect(20);
  const job = await waitForNewestJob(acme, id);
  expect(job.status).toBe('done');
  const { meta } = (await searchEntity(acme, id, 'devices')).body.result;
  const limited = (limitation: string) => ({
    reason: 'withheld',
    entity: 'devices',
    permanent: true,
    detail: expect.stringMatching(
      new RegExp(`^Property ${website}, reports of ${dayAgo(20)} to \\d{4}-\\d\\d-\\d\\d: .*${limitation}`),
    ),
  });
  const start = { ...limited(''), detail: `Days before ${dayAgo(20)} are not replicated.` };
  const missing = [limited('estimates from a sample'), limited('thresholding'), limited('\\(other\\)'), start];
  expect(meta).toMatchObject({ complete: true, missing });
  const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
  const devices = body.context_store_readiness.entities.find(({ entity }: any) => entity === 'devices');
  expect(devices.missing).toEqual(missing);
  expect(job.entities[0].withheld).toEqual(meta.missing.map(({ detail }: any) => detail));
});

test('only the days whose reports Google has limited are named, and no longer once a report is whole', async () => {
  let isLimited = (from: string) => from === first || from === third;
  const { acme, sandbox, connect, dayAgo, missingOf } = await startLimited((from) =>
    isLimited(from) ? { subjectToThresholding: true } : {},
  );
  const [first, third] = [dayAgo(80), dayAgo(20)];
  const id = await connect(80);
  await waitForNewestJob(acme, id);
  const [gap, start, ...others] = await missingOf(id);
  expect(others).toEqual([]);
  expect(gap.detail).toMatch(new RegExp(`reports of ${first} to ${dayAgo(51)}, ${third} to \\d{4}-\\d\\d-\\d\\d: `));
  isLimited = () => false;
  sandbox.clock.advance(day);
  const job = await syncAndWait(acme, id);
  const [rest] = await missingOf(id);
  // The last days were read again, the others were not.
  const lastDay = /, \S+ to (\S+): /.exec(rest.detail)![1]!;
  expect(lastDay < dayAgo(3)).toBe(true);
  expect(lastDay > third).toBe(true);
  expect(job.entities[0].withheld).toEqual([rest.detail, start.detail]);
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

test('filters take dates with hyphens, which mean the days that Google writes without', async () => {
  const { acme, connect, dayAgo } = await startLimited(() => ({}));
  const id = await connect(20);
  await waitForNewestJob(acme, id);
  const daysOf = async (filter: object) => {
    const found = await searchEntity(acme, id, 'devices', { query: { filter, groupBy: 'date' }, limit: 100 });
    return hitsOf(found)
      .map(({ date }) => date)
      .sort();
  };
  const compact = (date: string) => date.replaceAll('-', '');
  const from = dayAgo(9);
  const since = await daysOf({ gte: { date: from } });
  expect(since).toEqual(await daysOf({ gte: { date: compact(from) } }));
  expect(since[0]).toBe(compact(from));
  expect(await daysOf({ lt: { date: from } })).not.toContain(compact(from));
  expect(await daysOf({ in: { date: [from, dayAgo(8)] } })).toEqual([from, dayAgo(8)].map(compact));
  expect(await daysOf({ startswith: { date: from.slice(0, 7) } })).toContain(compact(from));

  const { status, body } = await searchEntity(acme, id, 'devices', {
    query: { filter: { gte: { date: `${from}T12:00:00Z` } } },
  });
  expect([status, body.message]).toEqual([422, expect.stringContaining('needs a date, such as "2026-01-31"')]);
});
