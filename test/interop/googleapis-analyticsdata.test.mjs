// Google's own Data API client against the sandbox, over real HTTP.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { analyticsdata, auth } from '@googleapis/analyticsdata';
import { serve } from '../../sandbox/dist/server.js';

let server;
let vendor;
let reports;
before(async () => {
  server = await serve();
  vendor = server.sandbox.vendors['google-analytics'];
});
after(() => server.close());
beforeEach(() => {
  server.sandbox.reset();
  reports = client(oauth('oauth'));
});

const rootUrl = () => `${server.url}/google-analytics/`;

/** The client keeps the path of a root URL only if each call sets it. */
function client(credentials) {
  const api = analyticsdata({ version: 'v1beta', auth: credentials }).properties;
  const call = (method) => (parameters, options) =>
    api[method](parameters, { rootUrl: rootUrl(), retry: false, ...options });
  return new Proxy({}, { get: (_, method) => call(method) });
}

function oauth(name) {
  const { client_id, client_secret, refresh_token } = vendor.credentials[name];
  const endpoints = { oauth2TokenUrl: `${rootUrl()}token` };
  const found = new auth.OAuth2({
    clientId: client_id,
    clientSecret: client_secret,
    forceRefreshOnFailure: true,
    endpoints,
  });
  found.setCredentials({ refresh_token });
  return found;
}

/** The library only accepts Google's own URL for assertions, so its token requests are redirected to the sandbox. */
function serviceAccount(name, more = {}) {
  const { client_email, private_key, private_key_id } = JSON.parse(vendor.credentials[name].credentials_json);
  const fetchImplementation = (address, init) => {
    const url = String(address);
    return fetch(url === 'https://oauth2.googleapis.com/token' ? `${rootUrl()}token` : url, init);
  };
  return new auth.JWT({
    email: client_email,
    key: private_key,
    keyId: private_key_id,
    scopes: ['https://www.googleapis.com/auth/analytics.readonly'],
    transporterOptions: { fetchImplementation },
    ...more,
  });
}

const property = () => `properties/${vendor.properties.website}`;
const lastMonth = [{ startDate: '30daysAgo', endDate: 'today' }];
const usual = ['totalUsers', 'newUsers', 'sessions', 'sessionsPerUser', 'averageSessionDuration'].concat([
  'screenPageViews',
  'screenPageViewsPerSession',
  'bounceRate',
]);
const named = (names) => names.map((name) => ({ name }));
const run = async (dimensions, metrics, more = {}) => {
  const requestBody = { dateRanges: lastMonth, dimensions: named(dimensions), metrics: named(metrics), ...more };
  return (await reports.runReport({ property: property(), requestBody })).data;
};
const sumOf = ({ rows }, place) => rows.reduce((sum, { metricValues }) => sum + Number(metricValues[place].value), 0);
const tokens = () => server.sandbox.requests.filter(({ path }) => path === '/token');
const failure = (promise) =>
  promise.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

/** Thirty days and today, which may have no visits yet, since this uses the real clock. */
const thirtyDays = (count) => assert.ok(count === 30 || count === 31, `${count} days`);

