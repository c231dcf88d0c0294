import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allCalls, createRequester, listedCalls, unlimitedSandbox } from './requester.js';

const ask = createRequester(unlimitedSandbox());
const april = { fromDate: '2026-04-01', toDate: '2026-05-01' };
const aggregate = '/v2/stats/activity/aggregate';
const daily = '/v2/stats/activity/day-by-day';
const interaction = '/v2/stats/interaction';
const scorecards = '/v2/stats/activity/scorecards';

describe('activity', () => {
  it('has fifteen counters for every active user', async () => {
    const { body } = await ask(aggregate, { filter: april });
    expect(body).toMatchObject({
      fromDateTime: '2026-04-01T00:00:00+02:00',
      toDateTime: '2026-05-01T00:00:00+02:00',
      timeZone: 'Europe/Copenhagen',
      records: { currentPageNumber: 0 },
    });
    const rows = body.usersAggregateActivityStats;
    expect(body.records.totalRecords).toBe(rows.length);
    for (const { userId, userEmailAddress, userAggregateActivityStats: stats } of rows) {
      expect([userId, userEmailAddress]).toEqual([
        expect.stringMatching(/^\d+$/),
        expect.stringMatching(/@fernhill\.example$/),
      ]);
      expect(Object.keys(stats)).toHaveLength(15);
      expect(Object.values<number>(stats).some((count) => count > 0)).toBe(true);
    }
  });

  it("lists the calls behind each count by day, with each day's start and end", async () => {
    const totals = (await ask(aggregate, { filter: april })).body.usersAggregateActivityStats;
    const { body } = await ask(daily, { filter: april });
    expect(Object.keys(body)).toEqual(['requestId', 'records', 'usersDetailedActivities']);
    const known = new Set((await listedCalls(ask)).map(({ id }) => id));
    for (const [place, { userId, userDailyActivityStats: days }] of body.usersDetailedActivities.entries()) {
      expect(userId).toBe(totals[place].userId);
      for (const [counter, count] of Object.entries(totals[place].userAggregateActivityStats)) {
        const ids = days.flatMap((day: any) => day[counter]);
        expect(ids).toHaveLength(count as number);
        expect(ids.every((id: string) => known.has(id))).toBe(true);
      }
      for (const { fromDate, toDate } of days) {
        expect(fromDate).toMatch(/^2026-04-\d\dT00:00:00\+02:00$/);
        expect(Date.parse(toDate) - Date.parse(fromDate)).toBe(86_400_000);
      }
    }
  });

  it('counts the hosts of calls on those days', async () => {
    const { body } = await ask(aggregate, { filter: april });
    const from = encodeURIComponent('2026-04-01T00:00:00+02:00');
    const to = encodeURIComponent('2026-05-01T00:00:00+02:00');
    const calls = await listedCalls(ask, `fromDateTime=${from}&toDateTime=${to}`);
    const hosted = body.usersAggregateActivityStats.reduce(
      (sum: number, row: any) => sum + row.userAggregateActivityStats.callsAsHost,
      0,
    );
    expect(hosted).toBe(calls.length);
  });

  it('includes interaction averages for calls recorded with Whisper', async () => {
    const { body } = await ask(interaction, { filter: april });
    for (const { personInteractionStats } of body.peopleInteractionStats) {
      expect(personInteractionStats.map(({ name }: any) => name)).toEqual([
        'Longest Monologue',
        'Longest Customer Story',
        'Interactivity',
        'Patience',
        'Question Rate',
      ]);
    }
    const hosts = (await listedCalls(ask)).map(({ primaryUserId }) => primaryUserId);
    expect(hosts).toEqual(expect.arrayContaining(body.peopleInteractionStats.map(({ userId }: any) => userId)));
  });

  it.each([
    [aggregate, 'No users found corresponding to the provided filters'],
    [daily, 'No users found corresponding to the provided filters'],
    [interaction, 'No stats found for the specified period'],
  ])('returns 404 if no users match: %s', async (path, error) => {
    for (const filter of [
      { fromDate: '2026-05-01', toDate: '2026-05-01' },
      { fromDate: '2019-01-01', toDate: '2019-02-01' },
      { ...april, userIds: ['1'] },
    ]) {
      expect(await ask(path, { filter })).toMatchObject({ status: 404, body: { errors: [error] } });
    }
  });

  it('accepts an exclusive end date no later than today', async () => {
    const today = new Date(noon).toISOString().slice(0, 10);
    expect((await ask(aggregate, { filter: { fromDate: '2026-04-01', toDate: today } })).status).toBe(200);
    const later = await ask(aggregate, { filter: { fromDate: '2026-04-01', toDate: '2026-05-05' } });
    expect(later).toMatchObject({ status: 400, body: { errors: ['filter.toDate: must not be later than today'] } });
    expect(await ask(aggregate, { filter: {} })).toMatchObject({
      status: 400,
      body: { errors: ['filter.fromDate: must not be null', 'filter.toDate: must not be null'] },
    });
    expect((await ask(aggregate, { filter: { ...april, fromDate: '2026-04-31' } })).status).toBe(400);
  });
});

