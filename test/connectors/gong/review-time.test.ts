import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithinPeriod, reviewDays } from '../../../connectors/gong/stats.js';
import { caseCount } from '../../cases.js';
import { connectorWithReplies, pageReply } from './setup.js';

const minute = 60_000;
const earliest = Date.parse('2015-01-01T00:00:00Z');
const latest = Date.parse('2035-01-01T00:00:00Z');
const moment = fc.integer({ min: earliest, max: latest });
/** Every UTC offset in use, in quarters of an hour, from -12:00 to +14:00. */
const offset = fc.integer({ min: -48, max: 56 }).map((quarters) => quarters * 15);
/** Digits after the milliseconds, which Gong sometimes sends. */
const further = fc.constantFrom('', '0', '000', '123', '999');

const two = (value: number) => String(value).padStart(2, '0');

/** An instant as shown by clocks at that offset. */
function shown(time: number, minutes: number, digits = ''): string {
  const local = new Date(time + minutes * minute).toISOString().slice(0, -1);
  const size = Math.abs(minutes);
  return `${local}${digits}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The date that a calendar at that offset shows. */
const dayAt = (time: number, minutes: number) => shown(time, minutes).slice(0, 10);

const period = fc
  .record({ start: moment, length: fc.integer({ min: 0, max: 40 * 86_400_000 }), from: offset, to: offset })
  .map(({ start, length, from, to }) => ({
    start,
    end: start + length,
    fromDateTime: shown(start, from),
    toDateTime: shown(start + length, to),
  }));

describe('the days requested for a period', () => {
  test('contain every instant of that period in every time zone', () => {
    fc.assert(
      fc.property(period, offset, fc.double({ min: 0, max: 1, noNaN: true }), (asked, zone, share) => {
        const { reviewFromDate, reviewToDate } = reviewDays(asked, latest + 365 * 86_400_000);
        const instant = asked.start + Math.floor((asked.end - 1 - asked.start) * share);
        if (instant < asked.start || instant >= asked.end) return;
        const day = dayAt(instant, zone);
        expect(day >= reviewFromDate).toBe(true);
        // Gong excludes the last day.
        expect(day < reviewToDate!).toBe(true);
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('add at most four days to the period', () => {
    fc.assert(
      fc.property(period, (asked) => {
        const { reviewFromDate, reviewToDate } = reviewDays(asked, latest + 365 * 86_400_000);
        for (const day of [reviewFromDate, reviewToDate!]) expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
        const days = (Date.parse(reviewToDate!) - Date.parse(reviewFromDate)) / 86_400_000;
        expect(days).toBeLessThanOrEqual(Math.ceil((asked.end - asked.start) / 86_400_000) + 4);
      }),
    );
  });

  test('have no end date if it would be in the future, so Gong never receives such a date', () => {
    fc.assert(
      fc.property(period, moment, (asked, now) => {
        const { reviewToDate } = reviewDays(asked, now);
        if (reviewToDate === undefined) expect(asked.end + 2 * 86_400_000).toBeGreaterThan(now);
        else expect(Date.parse(reviewToDate)).toBeLessThanOrEqual(now);
      }),
    );
  });
});

describe('a review belongs to a period', () => {
  test('based on its instant, regardless of the three time offsets', () => {
    fc.assert(
      fc.property(period, moment, offset, further, (asked, time, zone, digits) => {
        const expected = time >= asked.start && time < asked.end;
        expect(isWithinPeriod(shown(time, zone, digits), asked)).toBe(expected);
      }),
      { numRuns: caseCount(2_000) },
    );
  });

  test('at its start and one millisecond before its end, but not at its end', () => {
    fc.assert(
      fc.property(period, offset, (asked, zone) => {
        fc.pre(asked.end > asked.start);
        const found = [asked.start - 1, asked.start, asked.end - 1, asked.end].map((time) =>
          isWithinPeriod(shown(time, zone), asked),
        );
        expect(found).toEqual([false, true, true, false]);
      }),
    );
  });

  test.each([null, undefined, '', 'soon', 17])('if its time is not reported (%j)', (time) => {
    expect(isWithinPeriod(time, { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-02T00:00:00Z' })).toBe(
      true,
    );
  });
});

test('trimming keeps every review within the period and drops every review outside it', async () => {
  await fc.assert(
    fc.asyncProperty(
      period,
      fc.array(fc.tuple(fc.double({ min: -1, max: 2, noNaN: true }), offset, further), { maxLength: 12 }),
      async ({ start, end, fromDateTime, toDateTime }, drawn) => {
        const rows = drawn.map(([share, zone, digits], at) => {
          const time = Math.round(start + (end - start) * share);
          return { answeredScorecardId: String(at), time, reviewTime: shown(time, zone, digits) };
        });
        const { gong } = connectorWithReplies(pageReply('answeredScorecards', rows));
        const { data } = await gong.stats_activity_scorecards.list({ filter: { fromDateTime, toDateTime } });
        const expected = rows.filter(({ time }) => time >= start && time < end);
        expect(data.map(({ answeredScorecardId }) => answeredScorecardId)).toEqual(
          expected.map(({ answeredScorecardId }) => answeredScorecardId),
        );
      },
    ),
    { numRuns: caseCount(100) },
  );
});
