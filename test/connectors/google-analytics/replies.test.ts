import { GoogleAnalyticsConnector, toRecords } from 'agent-connectors/google-analytics';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorWithReplies, property, reportOf } from './setup.js';

const quota = {
  tokensPerDay: { consumed: 3, remaining: 199_997 },
  tokensPerHour: { consumed: 3, remaining: 39_997 },
  concurrentRequests: { consumed: 0, remaining: 10 },
  serverErrorsPerProjectPerHour: { consumed: 0, remaining: 10 },
  potentiallyThresholdedRequestsPerHour: { consumed: 0, remaining: 120 },
  tokensPerProjectPerHour: { consumed: 3, remaining: 13_997 },
};

describe('a report', () => {
  test('returns rows unchanged and describes them in meta', async () => {
    const metadata = {
      currencyCode: 'EUR',
      timeZone: 'Europe/Paris',
      dataLossFromOtherRow: true,
      subjectToThresholding: true,
      samplingMetadatas: [{ samplesReadCount: '500', samplingSpaceSize: '1000' }],
      emptyReason: 'x',
      dataTruncationReasons: ['y'],
    };
    const sent = reportOf([
      ['20260902', '90'],
      ['20260901', '12'],
    ]);
    const { analytics, mismatches } = connectorWithReplies([{ ...sent, rowCount: 31, metadata, propertyQuota: quota }]);
    expect(await analytics.website_overview.list({ ...property, limit: 2 })).toEqual({
      data: sent.rows,
      meta: {
        row_count: 31,
        property_id: property.property_id,
        date_ranges: [{ startDate: '30daysAgo', endDate: 'today' }],
        dimension_headers: [{ name: 'date' }],
        metric_headers: [{ name: 'sessions', type: 'TYPE_INTEGER' }],
        property_quota: quota,
        metadata,
        notes: [
          'In this report: figures are estimates from a sample of the data.',
          'In this report: rows and figures with few users are withheld (thresholding), so an absent row is not a zero.',
          'In this report: rare rows are merged into (other).',
        ],
      },
    });
    expect(mismatches).toEqual([]);
  });

  test('keeps every value as a string and preserves row order', async () => {
    const values = ['0', '1.2156862745098038', '0.2761', '123456789012345678', '5E-5', ''];
    const { analytics, mismatches } = connectorWithReplies([
      reportOf(values.map((value, at) => [`2026090${9 - at}`, value])),
    ]);
    const { data } = await analytics.website_overview.list(property);
    expect(data.map(({ metricValues }) => metricValues![0]!.value)).toEqual(values);
    expect(data.map(({ dimensionValues }) => dimensionValues![0]!.value)).toEqual(
      values.map((_, at) => `2026090${9 - at}`),
    );
    expect(mismatches).toEqual([]);
  });

  test('that is empty has neither rows nor rowCount and becomes zero rows', async () => {
    const { analytics, mismatches } = connectorWithReplies([
      { dimensionHeaders: [{ name: 'date' }], metricHeaders: [], metadata: {}, kind: 'analyticsData#runReport' },
      { kind: 'analyticsData#runReport' },
      {},
    ]);
    const asked = { ...property, date_ranges: [{ startDate: '30daysAgo', endDate: 'today' }] };
    expect(await analytics.daily_active_users.list(property)).toEqual({
      data: [],
      meta: {
        row_count: 0,
        ...asked,
        dimension_headers: [{ name: 'date' }],
        metric_headers: [],
        property_quota: null,
        metadata: {},
      },
    });
    expect(await analytics.daily_active_users.list(property)).toEqual({
      data: [],
      meta: { row_count: 0, ...asked, dimension_headers: [], metric_headers: [], property_quota: null, metadata: null },
    });
    // Without its kind, it is no report.
    expect(await failure(analytics.daily_active_users.list(property))).toMatchObject({ code: 'invalid_response' });
    expect(mismatches).toEqual([]);
  });

  test('that is empty is still recognized if it has a new key', async () => {
    const { analytics } = connectorWithReplies([
      { kind: 'analyticsData#runReport', nextPageToken: 't', sampled: false },
      { metadata: { currencyCode: 'EUR' }, comparisons: [] },
    ]);
    for (let reply = 0; reply < 2; reply++) expect((await analytics.pages.list(property)).data).toEqual([]);
  });

  test('truncated by its limit reports that and where to continue', async () => {
    const { analytics } = connectorWithReplies([reportOf([['a', '1']], 5), reportOf([['b', '1']], 2)]);
    expect((await analytics.pages.list(property)).meta.notes).toEqual([
      expect.stringMatching(/^1 of 5 rows returned.*100000.*offset: 1\.$/),
    ]);
    expect((await analytics.pages.list({ ...property, offset: 1 })).meta).not.toHaveProperty('notes');
    const chosen = connectorWithReplies([reportOf([['a', '1']], 5)]);
    expect((await chosen.analytics.pages.list({ ...property, limit: 1 })).meta).not.toHaveProperty('notes');
  });

  test('that is too large to read suggests a limit that fits', async () => {
    const row = { dimensionValues: [{ value: 'x'.repeat(2_000) }], metricValues: [{ value: '1' }] };
    const megabyte = new Uint8Array(2 ** 20).fill(32);
    let left = 130;
    const tooLong = new ReadableStream<Uint8Array>({
      pull: (stream) => (left-- > 0 ? stream.enqueue(megabyte) : stream.close()),
    });
    const limits: string[] = [];
    const analytics = new GoogleAnalyticsConnector({
      credentials: { client_id: 'c', client_secret: 's', refresh_token: 'r', access_token: 'ya29.test' },
      fetch: async (_, init) => {
        limits.push(JSON.parse(String(init?.body)).limit);
        return limits.length === 1
          ? new Response(tooLong)
          : Response.json({ rows: Array(200).fill(row), rowCount: 1e6 });
      },
    });
    const error = await failure(analytics.pages.list(property));
    expect(error.code).toBe('too_large');
    expect(limits).toEqual(['100000', '200']);
    const limit = Number(/limit: (\d+)/.exec(error.hint!)![1]);
    expect(limit * 2_050).toBeGreaterThan(80 * 2 ** 20);
    expect(limit * 2_100).toBeLessThan(128 * 2 ** 20);
  });

  test.each([{ error: 'x' }, { message: 'blocked by proxy' }, { kind: 'drive#file', rowCount: 1 }, [], null])(
    'is invalid in any other form: %j',
    async (body) => {
      const { analytics } = connectorWithReplies([body as object]);
      expect((await failure(analytics.pages.list(property))).code).toBe('invalid_response');
    },
  );

  test('without dimensions or metrics has empty lists for them', async () => {
    const { analytics, mismatches } = connectorWithReplies([
      {
        metricHeaders: [{ name: 'sessions', type: 'TYPE_INTEGER' }],
        rows: [{ metricValues: [{ value: '7' }] }],
        rowCount: 1,
      },
      { dimensionHeaders: [{ name: 'date' }], rows: [{ dimensionValues: [{ value: '20260901' }] }], rowCount: 1 },
    ]);
    const total = await analytics.website_overview.list({ ...property, dimensions: [] });
    expect(total.data).toEqual([{ dimensionValues: [], metricValues: [{ value: '7' }] }]);
    expect(total.meta.dimension_headers).toEqual([]);
    const days = await analytics.website_overview.list({ ...property, metrics: [] });
    expect(days.data).toEqual([{ dimensionValues: [{ value: '20260901' }], metricValues: [] }]);
    expect(toRecords(total, property)).toMatchObject([{ sessions: 7 }]);
    expect(toRecords(days, property)).toMatchObject([{ date: '20260901' }]);
    expect(mismatches).toEqual([]);
  });

  test('with several ranges ends with a dateRange column, which toRecords uses as the period', async () => {
    const row = (date: string, range: string, sessions: string) => ({
      dimensionValues: [{ value: date }, { value: range }],
      metricValues: [{ value: sessions }],
    });
    const { analytics } = connectorWithReplies([
      {
        ...reportOf([]),
        dimensionHeaders: [{ name: 'date' }, { name: 'dateRange' }],
        rows: [row('20260902', 'date_range_0', '9'), row('20250902', 'last_year', '4')],
        rowCount: 2,
      },
    ]);
    const params = {
      ...property,
      dateRanges: [
        { startDate: '2026-09-01', endDate: '2026-09-30' },
        { startDate: '2025-09-01', endDate: '2025-09-30', name: 'last_year' },
      ],
    };
    const report = await analytics.website_overview.list(params);
    expect(report.meta.dimension_headers.at(-1)).toEqual({ name: 'dateRange' });
    expect(toRecords(report, params)).toEqual([
      {
        property_id: '123456789',
        startDate: '2026-09-01',
        endDate: '2026-09-30',
        date: '20260902',
        dateRange: 'date_range_0',
        sessions: 9,
      },
      {
        property_id: '123456789',
        startDate: '2025-09-01',
        endDate: '2025-09-30',
        date: '20250902',
        dateRange: 'last_year',
        sessions: 4,
      },
    ]);
  });

  test('whose headers are not a list of names is reported, and returned unchanged', async () => {
    const { analytics, mismatches } = connectorWithReplies([
      { ...reportOf([['20260901', '1']]), metricHeaders: [{ type: 'X' }] },
    ]);
    const { meta } = await analytics.website_overview.list(property);
    expect(meta.metric_headers).toEqual([{ type: 'X' }]);
    expect(mismatches).toHaveLength(1);
  });

  test('with additional fields next to its values includes them only with raw', async () => {
    const sent = {
      ...reportOf([]),
      rows: [{ dimensionValues: [{ value: 'a', oneMore: 1 }], metricValues: [], extra: 1 }],
    };
    const { analytics } = connectorWithReplies([sent]);
    const [dimensionValues, metricValues] = [[{ value: 'a', oneMore: 1 }], []];
    expect((await analytics.pages.list(property)).data).toEqual([{ dimensionValues, metricValues }]);
    expect((await analytics.pages.list(property, { raw: true })).data).toEqual([
      { dimensionValues, metricValues, extra: 1 },
    ]);
  });
});