describe('answered scorecards', () => {
  const answered = async (filter: object) => {
    const answer = await ask(scorecards, { filter });
    return answer.status === 404 ? [] : answer.body.answeredScorecards;
  };

  it('have numeric ids too large for a double', async () => {
    const { text } = await ask(scorecards, { filter: {} });
    expect(text).toMatch(/"answeredScorecardId":\d{19},"scorecardId":\d{19},/);
    expect(text).toMatch(/"callId":\d{19},/);
    expect(text).toMatch(/"questionId":\d{19},"questionRevisionId":\d{19},/);
    const ids = [...text.matchAll(/"callId":(\d+)/g)].map(([, id]) => id!);
    const known = new Set((await listedCalls(ask)).map(({ id }) => id));
    expect(ids.every((id) => known.has(id))).toBe(true);
    expect(ids.every((id) => String(Number(id)) === id)).toBe(false);
  });

  it('are manual by default, and automatic ones have no reviewer', async () => {
    const [manual, automatic, both] = await Promise.all(
      [{}, { reviewMethod: 'AUTOMATIC' }, { reviewMethod: 'BOTH', scorecardIds: [] }].map(answered),
    );
    const methods = (rows: any[]) => new Set(rows.map(({ reviewMethod }) => reviewMethod));
    expect([methods(manual), methods(automatic)]).toEqual([new Set(['MANUAL']), new Set(['AUTOMATIC'])]);
    expect(manual.every(({ reviewerUserId }: any) => reviewerUserId !== null)).toBe(true);
    expect(automatic.every(({ reviewerUserId }: any) => reviewerUserId === null)).toBe(true);
    expect(methods(both)).toEqual(new Set(['MANUAL', 'AUTOMATIC']));
    expect(Object.keys(manual[0])).toHaveLength(12);
    const answers = manual.flatMap((row: any) => row.answers);
    expect(answers.some(({ score }: any) => score === null)).toBe(true);
    expect(answers.some(({ selectedOptions }: any) => selectedOptions?.length === 1)).toBe(true);
  });

  it('are filtered by review date, call date, scorecard and user', async () => {
    const all = await answered({});
    const times = (rows: any[]) => rows.map(({ reviewTime }) => reviewTime);
    const reviewed = await answered({ reviewFromDate: '2026-04-01', reviewToDate: '2026-04-15' });
    const within = all.filter(({ reviewTime }: any) => reviewTime >= '2026-04-01' && reviewTime < '2026-04-15');
    expect(times(reviewed)).toEqual(times(within));
    expect(await answered({ reviewFromDate: '2026-04-01', reviewToDate: '2026-04-01' })).toEqual([]);
    const called = await answered({ callFromDate: '2026-04-01', callToDate: '2026-04-15' });
    expect(called.every(({ callStartTime }: any) => callStartTime.startsWith('2026-04-'))).toBe(true);
    const { text } = await ask(scorecards, { filter: {} });
    const card = /"scorecardId":(\d+)/.exec(text)![1]!;
    const ofCard = await ask(scorecards, { filter: { scorecardIds: [card] } });
    expect(new Set([...ofCard.text.matchAll(/"scorecardId":(\d+)/g)].map(([, id]) => id))).toEqual(new Set([card]));
    const users = (await ask('/v2/users')).body.users;
    expect(await answered({ reviewedUserIds: [users[0].id] })).toEqual([]);
    // Keys unknown to Gong have no effect.
    expect(await answered({ fromDateTime: '2030-01-01T00:00:00Z', callIds: ['1'] })).toEqual(all);
  });

  it('return a 404 whose message ends with a period if there are no results', async () => {
    expect(await ask(scorecards, { filter: { scorecardIds: ['1'] } })).toMatchObject({
      status: 404,
      body: { errors: ['No answered scorecards found corresponding to the provided filters.'] },
    });
  });
});

