import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { replication } from '../../connectors/granola/replication/index.js';
import * as searchable from '../../connectors/granola/searchable.js';
import { advanceUntilSettled, freezeTime } from '../engine/time.js';
import { noon } from '../sandbox/requester.js';
import { type RunOptions, replicaOf } from './replica.js';

const minute = 60_000;
const hour = 60 * minute;

// Loads what the first call in a process needs before the clock is stopped.
beforeAll(async () => {
  const { fetch, vendors } = createSandbox();
  await new GranolaConnector({ credentials: vendors.granola.credentials.api_key, fetch }).notes.list();
});

function workspace() {
  // Granola allows 25 requests per 5 seconds, which no test should wait for.
  freezeTime(noon);
  let offset = 0;
  const now = () => Date.now() + offset;
  const sandbox = createSandbox({ seed: 7, now });
  const credentials = sandbox.vendors.granola.credentials.api_key;
  const asked: string[] = [];
  const busy = { now: 0, most: 0 };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input instanceof Request ? input.url : input));
    asked.push(pathname + search);
    busy.most = Math.max(busy.most, ++busy.now);
    // Responses take time, so requests sent together are concurrent.
    await new Promise((resolve) => setTimeout(resolve, 20));
    busy.now -= 1;
    return sandbox.fetch(input, init);
  };
  return {
    sandbox,
    asked,
    busy,
    granola: sandbox.vendors.granola,
    pass: (milliseconds: number) => {
      offset += milliseconds;
    },
    gets: () => asked.filter((path) => /^\/v1\/notes\/not_\w+\?include/.test(path)).length,
    replica: (ahead = { ms: 0 }) => {
      const clock = { now: () => now() + ahead.ms };
      const replica = replicaOf(GranolaConnector, replication, { credentials, fetch }, clock);
      return { ...replica, run: (options?: RunOptions) => advanceUntilSettled(replica.run('notes', options), 100) };
    },
  };
}

const contents = (replica: ReturnType<ReturnType<typeof workspace>['replica']>) =>
  Object.fromEntries([...replica.records('notes')].sort(([a], [b]) => (a < b ? -1 : 1)));
const notesOf = (replica: Parameters<typeof contents>[0]) => Object.values(contents(replica)) as any[];

describe('a first run', () => {
  test('reads every listed note with its transcript, four at a time', async () => {
    const { replica, busy, sandbox, asked } = workspace();
    const whole = replica();
    expect(await whole.run()).toBe(true);
    expect(whole.failures).toEqual([]);
    expect(busy.most).toBe(4);
    const reader = new GranolaConnector({
      credentials: sandbox.vendors.granola.credentials.api_key,
      fetch: sandbox.fetch,
    });
    const listed: string[] = [];
    for await (const { id } of reader.paginate('notes', 'list', { page_size: 30 })) listed.push(id);
    expect([...whole.records('notes').keys()].sort()).toEqual(listed.sort());
    const notes = notesOf(whole);
    expect(notes.every(({ transcript }) => transcript.length > 0)).toBe(true);
    // This transcript is too large to be included in its note, so it is assembled from its pages.
    expect(notes.some(({ transcript }) => transcript.length > 1000)).toBe(true);
    expect(asked.some((path) => path.includes('/transcript?'))).toBe(true);

    const fields = searchable.notes.fields;
    expect(Object.keys(notes[0]).sort()).toEqual(Object.values(fields).flat().sort());
    for (const [type, names] of Object.entries(fields)) {
      for (const name of names) {
        const values = notes.map((note) => note[name]).filter((value) => value !== null);
        expect(values.length, name).toBeGreaterThan(0);
        const kinds = values.map((value) => (Array.isArray(value) ? 'array' : typeof value));
        expect(new Set(kinds), name).toEqual(new Set([type]));
      }
    }
    for (const { created_at, updated_at } of notes) {
      expect([created_at, updated_at].every((moment) => !Number.isNaN(Date.parse(moment)))).toBe(true);
    }
  });

  test.each([1, 2])('resumes where it stopped after every %i batches', async (batches) => {
    const { replica, gets } = workspace();
    const undisturbed = replica();
    await undisturbed.run();
    const needed = gets();
    const interrupted = replica();
    for (let run = 0; run < 5; run += 1) await interrupted.run({ batches });
    expect(await interrupted.run()).toBe(true);
    expect(contents(interrupted)).toEqual(contents(undisturbed));
    expect(gets()).toBe(2 * needed);
  });

  test('restarts the list if its cursor has expired', async () => {
    const { replica, sandbox } = workspace();
    const undisturbed = replica();
    await undisturbed.run();
    const interrupted = replica();
    await interrupted.run({ batches: 1 });
    sandbox.faults.add({ kind: 'refused', status: 400, vendor: 'granola', path: '/v1/notes' });
    expect(await interrupted.run()).toBe(true);
    expect(contents(interrupted)).toEqual(contents(undisturbed));
  });

  test('fails if the list claims to have more pages but does not', async () => {
    for (const kind of ['endless_cursor', 'null_cursor'] as const) {
      const { replica, sandbox } = workspace();
      sandbox.faults.add({ kind, vendor: 'granola', path: '/v1/notes', count: Number.POSITIVE_INFINITY });
      await expect(replica().run()).rejects.toMatchObject({ code: 'invalid_response' });
    }
  });
});

