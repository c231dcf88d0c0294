import { GoogleAnalyticsConnector, reports, toRecords } from 'agent-connectors/google-analytics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { failure } from '../../failure.js';
import { columns } from './contract.js';
import { collect, connectorOnSandbox } from './setup.js';

beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

const week = [{ startDate: '7daysAgo', endDate: 'yesterday' }];
const sum = (numbers: Array<number | null | undefined>) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);

/** One number for a whole period, totaled by the vendor itself. */
async function totalOf(analytics: GoogleAnalyticsConnector, property_id: string, name: string, dateRanges = week) {
  const params = { property_id, dateRanges, dimensions: [], metrics: [{ name }] };
  const [record] = toRecords(await analytics.website_overview.list(params), params);
  return record![name];
}

describe('website reports', () => {
  test('name their columns in value order and cover thirty days plus today', async () => {
    const { analytics, website } = connectorOnSandbox();
    for (const [name, [dimensions, metrics]] of Object.entries(columns)) {
      const params = { property_id: website, limit: 40 };
      const { data, meta } = await analytics.execute(name as 'pages', 'list', params);
      expect(meta.dimension_headers.map((header) => header.name)).toEqual(dimensions);
      expect(meta.metric_headers.map((header) => header.name)).toEqual(metrics);
      expect(data.length).toBe(Math.min(40, meta.row_count));
      for (const row of data) {
        expect([row.dimensionValues!.length, row.metricValues!.length]).toEqual([dimensions.length, metrics.length]);
        expect(row.dimensionValues![dimensions.indexOf('date')]!.value, name).toMatch(/^\d{8}$/);
      }
    }
    const { meta } = await analytics.website_overview.list({ property_id: website });
    expect(meta.row_count).toBe(31);
    expect(meta.metadata).toMatchObject({ currencyCode: 'EUR', timeZone: 'Europe/Berlin' });
  });

  test("add up to the vendor's totals, however they are split", async () => {
    const { analytics, website } = connectorOnSandbox();
    const [sessions, views] = [
      await totalOf(analytics, website, 'sessions'),
      await totalOf(analytics, website, 'screenPageViews'),
    ];
    expect(sessions).toBeGreaterThan(20);
    for (const name of ['website_overview', 'traffic_sources', 'devices', 'locations'] as const) {
      const given = { property_id: website, dateRanges: week };
      const records = toRecords(await analytics.execute(name, 'list', given), { ...given, ...reports[name] });
      expect(sum(records.map((record) => record.sessions)), name).toBe(sessions);
      expect(sum(records.map((record) => record.screenPageViews)), name).toBe(views);
      for (const { bounceRate, property_id, date, ...record } of records) {
        expect([property_id, record.startDate, record.endDate]).toEqual([website, '7daysAgo', 'yesterday']);
        expect(date).toMatch(/^\d{8}$/);
        expect(bounceRate).toBeGreaterThanOrEqual(0);
        expect(bounceRate).toBeLessThanOrEqual(1);
      }
    }
    const given = { property_id: website, dateRanges: week };
    const pages = toRecords(await analytics.pages.list(given), { ...given, ...reports.pages });
    expect(sum(pages.map((record) => record.screenPageViews))).toBe(views);
  });

  test('for two periods can be told apart and add up to the totals for each', async () => {
    const { analytics, website } = connectorOnSandbox();
    const dateRanges = [...week, { startDate: '14daysAgo', endDate: '8daysAgo', name: 'before' }];
    const given = { property_id: website, dateRanges };
    const report = await analytics.website_overview.list(given);
    expect(report.meta.dimension_headers.map(({ name }) => name)).toEqual(['date', 'dateRange']);
    const records = toRecords(report, { ...given, ...reports.website_overview });
    for (const [startDate, range] of [
      ['7daysAgo', dateRanges[0]!],
      ['14daysAgo', dateRanges[1]!],
    ] as const) {
      const own = records.filter((record) => record.startDate === startDate);
      expect(own).toHaveLength(7);
      expect(sum(own.map(({ sessions }) => sessions))).toBe(await totalOf(analytics, website, 'sessions', [range]));
    }
  });

  test('are paged without duplicate or missing rows, matching a single page', async () => {
    const { analytics, reportRequests, website } = connectorOnSandbox();
    const params = { property_id: website, dateRanges: week, returnPropertyQuota: false };
    const { data, meta } = await analytics.pages.list(params);
    const before = reportRequests().length;
    const paged = await collect(analytics.paginate('pages', 'list', { ...params, limit: 25 }));
    expect(paged).toEqual(data);
    expect(new Set(paged.map(({ dimensionValues }) => JSON.stringify(dimensionValues))).size).toBe(meta.row_count);
    expect(reportRequests().length - before).toBe(Math.ceil(meta.row_count / 25));
  });

  test('are sorted by the first metric, largest first, not by date', async () => {
    const { analytics, website } = connectorOnSandbox();
    const given = { property_id: website };
    const records = toRecords(await analytics.website_overview.list(given), { ...given, ...reports.website_overview });
    const users = records.map(({ totalUsers }) => totalUsers!);
    expect(users).toEqual([...users].sort((a, b) => b - a));
    const dates = records.map(({ date }) => date!);
    expect(dates).not.toEqual([...dates].sort());
  });

  test('for a property without visits are empty', async () => {
    const { analytics, empty } = connectorOnSandbox();
    const { data, meta } = await analytics.website_overview.list({ property_id: empty });
    expect([data, meta.row_count]).toEqual([[], 0]);
  });

  test('report the remaining quotas, unless disabled', async () => {
    const { analytics, website } = connectorOnSandbox();
    const { property_quota: first } = (await analytics.pages.list({ property_id: website, limit: 1 })).meta;
    const { property_quota: second } = (await analytics.pages.list({ property_id: website, limit: 1 })).meta;
    expect(Object.keys(first!).sort()).toEqual([
      'concurrentRequests',
      'potentiallyThresholdedRequestsPerHour',
      'serverErrorsPerProjectPerHour',
      'tokensPerDay',
      'tokensPerHour',
      'tokensPerProjectPerHour',
    ]);
    const spent = first!.tokensPerDay!.remaining! - second!.tokensPerDay!.remaining!;
    expect(spent).toBe(second!.tokensPerDay!.consumed);
    const { meta } = await analytics.pages.list({ property_id: website, limit: 1, returnPropertyQuota: false });
    expect(meta.property_quota).toBeNull();
  });

  test("are rejected in Google's words if a name is wrong", async () => {
    const { analytics, website } = connectorOnSandbox();
    const error = await failure(
      analytics.website_overview.list({ property_id: website, metrics: [{ name: 'totalUser' }] }),
    );
    expect(error).toMatchObject({ code: 'invalid_params', status: 400 });
    expect(error.message).toContain('Did you mean totalUsers?');
  });

  test('are rejected if a period ends before it starts', async () => {
    const { analytics, website } = connectorOnSandbox();
    const dateRanges = [{ startDate: 'today', endDate: '7daysAgo' }];
    const error = await failure(analytics.pages.list({ property_id: website, dateRanges }));
    expect(error).toMatchObject({ code: 'invalid_params', status: 400 });
  });
});

