import { describe, expect, test } from 'vitest';
import { collect, connectorOnSandbox } from './setup.js';

const day = 86_400_000;
const quick = { requestsPerSecond: 1_000 };
const instant = (daysAgo: number) => new Date(Date.now() - daysAgo * day).toISOString();
const date = (daysAgo: number) => instant(daysAgo).slice(0, 10);
const company = (more: Parameters<typeof connectorOnSandbox>[0] = {}, pageSize = 100) =>
  connectorOnSandbox({ limits: { ...quick, pageSize }, ...more });

type Gong = ReturnType<typeof company>['gong'];
const people = (gong: Gong) => collect(gong.paginate('users', 'list'));
const named = async (gong: Gong, firstName: string) => (await people(gong)).find((one) => one.firstName === firstName)!;

describe("the company's activity", () => {
  test('by day adds up to the period total for each user', async () => {
    const { gong } = company({}, 4);
    const filter = { fromDate: date(30), toDate: date(0) };
    const totals = await collect(gong.paginate('stats_activity_aggregate', 'list', { filter }));
    const days = await collect(gong.paginate('stats_activity_day_by_day', 'list', { filter }));
    expect(totals.length).toBeGreaterThan(4);
    expect(days.map(({ userId }) => userId)).toEqual(totals.map(({ userId }) => userId));
    for (const [place, { userAggregateActivityStats }] of totals.entries()) {
      for (const [counter, count] of Object.entries(userAggregateActivityStats!)) {
        const lists = days[place]!.userDailyActivityStats!.map((one) => one[counter] as string[]);
        expect(lists.flat(), counter).toHaveLength(count as number);
        expect(lists.flat().every((id) => typeof id === 'string')).toBe(true);
      }
    }
  });

  test('covers the requested users', async () => {
    const { gong } = company();
    const dana = await named(gong, 'Dana');
    const filter = { fromDate: date(60), toDate: date(0), userIds: [dana.id] };
    for (const entity of ['stats_activity_aggregate', 'stats_activity_day_by_day', 'stats_interaction'] as const) {
      const { data } = await gong.execute(entity, 'list', { filter });
      expect(data.map(({ userId, userEmailAddress }) => [userId, userEmailAddress])).toEqual([
        [dana.id, dana.emailAddress],
      ]);
    }
  });

  test('excludes the last day, so a single-day period is empty', async () => {
    const { gong } = company();
    const same = { fromDate: date(3), toDate: date(3) };
    expect((await gong.stats_activity_aggregate.list({ filter: same })).data).toEqual([]);
  });

  test('on calls has named metrics and supports paging as an extension', async () => {
    const { gong: other } = company();
    const filter = { fromDate: date(60), toDate: date(0) };
    const whole = (await other.stats_interaction.list({ filter })).data;
    const { gong } = company({}, 1);
    const { meta } = await gong.stats_interaction.list({ filter });
    const second = await gong.stats_interaction.list({ filter, cursor: meta.cursor! });
    expect(second.data).toEqual(whole.slice(1, 2));
    expect(second.meta.current_page_number).toBe(1);
    for (const { personInteractionStats } of whole) {
      for (const { name, value } of personInteractionStats!)
        expect([typeof name, typeof value]).toEqual(['string', 'number']);
    }
  });
});

describe("the company's settings", () => {
  test('include scorecards by workspace, some with guides for their questions', async () => {
    const { gong } = company();
    const cards = (await gong.settings_scorecards.list()).data;
    const workspaces = (await gong.workspaces.list()).data;
    const parts = await Promise.all(workspaces.map(({ id }) => gong.settings_scorecards.list({ workspaceId: id })));
    expect(parts.flatMap(({ data }) => data.map(({ scorecardId }) => scorecardId)).sort()).toEqual(
      cards.map(({ scorecardId }) => scorecardId).sort(),
    );
    expect(parts.every(({ data }) => data.length < cards.length)).toBe(true);
    const guides = cards.flatMap(({ questions }) => questions!.map(({ answerGuid }) => answerGuid));
    expect(guides.some((guide) => guide?.startsWith('<p>'))).toBe(true);
    expect(guides).toContain(null);
  });

  test('include trackers, some with a workspace and an interval', async () => {
    const { gong } = company();
    const trackers = (await gong.settings_trackers.list()).data;
    const workspace = (await gong.workspaces.list()).data[0]!;
    const own = (await gong.settings_trackers.list({ workspaceId: workspace.id })).data;
    expect(own.length).toBeLessThan(trackers.length);
    expect(own.every(({ workspaceId }) => workspaceId === workspace.id)).toBe(true);
    expect(trackers.map(({ saidAtInterval }) => saidAtInterval)).toEqual(expect.arrayContaining([null, '10', '5']));
  });
});

