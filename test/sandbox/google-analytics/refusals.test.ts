import { describe, expect, it } from 'vitest';
import { createReporter, fixedSandbox, request } from './requester.js';

const ask = createReporter(fixedSandbox());
const ranges = (...dateRanges: object[]) => request(['date'], ['sessions'], { dateRanges });
const range = (startDate: string, endDate: string, more = {}) => ranges({ startDate, endDate, ...more });
const filter = (inner: object, place = 'dimensionFilter') => request(['date'], ['sessions'], { [place]: inner });
const tenDimensions = ['date', 'country', 'city', 'region', 'browser', 'hostName', 'pagePath', 'hour', 'month', 'year'];
const elevenMetrics = [
  'totalUsers',
  'newUsers',
  'sessions',
  'bounceRate',
  'eventCount',
  'activeUsers',
  'keyEvents',
].concat(['engagedSessions', 'engagementRate', 'screenPageViews', 'sessionsPerUser']);

describe('a request is rejected', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'an unknown dimension',
      request(['dat'], ['sessions']),
      /^Did you mean date\? Field dat is not a valid dimension\./,
    ],
    [
      'a dimension with different case',
      request(['Country'], []),
      /^Did you mean country\? Field Country is not a valid/,
    ],
    [
      'an unknown metric',
      request(['date'], ['session']),
      /^Did you mean sessions\? Field session is not a valid metric\./,
    ],
    [
      'a name unlike any other',
      request(['date'], ['qqqqqqqqqqqqqqqq']),
      /^Field qqqqqqqqqqqqqqqq is not a valid metric\./,
    ],
    [
      'ten dimensions',
      request(tenDimensions, ['sessions']),
      /^Requests are limited to 9 dimensions .* 10 dimensions\./,
    ],
    ['eleven metrics', request(['date'], elevenMetrics), /^Requests are limited to 10 metrics .* 11 metrics\./],
    [
      'five ranges',
      ranges(...Array.from({ length: 5 }, () => ({ startDate: 'today', endDate: 'today' }))),
      /limited to 4/,
    ],
    ['a dimension named twice', request(['date', 'date'], ['sessions']), /dimension date is used more than once/],
    ['a metric named twice', request(['date'], ['sessions', 'sessions']), /metric sessions is used more than once/],
    ['nothing to report', request([], []), /At least one dimension or metric/],
    ['no range', ranges(), /^A dateRange is required\.$/],
    ['no start', ranges({ endDate: 'today' }), /startDate is required/],
    ['a bad date', range('2026-02-30', 'today'), /^Invalid startDate: 2026-02-30\./],
    ['a date in words', range('last week', 'today'), /^Invalid startDate: last week\./],
    ['a date before Analytics', range('2015-08-13', 'today'), /must be after 2015-08-13/],
    ['a date too far in the future', range('today', '3000-01-01'), /^Invalid endDate: 3000-01-01\./],
    ['a range that ends before it starts', range('today', 'yesterday'), /cannot be after endDate yesterday/],
    [
      'a reserved name',
      range('today', 'today', { name: 'date_range_7' }),
      /cannot begin with date_range_ or RESERVED_/,
    ],
    ['a negative limit', request(['date'], ['sessions'], { limit: -1 }), /limit must be positive/],
    ['a negative offset', request(['date'], ['sessions'], { offset: '-1' }), /offset must not be negative/],
    [
      'event counts by item',
      request(['itemName'], ['eventCount']),
      /^Please remove eventCount to make the request compatible\./,
    ],
    [
      'an order by a metric that is not requested',
      request(['date'], ['sessions'], { orderBys: [{ metric: { metricName: 'newUsers' } }] }),
      /newUsers in orderBys/,
    ],
    ['an empty group', filter({ andGroup: { expressions: [] } }), /at least one expression/],
    ['two filters in one', filter({ andGroup: {}, orGroup: {} }), /exactly one of/],
    ['a filter without a condition', filter({ filter: { fieldName: 'date' } }), /must specify what to filter by/],
    [
      'a filter for an unknown name',
      filter({ filter: { fieldName: 'dat', stringFilter: {} } }),
      /not a valid dimension/,
    ],
    [
      'a bad expression',
      filter({ filter: { fieldName: 'date', stringFilter: { matchType: 'FULL_REGEXP', value: '(' } } }),
      /regular expression/,
    ],
    [
      'a metric filter for a metric that is not requested',
      filter({ filter: { fieldName: 'newUsers', stringFilter: {} } }, 'metricFilter'),
      /newUsers in metricFilter/,
    ],
  ])('for %s', async (_, body, message) => {
    const { status, json } = await ask(body);
    expect([status, json.error.code, json.error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
    expect(json.error.message).toMatch(message);
    expect(json.error.errors).toBeUndefined();
  });

  it('with an error that lists every unknown key', async () => {
    const { status, json } = await ask({ ...request(['date'], []), nope: 1, dateRanges: [{ begin: 'today' }] });
    expect(status).toBe(400);
    const first = `Invalid JSON payload received. Unknown name "begin" at 'date_ranges[0]': Cannot find field.`;
    const second = 'Invalid JSON payload received. Unknown name "nope": Cannot find field.';
    expect(json.error.message).toBe(`${first}\n${second}`);
    expect(json.error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'date_ranges[0]', description: first }, { description: second }],
      },
    ]);
  });

  it.each([
    ['limit', 'many', 'TYPE_INT64'],
    ['limit', 1.5, 'TYPE_INT64'],
    ['keepEmptyRows', 'perhaps', 'TYPE_BOOL'],
    ['currencyCode', 5, 'TYPE_STRING'],
  ])('because a value has the wrong type: %s %s', async (name, value, type) => {
    const { json } = await ask(request(['date'], ['sessions'], { [name]: value }));
    const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const description = `Invalid value at '${field}' (${type}), ${JSON.stringify(value)}`;
    expect(json.error.details[0].fieldViolations).toEqual([{ field, description }]);
  });

  it('if it is not JSON', async () => {
    const { status, json } = await ask('{"dateRanges": [');
    expect([status, json.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(json.error.message).toMatch(/^Invalid JSON payload received\./);
  });
});

describe('a request is accepted', () => {
  it('with snake_case keys, numbers as strings, nulls, and single values instead of lists', async () => {
    const usual = await ask(request(['date'], ['sessions'], { limit: 5, keepEmptyRows: true }));
    const other = await ask({
      date_ranges: { start_date: '30daysAgo', end_date: 'today' },
      dimensions: { name: 'date' },
      limit: '5',
      metrics: [{ name: 'sessions' }],
      keep_empty_rows: 'true',
      offset: null,
      dimensionFilter: null,
    });
    expect(other.text).toBe(usual.text);
    expect(usual.json.rows).toHaveLength(5);
  });

  it('that specifies its own currency', async () => {
    const { json } = await ask(request(['date'], ['sessions', 'totalRevenue'], { currencyCode: 'SEK' }));
    expect(json.metadata.currencyCode).toBe('SEK');
  });
});
