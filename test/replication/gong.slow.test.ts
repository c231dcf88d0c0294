import type { Search } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { describe, expect, test } from 'vitest';
import { collect } from '../connectors/calls.js';
import { failure } from '../failure.js';
import { fieldProblems } from './fields.js';
import { contents, createCompany, entities, type Replica, syncAll } from './gong-setup.js';

const hour = 3_600_000;
const day = 24 * hour;
const ofCalls = ['calls', 'calls_extensive', 'call_transcripts'] as const;
const idsOf = (replica: Replica, entity: string) => [...replica.records(entity).keys()].sort();
const started = (replica: Replica, id: string) => Date.parse(String(replica.records('calls').get(id)!.started));

describe('a Gong replica', () => {
  test('has every searchable field, with its declared type', async () => {
    const { open } = createCompany();
    const replica = open();
    await syncAll(replica);
    for (const entity of entities) {
      const records = [...replica.records(entity).values()];
      expect(records.length, entity).toBeGreaterThan(2);
      expect(fieldProblems(GongConnector.manifest, entity, records), entity).toEqual([]);
      const { dateTimes }: Search = GongConnector.manifest.entities[entity as 'users'].search!;
      for (const field of dateTimes ?? []) {
        const instants = records.map((record) => Date.parse(String(record[field])));
        expect(instants.every(Number.isFinite), `${entity}.${field}`).toBe(true);
      }
    }
    expect(replica.failures.filter(({ permanent }) => !permanent)).toEqual([]);
  });

  test('contains what the lists return', async () => {
    const { open, gong, now } = createCompany();
    const replica = open();
    await syncAll(replica);
    const calls = await collect(gong.paginate('calls', 'list'));
    expect(Object.values(contents(replica).calls!)).toEqual(calls.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const ids = calls.map(({ id }) => id).sort();
    expect(ids.length).toBeGreaterThan(100);
    expect(idsOf(replica, 'calls_extensive')).toEqual(ids);
    const transcripts = await collect(gong.paginate('call_transcripts', 'list', { filter: {} }));
    expect(idsOf(replica, 'call_transcripts')).toEqual(transcripts.map(({ callId }) => callId).sort());
    for (const { callId, transcript } of transcripts) {
      const { started } = replica.records('calls').get(callId)!;
      expect(replica.records('call_transcripts').get(callId)).toEqual({ callId, started, transcript });
      expect(replica.records('calls_extensive').get(callId)).toMatchObject({ id: callId, startdatetime: started });
    }
    const filter = {
      fromDateTime: new Date(now() - 365 * day).toISOString(),
      toDateTime: new Date(now()).toISOString(),
    };
    const reviews = await collect(gong.paginate('stats_activity_scorecards', 'list', { filter }));
    expect(idsOf(replica, 'stats_activity_scorecards')).toEqual(
      reviews.map(({ answeredScorecardId }) => answeredScorecardId).sort(),
    );
    const users = await collect(gong.paginate('users', 'list'));
    expect([...replica.records('users').values()]).toEqual(users);
    expect(replica.records('settings_scorecards').size).toBe((await gong.settings_scorecards.list()).data.length);
  });

  test('has recording URLs without their signatures', async () => {
    const { open } = createCompany();
    const replica = open();
    await replica.run('calls_extensive');
    const media = [...replica.records('calls_extensive').values()].flatMap((call) => Object.values(call.media ?? {}));
    expect(media.length).toBeGreaterThan(100);
    for (const address of media) expect(address).toMatch(/^https:\/\/[^?#]+$/);
  });

  test('requests transcripts for a whole page of calls at once, never for a single call', async () => {
    const { open, sandbox } = createCompany();
    const replica = open();
    await replica.run('call_transcripts', { batches: 13 });
    const asked = sandbox.requests.filter(({ path }) => path === '/v2/calls/transcript') as any[];
    expect(asked.length).toBeLessThanOrEqual(7);
    expect(asked.flatMap(({ body }) => body.filter.callIds).sort()).toEqual(idsOf(replica, 'call_transcripts'));
    expect([...sandbox.requests]).toHaveLength(13 + asked.length);
  });

  test('starts at start_date, or a year before now', async () => {
    const { open, now, sandbox } = createCompany();
    const start = new Date(now() - 20 * day).toISOString().slice(0, 10);
    const [young, old] = [open({ config: { start_date: start } }), open()];
    await syncAll(young);
    const [first] = sandbox.requests.filter(({ path }) => path === '/v2/calls');
    expect(first!.query.fromDateTime).toBe(`${start}T00:00:00.000Z`);
    await old.run('calls');
    const since = Date.parse(start);
    const expected = idsOf(old, 'calls').filter((id) => {
      const { system, scheduled } = old.records('calls').get(id)!;
      const isConference = system !== 'Gong Connect' && system !== 'Upload API';
      return (isConference ? Date.parse(String(scheduled)) : started(old, id)) >= since;
    });
    expect(expected.length).toBeGreaterThan(10);
    for (const entity of ofCalls) {
      // The analysis of the newest calls is not available yet.
      expect(expected, entity).toEqual(expect.arrayContaining(idsOf(young, entity)));
      expect(idsOf(young, entity).length, entity).toBeGreaterThanOrEqual(expected.length - 1);
    }
    const requests = sandbox.requests.filter(({ path }) => path === '/v2/calls').at(-1)!;
    expect(Date.parse(requests.query.toDateTime!)).toBeLessThanOrEqual(now());
  });
});

describe('private calls', () => {
  test('and their transcripts are excluded unless includePrivate is set', async () => {
    const { open, gong } = createCompany();
    const [shown, whole] = [open(), open({ settings: { includePrivate: true } })];
    await syncAll(shown);
    await syncAll(whole);
    const hidden = [...whole.records('calls').values()]
      .filter(({ isPrivate }) => isPrivate)
      .map(({ id }) => String(id));
    expect(hidden.length).toBeGreaterThan(2);
    for (const id of hidden) expect((await gong.calls.get({ id })).data.isPrivate).toBe(true);
    for (const entity of ofCalls) {
      expect(idsOf(shown, entity), entity).toEqual(idsOf(whole, entity).filter((id) => !hidden.includes(id)));
      expect(idsOf(whole, entity), entity).toEqual(expect.arrayContaining(hidden));
    }
  });

  test('are removed by the next run if they became private recently, otherwise by the next sweep', async () => {
    const { open, vendor, now } = createCompany();
    const replica = open();
    await syncAll(replica);
    const ids = idsOf(replica, 'calls').sort((one, other) => started(replica, one) - started(replica, other));
    const [old, young] = [ids[0]!, ids.findLast((id) => started(replica, id) < now() - day)!];
    for (const id of [old, young]) vendor.hideCall(id);
    for (const entity of ofCalls) {
      replica.failures.length = 0;
      await replica.run(entity, { batches: 1 });
      expect(replica.failures).toContainEqual(
        expect.objectContaining({ id: young, cause: 'private', permanent: true }),
      );
      expect(replica.records(entity).has(young), entity).toBe(false);
      expect(replica.records(entity).has(old), entity).toBe(true);
      await replica.run(entity);
      expect(replica.failures).toContainEqual(expect.objectContaining({ id: old, cause: 'private' }));
      expect(idsOf(replica, entity), entity).toEqual(ids.filter((id) => id !== old && id !== young).sort());
    }
  });
});

describe('later runs', () => {
  test('find calls that appear after newer ones, and data added later', async () => {
    const { open, time } = createCompany();
    const replica = open();
    const appearing = async (ms: number) => {
      const before = idsOf(replica, 'calls');
      time.advance(ms);
      await syncAll(replica);
      return idsOf(replica, 'calls').filter((id) => !before.includes(id));
    };
    await syncAll(replica);
    const [young] = await appearing(hour / 2);
    const [late] = await appearing(2 * hour);
    expect(started(replica, late!)).toBeLessThan(started(replica, young!));
    for (const entity of ofCalls) expect(idsOf(replica, entity), entity).toEqual(expect.arrayContaining([late, young]));
    const fresh = open();
    await syncAll(fresh);
    expect(contents(replica)).toEqual(contents(fresh));
  });

  test('only request the last seven days again', async () => {
    const { open, time, now, sandbox } = createCompany();
    const replica = open();
    const first = now();
    await replica.run('calls');
    time.advance(hour);
    sandbox.requests.clear();
    expect(await replica.run('calls', { batches: 1 })).toBe(false);
    const [{ query }] = sandbox.requests as any;
    expect(Date.parse(query.fromDateTime)).toBe(first - 7 * day);
    expect(Date.parse(query.toDateTime)).toBeGreaterThanOrEqual(first + hour);
    expect([...sandbox.requests]).toHaveLength(1);
  });

  test('remove deleted calls of any age in a sweep', async () => {
    const { open, vendor } = createCompany();
    const replica = open();
    await syncAll(replica);
    const ids = idsOf(replica, 'calls');
    const reviewed = [...replica.records('stats_activity_scorecards').values()].map(({ callId }) => String(callId));
    const gone = [ids[0]!, ids[40]!, reviewed[0]!];
    for (const id of gone) vendor.deleteCall(id);
    await syncAll(replica);
    for (const entity of ofCalls) {
      expect(idsOf(replica, entity), entity).toEqual(ids.filter((id) => !gone.includes(id)));
    }
    expect(replica.records('stats_activity_scorecards').size).toBe(reviewed.filter((id) => !gone.includes(id)).length);
    expect(replica.records('users').size).toBe(13);
  });

  test('list calls once for all the data that belongs to them', async () => {
    const { open, sandbox, time } = createCompany();
    const replica = open();
    await syncAll(replica);
    time.advance(day);
    const lists = async (work: () => Promise<unknown>) => {
      sandbox.requests.clear();
      await work();
      return [...sandbox.requests].filter(({ method, path }) => method === 'GET' && path === '/v2/calls').length;
    };
    const [alone, together] = [
      await lists(async () => {
        for (const entity of ofCalls) await replica.run(entity);
      }),
      await lists(() => syncAll(replica)),
    ];
    const monthsKept = 13;
    expect(alone - together).toBeGreaterThanOrEqual(2 * monthsKept);
  });

  test('find calls of any age that Gong lists only later, with their transcripts', async () => {
    const { open, vendor, time, now } = createCompany();
    const [fresh, replica] = [open(), open()];
    await syncAll(fresh);
    const late = idsOf(fresh, 'call_transcripts').find((id) => started(fresh, id) < now() - 60 * day)!;
    vendor.changeCall(late, { listedAt: now() + hour });
    await syncAll(replica);
    for (const entity of ofCalls) expect(replica.records(entity).has(late), entity).toBe(false);
    time.advance(2 * hour);
    await syncAll(replica);
    await syncAll(fresh);
    for (const entity of ofCalls) expect(replica.records(entity).has(late), entity).toBe(true);
    expect(contents(replica)).toEqual(contents(fresh));
  });

  test('find new titles and participants of calls of any age', async () => {
    const { open, vendor, time, now } = createCompany();
    const replica = open();
    await syncAll(replica);
    const old = idsOf(replica, 'calls_extensive').find((id) => started(replica, id) < now() - 60 * day)!;
    const { parties } = replica.records('calls_extensive').get(old) as any;
    vendor.changeCall(old, { title: 'Renewal with Halden Works', partyNames: { [parties[0].id]: 'Ines Brandt' } });
    time.advance(2 * hour);
    await syncAll(replica);
    expect(replica.records('calls').get(old)).toMatchObject({ title: 'Renewal with Halden Works' });
    expect(replica.records('calls_extensive').get(old)).toMatchObject({
      metaData: { title: 'Renewal with Halden Works' },
      parties: expect.arrayContaining([expect.objectContaining({ id: parties[0].id, name: 'Ines Brandt' })]),
    });
  });

  test('find calls that became public long after they started', async () => {
    const { sandbox, open, vendor, now } = createCompany();
    const replica = open();
    await replica.run('calls');
    const old = idsOf(replica, 'calls').find((id) => started(replica, id) < now() - 60 * day)!;
    const before = sandbox.dump();
    vendor.hideCall(old);
    await syncAll(replica);
    expect(replica.records('calls').has(old)).toBe(false);
    sandbox.load(before);
    await syncAll(replica);
    for (const entity of ofCalls) expect(replica.records(entity).has(old), entity).toBe(true);
  });

  test('remove nothing if Gong suddenly returns no records at all', async () => {
    const { open, vendor } = createCompany();
    const replica = open();
    await replica.run('calls');
    const ids = idsOf(replica, 'calls');
    const whole = open({ settings: { includePrivate: true } });
    await whole.run('calls');
    for (const id of idsOf(whole, 'calls')) vendor.deleteCall(id);
    expect((await failure(replica.run('calls'))).code).toBe('forbidden');
    expect(idsOf(replica, 'calls')).toEqual(ids);
    expect(await open().run('calls')).toBe(true);
  });
});

describe('an interrupted run', () => {
  test.each([1, 4])('ends with the same result when interrupted every %d batches', async (batches) => {
    const { open } = createCompany({ pageSize: 9 });
    const [replica, undisturbed] = [open(), open()];
    for (const entity of entities) {
      for (let round = 0; round < 50; round += 1) if (await replica.run(entity, { batches })) break;
      await replica.run(entity);
      await undisturbed.run(entity);
    }
    expect(contents(replica)).toEqual(contents(undisturbed));
  });

  test('resumes without reading anything again', async () => {
    const { open, sandbox, time } = createCompany({ pageSize: 9 });
    const [replica, undisturbed] = [open(), open()];
    const requests = async (run: Promise<boolean>) => {
      sandbox.requests.clear();
      await run;
      return [...sandbox.requests].length;
    };
    const whole = await requests(undisturbed.run('call_transcripts'));
    const begun = await requests(replica.run('call_transcripts', { batches: 14 }));
    time.advance(hour);
    const rest = await requests(replica.run('call_transcripts'));
    expect(begun).toBeGreaterThan(14);
    expect(begun + rest).toBeLessThanOrEqual(whole + 1);
    expect(replica.records('call_transcripts').size).toBeGreaterThanOrEqual(
      undisturbed.records('call_transcripts').size,
    );
  });

  test('reads a window again if its cursor has expired', async () => {
    const { open } = createCompany({ pageSize: 9 });
    const [replica, undisturbed] = [open(), open()];
    for (const entity of ['calls', 'stats_activity_scorecards']) {
      let state: any;
      for (let batches = 1; !state?.cursor; batches += 1) {
        await replica.run(entity, { batches });
        state = replica.states.get(entity);
      }
      replica.states.set(entity, { ...state, cursor: 'long-forgotten' });
      await replica.run(entity);
      await undisturbed.run(entity);
      expect(idsOf(replica, entity)).toEqual(idsOf(undisturbed, entity));
    }
  });

  test('fails and keeps its records if a cursor returns no further pages', async () => {
    const { open, sandbox } = createCompany({ pageSize: 9 });
    sandbox.faults.add({ kind: 'endless_cursor', path: '/v2/users', count: Number.POSITIVE_INFINITY });
    const replica = open();
    expect((await failure(replica.run('users'))).code).toBe('invalid_response');
    expect(replica.records('users').size).toBe(9);
  });

  test('finishes the next day after hitting the daily quota', async () => {
    const { open, time, vendor } = createCompany({ pageSize: 20, requestsPerDay: 17 });
    const replica = open();
    const error = await failure(replica.run('calls_extensive'));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(hour);
    expect(replica.records('calls_extensive').size).toBeGreaterThan(10);
    time.advance(error.retryAfterMs!);
    vendor.limits = { requestsPerSecond: 1_000, pageSize: 20 };
    await replica.run('calls_extensive');
    const fresh = open();
    await fresh.run('calls_extensive');
    expect(replica.records('calls_extensive')).toEqual(fresh.records('calls_extensive'));
  });
});

test('a run after the clock has been set back reads recent calls', async () => {
  const { open, now } = createCompany();
  let ahead = 400 * day;
  const replica = open({ now: () => now() + ahead });
  await replica.run('calls');
  ahead = 0;
  expect(await replica.run('calls', { batches: 1 }), 'no batch before the sweep').toBe(false);
});
