import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorWithReplies, emptyListReply, errorReply, pageReply, textReply } from './setup.js';

const week = { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-08T00:00:00Z' };
const inside = '2026-09-02T03:00:00-07:00';

const answer = {
  questionId: '3958478970626784536',
  questionRevisionId: '5',
  isOverall: true,
  score: 4,
  answerText: 'Good',
  notApplicable: false,
  selectedOptions: ['a'],
};
const review = {
  answeredScorecardId: '7572903405772665558',
  scorecardId: '6617040866921841803',
  scorecardName: 'Discovery',
  callId: '7782342274025937895',
  callStartTime: '2026-09-01T03:00:00-07:00',
  reviewedUserId: '12',
  reviewerUserId: '13',
  reviewMethod: 'MANUAL',
  editorUserId: null,
  reviewTime: inside,
  visibilityType: 'MANAGERS_AND_REVIEWEE',
  answers: [answer],
};
const reviews = (rows: readonly object[], cursor?: string) => pageReply('answeredScorecards', rows, cursor);
const idsOf = (records: ReadonlyArray<{ answeredScorecardId: string }>) =>
  records.map(({ answeredScorecardId }) => answeredScorecardId);

describe('a request for reviews', () => {
  test("covers whole days that contain the period in any time zone, including Gong's own reviews", async () => {
    const { gong, sent } = connectorWithReplies(emptyListReply('answered scorecards'));
    await gong.stats_activity_scorecards.list({
      filter: { ...week, scorecardIds: ['1'], reviewedUserIds: ['2'], reviewerUserIds: ['3'], callIds: ['4'] },
      cursor: 'c',
    });
    expect(sent[0]!.url.href).toBe('https://api.gong.io/v2/stats/activity/scorecards');
    expect(sent[0]!.json).toEqual({
      filter: {
        reviewFromDate: '2026-08-31',
        reviewToDate: '2026-09-10',
        scorecardIds: ['1'],
        reviewedUserIds: ['2'],
        reviewMethod: 'BOTH',
      },
      cursor: 'c',
    });
  });

  test('has no end date if it would be in the future', async () => {
    const { gong, sent, time } = connectorWithReplies(emptyListReply());
    time.advance(Date.parse('2026-09-08T12:00:00Z') - Date.now());
    await gong.stats_activity_scorecards.list({ filter: week });
    time.advance(2 * 86_400_000);
    await gong.stats_activity_scorecards.list({ filter: week });
    expect(sent.map(({ json }) => json.filter.reviewToDate)).toEqual([undefined, '2026-09-10']);
    expect(sent.map(({ json }) => json.filter.reviewFromDate)).toEqual(['2026-08-31', '2026-08-31']);
  });

  test('is repeated per page, with only the cursor changed', async () => {
    const { gong, sent } = connectorWithReplies(reviews([review], 'c1'), reviews([]));
    await collect(gong.paginate('stats_activity_scorecards', 'list', { filter: week }));
    expect(sent.map(({ json, url }) => [json.cursor, url.search])).toEqual([
      [undefined, ''],
      ['c1', ''],
    ]);
    expect(sent[1]!.json.filter).toEqual(sent[0]!.json.filter);
  });
});

describe('reviews', () => {
  test('have fields that Gong does not send, derived from those it does', async () => {
    const { gong, mismatches } = connectorWithReplies(reviews([review]));
    expect((await gong.stats_activity_scorecards.list({ filter: week })).data).toEqual([
      {
        ...review,
        answeredDateTime: inside,
        visibility: 'managers_and_reviewee',
        overallScore: 4,
        answers: [{ ...answer, answer: 'Good' }],
      },
    ]);
    expect(mismatches).toEqual([]);
  });

  test('keep all digits of numeric ids, and have no reviewer if Gong did the review', async () => {
    const { gong, mismatches } = connectorWithReplies(
      textReply(`{"requestId":"r6","records":{"totalRecords":1,"currentPageSize":1,"currentPageNumber":0},"answeredScorecards":[
        {"answeredScorecardId":7572903405772665558,"scorecardId":6617040866921841803,"callId":7782342274025937895,
        "reviewedUserId":9007199254740993,"editorUserId":17,"reviewerUserId":null,"reviewMethod":"AUTOMATIC",
        "reviewTime":"2026-09-02T03:00:00-07:00","visibilityType":"PUBLIC","answers":[{"questionId":3958478970626784536,
        "questionRevisionId":9223372036854775807,"isOverall":true,"score":4,"answerText":null,"notApplicable":false,
        "selectedOptions":null}]}]}`),
    );
    const [found] = (await gong.stats_activity_scorecards.list({ filter: week })).data;
    expect(found).toMatchObject({
      answeredScorecardId: '7572903405772665558',
      scorecardId: '6617040866921841803',
      callId: '7782342274025937895',
      reviewedUserId: '9007199254740993',
      editorUserId: '17',
      reviewerUserId: null,
      visibility: 'public',
      overallScore: 4,
      answers: [{ questionId: '3958478970626784536', questionRevisionId: '9223372036854775807', answer: null }],
    });
    expect(mismatches).toEqual([]);
  });

  test('have null for a missing overall score and for missing answer fields', async () => {
    const { gong, mismatches } = connectorWithReplies(
      reviews([
        { ...review, answers: [{ ...answer, isOverall: false, score: 50 }] },
        { ...review, answers: [{ isOverall: true, score: null, notApplicable: true }] },
        { answeredScorecardId: '3', reviewTime: inside },
      ]),
    );
    const { data } = await gong.stats_activity_scorecards.list({ filter: week });
    expect(data.map(({ overallScore }) => overallScore)).toEqual([null, null, null]);
    expect(data[1]!.answers![0]).toEqual({
      questionId: null,
      questionRevisionId: null,
      isOverall: true,
      answer: null,
      answerText: null,
      score: null,
      notApplicable: true,
      selectedOptions: null,
    });
    expect(data[2]).toMatchObject({ answers: null, visibility: null, callId: null, answeredDateTime: inside });
    expect(mismatches).toEqual([]);
  });

  test('are trimmed to the period by instant: start inclusive, end exclusive', async () => {
    const times = {
      before: '2026-08-31T16:59:59.999999-07:00',
      start: '2026-08-31T17:00:00-07:00',
      within: '2026-09-07T23:59:59.999+00:00',
      last: '2026-09-08T13:59:59.999999+14:00',
      end: '2026-09-07T17:00:00.000000-07:00',
      after: '2026-09-08T02:00:00Z',
    };
    const rows = Object.entries(times).map(([answeredScorecardId, reviewTime]) => ({
      ...review,
      answeredScorecardId,
      reviewTime,
    }));
    const { gong } = connectorWithReplies(reviews(rows));
    const { data, meta } = await gong.stats_activity_scorecards.list({ filter: week });
    expect(idsOf(data)).toEqual(['start', 'within', 'last']);
    expect(meta.total_records).toBe(6);
  });

  test('without a time are kept', async () => {
    const { gong } = connectorWithReplies(reviews([{ ...review, reviewTime: null }]));
    expect((await gong.stats_activity_scorecards.list({ filter: week })).data).toHaveLength(1);
  });

  test('are filtered locally by reviewer and call, as numbers or strings', async () => {
    const rows = [
      { ...review, answeredScorecardId: '1' },
      { ...review, answeredScorecardId: '2', reviewerUserId: null },
      { ...review, answeredScorecardId: '3', reviewerUserId: 14 },
      { ...review, answeredScorecardId: '4', callId: '78' },
    ];
    const { gong } = connectorWithReplies(reviews(rows));
    const list = async (filter: object) =>
      idsOf((await gong.stats_activity_scorecards.list({ filter: { ...week, ...filter } })).data);
    expect(await list({ reviewerUserIds: ['13'] })).toEqual(['1', '4']);
    expect(await list({ reviewerUserIds: ['14', '15'] })).toEqual(['3']);
    expect(await list({ callIds: ['78'] })).toEqual(['4']);
    expect(await list({ callIds: ['78'], reviewerUserIds: ['14'] })).toEqual([]);
  });

  test('can all be filtered out of a page that is not the last', async () => {
    const other = { ...review, callId: '1' };
    const { gong } = connectorWithReplies(reviews([other], 'c1'), reviews([review, other], 'c2'), reviews([]));
    const filter = { ...week, callIds: [review.callId] };
    const pages: number[] = [];
    for await (const { data } of gong.paginate('stats_activity_scorecards', 'list', { filter }).pages()) {
      pages.push(data.length);
    }
    expect(pages).toEqual([0, 1, 0]);
  });

  test('are an empty list if none match, while a rejected request is an error', async () => {
    const { gong } = connectorWithReplies(
      errorReply(404, ['No answered scorecards found corresponding to the provided filters.']),
      errorReply(404, ['User ID 9 was not found']),
    );
    expect(await gong.stats_activity_scorecards.list({ filter: week })).toEqual({
      data: [],
      meta: { cursor: null, total_records: 0, current_page_number: 0 },
    });
    expect((await failure(gong.stats_activity_scorecards.list({ filter: week }))).code).toBe('not_found');
  });
});
