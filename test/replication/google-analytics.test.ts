import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import type { StoredRecord } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';
import { fieldProblems } from './fields.js';
import { contents, day, entities, hour, rangesOf, rows, sum, website } from './google-analytics-setup.js';

/** A row without its period: rows for the last days have that of the report that last read them. */
const dated = ({ startDate, endDate, ...row }: StoredRecord) => row;

describe('a Google Analytics replica', () => {
  test('has every searchable field of every report, with its declared type', async () => {
    const { open, ids } = website();
    const replica = open();
    for (const entity of entities) {
      await replica.run(entity);
      expect(rows(replica, entity).length, entity).toBeGreaterThan(60);
      expect(fieldProblems(GoogleAnalyticsConnector.manifest, entity, rows(replica, entity)), entity).toEqual([]);
      for (const row of rows(replica, entity)) {
        expect(row.property_id).toBe(ids.website);
        expect(row.date).toMatch(/^\d{8}$/);
        const [start, end] = [row.startDate, row.endDate].map((text) => String(text).replaceAll('-', ''));
        expect(start! <= String(row.date) && String(row.date) <= end!).toBe(true);
      }
    }
  });

  test('matches the totals of the live reports, however they are broken down', async () => {
    const { open, analytics, ids } = website();
    const replica = open({ property_ids: [ids.website, ids.application] });
    for (const property_id of [ids.website, ids.application]) {
      const dateRanges = [{ startDate: '2026-07-01', endDate: 'today' }];
      const metrics = [{ name: 'sessions' }, { name: 'screenPageViews' }];
      const { data } = await analytics.website_overview.list({ property_id, dateRanges, dimensions: [], metrics });
      const [sessions, views] = data[0]!.metricValues!.map(({ value }) => Number(value));
      expect(sessions).toBeGreaterThan(100);
      for (const entity of ['website_overview', 'traffic_sources', 'devices', 'locations', 'pages'] as const) {
        if (!replica.states.has(entity)) await replica.run(entity);
        const own = rows(replica, entity).filter((row) => row.property_id === property_id);
        expect(sum(own, 'screenPageViews'), entity).toBe(views);
        if (entity !== 'pages') expect(sum(own, 'sessions'), entity).toBe(sessions);
      }
    }
  });

  test('has the rows of the live report, each with its columns', async () => {
    const { open, analytics, ids } = website();
    const replica = open();
    for (const entity of ['daily_active_users', 'weekly_active_users', 'four_weekly_active_users'] as const) {
      await replica.run(entity);
      const params = { property_id: ids.website, dateRanges: [{ startDate: '2026-07-01', endDate: 'today' }] };
      const { data, meta } = await analytics.execute(entity, 'list', params);
      const live = data.map(({ dimensionValues, metricValues }) => [
        dimensionValues![0]!.value,
        Number(metricValues![0]!.value),
      ]);
      const { name } = meta.metric_headers[0]!;
      expect(rows(replica, entity).map((row) => [row.date, row[name]])).toEqual(live.sort());
    }
  });

  test('starts two years before today if there is no start_date', async () => {
    const { open, asked } = website({ scale: 0.02 });
    const replica = open({ start_date: undefined });
    await replica.run('website_overview');
    const ranges = rangesOf(asked());
    expect(ranges[0]![0]).toBe('2024-09-15');
    expect(ranges.at(-1)![1]).toBe('2026-09-15');
    for (const [at, [from]] of ranges.entries()) {
      if (at > 0) expect(Date.parse(from!) - Date.parse(ranges[at - 1]![1]!)).toBe(day);
    }
    expect(asked().every(({ body }) => body.orderBys.length === body.dimensions.length)).toBe(true);
  });

  test('starts on the first day for which Google has reports if start_date is earlier', async () => {
    const { open, asked } = website({ scale: 0.02 });
    const replica = open({ start_date: '2010-01-01' });
    await replica.run('daily_active_users', { batches: 1 });
    expect(rangesOf(asked())[0]![0]).toBe('2015-08-14');
  });

  test.each([10_000, 7])(
    'deletes rows that Google no longer has for re-read days, in pages of %i',
    async (rowsOfPage) => {
      const { open, sandbox, ids, gone } = website({ rowsOfPage });
      const replica = open({ property_ids: [ids.website, ids.application], start_date: '2026-08-20' });
      await replica.run('devices');
      const device = 'mobile';
      const mobile = () => rows(replica, 'devices').filter((row) => row.deviceCategory === device);
      const before = mobile();
      const lasting = before.filter(({ date }) => String(date) <= '20260901');
      expect(lasting.length).toBeGreaterThan(0);
      expect(before.length).toBeGreaterThan(lasting.length);
      gone.add(device);
      sandbox.clock.advance(day);
      await replica.run('devices');
      // Only the last days are read again, for both properties.
      expect(mobile()).toEqual(lasting);
      expect(rows(replica, 'devices').some((row) => String(row.date) > '20260911')).toBe(true);
    },
  );

  test('keeps the rows of an interrupted window', async () => {
    const { open, sandbox, gone } = website({ rowsOfPage: 7 });
    const replica = open({ start_date: '2026-09-01' });
    await replica.run('devices');
    sandbox.clock.advance(day);
    expect(await replica.run('devices', { batches: 1 })).toBe(false);
    const before = rows(replica, 'devices').length;
    await replica.run('devices');
    expect(rows(replica, 'devices').length).toBeGreaterThanOrEqual(before);
    const all = open({ start_date: '2026-09-01' });
    await all.run('devices');
    expect([...replica.records('devices').keys()].sort()).toEqual([...all.records('devices').keys()].sort());
    gone.add('desktop');
    sandbox.clock.advance(day);
    await replica.run('devices');
    expect(
      rows(replica, 'devices').filter((row) => row.date === '20260914' && row.deviceCategory === 'desktop'),
    ).toEqual([]);
  });

  test.each([
    ['text', (ids: readonly string[]) => ids.join(', ')],
    ['JSON', (ids: readonly string[]) => JSON.stringify(ids.map((id) => `properties/${id}`))],
    ['a list', (ids: readonly string[]) => ids],
  ])('accepts property ids as %s', async (_, written) => {
    const { open, ids } = website({ scale: 0.02 });
    const replica = open({
      property_ids: written([ids.website, ids.application, ids.website]),
      start_date: '2026-09-01',
    });
    await replica.run('website_overview');
    expect(new Set(rows(replica, 'website_overview').map((row) => row.property_id))).toEqual(
      new Set([ids.website, ids.application]),
    );
  });
});

