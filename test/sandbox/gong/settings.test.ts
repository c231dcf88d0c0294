import { describe, expect, it } from 'vitest';
import { createRequester, listedCalls, unlimitedSandbox } from './requester.js';

const ask = createRequester(unlimitedSandbox());
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?\+0[12]:00$/;

describe('users', () => {
  it("are the company's people, with explicit nulls", async () => {
    const { body } = await ask('/v2/users');
    expect(body.records).toEqual({ totalRecords: 13, currentPageSize: 13, currentPageNumber: 0 });
    const dana = body.users.find(({ firstName }: any) => firstName === 'Dana');
    expect(dana).toEqual({
      id: expect.stringMatching(/^\d{19}$/),
      emailAddress: 'dana.whitfield@fernhill.example',
      created: expect.stringMatching(/\.\d{3}\+0[12]:00$/),
      active: true,
      emailAliases: ['dana@fernhill.example'],
      trustedEmailAddress: null,
      firstName: 'Dana',
      lastName: 'Whitfield',
      title: 'Head of Customer Success',
      phoneNumber: expect.any(String),
      extension: null,
      personalMeetingUrls: ['https://meet.fernhill.example/dana.whitfield'],
      settings: {
        webConferencesRecorded: true,
        preventWebConferenceRecording: false,
        telephonyCallsImported: true,
        emailsImported: true,
        preventEmailImport: false,
        nonRecordedMeetingsImported: true,
        gongConnectEnabled: false,
      },
      managerId: body.users[0].id,
      meetingConsentPageUrl: null,
      conferencingProviders: [{ provider: 'Zoom', isDefault: true }],
      spokenLanguages: [{ language: 'en-US', primary: true }],
    });
    expect(body.users.filter(({ active }: any) => !active)).toHaveLength(1);
  });

  it('can be fetched one by one', async () => {
    const [first] = (await ask('/v2/users')).body.users;
    expect((await ask(`/v2/users/${first.id}`)).body).toEqual({ requestId: expect.any(String), user: first });
    expect(await ask('/v2/users/12')).toMatchObject({ status: 404, body: { errors: ['User ID 12 was not found'] } });
  });
});

describe('settings', () => {
  it('include two workspaces, one without a description', async () => {
    const { body } = await ask('/v2/workspaces');
    expect(Object.keys(body)).toEqual(['requestId', 'workspaces']);
    expect(body.workspaces.map((row: object) => Object.keys(row))).toEqual([
      ['id', 'name', 'description'],
      ['id', 'name'],
    ]);
  });

  it('include scorecards with ids and ranges as strings', async () => {
    const { scorecards } = (await ask('/v2/settings/scorecards?workspaceId=1')).body;
    expect(scorecards.map(({ reviewMethod }: any) => reviewMethod)).toEqual(['MANUAL', 'MANUAL', 'AUTOMATIC']);
    expect(scorecards.at(-1).updaterUserId).toBe('-1');
    const questions = scorecards.flatMap((card: any) => card.questions);
    for (const question of questions) {
      expect(Object.keys(question)).toHaveLength(12);
      expect(question.questionId).toMatch(/^\d{19}$/);
      const isRange = question.questionType === 'RANGE';
      expect([question.minRange, question.maxRange]).toEqual(isRange ? ['1', '5'] : [null, null]);
    }
    const guides = questions.map(({ answerGuide }: any) => answerGuide);
    expect(guides).toEqual(expect.arrayContaining([null, '', expect.stringMatching(/^<p>/)]));
    const select = questions.find(({ questionType }: any) => questionType === 'SINGLE_SELECT');
    expect(select.answerOptions[0]).toEqual({ id: 1, text: 'Solved' });
  });

  it('include trackers, for all workspaces or just one', async () => {
    const { keywordTrackers } = (await ask('/v2/settings/trackers')).body;
    expect(keywordTrackers).toHaveLength(6);
    for (const tracker of keywordTrackers) {
      expect(Object.keys(tracker)).toHaveLength(15);
      expect(tracker.created).toMatch(moment);
      expect(tracker.filterQuery).toBe('{}');
    }
    expect(keywordTrackers.map(({ saidAtInterval }: any) => saidAtInterval)).toContain(10);
    expect(keywordTrackers.at(-1)).toMatchObject({ workspaceId: null, creatorUserId: null, languageKeywords: [] });
    const { workspaceId } = keywordTrackers[0];
    const own = (await ask(`/v2/settings/trackers?workspaceId=${workspaceId}`)).body.keywordTrackers;
    expect(own).toHaveLength(3);
    expect((await ask('/v2/settings/trackers?workspaceId=5')).status).toBe(404);
  });
});

describe('the library', () => {
  const folders = async () => (await ask('/v2/library/folders')).body.folders;

  it('has folders inside a built-in folder', async () => {
    const [root, ...rest] = await folders();
    expect(root).toMatchObject({ parentFolderId: null, createdBy: null, updated: expect.stringMatching(/\.\d{6}\+/) });
    const ids = [root, ...rest].map(({ id }) => id);
    expect(rest.every(({ parentFolderId }: any) => ids.includes(parentFolderId))).toBe(true);
    const { workspaces } = (await ask('/v2/workspaces')).body;
    const ofSupport = (await ask(`/v2/library/folders?workspaceId=${workspaces[1].id}`)).body.folders;
    expect(ofSupport.map(({ name }: any) => name)).toEqual(['New colleagues']);
    expect((await ask('/v2/library/folders?workspaceId=5')).status).toBe(404);
  });

  it('returns all calls in a folder on one page, including private ones, and who added them', async () => {
    const folder = (await folders()).find(({ name }: any) => name === 'Calls worth hearing');
    const { body } = await ask(`/v2/library/folder-content?folderId=${folder.id}`);
    expect(Object.keys(body)).toEqual(['requestId', 'id', 'name', 'createdBy', 'updated', 'calls']);
    const calls = new Map((await listedCalls(ask)).map((call) => [call.id, call]));
    for (const row of body.calls) {
      expect(Object.keys(row)).toEqual(['id', 'title', 'note', 'addedBy', 'created', 'url', 'snippet']);
      expect(row.title).toBe(calls.get(row.id).title);
      expect(row.snippet.toSec).toBeLessThanOrEqual(calls.get(row.id).duration);
      expect(Date.parse(row.created)).toBeGreaterThan(Date.parse(calls.get(row.id).started));
    }
    expect(body.calls.filter(({ id }: any) => calls.get(id).isPrivate)).toHaveLength(2);
  });

  it('returns 404 with a specific message for an empty folder, and rejects other ids', async () => {
    const [root] = await folders();
    expect(await ask(`/v2/library/folder-content?folderId=${root.id}`)).toMatchObject({
      status: 404,
      body: { errors: ['No folders found for the specified period'] },
    });
    expect((await ask('/v2/library/folder-content?folderId=5')).status).toBe(404);
    expect((await ask('/v2/library/folder-content')).status).toBe(400);
  });
});
