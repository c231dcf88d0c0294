import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import type { SentRequest } from '../../play-vendor.js';
import { columns } from './contract.js';
import { connectorWithReplies, property, reportOf } from './setup.js';

type Report = 'website_overview';

const named = (names: readonly string[]) => names.map((name) => ({ name }));
type Named = readonly { readonly name: string }[];

/** The body of a request, with an order in which every row has its place. */
const ordered = <Body extends { readonly dimensions: Named; readonly metrics: Named }>(body: Body) => ({
  ...body,
  orderBys: [
    ...body.metrics.slice(0, 1).map(({ name }) => ({ metric: { metricName: name }, desc: true })),
    ...body.dimensions.map(({ name }) => ({ dimension: { dimensionName: name } })),
  ],
});

const defaults = (report: string, changes: object = {}) => {
  const [dimensions, metrics] = columns[report]!;
  return ordered({
    dateRanges: [{ startDate: '30daysAgo', endDate: 'today' }],
    dimensions: named(dimensions),
    metrics: named(metrics),
    keepEmptyRows: false,
    returnPropertyQuota: true,
    limit: '100000',
    ...changes,
  });
};

/** What one report call sends. */
async function sentFor(params: object, report = 'website_overview') {
  const { analytics, sent } = connectorWithReplies([reportOf([])]);
  await analytics.execute(report as Report, 'list', { ...property, ...params });
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

const everything = {
  dateRanges: [
    { startDate: '2026-08-01', endDate: '2026-08-31', name: 'now' },
    { startDate: '60daysAgo', endDate: 'yesterday', name: 'before' },
  ],
  dimensions: [
    { name: 'country' },
    { name: 'small', dimensionExpression: { lowerCase: { dimensionName: 'eventName' } } },
    { name: 'large', dimensionExpression: { upperCase: { dimensionName: 'city' } } },
    { name: 'both', dimensionExpression: { concatenate: { dimensionNames: ['city', 'country'], delimiter: '/' } } },
  ],
  metrics: [
    { name: 'customEvent:foo', invisible: true },
    { name: 'views_each', expression: 'screenPageViews/sessions' },
  ],
  keepEmptyRows: true,
  returnPropertyQuota: false,
};

describe('a report is requested', () => {
  test("at its property's URL, as compact JSON, with a Bearer token", async () => {
    const { url, method, headers } = await sentFor({});
    expect(url.origin + url.pathname).toBe(
      'https://analyticsdata.googleapis.com/v1beta/properties/123456789:runReport',
    );
    expect(url.search).toBe('?prettyPrint=false');
    expect(method).toBe('POST');
    expect(headers.get('authorization')).toBe('Bearer ya29.test');
    expect(headers.get('content-type')).toBe('application/json');
  });

  test.each(Object.keys(columns))('with every default unless overridden: %s', async (report) => {
    expect((await sentFor({}, report)).json).toEqual(defaults(report));
  });

  test.each(['dateRanges', 'dimensions', 'metrics', 'keepEmptyRows', 'returnPropertyQuota', 'limit', 'offset'])(
    'with the default of %s if it is undefined',
    async (name) => {
      expect((await sentFor({ [name]: undefined }, 'locations')).json).toEqual(defaults('locations'));
    },
  );

  test.each([
    ['dateRanges', [{ startDate: '2026-09-01', endDate: '2026-09-02' }]],
    ['dimensions', [{ name: 'country' }]],
    ['dimensions', []],
    ['metrics', [{ name: 'sessions' }]],
    ['metrics', []],
    ['keepEmptyRows', true],
    ['returnPropertyQuota', false],
  ])("with a caller's %s instead of the default, and all other defaults unchanged: %j", async (name, value) => {
    expect((await sentFor({ [name]: value }, 'pages')).json).toEqual(defaults('pages', { [name]: value }));
  });

  test("with limit and offset as strings, like all of Google's 64-bit numbers", async () => {
    const { json } = await sentFor({ limit: 250_000, offset: 500_000 });
    expect(json).toEqual(defaults('website_overview', { limit: '250000', offset: '500000' }));
    expect((await sentFor({ offset: 0 })).json.offset).toBe('0');
  });

  test('with formulas, range names and custom columns unchanged', async () => {
    expect((await sentFor(everything, 'devices')).json).toEqual(ordered({ ...everything, limit: '100000' }));
  });

  test('without parameters unknown to Google, which are rejected locally', async () => {
    for (const unknown of ['orderBys', 'metricFilter', 'currencyCode', 'date_ranges', 'property']) {
      const { analytics, sent } = connectorWithReplies([reportOf([])]);
      const error = await failure(analytics.pages.list({ ...property, [unknown]: [] }));
      expect(error.code, unknown).toBe('invalid_params');
      expect(sent).toHaveLength(0);
    }
  });
});

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
}

interface Discovery {
  readonly rootUrl: string;
  readonly schemas: Record<string, Schema>;
  readonly resources: {
    readonly properties: {
      readonly methods: Record<
        string,
        {
          readonly httpMethod: string;
          readonly path: string;
          readonly request: Schema;
          readonly parameters: Record<string, { readonly pattern?: string }>;
          readonly scopes: readonly string[];
        }
      >;
    };
  };
}

/** The paths at which a value does not match the document. */
function misfits(document: Discovery, value: unknown, given: Schema, place: string): string[] {
  const schema = given.$ref === undefined ? given : document.schemas[given.$ref]!;
  if (Array.isArray(value)) {
    if (!schema.items) return [`${place} is no list there`];
    return value.flatMap((item, at) => misfits(document, item, schema.items!, `${place}.${at}`));
  }
  if (typeof value !== 'object' || value === null) {
    const digits = schema.format !== 'int64' || /^\d+$/.test(String(value));
    return typeof value === schema.type && digits ? [] : [`${place} is no ${schema.type}`];
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = schema.properties?.[name];
    return property ? misfits(document, inner, property, `${place}.${name}`) : [`${place}.${name} does not exist`];
  });
}

const folder = process.env.VENDOR_SCHEMAS;
const file = folder === undefined ? '' : join(folder, 'analyticsdata.v1beta.json');

test.skipIf(!existsSync(file))(
  "every request is valid against Google's discovery document (VENDOR_SCHEMAS)",
  async () => {
    const document: Discovery = JSON.parse(readFileSync(file, 'utf8'));
    const { httpMethod, path, request, parameters, scopes } = document.resources.properties.methods.runReport!;
    // One after the other: a test has one vendor at a time.
    const requests: SentRequest[] = [];
    for (const report of Object.keys(columns)) requests.push(await sentFor({}, report));
    requests.push(await sentFor({ ...everything, limit: 1, offset: 7 }));
    for (const { url, method, json } of requests) {
      expect(method).toBe(httpMethod);
      expect(url.origin).toBe(new URL(document.rootUrl).origin);
      const template = path.replace('{+property}', parameters.property!.pattern!.slice(1, -1));
      expect(url.pathname.slice(1)).toMatch(new RegExp(`^${template}$`));
      expect([...url.searchParams]).toEqual([['prettyPrint', 'false']]);
      expect(misfits(document, json, request, 'body')).toEqual([]);
    }
    expect(scopes).toContain('https://www.googleapis.com/auth/analytics.readonly');
    expect(misfits(document, { limit: 1, nope: 1 }, request, 'body')).toEqual([
      'body.limit is no string',
      'body.nope does not exist',
    ]);
  },
);
