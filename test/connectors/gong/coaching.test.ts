import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies, errorReply, textReply } from './setup.js';

const asked = { 'workspace-id': '9', 'manager-id': '1', from: '2026-09-01T00:00:00Z', to: '2026-10-01T00:00:00Z' };
const none = { callsListened: 0, callsAttended: 0, callsWithFeedback: 0, callsWithComments: 0, scorecardsFilled: 0 };
/** The counts in the reference, with the Gong list of calls behind each one. */
const lists: Record<keyof typeof none, string> = {
  callsListened: 'callsListenedTo',
  callsAttended: 'callsManagerAttended',
  callsWithFeedback: 'callsWithFeedback',
  callsWithComments: 'callsManagerCommentedOn',
  scorecardsFilled: 'callsWithScorecardFilled',
};

const person = (id: string, firstName: string | null = 'A', lastName: string | null = 'S') => ({
  id,
  emailAddress: `${id}@x.example`,
  firstName,
  lastName,
  title: 'AE',
});

describe('coaching', () => {
  test('has one record per manager with sums, and one per team member with counts', async () => {
    const first = {
      callsListenedTo: ['77', '78'],
      callsManagerAttended: [],
      callsWithFeedback: ['77'],
      callsManagerCommentedOn: [],
      callsWithScorecardFilled: ['77'],
    };
    const second = { ...first, callsListenedTo: ['79'], callsManagerAttended: ['79', '80', '81'] };
    const { gong, mismatches } = connectorWithReplies({
      requestId: 'r',
      coachingData: [
        {
          manager: person('1', 'Mia', 'Stone'),
          directReportsMetrics: [
            { report: person('2', 'Jo', 'Silva'), metrics: first },
            { report: person('3', 'Ann', null), metrics: second },
          ],
        },
      ],
    });
    const { data, meta } = await gong.coaching.list(asked);
    expect(data).toEqual([
      {
        userId: '1',
        userEmailAddress: '1@x.example',
        userName: 'Mia Stone',
        isManager: true,
        coachingMetrics: {
          callsListened: 3,
          callsAttended: 3,
          callsWithFeedback: 2,
          callsWithComments: 0,
          scorecardsFilled: 2,
        },
      },
      {
        userId: '2',
        userEmailAddress: '2@x.example',
        userName: 'Jo Silva',
        isManager: false,
        coachingMetrics: { ...none, callsListened: 2, callsWithFeedback: 1, scorecardsFilled: 1 },
      },
      {
        userId: '3',
        userEmailAddress: '3@x.example',
        userName: 'Ann',
        isManager: false,
        coachingMetrics: { ...none, callsListened: 1, callsAttended: 3, callsWithFeedback: 1, scorecardsFilled: 1 },
      },
    ]);
    expect(meta).toEqual({});
    expect(mismatches).toEqual([]);
  });

  test('can cover several managers, each with their own team', async () => {
    const team = (manager: string, ...reports: string[]) => ({
      manager: person(manager),
      directReportsMetrics: reports.map((id) => ({ report: person(id), metrics: {} })),
    });
    const { gong } = connectorWithReplies({ coachingData: [team('1', '2'), team('2', '3', '4'), team('5')] });
    const { data } = await gong.coaching.list(asked);
    expect(data.map(({ userId, isManager }) => `${userId}${isManager ? ' manages' : ''}`)).toEqual([
      '1 manages',
      '2',
      '2 manages',
      '3',
      '4',
      '5 manages',
    ]);
  });

  test('counts a missing metric as 0 and returns null for unknown personal data', async () => {
    const { gong, mismatches } = connectorWithReplies({
      coachingData: [
        { manager: { id: '1', firstName: null, lastName: null } },
        {
          manager: person('2'),
          directReportsMetrics: [{ report: { id: '3' } }, { report: { id: '4' }, metrics: null }],
        },
      ],
    });
    const { data } = await gong.coaching.list(asked);
    expect(data).toHaveLength(4);
    expect(data[0]).toMatchObject({ userId: '1', userEmailAddress: null, userName: null });
    for (const { coachingMetrics } of data) expect(coachingMetrics).toEqual(none);
    expect(mismatches).toEqual([]);
  });

  test('has no undefined values if Gong omits a person', async () => {
    const { gong } = connectorWithReplies({ coachingData: [{ directReportsMetrics: [] }] });
    const blank = { userId: null, userEmailAddress: null, userName: null, isManager: true, coachingMetrics: none };
    expect((await gong.coaching.list(asked)).data).toStrictEqual([blank]);
  });

  test.each([
    [{ coachingData: null }, 0],
    [{ coachingData: null, news: 1 }, 0],
    [{ coachingData: [{ manager: null, directReportsMetrics: null }] }, 1],
    [{ coachingData: [{ manager: { id: '1' }, directReportsMetrics: [null, { report: null, metrics: null }] }] }, 3],
    [{ coachingData: [null] }, 0],
  ])('accepts null instead of a list or object: %j', async (body, count) => {
    const { gong } = connectorWithReplies(body);
    expect((await gong.coaching.list(asked)).data).toHaveLength(count);
  });

  test('is empty if Gong has no coaching data', async () => {
    const { gong } = connectorWithReplies({ coachingData: [] }, { requestId: 'r', coachingData: null });
    expect(await gong.coaching.list(asked)).toEqual({ data: [], meta: {} });
    expect((await gong.coaching.list(asked)).data).toEqual([]);
  });

  test('fails for an unknown manager and for a missing scope', async () => {
    const { gong } = connectorWithReplies(
      errorReply(404, ['User ID 1 was not found']),
      errorReply(401, ["You don't have permission to use 'api:coaching:read' in your app."]),
    );
    expect((await failure(gong.coaching.list(asked))).code).toBe('not_found');
    const error = await failure(gong.coaching.list(asked));
    expect(error.code).toBe('scope_missing');
    expect(error.message).toContain('api:coaching:read');
  });

  test('keeps records already in the reference format', async () => {
    const record = {
      userId: '1',
      userEmailAddress: 'm@x.example',
      userName: 'M',
      isManager: true,
      coachingMetrics: { ...none, callsListened: 4 },
    };
    const { gong } = connectorWithReplies({ coachingData: [record] });
    expect((await gong.coaching.list(asked)).data).toEqual([record]);
  });

  test('keeps all digits of ids, even when Gong sends numbers', async () => {
    const { gong } = connectorWithReplies(
      textReply(
        '{"coachingData":[{"manager":{"id":7254376376091929519},"directReportsMetrics":[{"report":{"id":9007199254740993},"metrics":{"callsListenedTo":[7782342274025937895,7782342274025937896]}}]}]}',
      ),
    );
    const { data } = await gong.coaching.list(asked);
    expect(data.map(({ userId }) => userId)).toEqual(['7254376376091929519', '9007199254740993']);
    expect(data.map(({ coachingMetrics }) => coachingMetrics!.callsListened)).toEqual([2, 2]);
  });

  test("is consistent: a manager's counts are the sums of the team's counts", async () => {
    const metrics = fc.record(
      Object.fromEntries(Object.values(lists).map((list) => [list, fc.array(fc.nat().map(String), { maxLength: 6 })])),
      { requiredKeys: [] },
    );
    const teams = fc.array(fc.array(fc.option(metrics), { maxLength: 5 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(teams, async (given) => {
        const { gong } = connectorWithReplies({
          coachingData: given.map((reports, at) => ({
            manager: person(`m${at}`),
            directReportsMetrics: reports.map((found, place) => ({ report: person(`${at}-${place}`), metrics: found })),
          })),
        });
        const { data } = await gong.coaching.list(asked);
        expect(data).toHaveLength(given.reduce((sum, reports) => sum + 1 + reports.length, 0));
        for (const [at, reports] of given.entries()) {
          const { coachingMetrics } = data.find(({ userId }) => userId === `m${at}`)!;
          for (const [name, list] of Object.entries(lists)) {
            const counts = reports.map((found) => (found?.[list] ?? []).length);
            expect(coachingMetrics![name]).toBe(counts.reduce((sum, count) => sum + count, 0));
            const own = data.filter(({ userId }) => userId.startsWith(`${at}-`));
            expect(own.map((record) => record.coachingMetrics![name])).toEqual(counts);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
