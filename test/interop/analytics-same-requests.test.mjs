// The connector and Google's own client request the same reports: requests and responses must be the same.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { analyticsdata, auth } from '@googleapis/analyticsdata';
import { GoogleAnalyticsConnector, reports } from '../../dist/google-analytics.js';
import { serve } from '../../sandbox/dist/server.js';

describe('the connector and @googleapis/analyticsdata', () => {
  let server;
  let ours;
  let theirs;
  let property_id;

  before(async () => {
    server = await serve();
    const { credentials, properties } = server.sandbox.vendors['google-analytics'];
    const endpoints = `${server.url}/google-analytics`;
    const { client_id, client_secret, refresh_token } = credentials.oauth;
    property_id = properties.website;
    ours = new GoogleAnalyticsConnector({ credentials: credentials.oauth, endpoints });
    const oauth2TokenUrl = `${endpoints}/token`;
    const client = new auth.OAuth2({ clientId: client_id, clientSecret: client_secret, endpoints: { oauth2TokenUrl } });
    client.setCredentials({ refresh_token });
    const api = analyticsdata({ version: 'v1beta', auth: client });
    // Its global rootUrl drops the path, so each call sets rootUrl.
    theirs = async (requestBody) => {
      const parameters = { property: `properties/${property_id}`, requestBody };
      return (await api.properties.runReport(parameters, { rootUrl: `${endpoints}/` })).data;
    };
  });

  after(() => server.close());

  /** Runs both and returns their results; their requests must be equal. */
  async function both(mine, requestBody) {
    const asked = () => {
      const found = server.sandbox.requests.find(({ path }) => path.endsWith(':runReport'));
      server.sandbox.requests.clear();
      return { method: found.method, path: found.path, query: found.query, body: found.body };
    };
    server.sandbox.requests.clear();
    const own = { result: await mine(), request: asked() };
    const other = { result: await theirs(requestBody), request: asked() };
    // Ours requests JSON without indentation, which does not change the contents.
    assert.deepEqual(own.request, { ...other.request, query: { prettyPrint: 'false' } });
    const { data, meta } = own.result;
    assert.deepEqual(data, other.result.rows);
    assert.deepEqual(meta.dimension_headers, other.result.dimensionHeaders);
    assert.deepEqual(meta.metric_headers, other.result.metricHeaders);
    assert.equal(meta.row_count, other.result.rowCount);
  }

  const usual = { keepEmptyRows: false, returnPropertyQuota: true };
  const lastThirtyDays = [{ startDate: '30daysAgo', endDate: 'today' }];

  /** Google's default order, made unambiguous by the dimensions. */
  const orderBys = ({ dimensions, metrics: [{ name }] }) => [
    { metric: { metricName: name }, desc: true },
    ...dimensions.map((dimension) => ({ dimension: { dimensionName: dimension.name } })),
  ];

  for (const [name, columns] of Object.entries(reports)) {
    test(`send the same request for ${name}`, async () => {
      await both(() => ours.execute(name, 'list', { property_id, limit: 500 }), {
        dateRanges: lastThirtyDays,
        ...columns,
        orderBys: orderBys(columns),
        ...usual,
        limit: '500',
      });
    });
  }

  test('send the same request for custom columns, periods and pages', async () => {
    const asked = {
      dateRanges: [
        { startDate: '14daysAgo', endDate: '8daysAgo', name: 'before' },
        { startDate: '7daysAgo', endDate: 'yesterday' },
      ],
      dimensions: [{ name: 'country' }],
      metrics: [{ name: 'sessions' }],
      keepEmptyRows: true,
      returnPropertyQuota: false,
    };
    await both(() => ours.pages.list({ property_id, ...asked, limit: 5, offset: 2 }), {
      ...asked,
      orderBys: orderBys(asked),
      limit: '5',
      offset: '2',
    });
  });
});