describe('an auth mode', () => {
  test.each(['oauth', 'service_account'] as const)('with %s gets one token for all concurrent calls', async (mode) => {
    const { analytics, sandbox, website } = connectorOnSandbox({ mode });
    const calls = Array.from({ length: 20 }, () => analytics.pages.list({ property_id: website, limit: 1 }));
    for (const { data } of await Promise.all(calls)) expect(data).toHaveLength(1);
    expect(sandbox.requests.filter(({ path }) => path.endsWith('/token'))).toHaveLength(1);
    expect(
      new Set(sandbox.requests.filter(({ path }) => !path.endsWith('/token')).map((one) => one.credential)),
    ).toEqual(new Set([mode]));
  });

  test.each(['ready', 'oauth', 'service_account'] as const)(
    'with %s renews an expired token once, without affecting the call',
    async (mode) => {
      const { analytics, sandbox, website, reportRequests } = connectorOnSandbox({ mode });
      await analytics.pages.list({ property_id: website, limit: 1 });
      sandbox.expireTokens();
      sandbox.requests.clear();
      const calls = Array.from({ length: 5 }, () => analytics.pages.list({ property_id: website, limit: 1 }));
      expect(await Promise.all(calls)).toHaveLength(5);
      expect(sandbox.requests.filter(({ path }) => path.endsWith('/token'))).toHaveLength(1);
      expect(
        reportRequests()
          .map(({ status }) => status)
          .sort(),
      ).toEqual([...Array(5).fill(200), ...Array(5).fill(401)]);
    },
  );

  test('that is rejected again after renewal fails', async () => {
    const { analytics, website, reportRequests } = connectorOnSandbox({
      faults: [{ kind: 'expired_token', path: '/v1beta', count: Number.POSITIVE_INFINITY }],
    });
    const error = await failure(analytics.pages.list({ property_id: website }));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, retryable: false });
    expect(error.hint).toContain('Authorize again');
    expect(reportRequests()).toHaveLength(2);
  });

  test.each([
    ['no_access', 'forbidden', 'Viewer'],
    ['service_account_no_access', 'forbidden', 'client_email'],
    ['service_disabled', 'forbidden', 'Enable the Google Analytics Data API'],
    ['wrong_scope', 'scope_missing', 'analytics.readonly'],
  ] as const)('with %s is %s, and the hint says %s', async (mode, code, hint) => {
    const { analytics, website, reportRequests } = connectorOnSandbox({ mode });
    const error = await failure(analytics.pages.list({ property_id: website }));
    expect(error).toMatchObject({ code, status: 403, retryable: false });
    expect(error.hint).toContain(hint);
    expect(reportRequests()).toHaveLength(1);
  });

  test('for one property cannot access another, and an unknown property is rejected identically', async () => {
    const { analytics, website, application, foreign } = connectorOnSandbox({ mode: 'one_property' });
    expect((await analytics.pages.list({ property_id: application, limit: 1 })).data).toHaveLength(1);
    for (const property_id of [website, foreign, '999']) {
      const error = await failure(analytics.pages.list({ property_id }));
      expect(error).toMatchObject({ code: 'forbidden', status: 403 });
      expect(error.hint).toContain('property_id is wrong');
    }
  });

  test.each(['oauth', 'service_account'] as const)(
    'with %s that was revoked fails with invalid_credentials',
    async (mode) => {
      const { analytics, sandbox, vendor, website, reportRequests } = connectorOnSandbox({ mode });
      const secret =
        mode === 'oauth' ? vendor.credentials.oauth.refresh_token : vendor.credentials[mode].credentials_json;
      sandbox.revoke(secret);
      const error = await failure(analytics.pages.list({ property_id: website }));
      expect(error).toMatchObject({ code: 'invalid_credentials', retryable: false });
      expect(reportRequests()).toHaveLength(0);
    },
  );
});

