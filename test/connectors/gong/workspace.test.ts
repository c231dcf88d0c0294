import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const hour = 3_600_000;
const quick = { requestsPerSecond: 1_000 };
const offset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?[+-]\d\d:\d\d$/;
const at = (time: string | null) => Date.parse(time!);
const instant = (time: number) => new Date(time).toISOString();
const idsOf = (records: ReadonlyArray<{ id: string }>) => records.map(({ id }) => id);

/** A connector on the company's Gong, without rate limits, with pages of this size. */
const company = (more: Parameters<typeof connectorOnSandbox>[0] = {}, pageSize = 100) =>
  connectorOnSandbox({ limits: { ...quick, pageSize }, ...more });

describe("the company's people", () => {
  test('cover everyone who talks to customers, including former employees, with their managers', async () => {
    const { gong } = company();
    const people = await collect(gong.paginate('users', 'list'));
    const ids = new Set(idsOf(people));
    expect(ids.size).toBe(people.length);
    expect(people.filter(({ active }) => active === false).map(({ firstName }) => firstName)).toEqual(['Hannah']);
    for (const { managerId, emailAddress, created } of people) {
      if (managerId !== null) expect(ids.has(managerId)).toBe(true);
      expect(emailAddress).toMatch(/@fernhill\.example$/);
      expect(created).toMatch(offset);
    }
    expect((await gong.users.get({ id: people[3]!.id })).data).toEqual(people[3]);
  });

  test('fill as many pages as needed, without duplicates', async () => {
    const whole = await collect(company().gong.paginate('users', 'list'));
    const { gong, sandbox } = company({}, 5);
    expect(await collect(gong.paginate('users', 'list'))).toEqual(whole);
    expect(sandbox.requests).toHaveLength(Math.ceil(whole.length / 5));
  });

  test('belong to workspaces whose id and workspaceId are the same', async () => {
    const { data } = await company().gong.workspaces.list();
    expect(data).toHaveLength(2);
    for (const { id, workspaceId, name } of data) expect([workspaceId, typeof name]).toEqual([id, 'string']);
  });
});

describe("the company's calls", () => {
  test('exclude and count private ones, and are complete with includePrivate', async () => {
    const { gong } = company({}, 20);
    let dropped = 0;
    let kept = 0;
    let total = 0;
    for await (const { data, meta } of gong.paginate('calls', 'list').pages()) {
      dropped += meta.private_dropped;
      kept += data.length;
      total = meta.total_records!;
      expect(data.every(({ isPrivate }) => isPrivate === false)).toBe(true);
    }
    const open = await collect(company({ includePrivate: true }, 20).gong.paginate('calls', 'list'));
    expect(dropped).toBeGreaterThan(0);
    expect(open.filter(({ isPrivate }) => isPrivate)).toHaveLength(dropped);
    expect(open).toHaveLength(kept + dropped);
    // Gong counts calls that it has not processed yet.
    expect(total).toBeGreaterThanOrEqual(open.length);
    const hidden = open.find(({ isPrivate }) => isPrivate)!;
    expect((await gong.calls.get({ id: hidden.id })).data).toEqual(hidden);
  });

  test("refer to existing hosts and workspaces and have times in the company's UTC offset", async () => {
    const { gong } = company();
    const people = new Set(idsOf(await collect(gong.paginate('users', 'list'))));
    const workspaces = new Set(idsOf((await gong.workspaces.list()).data));
    for (const { id, primaryUserId, workspaceId, started, scheduled } of await collect(
      gong.paginate('calls', 'list'),
    )) {
      expect(id).toMatch(/^\d{15,20}$/);
      expect(people.has(primaryUserId!) && workspaces.has(workspaceId!)).toBe(true);
      for (const time of [started, scheduled]) expect(time).toMatch(offset);
    }
  });

  test('in a period start at or after its start and before its end', async () => {
    const { gong } = company();
    const calls = await collect(gong.paginate('calls', 'list'));
    const meetings = calls.filter(({ direction }) => direction === 'Conference');
    const [first, last] = [meetings.at(-9)!, meetings.at(-4)!];
    const period = { fromDateTime: instant(at(first.scheduled)), toDateTime: instant(at(last.scheduled)) };
    const found = idsOf(await collect(gong.paginate('calls', 'list', period)));
    expect(found).toContain(first.id);
    expect(found).not.toContain(last.id);
    const { data } = await gong.calls_extensive.list({ filter: period });
    expect(data.map(({ metaData }) => metaData!.id)).toEqual(found);
  });

  test('in all workspaces together are complete', async () => {
    const { gong } = company();
    const workspaces = (await gong.workspaces.list()).data;
    const parts: string[] = [];
    for (const { id } of workspaces)
      parts.push(...idsOf(await collect(gong.paginate('calls', 'list', { workspaceId: id }))));
    expect(parts.sort()).toEqual(idsOf(await collect(gong.paginate('calls', 'list'))).sort());
  });

  test('appear once they have been processed', async () => {
    const { gong, time } = company();
    const before = new Set(idsOf(await collect(gong.paginate('calls', 'list'))));
    time.advance(hour);
    const fresh = (await collect(gong.paginate('calls', 'list'))).filter(({ id }) => !before.has(id));
    expect(fresh.length).toBeGreaterThan(0);
    time.advance(-hour);
    const error = await failure(gong.calls.get({ id: fresh[0]!.id }));
    expect(error.code).toBe('not_found');
    expect(error.hint).toContain('still being processed');
  });
});