describe('rows from all pages', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((date, at): [string, string] => [date, String(9 - at)]);

  test('are requested by offset, with everything else unchanged', async () => {
    const { analytics, sent } = connectorWithReplies([
      reportOf(rows.slice(0, 2), 5),
      reportOf(rows.slice(2, 4), 5),
      reportOf(rows.slice(4), 5),
    ]);
    const given = { ...property, limit: 2, metrics: [{ name: 'sessions' }], keepEmptyRows: true };
    const found = await collect(analytics.paginate('website_overview', 'list', given));
    expect(found.map(({ dimensionValues }) => dimensionValues![0]!.value)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const [first, ...others] = sent.map(({ json }) => json);
    expect(first).not.toHaveProperty('offset');
    expect(others).toEqual([
      { ...first, offset: '2' },
      { ...first, offset: '4' },
    ]);
  });

  test("start at the caller's offset", async () => {
    const { analytics, sent } = connectorWithReplies([reportOf(rows.slice(3, 4), 5), reportOf(rows.slice(4), 5)]);
    expect(await collect(analytics.paginate('pages', 'list', { ...property, limit: 1, offset: 3 }))).toHaveLength(2);
    expect(sent.map(({ json }) => json.offset)).toEqual(['3', '4']);
  });

  test('continue after the rows received, since Google may silently cap a limit', async () => {
    const { analytics, sent } = connectorWithReplies([reportOf(rows.slice(0, 3), 5), reportOf(rows.slice(3), 5)]);
    expect(await collect(analytics.paginate('pages', 'list', { ...property, limit: 4 }))).toHaveLength(5);
    expect(sent[1]!.json.offset).toBe('3');
  });

  test('end with an empty page, regardless of rowCount', async () => {
    const { analytics, sent } = connectorWithReplies([reportOf(rows.slice(0, 2), 5), reportOf([], 5)]);
    expect(await collect(analytics.paginate('pages', 'list', { ...property, limit: 2 }))).toHaveLength(2);
    expect(sent).toHaveLength(2);
  });

  test('do not end with a page that has lost its rows', async () => {
    const { analytics } = connectorWithReplies([reportOf(rows.slice(0, 2), 5), { rowCount: 5 }]);
    const pages = collect(analytics.paginate('pages', 'list', { ...property, limit: 2 }));
    await expect(pages).rejects.toMatchObject({ code: 'invalid_response' });
  });

  test('take one request if they all fit, or if there are none', async () => {
    for (const reply of [reportOf(rows), { kind: 'analyticsData#runReport' }]) {
      const { analytics, sent } = connectorWithReplies([reply]);
      await collect(analytics.paginate('pages', 'list', property));
      expect(sent).toHaveLength(1);
    }
  });
});

test('a response whose rows are not a list is invalid', async () => {
  const { analytics } = connectorWithReplies([{ ...reportOf([]), rows: { a: 1 } }]);
  expect((await failure(analytics.pages.list(property))).code).toBe('invalid_response');
});
