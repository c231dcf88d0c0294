import { describe, expect, it } from 'vitest';
import { createReporter, fixedSandbox, request, sum, table } from './requester.js';

const sandbox = fixedSandbox();
const ask = createReporter(sandbox);
const first = (answer: Awaited<ReturnType<typeof ask>>, name: string) => table(answer).map((row) => row[name]);

describe('the order', () => {
  it('follows a metric or a dimension, as requested', async () => {
    const by = (...orderBys: object[]) => ask(request(['date', 'deviceCategory'], ['sessions'], { orderBys }));
    const dates = first(await by({ dimension: { dimensionName: 'date' } }), 'date');
    expect(dates).toEqual([...dates].sort());
    const newest = first(await by({ desc: true, dimension: { dimensionName: 'date' } }), 'date');
    expect(newest).toEqual([...newest].sort().reverse());
    const rising = first(await by({ metric: { metricName: 'sessions' } }), 'sessions').map(Number);
    expect(rising).toEqual([...rising].sort((one, other) => one - other));
    const both = table(
      await by({ dimension: { dimensionName: 'deviceCategory' } }, { desc: true, metric: { metricName: 'sessions' } }),
    );
    expect(both[0]?.deviceCategory).toBe('desktop');
    expect(Number(both[0]?.sessions)).toBeGreaterThan(Number(both[1]?.sessions));
  });

  it('treats strings as numbers on request', async () => {
    const orderBys = [{ dimension: { dimensionName: 'hour', orderType: 'NUMERIC' } }];
    const hours = first(await ask(request(['hour'], ['sessions'], { orderBys })), 'hour').map(Number);
    expect(hours).toEqual([...hours].sort((one, other) => one - other));
  });
});

describe('report pages', () => {
  const body = (more: object) => request(['date', 'country'], ['sessions'], more);

  it('have no rows beyond the end but still return the row count', async () => {
    const { json } = await ask(body({ offset: 100_000 }));
    expect(json.rows).toBeUndefined();
    expect(json.rowCount).toBeGreaterThan(300);
  });

  it('default to 10,000 rows and are silently capped at 250,000', async () => {
    const year = { dateRanges: [{ startDate: '365daysAgo', endDate: 'today' }] };
    const pages = (more: object) =>
      ask(request(['date', 'pagePathPlusQueryString'], ['screenPageViews'], { ...year, ...more }));
    const usual = await pages({});
    expect(usual.json.rows).toHaveLength(10_000);
    expect(usual.json.rowCount).toBeGreaterThan(10_000);
    expect((await pages({ limit: 0 })).json.rows).toHaveLength(10_000);
    expect((await pages({ limit: '9000000' })).json.rows).toHaveLength(usual.json.rowCount);
  });
});

describe('filters', () => {
  const countries = async (dimensionFilter: object) =>
    first(await ask(request(['country'], ['sessions'], { dimensionFilter })), 'country').sort();
  const string = (matchType: string, value: string, caseSensitive = false) => ({
    filter: { fieldName: 'country', stringFilter: { matchType, value, caseSensitive } },
  });

  it('support every kind of text match', async () => {
    expect(await countries(string('EXACT', 'germany'))).toEqual(['Germany']);
    expect(await countries(string('EXACT', 'germany', true))).toEqual([]);
    expect(await countries(string('BEGINS_WITH', 'united'))).toEqual(['United Kingdom', 'United States']);
    expect(await countries(string('ENDS_WITH', 'way'))).toEqual(['Norway']);
    expect(await countries(string('CONTAINS', 'nma'))).toEqual(['Denmark']);
    expect(await countries(string('FULL_REGEXP', 'Nor.*|Swed..'))).toEqual(['Norway', 'Sweden']);
    expect(await countries(string('PARTIAL_REGEXP', '^Ger'))).toEqual(['Germany']);
  });

  it('match lists, empty values and combinations', async () => {
    const inList = { filter: { fieldName: 'country', inListFilter: { values: ['France', 'Spain', 'Norway'] } } };
    expect(await countries(inList)).toEqual(['France', 'Norway', 'Spain']);
    expect(await countries({ filter: { fieldName: 'country', emptyFilter: {} } })).toEqual(['(not set)']);
    const not = { notExpression: string('EXACT', 'Spain') };
    expect(await countries({ andGroup: { expressions: [inList, not] } })).toEqual(['France', 'Norway']);
    const or = { orGroup: { expressions: [string('EXACT', 'Japan'), string('EXACT', 'Spain')] } };
    expect(await countries(or)).toEqual(['Japan', 'Spain']);
  });

  it('apply to dimensions that are not in the report', async () => {
    const dimensionFilter = { filter: { fieldName: 'eventName', stringFilter: { value: 'first_visit' } } };
    const [row] = table(await ask(request([], ['eventCount', 'newUsers'], { dimensionFilter })));
    const [all] = table(await ask(request([], ['newUsers'])));
    expect(row).toEqual({ eventCount: all?.newUsers, newUsers: all?.newUsers });
  });

  it('can apply to metrics after aggregation', async () => {
    const over = (value: object, operation: string) => ({
      metricFilter: { filter: { fieldName: 'sessions', numericFilter: { operation, value } } },
    });
    const all = table(await ask(request(['date'], ['sessions'])));
    const large = table(await ask(request(['date'], ['sessions'], over({ int64Value: '60' }, 'GREATER_THAN'))));
    expect(large).toEqual(all.filter(({ sessions }) => Number(sessions) > 60));
    const rest = table(await ask(request(['date'], ['sessions'], over({ doubleValue: 60 }, 'LESS_THAN_OR_EQUAL'))));
    expect(rest.length + large.length).toBe(all.length);
    const between = {
      filter: { fieldName: 'sessions', betweenFilter: { fromValue: { int64Value: 40 }, toValue: { int64Value: 60 } } },
    };
    const some = table(await ask(request(['date'], ['sessions'], { metricFilter: between })));
    expect(some).toEqual(all.filter(({ sessions }) => Number(sessions) >= 40 && Number(sessions) <= 60));
  });
});