describe('a later run', () => {
  async function settled() {
    const world = workspace();
    const watch = world.replica();
    await watch.run();
    world.pass(5 * minute);
    const before = world.gets();
    return { ...world, watch, gets: () => world.gets() - before };
  }

  test('only fetches what is new or changed, and removes what was deleted', async () => {
    const { watch, granola, pass, gets, replica } = await settled();
    await watch.run();
    expect(gets()).toBe(0);
    const known = new Set(watch.records('notes').keys());
    const [changed, removed] = [...known];
    granola.rename(changed!, 'Renamed');
    granola.remove(removed!);
    // The meeting that had just ended has a summary by now.
    pass(10 * minute);
    await watch.run();
    expect(gets()).toBe(2);
    expect(watch.records('notes').get(changed!)).toMatchObject({ title: 'Renamed' });
    expect(watch.records('notes').has(removed!)).toBe(false);
    expect([...watch.records('notes').keys()].filter((id) => !known.has(id))).toHaveLength(1);
    const anew = replica();
    await anew.run();
    expect(contents(watch)).toEqual(contents(anew));
  });

  test('finds a note that appeared up to an hour after its timestamp', async () => {
    const { watch, sandbox, granola, pass } = await settled();
    const [late, early] = [...watch.records('notes').keys()];
    pass(2 * hour);
    granola.rename(late!, 'Late');
    const hidden = sandbox.dump();
    pass(40 * minute);
    granola.rename(early!, 'Early');
    const shown = sandbox.dump() as any;
    delete shown.vendors.granola.edits[late!];
    sandbox.load(shown);
    await watch.run();
    expect(watch.records('notes').get(late!)!.title).not.toBe('Late');
    shown.vendors.granola.edits[late!] = (hidden as any).vendors.granola.edits[late!];
    sandbox.load(shown);
    await watch.run();
    expect(watch.records('notes').get(late!)).toMatchObject({ title: 'Late' });
  });

  test('does not miss a note that changes while the list is read', async () => {
    const { watch, granola, pass } = await settled();
    const ids = [...watch.records('notes').keys()];
    pass(25 * hour);
    await watch.run({ batches: 1 });
    pass(2 * hour);
    granola.rename(ids[0]!, 'Passed already');
    granola.rename(ids.at(-1)!, 'Not read yet');
    await watch.run();
    await watch.run();
    expect(watch.records('notes').get(ids[0]!)).toMatchObject({ title: 'Passed already' });
    expect(watch.records('notes').get(ids.at(-1)!)).toMatchObject({ title: 'Not read yet' });
  });

  test('lists everything if the clock has been set back by more than a day', async () => {
    const { replica, asked } = workspace();
    const ahead = { ms: 48 * hour };
    const watch = replica(ahead);
    await watch.run();
    ahead.ms = 0;
    asked.length = 0;
    await watch.run({ batches: 1 });
    expect(asked.filter((path) => path.startsWith('/v1/notes?') && !path.includes('updated_after'))).not.toEqual([]);
  });

  test('lists folders and owners once a day to find notes with their former names', async () => {
    const { watch, asked, pass, gets } = await settled();
    const [note] = notesOf(watch).filter(({ folder_membership }) => folder_membership.length > 0);
    const [owned] = notesOf(watch).filter(({ id, owner }) => id !== note.id && owner?.name);
    note.folder_membership[0].name = 'Its former name';
    owned.owner.name = 'A former name';
    await watch.run();
    expect(gets()).toBe(0);
    asked.length = 0;
    pass(24 * hour);
    await watch.run();
    expect(asked.filter((path) => path.startsWith('/v1/folders'))).not.toEqual([]);
    const [read, other] = [watch.records('notes').get(note.id), watch.records('notes').get(owned.id)] as any[];
    expect(read.folder_membership.map(({ name }: any) => name)).not.toContain('Its former name');
    expect(other.owner.name).not.toBe('A former name');
    expect(gets()).toBeLessThan(5);
  });

  test('reads notes even if the key has no access to folders', async () => {
    const { sandbox, replica } = workspace();
    sandbox.faults.add({
      kind: 'refused',
      status: 403,
      vendor: 'granola',
      path: '/v1/folders',
      count: Number.POSITIVE_INFINITY,
    });
    const anew = replica();
    expect(await anew.run()).toBe(true);
    expect(anew.records('notes').size).toBeGreaterThan(0);
  });

  test('lists everything once a day to find notes that appear with an old timestamp', async () => {
    const { watch, sandbox, granola, pass } = await settled();
    const [id] = [...watch.records('notes').keys()];
    granola.rename(id!, 'Shared');
    await watch.run();
    const dump = sandbox.dump() as any;
    dump.vendors.granola.edits[id!].meeting.title = 'Shared before';
    dump.vendors.granola.edits[id!].updated -= 3 * hour;
    sandbox.load(dump);
    await watch.run();
    expect(watch.records('notes').get(id!)).toMatchObject({ title: 'Shared' });
    pass(24 * hour);
    await watch.run();
    expect(watch.records('notes').get(id!)).toMatchObject({ title: 'Shared before' });
  });

  test('reports notes that were listed but inaccessible, and retries them for three days', async () => {
    const { watch, sandbox, granola, pass, gets } = await settled();
    const [id] = [...watch.records('notes').keys()];
    const refuse = (status: number) =>
      sandbox.faults.add({ kind: 'refused', status, vendor: 'granola', path: `/v1/notes/${id}`, count: 1 });
    granola.rename(id!, 'Reprocessed');
    refuse(404);
    await watch.run();
    expect(watch.failures).toEqual([{ id, message: expect.stringMatching(/^Granola: /) }]);
    expect(watch.records('notes').get(id!)!.title).not.toBe('Reprocessed');
    pass(20 * hour);
    await watch.run();
    expect(watch.failures).toHaveLength(1);
    expect(watch.records('notes').get(id!)).toMatchObject({ title: 'Reprocessed' });
    granola.rename(id!, 'Not for this key');
    refuse(403);
    await watch.run();
    expect(watch.states.get('notes')).toMatchObject({ missing: { [id!]: expect.any(Number) } });
    const tried = gets();
    await watch.run();
    expect(gets()).toBe(tried + 1);
    expect(watch.states.get('notes')).toHaveProperty('missing', {});
    granola.rename(id!, 'Gone meanwhile');
    refuse(404);
    await watch.run();
    granola.remove(id!);
    pass(71 * hour);
    await watch.run();
    expect(watch.states.get('notes')).toMatchObject({ missing: { [id!]: expect.any(Number) } });
    // It is retried in case it was shared again, but no longer listed.
    expect(watch.records('notes').has(id!)).toBe(false);
    pass(hour);
    await watch.run();
    expect(watch.states.get('notes')).toHaveProperty('missing', {});
  });

  test.each([
    ['an error', { kind: 'refused', status: 400 }],
    ['a server error', { kind: '503' }],
    ['a lost connection', { kind: 'reset_before' }],
  ] as const)('reads the other notes if reading one always ends with %s', async (_, fault) => {
    const { watch, sandbox, granola, pass } = await settled();
    const [broken, changed, removed] = [...watch.records('notes').keys()];
    for (const id of [broken, changed]) granola.rename(id!, 'Renamed');
    granola.remove(removed!);
    const path = `/v1/notes/${broken}`;
    sandbox.faults.add({ ...fault, vendor: 'granola', path, count: Number.POSITIVE_INFINITY });
    expect(await watch.run()).toBe(true);
    expect(watch.failures.map(({ id }) => id)).toEqual([broken]);
    expect(watch.records('notes').get(changed!)).toMatchObject({ title: 'Renamed' });
    expect([broken, removed].map((id) => watch.records('notes').has(id!))).toEqual([true, false]);
    sandbox.faults.clear();
    pass(5 * minute);
    await watch.run();
    expect(watch.records('notes').get(broken!)).toMatchObject({ title: 'Renamed' });
  });

  test('stops if Granola itself fails, not just a note', async () => {
    const { watch, sandbox, granola } = await settled();
    granola.rename([...watch.records('notes').keys()][0]!, 'Renamed');
    // The first request is the list.
    sandbox.faults.add({ kind: '503', vendor: 'granola', nth: 2, count: Number.POSITIVE_INFINITY });
    await expect(watch.run()).rejects.toMatchObject({ code: 'vendor_error' });
    expect(watch.failures).toEqual([]);
  });

  test('stops if the key is rejected, and then resumes where it stopped', async () => {
    const { replica, sandbox } = workspace();
    const watch = replica();
    sandbox.faults.add({ kind: 'refused', status: 401, vendor: 'granola', path: '/v1/notes/', nth: 5 });
    await expect(watch.run()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await watch.run()).toBe(true);
    expect(watch.failures).toEqual([]);
  });

  test('keeps the notes read from a page before the vendor rejected a request for one of them', async () => {
    const { replica, sandbox, gets } = workspace();
    const watch = replica();
    sandbox.faults.add({ kind: 'refused', status: 401, vendor: 'granola', path: '/v1/notes/', nth: 25 });
    await expect(watch.run()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(watch.records('notes').size).toBeGreaterThan(15);
    expect(await watch.run()).toBe(true);
    // All but the rejected note are requested once.
    expect(gets()).toBe(watch.records('notes').size + 1);
  });
});
