import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectorWithOptions, connectorWithReplies, textReply } from './setup.js';

/** Integers of one to twenty digits, like Gong's ids. */
const id = fc.bigInt({ min: 1n, max: 99_999_999_999_999_999_999n }).map(String);
const week = { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-08T00:00:00Z' };

/** The same id twice: as a bare number, as Gong documents it, and in quotes, which Gong also returns. */
const forms = (value: string) => [value, `"${value}"`];

test("preserves every digit of a review's id, as a number or string, in any context", async () => {
  await fc.assert(
    fc.asyncProperty(
      id,
      id,
      id,
      id,
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      async (own, card, of, question, said) => {
        for (const form of [0, 1] as const) {
          const as = (value: string) => forms(value)[form];
          const { gong, mismatches } = connectorWithReplies(
            textReply(
              `{"answeredScorecards":[{"answeredScorecardId":${as(own)},"scorecardId": ${as(card)},"callId":${as(of)},"scorecardName":${JSON.stringify(`${said}, "${own}":${own},`)},"reviewTime":"2026-09-02T03:00:00Z","answers":[{"questionId":${as(question)},"score":4}]}]}`,
            ),
          );
          const filter = { ...week, callIds: [of] };
          const [found] = (await gong.stats_activity_scorecards.list({ filter })).data;
          expect(found).toMatchObject({
            answeredScorecardId: own,
            scorecardId: card,
            callId: of,
            scorecardName: `${said}, "${own}":${own},`,
            answers: [{ questionId: question, score: 4 }],
          });
          expect(mismatches).toEqual([]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('sends a requested id unchanged, in the URL and in the body', async () => {
  await fc.assert(
    fc.asyncProperty(id, async (wanted) => {
      const { gong, sent } = connectorWithReplies({ call: { id: wanted }, calls: [] });
      await gong.calls.get({ id: wanted });
      await gong.calls_extensive.list({ filter: { callIds: [wanted] } });
      expect(sent[0]!.url.pathname).toBe(`/v2/calls/${wanted}`);
      expect(sent[1]!.body).toBe(`{"filter":{"callIds":["${wanted}"]}}`);
    }),
    { numRuns: 30 },
  );
});

test('numeric ids become strings with all digits', async () => {
  const { gong, mismatches } = connectorWithOptions(
    {},
    textReply(
      '{"users":[{"id":7254376376091929519,"managerId":9007199254740993,"firstName":"A 7254376376091929519"}]}',
    ),
    textReply('{"call":{"id":7693221800038890052,"primaryUserId":12,"workspaceId":-1}}'),
  );
  const [found] = (await gong.users.list()).data;
  expect(found).toMatchObject({
    id: '7254376376091929519',
    managerId: '9007199254740993',
    firstName: 'A 7254376376091929519',
  });
  const { data } = await gong.calls.get({ id: '7693221800038890052' });
  expect(data).toMatchObject({ id: '7693221800038890052', primaryUserId: '12', workspaceId: '-1' });
  expect(mismatches).toEqual([]);
});