describe('reports with @googleapis/analyticsdata', () => {
  it('are returned in all the usual shapes, and add up', async () => {
    const shapes = [
      ['date'],
      ['date', 'sessionSource', 'sessionMedium'],
      ['date', 'deviceCategory', 'operatingSystem', 'browser'],
      ['region', 'country', 'city', 'date'],
    ];
    const sums = [];
    for (const dimensions of shapes) {
      const data = await run(dimensions, usual, { keepEmptyRows: false, returnPropertyQuota: true, limit: '100000' });
      assert.equal(data.kind, 'analyticsData#runReport');
      assert.deepEqual(data.dimensionHeaders, named(dimensions));
      assert.equal(data.rows.length, data.rowCount);
      assert.ok(data.propertyQuota.tokensPerDay.remaining < 200_000);
      sums.push(sumOf(data, 2));
    }
    assert.equal(new Set(sums).size, 1);
    assert.equal(tokens().length, 1);
    const [{ headers, body }] = server.sandbox.requests.filter(({ path }) => path.endsWith(':runReport'));
    assert.match(headers['content-type'], /^application\/json/);
    assert.equal(body.limit, '100000');
  });

  it('cover pages and active users', async () => {
    const pages = await run(['date', 'hostName', 'pagePathPlusQueryString'], ['screenPageViews', 'bounceRate']);
    assert.ok(pages.rows.some(({ dimensionValues }) => dimensionValues[2].value === '/product/bank-feeds-2-0'));
    for (const metric of ['active1DayUsers', 'active7DayUsers', 'active28DayUsers']) {
      const { rows, metricHeaders } = await run(['date'], [metric]);
      thirtyDays(rows.length);
      assert.equal(metricHeaders[0].type, 'TYPE_INTEGER');
    }
  });

  it('can be filtered, sorted, paged and totaled', async () => {
    const all = await run(['country'], ['sessions'], {
      dimensionFilter: {
        andGroup: {
          expressions: [
            { filter: { fieldName: 'deviceCategory', inListFilter: { values: ['mobile', 'tablet'] } } },
            { notExpression: { filter: { fieldName: 'country', stringFilter: { value: '(not set)' } } } },
          ],
        },
      },
      metricFilter: {
        filter: { fieldName: 'sessions', numericFilter: { operation: 'GREATER_THAN', value: { int64Value: '2' } } },
      },
      orderBys: [{ dimension: { dimensionName: 'country' } }],
      metricAggregations: ['TOTAL'],
    });
    const countries = all.rows.map(({ dimensionValues }) => dimensionValues[0].value);
    assert.deepEqual(countries, [...countries].sort());
    assert.equal(all.totals.length, 1);
    const second = await run(['date'], ['sessions'], { limit: '5', offset: '5' });
    assert.deepEqual(second.rows, (await run(['date'], ['sessions'])).rows.slice(5, 10));
  });

  it('compare ranges', async () => {
    const dateRanges = [
      { startDate: '7daysAgo', endDate: 'yesterday', name: 'now' },
      { startDate: '14daysAgo', endDate: '8daysAgo', name: 'before' },
    ];
    const { rows, dimensionHeaders } = await run([], ['sessions'], { dateRanges });
    assert.deepEqual(dimensionHeaders, [{ name: 'dateRange' }]);
    assert.deepEqual(rows.map(({ dimensionValues }) => dimensionValues[0].value).sort(), ['before', 'now']);
  });

  it('have no rows if there is no data', async () => {
    const { empty } = vendor.properties;
    const requestBody = { dateRanges: lastMonth, metrics: named(['sessions']) };
    const { data } = await reports.runReport({ property: `properties/${empty}`, requestBody });
    assert.equal(data.rows, undefined);
    assert.equal(data.rowCount, undefined);
  });

  it('are returned in batches, with metadata and compatibility', async () => {
    const one = { dateRanges: lastMonth, metrics: named(['sessions']) };
    const batch = await reports.batchRunReports({ property: property(), requestBody: { requests: [one, one] } });
    assert.equal(batch.data.reports.length, 2);
    const { data: metadata } = await reports.getMetadata({ name: `${property()}/metadata` });
    assert.ok(metadata.dimensions.length > 40);
    const requestBody = { dimensions: named(['itemName']), compatibilityFilter: 'INCOMPATIBLE' };
    const { data } = await reports.checkCompatibility({ property: property(), requestBody });
    assert.ok(data.metricCompatibilities.some(({ metricMetadata }) => metricMetadata.apiName === 'sessions'));
  });

  it('continue after the token has expired', async () => {
    await run(['date'], ['sessions']);
    server.sandbox.expireTokens();
    thirtyDays((await run(['date'], ['sessions'])).rowCount);
    assert.equal(tokens().length, 2);
  });
});

describe('a service account with google-auth-library', () => {
  it('signs for its token and reads', async () => {
    reports = client(serviceAccount('service_account'));
    thirtyDays((await run(['date'], ['sessions'])).rowCount);
    assert.deepEqual(
      tokens().map(({ body }) => body),
      [{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: '<secret>' }],
    );
    assert.equal(server.sandbox.requests.at(-1).credential, 'service_account');
  });

  it('is rejected without a property', async () => {
    reports = client(serviceAccount('service_account_no_access'));
    const error = await failure(run(['date'], ['sessions']));
    assert.equal(error.status, 403);
    assert.match(error.message, /^User does not have sufficient permissions for this property\./);
  });

  it('is rejected without permission to act for another user', async () => {
    reports = client(serviceAccount('service_account', { subject: 'ines.carvalho@fernhill.example' }));
    const error = await failure(run(['date'], ['sessions']));
    assert.match(JSON.stringify(error.response?.data), /unauthorized_client/);
  });

  it('cannot read after its key has been deleted', async () => {
    server.sandbox.revoke(vendor.credentials.service_account.credentials_json);
    reports = client(serviceAccount('service_account'));
    const error = await failure(run(['date'], ['sessions']));
    assert.match(JSON.stringify(error.response?.data), /Invalid JWT Signature/);
  });
});

describe('error responses', () => {
  it("reach the caller with Google's message and details", async () => {
    const unknown = await failure(run(['dat'], ['sessions']));
    assert.equal(unknown.status, 400);
    assert.match(unknown.message, /^Did you mean date\? Field dat is not a valid dimension\./);
    reports = client(oauth('wrong_scope'));
    const scope = await failure(run(['date'], ['sessions']));
    assert.equal(scope.response.data.error.details[0].reason, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT');
    reports = client(oauth('service_disabled'));
    const disabled = await failure(run(['date'], ['sessions']));
    assert.equal(disabled.response.data.error.details[0].reason, 'SERVICE_DISABLED');
  });

  it('name the exhausted quota', async () => {
    vendor.limits = { tokensPerDay: 1 };
    await run(['date'], ['sessions']);
    const error = await failure(run(['date'], ['sessions']));
    assert.equal(error.status, 429);
    assert.match(error.message, /^Exhausted property tokens per day\./);
  });
});