describe('an interrupted run', () => {
  test.each([1, 2, 3])('ends with the same result when interrupted every %d batches', async (batches) => {
    const { open, ids } = website({ scale: 0.05, rowsOfPage: 60 });
    const given = { property_ids: [ids.website, ids.application], start_date: '2026-03-01' };
    const [replica, undisturbed] = [open(given), open(given)];
    for (const entity of ['traffic_sources', 'four_weekly_active_users']) {
      for (let round = 0; round < 40; round += 1) if (await replica.run(entity, { batches })) break;
      await replica.run(entity);
      await undisturbed.run(entity);
      const [found, wanted] = [replica, undisturbed].map((one) => Object.values(contents(one, entity)).map(dated));
      expect(found).toEqual(wanted);
    }
  });

  test('resumes in the middle of a report, after the rows it already has', async () => {
    const { open, asked, sandbox, ids } = website({ rowsOfPage: 20 });
    const given = { start_date: '2026-09-01' };
    const [replica, undisturbed] = [open(given), open(given)];
    await undisturbed.run('locations');
    const offsets = () => asked().map(({ body }) => Number(body.offset));
    const all = offsets();
    expect(all.slice(0, 3)).toEqual([0, 20, 40]);
    sandbox.requests.clear();
    await replica.run('locations', { batches: 2 });
    expect((replica.states.get('locations') as any)[ids.website]).toMatchObject({ from: '2026-09-01', offset: 40 });
    await replica.run('locations');
    expect(offsets().slice(0, all.length)).toEqual(all);
    expect(replica.records('locations').size).toBe(undisturbed.records('locations').size);
    expect(sum(rows(replica, 'locations'), 'sessions')).toBe(sum(rows(undisturbed, 'locations'), 'sessions'));
  });

  test('keeps its rows after hitting a quota, and finishes once tokens are available again', async () => {
    const { open, asked, vendor, sandbox, ids } = website({ scale: 0.05 });
    vendor.limits = { tokensPerHour: 2, tokensPerReport: 1 };
    const given = { property_ids: [ids.website, ids.application], start_date: '2026-05-01' };
    const replica = open(given);
    const error = await failure(replica.run('website_overview'));
    expect(error.code).toBe('quota_exhausted');
    // Each property has a quota of its own.
    expect(asked()).toHaveLength(6);
    const read = rows(replica, 'website_overview').map(({ property_id }) => property_id);
    expect(read.filter((id) => id === ids.website)).toHaveLength(60);
    expect(read).toContain(ids.application);
    vendor.limits = {};
    sandbox.clock.advance(2 * hour);
    await replica.run('website_overview');
    const fresh = open(given);
    await fresh.run('website_overview');
    expect(contents(replica, 'website_overview')).toEqual(contents(fresh, 'website_overview'));
  });
});

