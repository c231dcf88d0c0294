import {
  type DimensionName,
  GoogleAnalyticsConnector,
  type MetricName,
  type ReportMeta,
  type ReportRecord,
  type Row,
  reports,
  toRecords,
} from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expectTypeOf, it } from 'vitest';

declare const analytics: GoogleAnalyticsConnector;

/** Wraps calls that are only compiled, never run. */
const never = (..._calls: Array<() => unknown>) => {};

type Options = NonNullable<ConstructorParameters<typeof GoogleAnalyticsConnector>[0]>;
type Given = NonNullable<Options['credentials']>;
type Params = NonNullable<Parameters<GoogleAnalyticsConnector['pages']['list']>[0]>;

describe('a report', () => {
  it('is rows, and meta has the information needed to read them', () => {
    const list = () => analytics.execute('pages', 'list', { property_id: '1' });
    type Answer = Awaited<ReturnType<typeof list>>;
    expectTypeOf<Answer['data']>().toEqualTypeOf<Row[]>();
    expectTypeOf<Answer['meta']>().toEqualTypeOf<ReportMeta>();
    expectTypeOf<Answer['meta']['row_count']>().toEqualTypeOf<number>();
    expectTypeOf<Answer['meta']['dimension_headers'][number]['name']>().toEqualTypeOf<string>();
    expectTypeOf<Answer['meta']['metric_headers'][number]['type']>().toEqualTypeOf<string | null | undefined>();
    type Quota = NonNullable<Answer['meta']['property_quota']>;
    expectTypeOf<NonNullable<Quota['tokensPerDay']>['remaining']>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<NonNullable<Row['metricValues']>[number]['value']>().toEqualTypeOf<string>();
    expectTypeOf<null>().toExtend<Row['dimensionValues']>();
  });

  it('is the same through an entity method, and page by page', async () => {
    const direct = () => analytics.execute('devices', 'list', { property_id: '1' });
    const method = () => analytics.devices.list({ property_id: '1' });
    expectTypeOf<ReturnType<typeof method>>().toEqualTypeOf<ReturnType<typeof direct>>();
    const pages = analytics.paginate('devices', 'list', { property_id: '1' });
    for await (const row of pages) expectTypeOf(row).toEqualTypeOf<Row>();
    for await (const { meta } of pages.pages()) expectTypeOf(meta).toEqualTypeOf<ReportMeta>();
  });
});

describe('report parameters', () => {
  it('have known types', () => {
    expectTypeOf<Params['property_id']>().toEqualTypeOf<string>();
    expectTypeOf<Params['limit']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Params['offset']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Params['keepEmptyRows']>().toEqualTypeOf<boolean | undefined>();
    type Range = NonNullable<Params['dateRanges']>[number];
    expectTypeOf<Range>().toEqualTypeOf<{ startDate: string; endDate: string; name?: string | undefined }>();
    expectTypeOf<NonNullable<Params['metrics']>[number]['name']>().toEqualTypeOf<MetricName>();
    expectTypeOf<NonNullable<Params['metrics']>[number]['expression']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Params['dimensions']>[number]['name']>().toEqualTypeOf<DimensionName>();
  });

  it('do not compile if they are wrong', () => {
    never(
      // @ts-expect-error property_id is required
      () => analytics.pages.list(),
      // @ts-expect-error property_id is required
      () => analytics.pages.list({ limit: 5 }),
      // @ts-expect-error property_id is text
      () => analytics.pages.list({ property_id: 123 }),
      // @ts-expect-error limit is a number
      () => analytics.pages.list({ property_id: '1', limit: '5' }),
      // @ts-expect-error dateRanges is a list
      () => analytics.pages.list({ property_id: '1', dateRanges: { startDate: 'today', endDate: 'today' } }),
      // @ts-expect-error a range has an end
      () => analytics.pages.list({ property_id: '1', dateRanges: [{ startDate: 'today' }] }),
      // @ts-expect-error misspelt
      () => analytics.pages.list({ property_id: '1', dateRanges: [{ start_date: 'today', endDate: 'today' }] }),
      // @ts-expect-error metrics are objects
      () => analytics.pages.list({ property_id: '1', metrics: ['sessions'] }),
      // @ts-expect-error no such parameter
      () => analytics.pages.list({ property_id: '1', orderBys: [] }),
      // @ts-expect-error no such report
      () => analytics.execute('page', 'list', { property_id: '1' }),
      // @ts-expect-error reports are not got one by one
      () => analytics.pages.get({ property_id: '1' }),
    );
  });
});

