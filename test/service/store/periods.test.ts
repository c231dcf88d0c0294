import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { caseCount, seedOf } from '../../cases.js';
import { failure } from '../../failure.js';
import { collection, kinds, newStore, tasks } from './fixtures.js';

/** Counts by period, in time order. */
async function counts(store: Store, groupBy: object, timeZone?: string): Promise<Array<[unknown, number]>> {
  const [field = ''] = Object.keys(groupBy);
  const query = { groupBy, sort: [{ [field]: 'asc' }], ...(timeZone !== undefined && { timeZone }) };
  const { data } = await store.search({ ...collection, params: { query, limit: 10_000 } });
  return data.map((row) => [row[field], row.count as number]);
}

const at = (times: readonly unknown[], field = 'createdAt') =>
  times.map((time, index) => ({ id: `${index}`, [field]: time }));

/** A record's period from what a clock in the zone shows; does not use boundaries, as the store does. */
function periodOf(value: string, period: string, timeZone: string): string {
  const isDate = /^\d{4}-?\d\d-?\d\d$/.test(value);
  const iso = isDate ? value.replace(/^(\d{4})-?(\d\d)-?(\d\d)$/, '$1-$2-$3') : value;
  const zone = isDate ? 'UTC' : timeZone;
  const shown = new Date(iso).toLocaleString('sv-SE', { timeZone: zone, timeZoneName: 'longOffset' });
  const [, date = '', hour, , offset] = /^(\S+) (\d\d):(\S+) GMT(.*)$/.exec(shown.replace('−', '-'))!;
  if (period === 'hour') return isDate ? date : `${date}T${hour}:00:00${offset || '+00:00'}`;
  if (period === 'day') return date;
  if (period === 'month') return `${date.slice(0, 7)}-01`;
  if (period === 'year') return `${date.slice(0, 4)}-01-01`;
  const time = Date.parse(`${date}T12:00:00Z`);
  if (period === 'week') {
    const monday = time - ((new Date(time).getUTCDay() + 6) % 7) * 86_400_000;
    return new Date(monday).toISOString().slice(0, 10);
  }
  const month = Number(date.slice(5, 7));
  return `${date.slice(0, 4)}-${`${month - ((month - 1) % 3)}`.padStart(2, '0')}-01`;
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const periods = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('counts a day of 23 hours, a day of 25 and a day that starts at one', async () => {
    const store = await open([tasks]);
    await store.write(
      collection,
      at(['2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00Z', '2026-10-25T22:59:59Z']),
    );
    expect(await counts(store, { createdAt: 'day' }, 'Europe/Berlin')).toEqual([
      ['2026-03-29', 2],
      ['2026-03-30', 1],
      ['2026-10-25', 1],
    ]);
    // Clocks in São Paulo went from 00:00 to 01:00 on November 4, 2018.
    await store.write(collection, at(['2018-11-04T02:59:59Z', '2018-11-04T03:00:00Z', null, null]));
    expect(await counts(store, { createdAt: 'day' }, 'America/Sao_Paulo')).toEqual([
      ['2018-11-03', 1],
      ['2018-11-04', 1],
      [null, 2],
    ]);
  });

  it('distinguishes the two hours that a clock shows when it goes back', async () => {
    const store = await open([tasks]);
    await store.write(collection, at(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00']));
    expect(await counts(store, { createdAt: 'hour' }, 'Europe/Berlin')).toEqual([
      ['2026-10-25T02:00:00+02:00', 1],
      ['2026-10-25T02:00:00+01:00', 2],
    ]);
  });

  it('distinguishes hours in which a clock changes by half an hour', async () => {
    const store = await open([tasks]);
    // Clocks on Lord Howe Island went from 02:00 to 01:30 on April 5, and from 02:00 to 02:30 on October 4, 2026.
    const autumn = ['2026-04-04T14:10:00Z', '2026-04-04T14:40:00Z', '2026-04-04T15:10:00Z', '2026-04-04T15:40:00Z'];
    await store.write(collection, at(autumn));
    expect(await counts(store, { createdAt: 'hour' }, 'Australia/Lord_Howe')).toEqual([
      ['2026-04-05T01:00:00+11:00', 2],
      ['2026-04-05T01:00:00+10:30', 1],
      ['2026-04-05T02:00:00+10:30', 1],
    ]);
    const spring = ['2026-10-03T15:00:00Z', '2026-10-03T15:29:59Z', '2026-10-03T15:30:00Z', '2026-10-03T16:00:00Z'];
    await store.write(collection, at(spring));
    expect(await counts(store, { createdAt: 'hour' }, 'Australia/Lord_Howe')).toEqual([
      ['2026-10-04T01:00:00+10:30', 2],
      ['2026-10-04T02:00:00+11:00', 1],
      ['2026-10-04T03:00:00+11:00', 1],
    ]);
  });

  it('takes calendar dates as they are, in any zone, also as text', async () => {
    const store = await open([tasks]);
    await store.write(collection, at(['2026-03-01', '2026-03-01T02:00:00Z', 'soon']));
    expect(await counts(store, { createdAt: 'month' }, 'America/New_York')).toEqual([
      ['2026-02-01', 1],
      ['2026-03-01', 1],
      [null, 1],
    ]);
    await store.write(collection, at(['20260302', '2026-03-08', '(other)', '20261399'], 'title'));
    expect(await counts(store, { title: 'week' }, 'America/New_York')).toEqual([
      ['2026-03-02', 2],
      [null, 2],
    ]);
  });

  it('combines periods with fields, filters and aggregates, and reports the zone', async () => {
    const store = await open([tasks]);
    const times = ['2026-01-31T23:30:00Z', '2026-01-31T10:00:00Z', '2026-04-01', '9999-12-31T00:00:00Z'];
    await store.write(
      collection,
      times.map((createdAt, index) => ({ id: `${index}`, createdAt, priority: index + 0.1, done: index > 0 })),
    );
    const query = {
      groupBy: [{ createdAt: 'quarter' }, 'done'],
      timeZone: 'Europe/Berlin',
      aggregates: { total: { sum: 'priority' } },
      filter: { lt: { createdAt: '2027-01-01' } },
      sort: [{ createdAt: 'asc' }, { done: 'asc' }],
    };
    const { data, meta } = await store.search({ ...collection, params: { query } });
    expect(data).toEqual([
      { createdAt: '2026-01-01', done: false, count: 1, total: 0.1 },
      { createdAt: '2026-01-01', done: true, count: 1, total: 1.1 },
      { createdAt: '2026-04-01', done: true, count: 1, total: 2.1 },
    ]);
    expect(meta).toMatchObject({ total: 3, time_zone: { name: 'Europe/Berlin', version: process.versions.tz } });
    expect(await counts(store, { createdAt: 'year' })).toEqual([
      ['2026-01-01', 3],
      ['9999-01-01', 1],
    ]);
  });

  it(`agrees with what clocks show, for ${caseCount(300)} sets of times`, async () => {
    const store = await open([tasks]);
    const time = fc.oneof(
      fc
        .date({ min: new Date('1975-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      // Around changes of clocks.
      fc
        .tuple(
          fc.constantFrom('2026-03-29T01:00Z', '2026-10-25T01:00Z', '2018-11-04T03:00Z', '2026-04-04T15:00Z'),
          fc.integer({ min: -90, max: 90 }),
        )
        .map(([change, minutes]) => new Date(Date.parse(change) + minutes * 60_000).toISOString()),
      fc.constantFrom('2024-02-29', '2025-12-31', '2026-01-01'),
    );
    const cases = fc.record({
      times: fc.array(time, { minLength: 1, maxLength: 20 }),
      period: fc.constantFrom(...periods),
      zone: fc.constantFrom(...zones),
    });
    for (const { times, period, zone } of fc.sample(cases, { seed: seedOf(55), numRuns: caseCount(300) })) {
      const stored = [...times, ...Array<null>(20 - times.length).fill(null)];
      await store.write(collection, at(stored));
      const expected = new Map<string, number>();
      for (const value of times) {
        const name = periodOf(value, period, zone);
        expected.set(name, (expected.get(name) ?? 0) + 1);
      }
      const found = (await counts(store, { createdAt: period }, zone)).filter(([name]) => name !== null);
      expect(new Map(found), `${period} ${zone} ${times}`).toEqual(expected);
      expect(found.map(([name]) => Date.parse(name as string))).toEqual(
        found.map(([name]) => Date.parse(name as string)).sort((one, other) => one - other),
      );
    }
  });

  it('sums decimals exactly, also beyond 2⁵³, and counts different values', async () => {
    const store = await open([tasks]);
    const sums = async (priorities: readonly number[], views: readonly unknown[] = []) => {
      const all = [0, 1, 2, 3].map((index) => ({
        id: `${index}`,
        priority: priorities[index] ?? null,
        views: views[index] ?? null,
      }));
      await store.write(collection, all);
      const aggregates = {
        sum: { sum: 'priority' },
        mean: { avg: 'priority' },
        views: { sum: 'views' },
        different: { count_distinct: 'priority' },
      };
      const { data } = await store.search({ ...collection, params: { query: { aggregates } } });
      const { count: _, ...rest } = data[0]!;
      return rest;
    };
    expect(await sums([0.1, 0.2])).toEqual({ sum: 0.3, mean: 0.15, views: null, different: 2 });
    expect(await sums([1.0000000000000002, 1.0000000000000002])).toEqual({
      sum: 2.0000000000000004,
      mean: 1.0000000000000002,
      views: null,
      different: 1,
    });
    expect(await sums([1, 0, 0], ['9007199254740993', 9007199254740991, '-1'])).toEqual({
      sum: 1,
      mean: 1 / 3,
      views: '18014398509481983',
      different: 2,
    });
    expect(await sums([1e308, 1e308, -1e-5])).toMatchObject({
      sum: expect.stringMatching(/^1(9{308})\.99999$/),
      mean: 6.666666666666666e307,
    });
    expect(await sums([1e308, -1e308, 5e-324])).toMatchObject({ sum: 5e-324, different: 3 });
    expect(await sums([])).toEqual({ sum: null, mean: null, views: null, different: 0 });
  });
});

it('rejects more than 10,000 periods', async () => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const times = Array.from({ length: 500 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString());
  await store.write(collection, at(times));
  expect(await counts(store, { createdAt: 'day' })).toHaveLength(500);
  const error = await failure(counts(store, { createdAt: 'hour' }));
  expect(error).toMatchObject({ code: 'invalid_params', hint: expect.stringContaining('longer period') });
});

it.each([
  [{ groupBy: { createdAt: 'decade' } }, 'query.groupBy', 'must be a field, or {"<field>": "month"} with hour'],
  [{ groupBy: [{ priority: 'day' }] }, 'query.groupBy.0.priority', 'is not a date or time'],
  [{ groupBy: [{ 'state.name': 'day' }] }, 'query.groupBy.0.state.name', 'is not a date or time'],
  [{ groupBy: ['createdAt', { createdAt: 'day' }] }, 'query.groupBy', 'lists a field twice'],
  [{ groupBy: { createdAt: 'day' }, timeZone: 'Berlin' }, 'query.timeZone', 'must be a time zone, such as'],
  [{ aggregates: { all: { count_distinct: 'labels' } } }, 'query.aggregates.all.count_distinct', 'cannot be counted'],
])('rejects %j', async (query, path, message) => {
  const store = await newStore({ folder: ':memory:', entities: [tasks] });
  const { issues } = await failure(store.search({ ...collection, params: { query } }));
  expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
});
