import { describe, expect, test } from 'vitest';
import { dayIn } from '../../connectors/google-analytics/replication/days.js';
import { day, rangesOf, rows, sum, website } from './google-analytics-setup.js';

describe("a property's days", () => {
  test("end with today in the property's time zone", async () => {
    // At 23:00 UTC it is already the next day in Berlin, but not in New York.
    for (const [time, berlin, newYork] of [
      ['2026-09-15T21:00:00Z', '20260915', '20260915'],
      ['2026-09-15T23:00:00Z', '20260916', '20260915'],
    ] as const) {
      const { open, ids } = website({ start: Date.parse(time), scale: 1 });
      const replica = open({ property_ids: [ids.website, ids.application], start_date: '2026-09-10' });
      await replica.run('website_overview');
      const lastDay = (id: string) =>
        rows(replica, 'website_overview')
          .filter((row) => row.property_id === id)
          .map((row) => String(row.date))
          .sort()
          .at(-1);
      expect([lastDay(ids.website), lastDay(ids.application)]).toEqual([berlin, newYork]);
      expect((replica.states.get('website_overview') as any)[ids.application]).toMatchObject({
        timeZone: 'America/New_York',
        asked: '2026-09-15',
      });
    }
  });

  test('are read again starting twelve days before the last complete day, and become complete', async () => {
    const { open, asked, sandbox } = website({ scale: 1 });
    const replica = open();
    await replica.run('devices');
    const today = () =>
      sum(
        rows(replica, 'devices').filter(({ date }) => date === '20260915'),
        'sessions',
      );
    const before = today();
    const count = replica.records('devices').size;
    sandbox.requests.clear();
    sandbox.clock.advance(day / 2);
    await replica.run('devices');
    expect(rangesOf(asked())).toEqual([['2026-09-02', '2026-09-16']]);
    expect(today()).toBeGreaterThan(before);
    expect(replica.records('devices').size).toBeGreaterThan(count);
    sandbox.requests.clear();
    sandbox.clock.advance(10 * day);
    await replica.run('devices');
    expect(rangesOf(asked())).toEqual([['2026-09-03', '2026-09-26']]);
    const fresh = open();
    await fresh.run('devices');
    expect(rows(replica, 'devices')).toHaveLength(rows(fresh, 'devices').length);
    expect(sum(rows(replica, 'devices'), 'sessions')).toBe(sum(rows(fresh, 'devices'), 'sessions'));
  });

  test('are read again as far back as look_back_days says', async () => {
    const { open, asked, sandbox } = website({ scale: 0.02 });
    const first = async (look_back_days: number) => {
      const replica = open({ start_date: '2026-08-01', look_back_days });
      await replica.run('website_overview');
      sandbox.requests.clear();
      await replica.run('website_overview');
      return rangesOf(asked())[0]![0];
    };
    expect([await first(0), await first(30)]).toEqual(['2026-09-14', '2026-08-15']);
  });

  test('use UTC if the time zone is unknown', () => {
    const late = Date.parse('2026-12-31T23:30:00Z');
    expect([null, 'Europe/Atlantis', 'Europe/Berlin', 'America/New_York'].map((zone) => dayIn(zone, late))).toEqual([
      '2026-12-31',
      '2026-12-31',
      '2027-01-01',
      '2026-12-31',
    ]);
  });

  test('are not read before start_date', async () => {
    const { open, asked } = website({ scale: 0.02 });
    const replica = open({ start_date: '2026-09-14' });
    await replica.run('website_overview');
    await replica.run('website_overview');
    expect(rangesOf(asked())).toEqual([
      ['2026-09-14', '2026-09-15'],
      ['2026-09-14', '2026-09-15'],
    ]);
  });
});
