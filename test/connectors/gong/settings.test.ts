import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies, errorReply, textReply } from './setup.js';

test('a workspace gets the workspaceId that Gong omits, and null for a missing description', async () => {
  const { gong, mismatches } = connectorWithReplies({
    requestId: 'r',
    workspaces: [
      { id: '623457276584334', name: 'Sales', description: 'All of it' },
      { id: '2', name: 'Other' },
    ],
  });
  const { data, meta } = await gong.workspaces.list();
  expect(data).toEqual([
    { id: '623457276584334', workspaceId: '623457276584334', name: 'Sales', description: 'All of it' },
    { id: '2', workspaceId: '2', name: 'Other', description: null },
  ]);
  expect(meta).toEqual({});
  expect(mismatches).toEqual([]);
});

describe('a scorecard', () => {
  const question = {
    questionId: '3958478970626784536',
    questionRevisionId: '4440',
    questionText: 'Overall?',
    questionType: 'RANGE',
    isOverall: true,
    updaterUserId: '-1',
    answerGuide: '<p>5 is best</p>',
    minRange: '1',
    maxRange: '5',
    created: '2026-01-02T03:04:05.678+02:00',
    updated: '2026-01-02T03:04:05.678901+02:00',
    answerOptions: [{ id: 1, text: 'Yes' }],
  };
  const card = {
    scorecardId: '6617040866921841803',
    scorecardName: 'Discovery',
    workspaceId: '9',
    enabled: true,
    updaterUserId: '-1',
    created: '2026-01-02T03:04:05.678+02:00',
    updated: '2026-01-02T03:04:05.678901+02:00',
    reviewMethod: 'AUTOMATIC',
    questions: [question],
  };
  const { answerGuide: guide, ...common } = question;

  test("has answerGuid for Gong's answerGuide, and null for isRequired, which Gong does not send", async () => {
    const { gong, mismatches } = connectorWithReplies({ scorecards: [card] });
    const { data } = await gong.settings_scorecards.list();
    expect(data).toEqual([{ ...card, questions: [{ ...common, answerGuid: guide, isRequired: null }] }]);
    expect(data[0]!.questions![0]).not.toHaveProperty('answerGuide');
    expect(mismatches).toEqual([]);
  });

  test.each([
    ['', ''],
    [null, null],
    [undefined, null],
  ])('sets answerGuid accordingly if the guide is %j', async (answerGuide, answerGuid) => {
    const { gong } = connectorWithReplies({ scorecards: [{ ...card, questions: [{ ...common, answerGuide }] }] });
    expect((await gong.settings_scorecards.list()).data[0]!.questions![0]!.answerGuid).toBe(answerGuid);
  });

  test('has strings for numeric ids and ranges, as Gong documents them', async () => {
    const { gong, mismatches } = connectorWithReplies(
      textReply(
        `{"scorecards":[{"scorecardId":6617040866921841803,"workspaceId":623457276584334,"updaterUserId":-1,"questions":[
        {"questionId":3958478970626784536,"questionRevisionId":9007199254740993,"updaterUserId":234599484848423,"minRange":1,"maxRange":5}]}]}`,
      ),
    );
    const [found] = (await gong.settings_scorecards.list()).data;
    expect(found).toMatchObject({
      scorecardId: '6617040866921841803',
      workspaceId: '623457276584334',
      updaterUserId: '-1',
      questions: [
        {
          questionId: '3958478970626784536',
          questionRevisionId: '9007199254740993',
          updaterUserId: '234599484848423',
          minRange: '1',
          maxRange: '5',
        },
      ],
    });
    expect(mismatches).toEqual([]);
  });

  test('without questions has null for them, and missing question fields are null', async () => {
    const { gong, mismatches } = connectorWithReplies({
      scorecards: [{ scorecardId: '1' }, { ...card, questions: [{}] }],
    });
    const [first, second] = (await gong.settings_scorecards.list()).data;
    expect(first!.questions).toBeNull();
    expect(Object.values(second!.questions![0]!)).toEqual(Array(13).fill(null));
    expect(mismatches).toEqual([]);
  });

  test('is filtered by workspace locally, since Gong has no filter, and is included if it belongs to all workspaces', async () => {
    const cards = [
      { ...card, scorecardId: '1', workspaceId: '9' },
      { ...card, scorecardId: '2', workspaceId: '8' },
      { ...card, scorecardId: '3', workspaceId: null },
      { ...card, scorecardId: '4', workspaceId: 9 },
    ];
    const { gong, sent } = connectorWithReplies({ scorecards: cards });
    const { data } = await gong.settings_scorecards.list({ workspaceId: '9' });
    expect(data.map(({ scorecardId }) => scorecardId)).toEqual(['1', '3', '4']);
    expect(sent[0]!.url.search).toBe('');
    expect((await gong.settings_scorecards.list()).data).toHaveLength(4);
  });

  test('can be missing, in which case the list is empty', async () => {
    const { gong } = connectorWithReplies({ requestId: 'r', scorecards: [] });
    expect(await gong.settings_scorecards.list()).toEqual({ data: [], meta: {} });
  });
});

describe('a tracker', () => {
  const tracker = {
    trackerId: '1',
    trackerName: 'Price',
    workspaceId: '9',
    languageKeywords: [{ language: 'eng', keywords: ['price'], includeRelatedForms: true }],
    affiliation: 'NonCompany',
    partOfQuestion: false,
    saidAt: 'First',
    saidAtInterval: 10,
    saidAtUnit: 'Minutes',
    saidInTopics: ['Pricing'],
    filterQuery: '{}',
    created: '2023-10-17T21:21:31.816562+02:00',
    creatorUserId: null,
    updated: '2023-10-17T21:21:31.816562+02:00',
    updaterUserId: null,
  };

  test('is under keywordTrackers, with its interval as a string', async () => {
    const { gong, mismatches } = connectorWithReplies({ keywordTrackers: [tracker] });
    const { data } = await gong.settings_trackers.list();
    expect(data).toEqual([{ ...tracker, saidAtInterval: '10' }]);
    expect(mismatches).toEqual([]);
  });

  test('has null for a missing interval and may have no keywords', async () => {
    const rows = [{ ...tracker, saidAtInterval: null, saidAtUnit: null, languageKeywords: [] }, { trackerId: '2' }];
    const { gong, mismatches } = connectorWithReplies({ keywordTrackers: rows });
    const [first, second] = (await gong.settings_trackers.list()).data;
    expect(first).toMatchObject({ saidAtInterval: null, languageKeywords: [] });
    expect(second).toMatchObject({ trackerId: '2', saidAtInterval: null, filterQuery: null });
    expect(mismatches).toEqual([]);
  });

  test('of an unknown workspace is an error, not an empty list', async () => {
    const { gong } = connectorWithReplies(errorReply(404, ['Workspace ID 8 was not found']));
    expect((await failure(gong.settings_trackers.list({ workspaceId: '8' }))).code).toBe('not_found');
  });
});

test('folders are returned unchanged, the root with a null parent', async () => {
  const folders = [
    { id: '1', name: 'Library', parentFolderId: null, createdBy: null, updated: '2023-10-17T21:21:31.816562+02:00' },
    { id: '34', name: 'Win/Loss', parentFolderId: '1', createdBy: '23', updated: '2023-10-17T21:21:31+02:00' },
  ];
  const { gong, mismatches } = connectorWithReplies({ requestId: 'r', folders });
  expect(await gong.library_folders.list({ workspaceId: '9' })).toEqual({ data: folders, meta: {} });
  expect(mismatches).toEqual([]);
});