test.each([
  [429, 'RESOURCE_EXHAUSTED', 'quota_exhausted'],
  [500, 'INTERNAL', 'vendor_error'],
  [400, 'INVALID_ARGUMENT', 'invalid_params'],
] as const)(
  'a property that answers %i %s does not keep later ones from being read, and ends the run with its error',
  async (code, status, expected) => {
    const { open, sandbox, ids } = website({ scale: 0.05 });
    const given = { property_ids: [ids.website, ids.application], start_date: '2026-09-01' };
    let isRejected = true;
    const replica = open(given, undefined, async (input, init) => {
      if (!isRejected || !String(input).includes(`properties/${ids.website}`)) return sandbox.fetch(input, init);
      const message = 'Exhausted property tokens per day. These quota tokens will return in under 24 hours.';
      return Response.json({ error: { code, status, message } }, { status: code });
    });
    expect((await failure(replica.run('website_overview'))).code).toBe(expected);
    expect(new Set(rows(replica, 'website_overview').map((row) => row.property_id))).toEqual(
      new Set([ids.application]),
    );
    isRejected = false;
    await replica.run('website_overview');
    const fresh = open(given);
    await fresh.run('website_overview');
    const [found, wanted] = [replica, fresh].map((one) => Object.values(contents(one, 'website_overview')).map(dated));
    expect(found).toEqual(wanted);
  },
);

describe('a rejected property', () => {
  test('does not prevent other properties from being read, and is reported', async () => {
    const { open, ids } = website({ scale: 0.05 });
    const replica = open({ property_ids: [ids.foreign, ids.website], start_date: '2026-09-01' });
    await replica.run('website_overview');
    expect(rows(replica, 'website_overview')).toHaveLength(15);
    expect(replica.failures).toMatchObject([{ id: ids.foreign, message: expect.stringContaining('permission') }]);
  });

  test('fails the run if it is the only one', async () => {
    const { open, ids } = website({ scale: 0.05 });
    const replica = open({ property_ids: `${ids.foreign}`, start_date: '2026-09-01' });
    expect((await failure(replica.run('pages'))).code).toBe('forbidden');
    expect(replica.states.size).toBe(0);
  });

  test('is distinguished from one without data', async () => {
    const { open, ids } = website({ scale: 0.05 });
    const replica = open({ property_ids: ids.empty });
    expect(await replica.run('pages')).toBe(true);
    expect([rows(replica, 'pages'), replica.failures]).toEqual([[], []]);
    expect((replica.states.get('pages') as any)[ids.empty]).toMatchObject({ to: '2026-09-15', offset: null });
  });
});

test('a run after the clock has been set back reads the days that it may have missed', async () => {
  const { open, sandbox } = website();
  let ahead = 1000 * day;
  const replica = open({ start_date: undefined }, () => sandbox.clock.now() + ahead);
  await replica.run('daily_active_users');
  ahead = 0;
  sandbox.clock.advance(20 * day);
  await replica.run('daily_active_users');
  const fresh = open({ start_date: undefined });
  await fresh.run('daily_active_users');
  const figures = (from: typeof replica) =>
    rows(from, 'daily_active_users').map(({ date, active1DayUsers }) => [date, active1DayUsers]);
  expect(figures(replica).sort()).toEqual(figures(fresh).sort());
});