describe('coaching', () => {
  const whole = async (more: Record<string, string | undefined> = {}) => {
    const { users } = (await ask('/v2/users')).body;
    const { workspaces } = (await ask('/v2/workspaces')).body;
    const values = {
      'workspace-id': workspaces[0].id,
      'manager-id': users[0].id,
      from: '2026-01-01T00:00:00Z',
      to: '2026-05-01T00:00:00Z',
      ...more,
    };
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    return ask(`/v2/coaching?${new URLSearchParams(given as [string, string][])}`);
  };

  it('shows how managers coached and on which calls', async () => {
    const { coachingData } = (await whole()).body;
    const names = coachingData.map(({ manager }: any) => manager.firstName);
    expect(names).toEqual(['Maren', 'Dana', 'Tomás']);
    const reports = coachingData.flatMap((row: any) => row.directReportsMetrics);
    for (const { report, metrics } of reports) {
      expect(Object.keys(report)).toEqual(['id', 'emailAddress', 'firstName', 'lastName', 'title']);
      expect(Object.keys(metrics)).toEqual([
        'callsListenedTo',
        'callsManagerAttended',
        'callsWithFeedback',
        'callsManagerCommentedOn',
        'callsWithScorecardFilled',
      ]);
    }
    const calls = new Map((await allCalls(ask)).map(({ metaData }) => [metaData.id, metaData]));
    const rahul = reports.find(({ report }: any) => report.firstName === 'Rahul');
    expect(rahul.metrics.callsListenedTo.length).toBeGreaterThan(0);
    for (const id of rahul.metrics.callsListenedTo) expect(calls.get(id).primaryUserId).toBe(rahul.report.id);
    expect(reports.some(({ metrics }: any) => metrics.callsManagerAttended.length > 0)).toBe(true);
  });

  it('returns null for a user without direct reports', async () => {
    const { users } = (await ask('/v2/users')).body;
    const seller = users.find((user: any) => !users.some(({ managerId }: any) => managerId === user.id));
    const { coachingData } = (await whole({ 'manager-id': seller.id })).body;
    expect(coachingData).toEqual([expect.objectContaining({ directReportsMetrics: null })]);
  });

  it('requires all four parameters, with existing ids', async () => {
    expect(await whole({ from: undefined, 'manager-id': undefined })).toMatchObject({
      status: 400,
      body: { errors: ['manager-id: must not be null', 'from: must not be null'] },
    });
    expect((await whole({ from: 'yesterday' })).status).toBe(400);
    expect((await whole({ 'manager-id': '1' })).status).toBe(404);
    expect((await whole({ 'workspace-id': '1' })).status).toBe(404);
  });
});
