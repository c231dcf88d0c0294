import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createReporter, defaultMetrics, fixedSandbox, request, sum, table } from './requester.js';

const sandbox = fixedSandbox();
const ask = createReporter(sandbox);
const { properties } = sandbox.vendors['google-analytics'];
const wholeYear = { dateRanges: [{ startDate: '365daysAgo', endDate: 'today' }], limit: '250000' };

const shapes = {
  overview: ['date'],
  sources: ['date', 'sessionSource', 'sessionMedium'],
  devices: ['date', 'deviceCategory', 'operatingSystem', 'browser'],
  locations: ['region', 'country', 'city', 'date'],
};

describe('a report', () => {
  it("has headers, rows of text and metadata, in Google's order", async () => {
    const { status, headers, json } = await ask(request(['date'], defaultMetrics));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(Object.keys(json)).toEqual(['dimensionHeaders', 'metricHeaders', 'rows', 'rowCount', 'metadata', 'kind']);
    expect(json.dimensionHeaders).toEqual([{ name: 'date' }]);
    expect(json.metricHeaders.slice(0, 5)).toEqual([
      { name: 'totalUsers', type: 'TYPE_INTEGER' },
      { name: 'newUsers', type: 'TYPE_INTEGER' },
      { name: 'sessions', type: 'TYPE_INTEGER' },
      { name: 'sessionsPerUser', type: 'TYPE_FLOAT' },
      { name: 'averageSessionDuration', type: 'TYPE_SECONDS' },
    ]);
    expect(json.rowCount).toBe(31);
    expect(json.metadata).toEqual({ currencyCode: 'EUR', timeZone: 'Europe/Berlin' });
    expect(json.kind).toBe('analyticsData#runReport');
    for (const { dimensionValues, metricValues } of json.rows) {
      expect(dimensionValues[0].value).toMatch(/^20260[45]\d\d$/);
      expect(metricValues.map(({ value }: any) => typeof value)).toEqual(defaultMetrics.map(() => 'string'));
      for (const place of [0, 1, 2, 5]) expect(metricValues[place].value).toMatch(/^\d+$/);
      expect(Number(metricValues[7].value)).toBeLessThanOrEqual(1);
    }
  });

  it('has the same totals for any combination of dimensions', async () => {
    const totals = await Promise.all(
      Object.values(shapes).map(async (dimensions) => {
        const rows = table(await ask(request(dimensions, defaultMetrics, wholeYear)));
        return ['sessions', 'newUsers', 'screenPageViews'].map((name) => sum(rows, name));
      }),
    );
    const [whole] = table(await ask(request([], defaultMetrics, wholeYear)));
    const expected = [Number(whole?.sessions), Number(whole?.newUsers), Number(whole?.screenPageViews)];
    expect(totals).toEqual(totals.map(() => expected));
    expect(expected[0]).toBeGreaterThan(10_000);
    const pages = table(
      await ask(request(['date', 'hostName', 'pagePathPlusQueryString'], ['screenPageViews'], wholeYear)),
    );
    expect(sum(pages, 'screenPageViews')).toBe(expected[2]);
    const events = table(await ask(request(['eventName'], ['eventCount'], wholeYear)));
    expect(events.find(({ eventName }) => eventName === 'page_view')?.eventCount).toBe(String(expected[2]));
  });

  it('counts each user once and derives rates from its counts', async () => {
    const metrics = ['totalUsers', 'activeUsers', 'sessions', 'engagedSessions', 'engagementRate', 'bounceRate'].concat(
      ['sessionsPerUser', 'screenPageViews', 'screenPageViewsPerSession'],
    );
    const [whole] = table(await ask(request([], metrics)));
    const days = table(await ask(request(['date'], metrics)));
    expect(Number(whole?.totalUsers)).toBeLessThan(sum(days, 'totalUsers'));
    for (const row of [whole!, ...days]) {
      const of = (name: string) => Number(row[name]);
      expect(of('activeUsers')).toBeLessThanOrEqual(of('totalUsers'));
      expect(of('engagementRate')).toBeCloseTo(of('engagedSessions') / of('sessions'), 12);
      expect(of('bounceRate')).toBeCloseTo(1 - of('engagementRate'), 12);
      expect(of('sessionsPerUser')).toBeCloseTo(of('sessions') / of('activeUsers'), 12);
      expect(of('screenPageViewsPerSession')).toBeCloseTo(of('screenPageViews') / of('sessions'), 12);
    }
  });

  it('counts active users in the windows that end on each day', async () => {
    const windows = ['active1DayUsers', 'active7DayUsers', 'active28DayUsers'];
    const rows = table(await ask(request(['date'], [...windows, 'activeUsers'])));
    expect(rows).toHaveLength(31);
    for (const row of rows) {
      expect(row.active1DayUsers).toBe(row.activeUsers);
      const [one, seven, most] = windows.map((name) => Number(row[name]));
      expect(one! <= seven! && seven! < most!, row.date).toBe(true);
    }
    const week = { dateRanges: [{ startDate: '2026-04-24', endDate: '2026-04-30' }] };
    const [distinct] = table(await ask(request([], ['activeUsers'], week)));
    expect(rows.find(({ date }) => date === '20260430')?.active7DayUsers).toBe(distinct?.activeUsers);
  });

  it('has more sessions at a larger scale', async () => {
    const larger = createReporter(createSandbox({ scale: 3, now: () => noon }));
    const [[small], [large]] = [
      table(await ask(request([], ['sessions']))),
      table(await larger(request([], ['sessions']))),
    ];
    expect(Number(large?.sessions) / Number(small?.sessions)).toBeGreaterThan(2.8);
  });

  it("shows a launch as a peak on the project's page", async () => {
    const filter = { fieldName: 'pagePath', stringFilter: { value: '/product/bank-feeds-2-0' } };
    const rows = table(await ask(request(['date'], ['screenPageViews'], { dimensionFilter: { filter } })));
    expect(rows[0]?.date).toBe('20260416');
    expect(Number(rows[0]?.screenPageViews)).toBeGreaterThan(10 * Number(rows.at(-1)?.screenPageViews));
  });

  it('has no row for the day without data, even if empty rows are kept', async () => {
    const march = { dateRanges: [{ startDate: '2026-03-01', endDate: '2026-03-31' }], keepEmptyRows: true };
    const { json } = await ask(request(['date'], ['sessions'], march));
    expect(json.rowCount).toBe(30);
  });

  it('keeps all-zero rows only on request', async () => {
    const dropped = table(await ask(request(['eventName'], ['newUsers'])));
    const kept = table(await ask(request(['eventName'], ['newUsers'], { keepEmptyRows: true })));
    expect(dropped).toEqual([{ eventName: 'first_visit', newUsers: expect.stringMatching(/^[1-9]/) }]);
    expect(kept.length).toBeGreaterThan(4);
    expect(kept.filter(({ newUsers }) => newUsers === '0')).toHaveLength(kept.length - 1);
  });

  it('can omit metrics or dimensions', async () => {
    const { json } = await ask(request(['deviceCategory'], []));
    expect(json.metricHeaders).toBeUndefined();
    expect(json.rows.map(({ dimensionValues }: any) => dimensionValues[0].value).sort()).toEqual(
      expect.arrayContaining(['desktop', 'mobile', 'tablet']),
    );
    expect(json.rows[0].metricValues).toBeUndefined();
    const { json: total } = await ask(request([], ['sessions']));
    expect(total.dimensionHeaders).toBeUndefined();
    expect(total.rows).toEqual([{ metricValues: [{ value: expect.stringMatching(/^\d+$/) }] }]);
  });
});