describe("a property's quotas", () => {
  test.each([
    ['tokensPerDay', 0],
    ['tokensPerHour', 0],
    ['tokensPerProjectPerHour', 0],
    ['serverErrorsPerProjectPerHour', 0],
  ])('%s: an exhausted quota is reported as quota_exhausted after one request', async (name, left) => {
    const { analytics, vendor, website, reportRequests } = connectorOnSandbox({ retries: 9 });
    vendor.limits = { [name]: left };
    const error = await failure(analytics.pages.list({ property_id: website }));
    expect(error).toMatchObject({ code: 'quota_exhausted', status: 429, retryable: false });
    expect(reportRequests()).toHaveLength(1);
  });

  test('for reports on age and gender only affect those reports', async () => {
    const { analytics, vendor, website } = connectorOnSandbox();
    vendor.limits = { potentiallyThresholdedRequestsPerHour: 0 };
    const dimensions = [{ name: 'userGender' }];
    const error = await failure(analytics.website_overview.list({ property_id: website, dimensions }));
    expect(error).toMatchObject({ code: 'quota_exhausted' });
    expect(error.hint).toContain('120 per hour');
    expect((await analytics.website_overview.list({ property_id: website })).data).toHaveLength(31);
  });

  test('for failures are conserved: a call uses three of ten, regardless of the retries option', async () => {
    const { analytics, sandbox, website } = connectorOnSandbox({ retries: 9 });
    sandbox.faults.add({ kind: '500', path: '/v1beta', count: 3 });
    expect((await failure(analytics.pages.list({ property_id: website }))).code).toBe('vendor_error');
    const { meta } = await analytics.pages.list({ property_id: website, limit: 1 });
    expect(meta.property_quota!.serverErrorsPerProjectPerHour!.remaining).toBe(7);
  });
});

describe('200 concurrent reports', () => {
  /** A fetch to the sandbox that delays every request a little, and counts concurrent ones by URL. */
  function counted() {
    const made = connectorOnSandbox({ mode: 'service_account' });
    const busy = new Map<string, number>();
    const most = new Map<string, number>();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(String(input));
      busy.set(pathname, (busy.get(pathname) ?? 0) + 1);
      most.set(pathname, Math.max(most.get(pathname) ?? 0, busy.get(pathname)!));
      await new Promise((resolve) => setTimeout(resolve, 1));
      const reply = await made.sandbox.fetch(input, init);
      busy.set(pathname, busy.get(pathname)! - 1);
      return reply;
    };
    const credentials = made.vendor.credentials.service_account;
    return { ...made, most, analytics: new GoogleAnalyticsConnector({ credentials, fetch }) };
  }

  test('never exceed eight at a time per property, independently of other properties', async () => {
    const { analytics, most, website, application } = counted();
    const ask = (property_id: string) =>
      analytics.website_overview.list({
        property_id,
        limit: 1,
        dateRanges: [{ startDate: 'yesterday', endDate: 'yesterday' }],
      });
    const order: string[] = [];
    const calls = Array.from({ length: 200 }, () => ask(website).then(() => order.push('website')));
    const others = Array.from({ length: 4 }, () => ask(application).then(() => order.push('application')));
    await Promise.all([...calls, ...others]);
    expect(most.get(`/v1beta/properties/${website}:runReport`)).toBe(8);
    expect(most.get(`/v1beta/properties/${application}:runReport`)).toBe(4);
    expect(most.get('/token')).toBe(1);
    expect(order.lastIndexOf('application')).toBeLessThan(40);
  });
});
