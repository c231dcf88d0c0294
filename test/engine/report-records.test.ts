import { GoogleAnalyticsConnector, type Row, reports, toRecords } from 'agent-connectors/google-analytics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseCount } from '../cases.js';
import { fakeFetch, json } from './fake-fetch.js';
import { analyticsConnector, fakeGoogle, runReport } from './google-account.js';

const text = fc.string({ unit: 'binary', maxLength: 6 });
const names = fc.oneof(
  fc.constantFrom('date', 'country', 'dateRange', 'customEvent:foo', '__proto__', 'constructor', 'toString', ''),
  text,
);
const values = fc.oneof(
  fc.constantFrom('0', '42', '0.2761', '-1', '1e3', '', '(not set)', '20261001', 'NaN', 'Infinity', '9'.repeat(20)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  text,
);
const day = fc.constantFrom('2026-10-01', 'today', 'yesterday', '7daysAgo');
const range = fc.record(
  { startDate: day, endDate: day, name: fc.constantFrom('now', 'before', 'x') },
  { requiredKeys: ['startDate', 'endDate'] },
);

/** A report whose rows have as many values as it has columns. */
const results = fc
  // A report has no duplicate column names, and no column with the name of a record's own field.
  .uniqueArray(names, { maxLength: 10 })
  .chain((all) => fc.nat(all.length).map((at) => [all.slice(0, at), all.slice(at)] as const))
  .chain(([dimensions, metrics]) => {
    const cells = (columns: readonly string[]) =>
      fc.array(
        values.map((value) => ({ value })),
        { minLength: columns.length, maxLength: columns.length },
      );
    const rows = fc.record({ dimensionValues: cells(dimensions), metricValues: cells(metrics) });
    return fc.record({
      data: fc.array(rows, { maxLength: 8 }),
      meta: fc.record({
        row_count: fc.nat(),
        property_id: fc.constant('123'),
        date_ranges: fc.array(range, { minLength: 1, maxLength: 4 }),
        dimension_headers: fc.constant(dimensions.map((name) => ({ name }))),
        metric_headers: fc.constant(metrics.map((name) => ({ name, type: 'TYPE_FLOAT' }))),
        property_quota: fc.constant(null),
        metadata: fc.constant(null),
      }),
    });
  });

const own = (record: object, name: string) => Object.getOwnPropertyDescriptor(record, name)?.value;

describe('records from any report', () => {
  it('come one per row, with every column keyed by name: strings for dimensions, numbers for metrics', () => {
    fc.assert(
      fc.property(results, (result) => {
        const records = toRecords(result, { property_id: '123' });
        expect(records).toHaveLength(result.data.length);
        const { dimension_headers, metric_headers } = result.meta;
        for (const [at, record] of records.entries()) {
          const row: Row = result.data[at]!;
          expect(record.property_id).toBe('123');
          for (const [column, { name }] of dimension_headers.entries()) {
            expect(Object.hasOwn(record, name)).toBe(true);
            expect(own(record, name)).toBe(row.dimensionValues?.[column]?.value ?? null);
          }
          for (const [column, { name }] of metric_headers.entries()) {
            expect(Object.hasOwn(record, name)).toBe(true);
            const sent = row.metricValues?.[column]?.value;
            const number = sent?.trim() ? Number(sent) : Number.NaN;
            expect(own(record, name)).toBe(Number.isFinite(number) ? number : null);
          }
          const ranges = result.meta.date_ranges;
          expect(ranges.map(({ startDate }) => startDate)).toContain(record.startDate);
          expect(ranges.map(({ endDate }) => endDate)).toContain(record.endDate);
          const columns = [...dimension_headers, ...metric_headers].map(({ name }) => name);
          const expected = new Set(['property_id', 'startDate', 'endDate', ...columns]);
          expect(new Set(Object.keys(record))).toEqual(expected);
          expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
        }
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('leave the result unchanged', () => {
    fc.assert(
      fc.property(results, (result) => {
        const before = JSON.stringify(result);
        toRecords(result, { property_id: '123' });
        expect(JSON.stringify(result)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });
});

describe('report records', () => {
  it('for several periods include the period of their row', () => {
    const dateRanges = [
      { startDate: '2026-10-01', endDate: '2026-10-07' },
      { startDate: '2026-09-24', endDate: '2026-09-30', name: 'before' },
    ];
    const row = (value: string): Row => ({ dimensionValues: [{ value }], metricValues: [{ value: '7' }] });
    const result = {
      data: [row('before'), row('date_range_0')],
      meta: {
        row_count: 2,
        property_id: '1',
        date_ranges: dateRanges,
        dimension_headers: [{ name: 'dateRange' }],
        metric_headers: [{ name: 'sessions' }],
        property_quota: null,
        metadata: null,
      },
    };
    expect(toRecords(result, { property_id: '1' })).toEqual([
      { property_id: '1', startDate: '2026-09-24', endDate: '2026-09-30', dateRange: 'before', sessions: 7 },
      { property_id: '1', startDate: '2026-10-01', endDate: '2026-10-07', dateRange: 'date_range_0', sessions: 7 },
    ]);
  });

  it('cannot be made if the columns differ from params or values are missing', async () => {
    const { fetch } = fakeGoogle();
    const result = await runReport(analyticsConnector(fetch));
    expect(() => toRecords(result, { property_id: '1', ...reports.devices })).toThrow(
      /dimensions in the report are date/,
    );
    const [row] = result.data;
    const cut = { ...result, data: [{ ...row!, dimensionValues: null }] };
    expect(() => toRecords(cut, { property_id: '1' })).toThrow(/have missing values/);
  });

  it("can be made from a call's result", async () => {
    const { fetch } = fakeGoogle();
    expect(toRecords(await runReport(analyticsConnector(fetch)), { property_id: 'properties/123456789' })).toEqual([
      { property_id: '123456789', startDate: '30daysAgo', endDate: 'today', date: '20261001', screenPageViews: 7 },
    ]);
  });
});

describe('report pages', () => {
  it('are requested by offset until all rows have arrived', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({ dimensionValues: [], metricValues: [{ value: String(n) }] }));
    const { fetch, sent } = fakeFetch(({ json: { limit, offset = '0' } }) =>
      json({ rows: rows.slice(Number(offset), Number(offset) + Number(limit)), rowCount: rows.length }),
    );
    const credentials = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh', access_token: 'given-1' };
    const connector = new GoogleAnalyticsConnector({ credentials, fetch });
    const found: unknown[] = [];
    for await (const { metricValues } of connector.paginate('pages', 'list', { property_id: '1', limit: 2 })) {
      found.push(metricValues?.[0]?.value);
    }
    expect(found).toEqual(['0', '1', '2', '3', '4']);
    expect(sent.map(({ json: body }) => body.offset)).toEqual([undefined, '2', '4']);
  });
});
