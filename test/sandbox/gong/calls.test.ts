import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allCalls, allPages, createRequester, fullSelector, listedCalls, unlimitedSandbox } from './requester.js';

const ask = createRequester(unlimitedSandbox());
const day = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();
const extensive = '/v2/calls/extensive';

describe('calls', () => {
  it('are sorted oldest first, with a hundred per page and a cursor only if there are more', async () => {
    const first = await ask('/v2/calls');
    expect(Object.keys(first.body)).toEqual(['requestId', 'records', 'calls']);
    expect(first.headers.get('x-traceid')).toBe(first.body.requestId);
    const { cursor, ...records } = first.body.records;
    expect(records).toEqual({ totalRecords: 150, currentPageSize: 100, currentPageNumber: 0 });
    const second = (await ask(`/v2/calls?cursor=${cursor}`)).body;
    expect(second.records).toEqual({ totalRecords: 150, currentPageSize: 48, currentPageNumber: 1 });
    const calls = [...first.body.calls, ...second.calls];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(148);
    const times = calls.map(({ started }) => Date.parse(started));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("have twenty fields, ids too large for a double, and times in the company's time zone", async () => {
    const calls = await listedCalls(ask);
    for (const call of calls) {
      expect(Object.keys(call)).toHaveLength(20);
      expect(call.id).toMatch(/^\d{19}$/);
      expect(String(Number(call.id)) === call.id && Number.isSafeInteger(Number(call.id))).toBe(false);
      expect(call.started).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?\+0[12]:00$/);
    }
    expect(new Set(calls.map(({ started }) => started.slice(-6)))).toEqual(new Set(['+01:00', '+02:00']));
    expect(new Set(calls.map(({ started }) => /\.(\d+)/.exec(started)?.[1]?.length ?? 0))).toEqual(new Set([0, 3, 6]));
    const [first] = calls;
    expect(first).toMatchObject({ sdrDisposition: null, clientUniqueId: null, customData: null });
  });

  it('include meetings, phone calls, uploads, internal calls and private calls', async () => {
    const calls = await listedCalls(ask);
    const kinds = (name: string) => new Set(calls.map((call) => call[name]));
    expect(kinds('media')).toEqual(new Set(['Video', 'Audio']));
    expect(kinds('direction')).toEqual(new Set(['Conference', 'Inbound', 'Outbound', 'Unknown']));
    expect(kinds('scope')).toEqual(new Set(['External', 'Internal', 'Unknown']));
    expect(kinds('isPrivate')).toEqual(new Set([false, true]));
    expect(kinds('title')).toContain(null);
    expect(calls.find(({ system }) => system === 'Upload API').meetingUrl).toContain('s3.amazonaws.com');
  });

  it('are filtered by start time (inclusive from, exclusive to) with fractions and offsets', async () => {
    const call = (await listedCalls(ask)).find(({ system }) => system === 'Gong Connect');
    const time = Date.parse(call.started);
    const titles = async (from: number, to: number) => {
      const answer = await ask(`/v2/calls?fromDateTime=${iso(from)}&toDateTime=${iso(to)}`);
      return answer.status === 404 ? [] : answer.body.calls.map(({ id }: any) => id);
    };
    expect(await titles(time, time + 1)).toEqual([call.id]);
    expect(await titles(time - 5, time)).toEqual([]);
    const offset = encodeURIComponent(call.started);
    expect((await ask(`/v2/calls?fromDateTime=${offset}`)).body.calls[0].id).toBe(call.id);
    expect((await ask(`/v2/calls?toDateTime=${iso(noon + 90 * day)}`)).body.records.totalRecords).toBe(150);
    const { workspaceId } = call;
    const inWorkspace = await listedCalls(ask, `workspaceId=${workspaceId}`);
    expect(new Set(inWorkspace.map((one) => one.workspaceId))).toEqual(new Set([workspaceId]));
  });

  it('appear some time after they start, among newer calls', async () => {
    const sandbox = unlimitedSandbox();
    const later = createRequester(sandbox);
    const ids = async () => (await listedCalls(later)).map(({ id }) => id);
    const before = await ids();
    sandbox.clock.advance(20 * 60_000);
    const rest = await ids();
    expect(rest).toHaveLength(149);
    expect(before).not.toContain(rest.at(-1));
    sandbox.clock.advance(2 * 3_600_000);
    const all = await ids();
    const late = all.find((id) => !rest.includes(id))!;
    expect(all.indexOf(late)).toBeLessThan(149);
  });

  it('appear in the list and in transcripts before their analysis is available', async () => {
    const sandbox = unlimitedSandbox();
    sandbox.clock.advance(16 * 60_000);
    const now = createRequester(sandbox);
    const { id } = (await listedCalls(now)).at(-1);
    const filter = { callIds: [id] };
    expect((await now('/v2/calls/transcript', { filter })).status).toBe(200);
    expect((await now(extensive, { filter })).status).toBe(404);
    sandbox.clock.advance(5 * 60_000);
    expect((await now(extensive, { filter })).status).toBe(200);
  });

  it('can be fetched one by one, including private ones', async () => {
    const call = (await listedCalls(ask)).find(({ isPrivate }) => isPrivate);
    expect((await ask(`/v2/calls/${call.id}`)).body).toEqual({ requestId: expect.any(String), call });
    const missing = await ask('/v2/calls/7782342274025937895');
    expect(missing).toMatchObject({ status: 404, body: { errors: ['Call ID 7782342274025937895 was not found'] } });
  });
});

describe('full call details', () => {
  it('contain only metadata if no selector is given', async () => {
    const { body } = await ask(extensive, { filter: {}, limit: 5 });
    expect(body.calls).toHaveLength(100);
    expect(new Set(body.calls.flatMap(Object.keys))).toEqual(new Set(['metaData']));
    expect(body.calls[0].metaData).toEqual((await ask('/v2/calls')).body.calls[0]);
  });

  it('contain the requested parts and omit missing ones', async () => {
    const only = async (exposedFields: object) =>
      (await ask(extensive, { filter: {}, contentSelector: { exposedFields } })).body.calls;
    expect(Object.keys((await only({ parties: true }))[0])).toEqual(['metaData', 'context', 'parties']);
    const briefs = await only({ content: { brief: true } });
    expect(new Set(briefs.map(({ content }: any) => Object.keys(content).join()))).toEqual(new Set(['', 'brief']));
    const calls = await allCalls(ask);
    const keys = (block: string) => new Set(calls.flatMap((call) => Object.keys(call[block] ?? {})));
    expect(keys('content')).toEqual(
      new Set(['structure', 'topics', 'trackers', 'brief', 'outline', 'highlights', 'callOutcome', 'keyPoints']),
    );
    expect(keys('interaction')).toEqual(new Set(['interactionStats', 'speakers', 'video', 'questions']));
    expect(keys('collaboration')).toEqual(new Set(['publicComments']));
    expect(calls.some(({ collaboration }) => Object.keys(collaboration).length === 0)).toBe(true);
    expect(calls.some(({ context }) => context.length === 0)).toBe(true);
    const { objects } = calls.find(({ context }) => context.length > 0).context[0];
    expect(objects.map(({ objectType, timing }: any) => `${objectType} ${timing}`)).toEqual([
      'Account Now',
      'Opportunity Now',
      'Account TimeOfCall',
      'Opportunity TimeOfCall',
    ]);
  });

  it('contain tracker counts, and tracker positions only on request', async () => {
    const content = { trackers: true };
    const count = async (more: object) => {
      const calls = await allCalls(ask, { exposedFields: { content: { ...content, ...more } } });
      const trackers = calls.flatMap((call) => call.content.trackers);
      const sum = trackers.reduce((all: number, tracker: any) => all + tracker.count, 0);
      return [sum, trackers.flatMap(({ occurrences }: any) => occurrences).length];
    };
    const [said, shown] = await count({});
    expect(said).toBeGreaterThan(100);
    expect(shown).toBe(0);
    expect(await count({ trackerOccurrences: true })).toEqual([said, said]);
  });

  it('contain parties with varying levels of detail', async () => {
    const parties = (await allCalls(ask)).flatMap((call) => call.parties);
    for (const key of ['emailAddress', 'name', 'title', 'userId', 'phoneNumber']) {
      expect(parties.some((party) => !(key in party))).toBe(true);
      expect(parties.every((party) => party[key] !== null)).toBe(true);
    }
    expect(parties.filter(({ speakerId }) => speakerId === null).length).toBeGreaterThan(0);
    expect(new Set(parties.map(({ affiliation }) => affiliation))).toEqual(
      new Set(['Internal', 'External', 'Unknown']),
    );
  });

  it('are filtered by ids, times, workspaces and hosts, alone or in combination', async () => {
    const [one, two] = await listedCalls(ask);
    const found = async (filter: object) => {
      const answer = await ask(extensive, { filter });
      return answer.status === 404 ? [] : answer.body.calls.map(({ metaData }: any) => metaData.id);
    };
    expect(await found({ callIds: [two.id, one.id] })).toEqual([one.id, two.id]);
    expect(await found({ callIds: [one.id], toDateTime: one.scheduled })).toEqual([]);
    expect(await found({ callIds: [one.id], primaryUserIds: [one.primaryUserId] })).toEqual([one.id]);
    expect(await found({ callIds: [one.id], workspaceId: '1' })).toEqual([]);
  });

  it('continue from a cursor in the body, and start over if it is in the query string', async () => {
    const first = (await ask(extensive, { filter: {} })).body;
    const { cursor } = first.records;
    const again = (await ask(`${extensive}?cursor=${cursor}`, { filter: {} })).body;
    expect(again.calls).toEqual(first.calls);
    const second = (await ask(extensive, { filter: {}, cursor })).body;
    expect(second.records).toEqual({ totalRecords: 150, currentPageSize: 48, currentPageNumber: 1 });
  });

  it.each([
    [{}, 'filter: must not be null'],
    [{ filter: { callIds: 'one' } }, 'filter.callIds: must be a list'],
    [{ filter: { fromDateTime: '2026-02-30T00:00:00Z' } }, 'filter.fromDateTime: must be a date-time with an offset'],
    [
      { filter: {}, contentSelector: { contextTiming: ['Now'] } },
      'contentSelector.contextTiming: is only allowed when context is Extended',
    ],
    [
      { filter: {}, contentSelector: { context: 'Full' } },
      'contentSelector.context: must be one of None, Basic, Extended',
    ],
  ])('reject %j', async (body, error) => {
    expect(await ask(extensive, body)).toMatchObject({ status: 400, body: { errors: [error] } });
  });

  it('reject a non-JSON body and a cursor from another list', async () => {
    expect(await ask(extensive, '{')).toMatchObject({ status: 400, body: { errors: [expect.any(String)] } });
    const { cursor } = (await ask('/v2/calls')).body.records;
    expect((await ask('/v2/calls/transcript', { filter: {}, cursor })).status).toBe(400);
  });
});

describe('transcripts', () => {
  it('have offsets in milliseconds and speaker ids that match the parties', async () => {
    const parties = new Map((await allCalls(ask)).map((call) => [call.metaData.id, call]));
    const transcripts = (await allPages(ask, '/v2/calls/transcript')).flatMap((page) => page.callTranscripts);
    expect(transcripts).toHaveLength(148);
    const topics = new Set(transcripts.flatMap(({ transcript }) => transcript.map(({ topic }: any) => topic)));
    expect(topics).toEqual(new Set([null, 'Call Setup', 'Small Talk', 'Product', 'Pricing', 'Next Steps']));
    for (const { callId, transcript } of transcripts) {
      const call = parties.get(callId);
      const speakers = call.parties.map(({ speakerId }: any) => speakerId);
      expect(speakers).toEqual(expect.arrayContaining([...new Set(transcript.map((row: any) => row.speakerId))]));
      const times = transcript.flatMap(({ sentences }: any) => sentences.flatMap((one: any) => [one.start, one.end]));
      expect(times.every((time: number, place: number) => place === 0 || time >= times[place - 1])).toBe(true);
      const share = times.at(-1) / (call.metaData.duration * 1000);
      expect(share > 0.5 && share <= 1).toBe(true);
    }
  });

  it('are returned in pages of a hundred even if more ids are requested', async () => {
    const ids = (await listedCalls(ask)).slice(0, 100).map(({ id }) => id);
    const { body } = await ask('/v2/calls/transcript', { filter: { callIds: ids } });
    expect(body.callTranscripts.map(({ callId }: any) => callId)).toEqual(ids);
    expect(Object.keys(body.callTranscripts[0])).toEqual(['callId', 'transcript']);
  });
});

describe('an empty list', () => {
  const none = 'No calls found corresponding to the provided filters';

  it.each([
    ['/v2/calls?fromDateTime=2031-01-01T00:00:00Z', undefined],
    [extensive, { filter: { callIds: ['1'] }, contentSelector: fullSelector }],
    ['/v2/calls/transcript', { filter: { callIds: ['1'] } }],
  ])('returns 404: %s', async (path, body) => {
    expect(await ask(path, body)).toMatchObject({ status: 404, body: { errors: [none] } });
  });

  it('is returned for a key whose owner cannot see any calls', async () => {
    const blind = createRequester(unlimitedSandbox(), 'sees_nothing');
    expect(await blind('/v2/calls')).toMatchObject({ status: 404, body: { errors: [none] } });
    expect((await blind('/v2/users')).body.users).toHaveLength(13);
  });

  it('is returned at scale 0', async () => {
    expect((await createRequester(createSandbox({ scale: 0 }))('/v2/calls')).status).toBe(404);
  });
});