describe('the dates', () => {
  it("are in the property's time zone and include today so far", async () => {
    // At 12:00 UTC it is 14:00 in Berlin and 08:00 in New York.
    const hours = {
      dateRanges: [{ startDate: 'today', endDate: 'today' }],
      orderBys: [{ desc: true, dimension: { dimensionName: 'hour' } }],
    };
    const berlin = table(await ask(request(['date', 'hour'], ['sessions'], hours)));
    expect(berlin[0]?.date).toBe('20260504');
    expect(Number(berlin[0]?.hour)).toBeLessThanOrEqual(14);
    const application = createReporter(sandbox, properties.application);
    const newYork = await application(request(['date', 'hour'], ['sessions'], hours));
    expect(newYork.json.metadata).toEqual({ currencyCode: 'USD', timeZone: 'America/New_York' });
    expect(Number(table(newYork)[0]?.hour)).toBeLessThanOrEqual(8);
  });

  it('advance with the clock', async () => {
    const moving = createSandbox({ now: () => noon });
    const body = request(['date'], ['sessions'], {
      dateRanges: [{ startDate: 'yesterday', endDate: 'today' }],
      orderBys: [{ dimension: { dimensionName: 'date' } }],
    });
    const before = table(await createReporter(moving)(body));
    moving.clock.advance(86_400_000);
    const token = { ...moving.vendors['google-analytics'].credentials.oauth, grant_type: 'refresh_token' };
    const reply = await moving.fetch('https://oauth2.googleapis.com/token', {
      method: 'POST',
      body: new URLSearchParams(token),
    });
    const { access_token } = (await reply.json()) as { access_token: string };
    const response = await moving.fetch(
      `https://analyticsdata.googleapis.com/v1beta/properties/${properties.website}:runReport`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}` },
        body: JSON.stringify(body),
      },
    );
    const after = table({ json: await response.json() } as any);
    expect(before.map(({ date }) => date)).toEqual(['20260503', '20260504']);
    expect(after.map(({ date }) => date)).toEqual(['20260504', '20260505']);
    expect(Number(after[0]?.sessions)).toBeGreaterThan(Number(before[1]?.sessions));
  });

  it('can be given as four ranges, distinguished by an extra last column', async () => {
    const dateRanges = [
      { startDate: '2026-04-01', endDate: '2026-04-07' },
      { startDate: '2026-04-08', endDate: '2026-04-14', name: 'second' },
    ];
    const { json } = await ask(request(['deviceCategory'], ['sessions'], { dateRanges }));
    expect(json.dimensionHeaders).toEqual([{ name: 'deviceCategory' }, { name: 'dateRange' }]);
    const names = json.rows.map(({ dimensionValues }: any) => dimensionValues[1].value);
    expect([...new Set(names)].sort()).toEqual(['date_range_0', 'second']);
    const explicit = await ask(request(['dateRange', 'deviceCategory'], ['sessions'], { dateRanges }));
    expect(explicit.json.dimensionHeaders).toEqual([{ name: 'dateRange' }, { name: 'deviceCategory' }]);
    const single = await ask(request(['deviceCategory'], ['sessions'], { dateRanges: [dateRanges[1]] }));
    const second = table({ json } as any).filter(({ dateRange }) => dateRange === 'second');
    expect(second.map(({ sessions }) => sessions)).toEqual(table(single).map(({ sessions }) => sessions));
  });

  it('are also available as weeks, months and years', async () => {
    const day = { dateRanges: [{ startDate: '2026-01-01', endDate: '2026-01-01' }] };
    const names = ['week', 'isoWeek', 'isoYear', 'dayOfWeek', 'dayOfWeekName', 'yearMonth', 'isoYearIsoWeek'];
    expect(table(await ask(request(names, ['sessions'], day)))).toEqual([
      {
        week: '01',
        isoWeek: '01',
        isoYear: '2026',
        dayOfWeek: '4',
        dayOfWeekName: 'Thursday',
        yearMonth: '202601',
        isoYearIsoWeek: '202601',
        sessions: expect.stringMatching(/^\d+$/),
      },
    ]);
  });
});