describe('credentials', () => {
  it('are an OAuth client or a key file', () => {
    expectTypeOf<{ credentials_json: string }>().toExtend<Given>();
    expectTypeOf<{ client_id: string; client_secret: string; refresh_token: string }>().toExtend<Given>();
    expectTypeOf<{ client_id: string; client_secret: string }>().not.toExtend<Given>();
    expectTypeOf<{ access_token: string }>().not.toExtend<Given>();
    never(
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json: '{}' } }),
      // @ts-expect-error not text
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json: { type: 'service_account' } } }),
      // @ts-expect-error misspelt
      () => new GoogleAnalyticsConnector({ credentials: { credentialsJson: '{}' } }),
      // @ts-expect-error half a mode
      () => new GoogleAnalyticsConnector({ credentials: { client_id: 'c', client_secret: 's' } }),
      // @ts-expect-error only Drive's accounts act for somebody
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json: '{}', subject: 'a@b.example' } }),
      // @ts-expect-error one address for all customers
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json: '{}', base_url: 'x' } }),
    );
    never(() => new GoogleDriveConnector({ credentials: { credentials_json: '{}', subject: 'a@b.example' } }));
  });
});

describe('parameters', () => {
  it('can be read-only, so that one object works for both the call and toRecords', () => {
    const params = {
      property_id: '1',
      dateRanges: [{ startDate: '7daysAgo', endDate: 'today' }],
      dimensions: [{ name: 'country' }],
      metrics: [{ name: 'sessions' }],
    } as const;
    never(
      () => analytics.pages.list(params),
      () => analytics.execute('pages', 'list', { property_id: '1', ...reports.pages }),
    );
  });
});

describe('toRecords', () => {
  const result = () => analytics.pages.list({ property_id: '1' });
  type Answer = Awaited<ReturnType<typeof result>>;
  const answer = undefined as unknown as Answer;

  it("knows a report's own columns", () => {
    const make = () => toRecords(answer, { property_id: '1', ...reports.pages });
    type Record = ReturnType<typeof make>[number];
    expectTypeOf<Record['property_id']>().toEqualTypeOf<string>();
    expectTypeOf<Record['startDate']>().toEqualTypeOf<string>();
    expectTypeOf<Record['date']>().toEqualTypeOf<string | null>();
    expectTypeOf<Record['hostName']>().toEqualTypeOf<string | null>();
    expectTypeOf<Record['screenPageViews']>().toEqualTypeOf<number | null>();
    expectTypeOf<Record['bounceRate']>().toEqualTypeOf<number | null>();
    expectTypeOf<keyof Record>().toEqualTypeOf<
      | 'property_id'
      | 'startDate'
      | 'endDate'
      | 'dateRange'
      | 'date'
      | 'hostName'
      | 'pagePathPlusQueryString'
      | 'screenPageViews'
      | 'bounceRate'
    >();
    // @ts-expect-error no column of this report
    never(() => make()[0]?.sessions);
  });

  it('knows columns that the caller lists', () => {
    const make = () =>
      toRecords(answer, {
        property_id: '1',
        dimensions: [{ name: 'country' }],
        metrics: [{ name: 'sessions' }, { name: 'perVisit', expression: 'screenPageViews/sessions' }],
      });
    type Record = ReturnType<typeof make>[number];
    expectTypeOf<Record['country']>().toEqualTypeOf<string | null>();
    expectTypeOf<Record['sessions']>().toEqualTypeOf<number | null>();
    expectTypeOf<Record['perVisit']>().toEqualTypeOf<number | null>();
    // @ts-expect-error no column that was asked for
    never(() => make()[0]?.city);
  });

  it("knows them from the call's parameters", async () => {
    const params = {
      property_id: '1',
      dateRanges: [{ startDate: '7daysAgo', endDate: 'today' }],
      dimensions: [{ name: 'country' }],
      metrics: [{ name: 'sessions' }],
      limit: 5,
    } as const satisfies { readonly property_id: string; readonly limit: number; [other: string]: unknown };
    expectTypeOf<ReportRecord<typeof params>['country']>().toEqualTypeOf<string | null>();
    expectTypeOf<ReportRecord<typeof params>['sessions']>().toEqualTypeOf<number | null>();
    never(() => toRecords(answer, params));
  });

  it('is loose if names are only known at run time', () => {
    const names: string[] = [];
    const columns = names.map((name) => ({ name }));
    for (const params of [
      { property_id: '1', dimensions: columns, metrics: columns },
      { property_id: '1', dimensions: columns, metrics: [{ name: 'sessions' }] },
    ]) {
      const make = () => toRecords(answer, params);
      type Record = ReturnType<typeof make>[number];
      expectTypeOf<Record['whatever']>().toEqualTypeOf<string | number | null>();
      expectTypeOf<Record['startDate']>().toEqualTypeOf<string>();
    }
    const plain = () => toRecords(answer, { property_id: '1' });
    expectTypeOf<ReturnType<typeof plain>[number]['whatever']>().toEqualTypeOf<string | number | null>();
  });

  it('requires the parameters, and a report', () => {
    never(
      // @ts-expect-error no property_id
      () => toRecords(answer, reports.pages),
      // @ts-expect-error no parameters
      () => toRecords(answer),
      // @ts-expect-error the rows alone do not say what they are
      () => toRecords(answer.data, { property_id: '1' }),
    );
  });
});