describe('a transcript', () => {
  test('lists parties to the call as speakers, uses milliseconds, and never covers a private call', async () => {
    const { gong } = company({}, 40);
    const transcripts = await collect(gong.paginate('call_transcripts', 'list', { filter: {} }));
    const exposedFields = { parties: true };
    const calls = await collect(
      gong.paginate('calls_extensive', 'list', { filter: {}, contentSelector: { exposedFields } }),
    );
    const known = new Map(calls.map((call) => [call.metaData!.id, call]));
    expect(transcripts.map(({ callId }) => callId).sort()).toEqual([...known.keys()].sort());
    for (const { callId, transcript } of transcripts) {
      const { metaData, parties } = known.get(callId)!;
      const speakers = new Set(parties!.map(({ speakerId }) => speakerId));
      const length = metaData!.duration! * 1000;
      expect(transcript!.every(({ speakerId }) => speakers.has(speakerId))).toBe(true);
      const times = transcript!.flatMap(({ sentences }) => sentences!.flatMap(({ start, end }) => [start, end]));
      expect(Math.max(...times)).toBeLessThanOrEqual(length);
      expect(Math.max(...times)).toBeGreaterThan(length / 100);
    }
  });

  test('is excluded from lists until Gong knows whether the call is private', async () => {
    const { gong, time } = company();
    const before = new Set(
      (await collect(gong.paginate('call_transcripts', 'list', { filter: {} }))).map(({ callId }) => callId),
    );
    time.advance(16 * 60_000);
    const fresh = (await collect(gong.paginate('calls', 'list'))).find(({ id }) => !before.has(id))!;
    const filter = { callIds: [fresh.id] };
    expect(await gong.call_transcripts.list({ filter })).toMatchObject({
      data: [],
      meta: { private_dropped: 0, not_ready: 1, notes: [expect.stringContaining('Retry in a few minutes')] },
    });
    time.advance(hour);
    expect((await gong.call_transcripts.list({ filter })).data).toHaveLength(1);
  });

  test('of a customer call mentions an issue and a document', async () => {
    const { gong } = company();
    const contentSelector = { exposedFields: { parties: true, content: { keyPoints: true } } };
    const calls = await collect(gong.paginate('calls_extensive', 'list', { filter: {}, contentSelector }));
    const theirs = calls.filter(({ parties }) =>
      parties!.some(({ emailAddress }) => emailAddress?.endsWith('@calder-sons.example')),
    );
    const callIds = theirs.map(({ metaData }) => metaData!.id!);
    const { data } = await gong.call_transcripts.list({ filter: { callIds } });
    const said = JSON.stringify(data);
    expect(said).toContain('ENG-104');
    expect(said).toContain('Bank feed retries: design');
    expect(JSON.stringify(theirs.map(({ content }) => content!.keyPoints))).toContain('ENG-104');
  });
});

describe('a call with its content', () => {
  test('has the requested parts and null for the rest', async () => {
    const { gong } = company();
    const { data } = await gong.calls_extensive.list({
      filter: {},
      contentSelector: { context: 'Extended', exposedFields: { interaction: { personInteractionStats: true } } },
    });
    for (const call of data) {
      expect([call.parties, call.content, call.collaboration, call.media]).toEqual([null, null, null, null]);
      expect(Array.isArray(call.context)).toBe(true);
    }
    const measured = data.find(({ interaction }) => interaction?.interactionStats)!;
    expect(measured.interaction!.interactionStats!.map(({ name }) => name)).toContain('Talk Ratio');
    expect(data.some(({ context }) => context!.length > 0)).toBe(true);
  });

  test('can be found by host', async () => {
    const { gong } = company();
    const [host] = (await gong.calls.list()).data.map(({ primaryUserId }) => primaryUserId!);
    const { data } = await gong.calls_extensive.list({ filter: { primaryUserIds: [host!] } });
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ metaData }) => metaData!.primaryUserId))).toEqual(new Set([host]));
  });
});
