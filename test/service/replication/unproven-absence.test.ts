import { expect, test } from 'vitest';
import { searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const minute = 60_000;

/** A synced Granola connector; the test advances the service's clock. */
async function startGranola() {
  const sandbox = smallSandbox();
  const { granola } = sandbox.vendors;
  const clock = { now: Date.now() };
  const { acme } = await startReplicatingService({ sandbox, now: () => clock.now });
  // Runs on a schedule would be further lists.
  const id = await acme.connect('granola', granola.credentials.api_key, { replication_config: { interval: '30d' } });
  await waitForNewestJob(acme, id);
  const search = async () => (await searchEntity(acme, id, 'notes', { query: {}, limit: 100 })).body.result;
  const ids = async (): Promise<string[]> => (await search()).data.map((note: any) => note.id);
  return { sandbox, granola, clock, search, ids, sync: () => syncAndWait(acme, id) };
}

test('a note stays until two lists a minute apart lack it, and searches say so', async () => {
  const { granola, clock, search, ids, sync } = await startGranola();
  const [note] = await ids();
  granola.remove(note!);
  expect((await sync()).counts.removed).toBe(0);
  expect((await search()).meta).toMatchObject({
    complete: false,
    missing: expect.arrayContaining([
      { reason: 'unlisted_records', entity: 'notes', count: 1, detail: expect.stringContaining('1 record,') },
    ]),
  });
  clock.now += minute / 2;
  expect((await sync()).counts.removed).toBe(0);
  expect(await ids()).toContain(note);
  clock.now += minute;
  expect((await sync()).counts.removed).toBe(1);
  expect(await ids()).not.toContain(note);
  expect((await search()).meta.complete).toBe(true);
});

test('a note that is listed again in between has to be missing for another minute', async () => {
  const { sandbox, granola, clock, ids, sync } = await startGranola();
  const [note] = await ids();
  const before = sandbox.dump();
  granola.remove(note!);
  const after = sandbox.dump();
  await sync();
  sandbox.load(before);
  clock.now += 2 * minute;
  await sync();
  sandbox.load(after);
  clock.now += 2 * minute;
  expect((await sync()).counts.removed).toBe(0);
  expect(await ids()).toContain(note);
});

test('a note stays while no other note can be read', async () => {
  const { sandbox, granola, clock, ids, sync } = await startGranola();
  const [note] = await ids();
  granola.remove(note!);
  await sync();
  clock.now += 2 * minute;
  const gets = { vendor: 'granola', path: '/v1/notes/', count: Number.POSITIVE_INFINITY } as const;
  sandbox.faults.add({ kind: 'refused', status: 404, ...gets });
  expect(await sync()).toMatchObject({ status: 'done', counts: { removed: 0 } });
  expect(await ids()).toContain(note);
  sandbox.faults.clear();
  expect((await sync()).counts.removed).toBe(1);
});

test('all notes are removed if two lists a minute apart are empty', async () => {
  const { granola, clock, ids, sync } = await startGranola();
  for (const note of await ids()) granola.remove(note);
  await sync();
  expect(await ids()).not.toEqual([]);
  clock.now += 2 * minute;
  await sync();
  expect(await ids()).toEqual([]);
});
