import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { playVendor } from '../../play-vendor.js';

const credentials = createSandbox({ seed: 7 }).vendors['google-analytics'].credentials;
const property_id = '320200001';
const valuesOf = (data: ReadonlyArray<any>, index = 0) => data.map((row) => row.dimensionValues[index].value);

test('a report is filtered by its dimensions, before it is counted', async () => {
  const { fetch } = createSandbox({ seed: 7 });
  const analytics = new GoogleAnalyticsConnector({ fetch, credentials: Object.values(credentials)[0]! as never });
  const params = { property_id, dimensions: [{ name: 'country' }], metrics: [{ name: 'sessions' }] };
  const whole = await analytics.locations.list(params);
  const country = valuesOf(whole.data)[0];
  const filter = { fieldName: 'country', stringFilter: { value: country } };
  const only = await analytics.locations.list({ ...params, dimensionFilter: { filter } });
  expect([valuesOf(only.data), only.meta.row_count]).toEqual([[country], 1]);
  const others = await analytics.locations.list({ ...params, dimensionFilter: { notExpression: { filter } } });
  expect(others.meta.row_count).toBe(whole.meta.row_count - 1);
});

const reportOn = (...days: string[]) => ({
  kind: 'analyticsData#runReport',
  dimensionHeaders: [{ name: 'date' }],
  metricHeaders: [{ name: 'active1DayUsers', type: 'TYPE_INTEGER' }],
  rows: days.map((value) => ({ dimensionValues: [{ value }], metricValues: [{ value: '5' }] })),
  rowCount: days.length,
});

test.each<[string, string[], string, RegExp | undefined]>([
  ['within', ['20261101', '20261103', '20261104'], '2026-11-01', /^No rows for 2026-11-02: no data/],
  ['before the first', ['20261103', '20261104'], '2026-11-01', /^No rows for 2026-11-01, 2026-11-02: /],
  ['many', ['20261001', '20261104'], '2026-10-01', /2026-10-06 and 28 more days: /],
  ['none', ['20261103', '20261104'], '2026-11-03', undefined],
  ['before the first of an open range', ['20261102', '20261104'], '30daysAgo', /^No rows for 2026-11-03: /],
])('days without rows are named: %s', async (_, days, startDate, note) => {
  playVendor({ access_token: 't', expires_in: 3600 }, reportOn(...days));
  const analytics = new GoogleAnalyticsConnector({ credentials: credentials.oauth as never });
  const { meta } = await analytics.daily_active_users.list({
    property_id,
    dateRanges: [{ startDate, endDate: '2026-11-04' }],
  });
  expect(meta.notes?.[0]).toEqual(note ? expect.stringMatching(note) : undefined);
});