describe("the company's library", () => {
  const folders = async (gong: Gong) => {
    const workspace = (await gong.workspaces.list()).data[0]!;
    return (await gong.library_folders.list({ workspaceId: workspace.id })).data;
  };

  test('is a tree of folders containing calls with a time, a duration and an owner', async () => {
    const { gong } = company();
    const tree = await folders(gong);
    const ids = new Set(tree.map(({ id }) => id));
    expect(tree.filter(({ parentFolderId }) => parentFolderId === null)).toHaveLength(1);
    expect(tree.every(({ parentFolderId }) => parentFolderId === null || ids.has(parentFolderId))).toBe(true);
    const { id } = tree.find(({ name }) => name === 'Bank feeds')!;
    const { data, meta } = await gong.library_folder_content.list({ folderId: id });
    expect(data.length).toBeGreaterThan(0);
    expect(meta).toMatchObject({ cursor: null, total_records: data.length, current_page_number: 0 });
    for (const { callId, started, duration, primaryUserId } of data) {
      const call = (await gong.calls.get({ id: callId })).data;
      expect([started, duration, primaryUserId]).toEqual([call.started, call.duration, call.primaryUserId]);
    }
  });

  test('excludes and counts private calls unless includePrivate is set', async () => {
    const { gong } = company();
    const { id } = (await folders(gong)).find(({ name }) => name === 'Calls worth hearing')!;
    const shown = await gong.library_folder_content.list({ folderId: id });
    const whole = await company({ includePrivate: true }).gong.library_folder_content.list({ folderId: id });
    expect(shown.meta.private_dropped).toBeGreaterThan(0);
    expect(whole.data).toHaveLength(shown.data.length + shown.meta.private_dropped);
    expect(whole.meta.total_records).toBe(shown.meta.total_records);
  });

  test('can contain an empty folder without an error', async () => {
    const { gong } = company();
    const root = (await folders(gong)).find(({ parentFolderId }) => parentFolderId === null)!;
    expect((await gong.library_folder_content.list({ folderId: root.id })).data).toEqual([]);
  });
});

describe("the company's coaching", () => {
  test("starts each team with a manager record that sums the team members' records", async () => {
    const { gong } = company();
    const workspace = (await gong.workspaces.list()).data[0]!;
    const everyone = await people(gong);
    const dana = everyone.find(({ firstName }) => firstName === 'Dana')!;
    const { data } = await gong.coaching.list({
      'workspace-id': workspace.id,
      'manager-id': dana.id,
      from: instant(120),
      to: instant(0),
    });
    const [manager, ...team] = data;
    expect(manager).toMatchObject({ userId: dana.id, userName: 'Dana Whitfield', isManager: true });
    expect(team.length).toBeGreaterThan(1);
    for (const { userId, isManager } of team) {
      expect(isManager).toBe(false);
      expect(everyone.find(({ id }) => id === userId)!.managerId).toBe(dana.id);
    }
    let counted = 0;
    for (const [name, sum] of Object.entries(manager!.coachingMetrics!)) {
      const counts = team.map(({ coachingMetrics }) => coachingMetrics![name] as number);
      expect(sum).toBe(counts.reduce((one, other) => one + other, 0));
      counted += sum as number;
    }
    expect(counted).toBeGreaterThan(0);
  });
});

describe("the company's reviews", () => {
  test('by people and by Gong refer to existing scorecards and calls', async () => {
    const { gong } = company({}, 10);
    const filter = { fromDateTime: instant(90), toDateTime: instant(1) };
    const reviews = await collect(gong.paginate('stats_activity_scorecards', 'list', { filter }));
    const cards = new Map((await gong.settings_scorecards.list()).data.map((card) => [card.scorecardId, card]));
    const ids = new Set((await people(gong)).map(({ id }) => id));
    expect(new Set(reviews.map(({ reviewMethod }) => reviewMethod))).toEqual(new Set(['MANUAL', 'AUTOMATIC']));
    expect(new Set(reviews.map(({ answeredScorecardId }) => answeredScorecardId)).size).toBe(reviews.length);
    for (const review of reviews) {
      expect(cards.get(review.scorecardId!)!.scorecardName).toBe(review.scorecardName);
      expect(ids.has(review.reviewedUserId!)).toBe(true);
      expect(review.reviewerUserId === null).toBe(review.reviewMethod === 'AUTOMATIC');
      expect(review.answeredDateTime).toBe(review.reviewTime);
      expect(review.overallScore).toBe(review.answers!.find(({ isOverall }) => isOverall)!.score);
      const questions = cards.get(review.scorecardId!)!.questions!.map(({ questionId }) => questionId);
      expect(review.answers!.map(({ questionId }) => questionId)).toEqual(questions);
    }
    expect((await gong.calls.get({ id: reviews[0]!.callId! })).data.id).toBe(reviews[0]!.callId);
  });

  test('for two adjacent periods equal those for the combined period, without duplicates', async () => {
    const { gong } = company();
    const list = (fromDateTime: string, toDateTime: string) =>
      collect(gong.paginate('stats_activity_scorecards', 'list', { filter: { fromDateTime, toDateTime } }));
    const together = await list(instant(90), instant(1));
    const cuts = together.slice(1).map(({ reviewTime }) => new Date(Date.parse(reviewTime!)).toISOString());
    for (const cut of [cuts[3]!, cuts.at(-3)!]) {
      const parts = [...(await list(instant(90), cut)), ...(await list(cut, instant(1)))];
      expect(parts.map(({ answeredScorecardId }) => answeredScorecardId)).toEqual(
        together.map(({ answeredScorecardId }) => answeredScorecardId),
      );
    }
  });

  test('can be filtered by scorecard, reviewed user, reviewer and call', async () => {
    const { gong } = company();
    const period = { fromDateTime: instant(90), toDateTime: instant(1) };
    const list = (filter: object) =>
      collect(gong.paginate('stats_activity_scorecards', 'list', { filter: { ...period, ...filter } }));
    const every = await list({});
    const one = every.find(({ reviewerUserId }) => reviewerUserId !== null)!;
    for (const [name, field] of [
      ['scorecardIds', 'scorecardId'],
      ['reviewedUserIds', 'reviewedUserId'],
      ['reviewerUserIds', 'reviewerUserId'],
      ['callIds', 'callId'],
    ] as const) {
      expect(await list({ [name]: [one[field]] }), name).toEqual(every.filter((other) => other[field] === one[field]));
    }
  });
});