describe('aggregations', () => {
  it('return totals, maximums and minimums', async () => {
    const metricAggregations = ['TOTAL', 'MAXIMUM', 'MINIMUM'];
    const answer = await ask(request(['date'], ['sessions', 'totalUsers'], { metricAggregations, limit: 3 }));
    const rows = table(await ask(request(['date'], ['sessions', 'totalUsers'])));
    const [total] = answer.json.totals;
    expect(total.dimensionValues).toEqual([{ value: 'RESERVED_TOTAL' }]);
    expect(Number(total.metricValues[0].value)).toBe(sum(rows, 'sessions'));
    expect(Number(total.metricValues[1].value)).toBeLessThan(sum(rows, 'totalUsers'));
    expect(answer.json.maximums[0].metricValues[0]).toEqual({ value: rows[0]?.sessions });
    expect(answer.json.minimums[0].metricValues[0]).toEqual({ value: rows.at(-1)?.sessions });
  });

  it('omit metrics used only for filtering and sorting', async () => {
    const body = request(['date'], [], {
      metrics: [{ name: 'sessions' }, { name: 'newUsers', invisible: true }],
      orderBys: [{ metric: { metricName: 'newUsers' } }],
    });
    const { json } = await ask(body);
    expect(json.metricHeaders).toEqual([{ name: 'sessions', type: 'TYPE_INTEGER' }]);
    expect(json.rows[0].metricValues).toHaveLength(1);
  });
});

describe('incomplete reports', () => {
  it('merge the rarest rows if there are too many, and report the data loss', async () => {
    const narrow = fixedSandbox();
    narrow.vendors['google-analytics'].limits = { rowsBeforeOther: 20 };
    const metrics = ['screenPageViews'];
    const rolled = await createReporter(narrow)(request(['hostName', 'pagePathPlusQueryString'], metrics));
    const whole = await ask(request(['hostName', 'pagePathPlusQueryString'], metrics));
    expect(whole.json.metadata.dataLossFromOtherRow).toBeUndefined();
    expect(rolled.json.metadata.dataLossFromOtherRow).toBe(true);
    expect(rolled.json.rowCount).toBe(20);
    expect(table(rolled)).toContainEqual(
      expect.objectContaining({ hostName: '(other)', pagePathPlusQueryString: '(other)' }),
    );
    expect(sum(table(rolled), 'screenPageViews')).toBe(sum(table(whole), 'screenPageViews'));
  });

  it('withhold rows with few users if they could identify someone', async () => {
    const day = { dateRanges: [{ startDate: '7daysAgo', endDate: 'today' }] };
    const { json } = await ask(request(['userAgeBracket', 'city'], ['totalUsers'], day));
    expect(json.metadata.subjectToThresholding).toBe(true);
    expect(table({ json } as any).every(({ totalUsers }) => Number(totalUsers) >= 10)).toBe(true);
    const open = await ask(request(['city'], ['totalUsers'], day));
    expect(open.json.metadata.subjectToThresholding).toBeUndefined();
    expect(table(open).some(({ totalUsers }) => Number(totalUsers) < 10)).toBe(true);
  });
});
